"""A whole chat completion: the same answer as the stream's, in one object."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from ask.events import AskEvent, Cited, DroppedCitation, Finished
from ask.question import Question
from ask.wish import Wish
from doso.llm.chat import FinishReason, ReasoningDelta, TextDelta, ToolCallDelta
from doso.tracing import Trace
from tests.support.answers import USAGE, cited, finished, item, sources
from tests.support.wire import Wire

METER = item("S1")
PAGE = item("S2", uri="https://meters.test/4711")
TEXT = "Read [S1]. Seen [S2], [S1]."


async def answered(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
    yield sources(METER, PAGE, warnings=("The vectors are still being made.",))
    yield ReasoningDelta("Hm. ")
    yield ReasoningDelta("Yes.")
    yield TextDelta("Read [S1]. ")
    yield TextDelta("Seen [S2], [S1].")
    yield cited(TEXT, METER, PAGE)
    yield finished(notes=("Live research was late.",))


async def test_a_whole_reply(wire: Wire) -> None:
    wire.script = answered
    response = await wire.chat(model="doso-expert")
    assert (response.status, response.headers["content-type"]) == (200, "application/json")
    reply = response.json
    assert reply["id"].startswith("chatcmpl-")
    assert (reply["object"], reply["created"], reply["model"]) == ("chat.completion", 1773230400, "doso-expert")
    (choice,) = reply["choices"]
    assert (choice["index"], choice["finish_reason"], choice["logprobs"]) == (0, "stop", None)
    message = choice["message"]
    assert (message["role"], message["content"], message["refusal"]) == ("assistant", TEXT, None)
    assert message["reasoning_content"] == "Hm. Yes."
    assert "tool_calls" not in message
    assert [annotation["url_citation"] for annotation in message["annotations"]] == [
        {"start_index": 5, "end_index": 9, "title": "Meter book", "url": f"{wire.url}/v1/documents/d-1"},
        {"start_index": 16, "end_index": 20, "title": "Meter book", "url": "https://meters.test/4711"},
        {"start_index": 22, "end_index": 26, "title": "Meter book", "url": f"{wire.url}/v1/documents/d-1"},
    ]
    assert reply["usage"] == {
        "prompt_tokens": 120,
        "completion_tokens": 30,
        "total_tokens": 150,
        "prompt_tokens_details": {"cached_tokens": 20},
        "completion_tokens_details": {"reasoning_tokens": 10},
    }
    doso = reply["doso"]
    assert [(one["mark"], one["places"]) for one in doso["citations"]] == [
        ("S1", [[5, 9], [22, 26]]),
        ("S2", [[16, 20]]),
    ]
    assert doso["notes"] == ["Live research was late.", "The vectors are still being made."]
    assert (doso["evidence_id"], doso["no_results"], doso["is_partial"]) == ("e-1", False, False)
    assert doso["served_by"] == {"provider": "stub", "model": "stub-1"}
    assert not {"dropped", "trace"} & doso.keys()


async def test_the_stream_and_the_whole_reply_say_the_same(wire: Wire) -> None:
    wire.script = answered
    whole = (await wire.chat()).json
    chunks = (await wire.chat(stream=True)).chunks
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    message = whole["choices"][0]["message"]
    assert "".join(delta.get("content", "") for delta in deltas) == message["content"]
    assert "".join(delta.get("reasoning_content", "") for delta in deltas) == message["reasoning_content"]
    assert [delta["annotations"] for delta in deltas if "annotations" in delta] == [message["annotations"]]
    assert [chunk["doso"] for chunk in chunks if "doso" in chunk] == [whole["doso"]]


async def test_a_reply_that_calls_tools_has_no_words(wire: Wire) -> None:
    async def calling(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield ToolCallDelta(0, "", id="call_1", name="look_up")
        yield ToolCallDelta(0, '{"q":"tea"}')
        yield finished(FinishReason.TOOL_CALLS)

    wire.script = calling
    (choice,) = (await wire.chat()).json["choices"]
    assert (choice["finish_reason"], choice["message"]["content"]) == ("tool_calls", None)
    assert choice["message"]["tool_calls"] == [
        {"id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": '{"q":"tea"}'}}
    ]


async def test_an_answer_that_a_limit_cut_is_partial(wire: Wire) -> None:
    async def cut(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield TextDelta("It rea")
        yield finished(FinishReason.LENGTH)

    wire.script = cut
    reply = (await wire.chat()).json
    assert (reply["choices"][0]["finish_reason"], reply["doso"]["is_partial"]) == ("length", True)


@pytest.mark.parametrize("more", [{"trace": True}, {"metadata": {"trace": "true"}}])
async def test_what_was_dropped_and_the_trace_are_shown_to_who_asks(wire: Wire, more: dict[str, Any]) -> None:
    async def dropping(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        ticks = iter([0.0, 0.5, 1.25])
        trace = Trace(now_s=lambda: next(ticks))
        with trace.span("skeptics.support", votes=3):
            yield TextDelta("It reads 4711.")
        yield Cited("It reads 4711.", (), (DroppedCitation("S9", ("support", "identity"), "another meter"),))
        yield Finished(FinishReason.STOP, USAGE, trace)

    wire.script = dropping
    doso = (await wire.chat(**more)).json["doso"]
    assert doso["dropped_count"] == 1
    assert doso["dropped"] == [{"mark": "S9", "by": ["support", "identity"], "why": "another meter"}]
    assert doso["trace"] == [
        {"name": "skeptics.support", "start_ms": 0.0, "end_ms": 500.0, "error": None, "attributes": {"votes": 3}}
    ]
    assert doso["timings_ms"] == {"skeptics.support": 500.0}


async def test_a_page_whose_address_no_browser_should_open_is_cited_by_its_document(wire: Wire) -> None:
    async def stated(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield TextDelta("So [S1].")
        yield cited("So [S1].", item("S1", uri="javascript:alert(1)"))
        yield finished()

    wire.script = stated
    (annotation,) = (await wire.chat()).json["choices"][0]["message"]["annotations"]
    assert annotation["url_citation"]["url"] == f"{wire.url}/v1/documents/d-1"
