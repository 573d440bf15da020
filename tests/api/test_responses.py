"""Responses: what they take, and their events in order, over a real socket."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from ask.events import AskEvent, Phase, PhaseChanged
from ask.question import Question, Turn
from ask.wish import Effort, Wish
from doso.errors import ProviderRefused, ProviderStreamFailed
from doso.llm.chat import (
    ChatMessage,
    FinishReason,
    ReasoningDelta,
    ReplyShape,
    Role,
    TextDelta,
    ToolCall,
    ToolCallDelta,
)
from tests.support.answers import cited, finished, item, sources
from tests.support.wire import Response, Wire

TEXT = "It reads 4711 [S1]."
METER = item()


async def answered(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
    yield PhaseChanged(Phase.RETRIEVING)
    yield sources(METER)
    yield ReasoningDelta("Let me ")
    yield ReasoningDelta("see.")
    yield TextDelta("It reads ")
    yield TextDelta("4711 [S1].")
    yield cited(TEXT, METER)
    yield finished()


async def respond(wire: Wire, **more: Any) -> Response:
    return await wire.post("/v1/responses", {"model": "doso", "input": "hi"} | more)


async def test_the_events_of_a_response(wire: Wire) -> None:
    wire.script = answered
    response = await respond(wire, stream=True)
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    names = [line.removeprefix("event: ") for line in response.body.decode().split("\n") if line.startswith("event: ")]
    events = response.chunks
    assert [event["type"] for event in events] == names
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    assert names == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.reasoning_summary_part.added",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.done",
        "response.reasoning_summary_part.done",
        "response.output_item.done",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.delta",
        "response.output_text.annotation.added",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert "[DONE]" not in response.data
    assert [event["delta"] for event in events if event["type"] == "response.output_text.delta"] == [
        "It reads ",
        "4711 [S1].",
    ]
    last = events[-1]["response"]
    assert (last["status"], last["object"], last["error"], last["id"][:5]) == ("completed", "response", None, "resp_")
    assert [one["type"] for one in last["output"]] == ["reasoning", "message"]
    assert last["output"][0]["summary"] == [{"type": "summary_text", "text": "Let me see."}]
    (part,) = last["output"][1]["content"]
    assert part["text"] == TEXT
    assert part["annotations"] == [
        {
            "type": "url_citation",
            "start_index": 14,
            "end_index": 18,
            "title": "Meter book",
            "url": f"{wire.url}/v1/documents/d-1",
        }
    ]
    assert last["usage"] == {
        "input_tokens": 120,
        "input_tokens_details": {"cached_tokens": 20, "cache_write_tokens": 0},
        "output_tokens": 30,
        "output_tokens_details": {"reasoning_tokens": 10},
        "total_tokens": 150,
    }
    assert [one["mark"] for one in last["doso"]["citations"]] == ["S1"]
    done = [event["item"] for event in events if event["type"] == "response.output_item.done"]
    assert done == last["output"]


async def test_a_whole_response_is_the_streams_last(wire: Wire) -> None:
    wire.script = answered
    whole = (await respond(wire)).json
    streamed = (await respond(wire, stream=True)).chunks[-1]["response"]

    def without_ids(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: without_ids(part) for name, part in value.items() if name != "id"}
        return [without_ids(part) for part in value] if isinstance(value, list) else value

    assert without_ids(whole) == without_ids(streamed)


async def test_calls_of_functions_are_items(wire: Wire) -> None:
    async def calling(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield TextDelta("One moment.")
        yield ToolCallDelta(0, "", id="call_1", name="look_up")
        yield ToolCallDelta(0, '{"q":')
        yield ToolCallDelta(0, '"tea"}')
        yield ToolCallDelta(1, "{}", id="call_2", name="stop")
        yield finished(FinishReason.TOOL_CALLS)

    wire.script = calling
    events = (await respond(wire, stream=True)).chunks
    last = events[-1]["response"]
    assert [(one["type"], one.get("call_id"), one.get("name"), one.get("arguments")) for one in last["output"]] == [
        ("message", None, None, None),
        ("function_call", "call_1", "look_up", '{"q":"tea"}'),
        ("function_call", "call_2", "stop", "{}"),
    ]
    deltas = [event for event in events if event["type"] == "response.function_call_arguments.delta"]
    assert [(event["output_index"], event["delta"]) for event in deltas] == [(1, '{"q":'), (1, '"tea"}'), (2, "{}")]
    assert {one["status"] for one in last["output"]} == {"completed"}


async def test_an_answer_that_a_limit_cut_is_incomplete(wire: Wire) -> None:
    async def cut(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield TextDelta("It rea")
        yield finished(FinishReason.LENGTH)

    wire.script = cut
    last = (await respond(wire, stream=True)).chunks[-1]
    assert last["type"] == "response.incomplete"
    assert last["response"]["incomplete_details"] == {"reason": "max_output_tokens"}


async def test_a_failure_before_the_first_word_has_a_status(wire: Wire) -> None:
    async def failing(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield sources(METER)
        raise ProviderRefused("The model's server turned it down.")

    wire.script = failing
    for stream in (True, False):
        response = await respond(wire, stream=stream)
        assert (response.status, response.json["error"]["code"]) == (502, "provider.refused")


async def test_a_failure_after_it_is_an_event_and_a_failed_response(wire: Wire) -> None:
    async def breaking(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield TextDelta("It ")
        raise ProviderStreamFailed("The model broke off.")

    wire.script = breaking
    response = await respond(wire, stream=True)
    *_, error, failed = response.chunks
    assert error == {
        "type": "error",
        "sequence_number": error["sequence_number"],
        "code": "provider.stream_failed",
        "message": "The model broke off.",
        "param": None,
        "request_id": response.headers["x-request-id"],
    }
    assert (failed["type"], failed["response"]["status"]) == ("response.failed", "failed")
    assert failed["response"]["error"] == {"code": "provider.stream_failed", "message": "The model broke off."}


async def test_what_a_request_asks_for(wire: Wire) -> None:
    wire.script = answered
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    reply = await respond(
        wire,
        instructions="Be brief.",
        input=[
            {"role": "user", "content": "Who is Ana?"},
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "My sister."}]},
            {"role": "developer", "content": "Speak plainly."},
            {"role": "user", "content": [{"type": "input_text", "text": "Where does she live?"}]},
            {"type": "function_call", "call_id": "c1", "name": "look_up", "arguments": "{}", "id": "fc_1"},
            {"type": "function_call", "call_id": "c2", "name": "look_up", "arguments": '{"q":1}'},
            {"type": "function_call_output", "call_id": "c1", "output": "Bogor"},
            {"type": "function_call_output", "call_id": "c2", "output": [{"type": "input_text", "text": "Solo"}]},
        ],
        max_output_tokens=50,
        temperature=0.5,
        reasoning={"effort": "high", "summary": "auto"},
        text={"format": {"type": "json_schema", "name": "reading", "schema": schema, "strict": True}},
        tools=[
            {"type": "function", "name": "look_up", "parameters": {"type": "object"}, "strict": None},
            {"type": "web_search"},
        ],
        tool_choice={"type": "function", "name": "look_up"},
        metadata={"session": "7"},
        include=["reasoning.encrypted_content"],
        store=False,
    )
    ((question, wish),) = wire.asked
    assert (question.text, wish.effort) == ("Where does she live?", Effort.EXPERT)
    assert question.history == (Turn("user", "Who is Ana?"), Turn("assistant", "My sister."))
    assert wish.instructions == "Be brief.\n\nSpeak plainly."
    assert wish.messages == (
        ChatMessage(Role.ASSISTANT, "", (ToolCall("c1", "look_up", "{}"), ToolCall("c2", "look_up", '{"q":1}'))),
        ChatMessage(Role.TOOL, "Bogor", tool_call_id="c1"),
        ChatMessage(Role.TOOL, "Solo", tool_call_id="c2"),
    )
    assert (wish.max_output_tokens, wish.temperature, wish.shape) == (50, 0.5, ReplyShape("reading", schema))
    function = {"name": "look_up", "parameters": {"type": "object"}}
    assert json.loads(wish.tools or "") == [{"type": "function", "function": function}]
    assert json.loads(wish.tool_choice or "") == {"type": "function", "function": {"name": "look_up"}}
    body = reply.json
    assert (body["instructions"], body["metadata"], body["max_output_tokens"]) == ("Be brief.", {"session": "7"}, 50)
    assert body["doso"]["notes"] == ["A tool of the type web_search was left out: only functions are called."]


@pytest.mark.parametrize(
    ("more", "status", "code", "param"),
    [
        ({"model": "gpt-5"}, 404, "model_not_found", "model"),
        ({"input": []}, 400, "validation", "input"),
        ({"input": 7}, 400, "validation", "input"),
        ({"input": " "}, 400, "validation", "input"),
        ({"input": [{"role": "bird", "content": "x"}]}, 400, "validation", "input[0].role"),
        ({"input": [{"type": "item_reference", "id": "msg_1"}]}, 400, "validation", "input[0]"),
        ({"input": [{"type": "function_call", "name": "f"}]}, 400, "validation", "input[0].call_id"),
        ({"input": [{"type": "function_call", "call_id": "c"}]}, 400, "validation", "input[0].name"),
        ({"input": [{"type": "function_call_output", "output": "x"}]}, 400, "validation", "input[0].call_id"),
        ({"previous_response_id": "resp_1"}, 400, "validation", "previous_response_id"),
        ({"conversation": "conv_1"}, 400, "validation", "conversation"),
        ({"background": True}, 400, "validation", "background"),
        ({"max_output_tokens": 0}, 400, "validation", "max_output_tokens"),
        ({"reasoning": {"effort": "ultra"}}, 400, "validation", "reasoning.effort"),
        ({"text": {"format": {"type": "json_schema"}}}, 400, "validation", "text.format"),
        ({"tools": [{"type": "function"}]}, 400, "validation", "tools[0].name"),
        ({"stream": "true"}, 400, "validation", "stream"),
        ({"conversation_id": "x"}, 400, "validation", "conversation_id"),
    ],
    ids=str,
)
async def test_what_is_refused_names_the_parameter(
    wire: Wire, more: dict[str, Any], status: int, code: str, param: str
) -> None:
    response = await respond(wire, **more)
    error = response.json["error"]
    assert (response.status, error["code"], error["param"]) == (status, code, param)
