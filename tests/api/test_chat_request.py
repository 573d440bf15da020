"""What a client may send as a chat completion, and what an ask is made of it."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from ask.events import AskEvent
from ask.question import Question, Scope, ScopeMode, Turn
from ask.wish import Effort, Wish
from doso.llm.chat import ChatMessage, ReplyShape, Role, TextDelta, ToolCall
from tests.support.answers import finished
from tests.support.wire import Wire

TOOL = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}, "strict": True}}


@pytest.fixture
def answering(wire: Wire) -> Wire:
    async def answered(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield TextDelta("Yes.")
        yield finished()

    wire.script = answered
    return wire


async def asked(wire: Wire, **more: Any) -> tuple[Question, Wish]:
    response = await wire.chat(**more)
    assert response.status == 200, response.body
    return wire.asked[-1]


@pytest.mark.parametrize(
    ("more", "effort"),
    [
        ({}, Effort.FAST),
        ({"model": "doso-fast"}, Effort.FAST),
        ({"model": "doso-expert"}, Effort.EXPERT),
        ({"effort": "expert"}, Effort.EXPERT),
        ({"effort": "fast", "model": "doso-expert"}, Effort.FAST),
        ({"effort": "fast", "reasoning_effort": "high"}, Effort.FAST),
        ({"metadata": {"effort": "expert"}}, Effort.EXPERT),
        ({"effort": None, "metadata": None, "reasoning_effort": None}, Effort.FAST),
        ({"reasoning_effort": "none"}, Effort.FAST),
        ({"reasoning_effort": "minimal"}, Effort.FAST),
        ({"reasoning_effort": "low"}, Effort.FAST),
        ({"reasoning_effort": "medium"}, Effort.EXPERT),
        ({"reasoning_effort": "high"}, Effort.EXPERT),
        ({"reasoning_effort": "xhigh"}, Effort.EXPERT),
        ({"reasoning_effort": "max"}, Effort.EXPERT),
        ({"reasoning_effort": "high", "model": "doso-fast"}, Effort.FAST),
    ],
)
async def test_the_topology_that_is_meant(answering: Wire, more: dict[str, Any], effort: Effort) -> None:
    assert (await asked(answering, **more))[1].effort is effort


@pytest.mark.parametrize(
    ("more", "scope"),
    [
        ({}, Scope()),
        ({"scope": {"mode": "strict_chat", "chat_id": "c1"}}, Scope(ScopeMode.STRICT_CHAT, ("c1",))),
        ({"scope": {"mode": "preferred", "chat_ids": ["a", "b"]}}, Scope(ScopeMode.PREFERRED, ("a", "b"))),
        ({"metadata": {"scope": '{"mode":"strict_chat","chat_id":"c1"}'}}, Scope(ScopeMode.STRICT_CHAT, ("c1",))),
        ({"metadata": {"scope": {"mode": "strict_chat", "chat_id": "c1"}}}, Scope(ScopeMode.STRICT_CHAT, ("c1",))),
        ({"metadata": {"scope": "global"}}, Scope()),
    ],
)
async def test_the_scope_that_is_meant(answering: Wire, more: dict[str, Any], scope: Scope) -> None:
    assert (await asked(answering, **more))[0].scope == scope


async def test_unknown_keys_and_what_is_not_heeded_are_ignored(answering: Wire) -> None:
    more = {
        "n": 1,
        "top_p": 0.9,
        "presence_penalty": 0.1,
        "frequency_penalty": 0.1,
        "logit_bias": {"50256": -100},
        "logprobs": False,
        "seed": 7,
        "user": "someone",
        "store": False,
        "service_tier": "auto",
        "parallel_tool_calls": True,
        "verbosity": "low",
        "modalities": ["text"],
        "audio": None,
        "tools": [],
        "tool_choice": "none",
        "functions": None,
        "response_format": {"type": "text"},
        "metadata": {"session": "7"},
        "incognito": True,
        "chat_id": "x",
        "provider": {"order": ["a"]},
    }
    _, wish = await asked(answering, **more)
    assert wish == Wish()


async def test_the_bounds_of_the_reply(answering: Wire) -> None:
    _, wish = await asked(answering, max_tokens=50, temperature=1, stop="\n\n")
    assert (wish.max_output_tokens, wish.temperature, wish.stop) == (50, 1.0, ("\n\n",))
    _, wish = await asked(answering, max_tokens=50, max_completion_tokens=70, stop=["a", "b"])
    assert (wish.max_output_tokens, wish.stop) == (70, ("a", "b"))


async def test_the_form_of_the_reply(answering: Wire) -> None:
    _, wish = await asked(answering, response_format={"type": "json_object"})
    assert (wish.is_json, wish.shape) == (True, None)
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    form = {"type": "json_schema", "json_schema": {"name": "reading", "schema": schema, "strict": True}}
    _, wish = await asked(answering, response_format=form)
    assert (wish.is_json, wish.shape) == (True, ReplyShape("reading", schema))


async def test_tools_go_through_unchanged(answering: Wire) -> None:
    choice = {"type": "function", "function": {"name": "look_up"}}
    _, wish = await asked(answering, tools=[TOOL], tool_choice=choice)
    assert json.loads(wish.tools or "") == [TOOL]
    assert json.loads(wish.tool_choice or "") == choice
    _, wish = await asked(answering, tools=[TOOL], tool_choice="required")
    assert wish.tool_choice == '"required"'


async def test_a_conversation_is_taken_apart(answering: Wire) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Who is Ana?"},
        {"role": "assistant", "content": None, "tool_calls": [_call("c0")], "reasoning_content": "hm"},
        {"role": "tool", "tool_call_id": "c0", "content": "old"},
        {"role": "assistant", "content": "My sister [S1].", "annotations": []},
        {"role": "developer", "content": [{"type": "text", "text": "Speak plainly."}]},
        {"role": "user", "content": [{"type": "text", "text": "Where does"}, {"type": "text", "text": "she live?"}]},
        {"role": "assistant", "content": "", "tool_calls": [_call("c1")]},
        {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "Bogor"}]},
    ]
    question, wish = await asked(answering, messages=messages, tools=[TOOL])
    assert question.text == "Where does\nshe live?"
    assert question.history == (Turn("user", "Who is Ana?"), Turn("assistant", "My sister."))
    assert wish.instructions == "Be brief.\n\nSpeak plainly."
    assert wish.messages == (
        ChatMessage(Role.ASSISTANT, "", (ToolCall("c1", "look_up", '{"q":"Ana"}'),)),
        ChatMessage(Role.TOOL, "Bogor", tool_call_id="c1"),
    )
    assert wish.whole_question is None


def _call(id: str) -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "look_up", "arguments": '{"q":"Ana"}'}}


async def test_a_long_history_is_cut_to_its_end(answering: Wire) -> None:
    turns = [{"role": "user" if at % 2 == 0 else "assistant", "content": f"turn {at}"} for at in range(100)]
    question, _ = await asked(answering, messages=[*turns, {"role": "user", "content": "And now?"}])
    assert [turn.text for turn in question.history] == [f"turn {at}" for at in range(80, 100)]
    long = [{"role": "user", "content": "x" * 30_000}] * 9
    question, _ = await asked(answering, messages=[*long, {"role": "user", "content": "And now?"}])
    assert [len(turn.text) for turn in question.history] == [7_999] * 5


async def test_a_long_question_is_searched_by_its_ends_and_read_whole(answering: Wire) -> None:
    text = "What does this say of Ana?\n" + "lorem ipsum " * 5_000 + "\nAnswer in one line."
    question, wish = await asked(answering, messages=[{"role": "user", "content": text}])
    assert len(question.text) <= 8_000
    assert question.text.startswith("What does this say of Ana?")
    assert question.text.endswith("Answer in one line.")
    assert wish.whole_question == text


async def test_a_picture_is_left_out_and_that_is_told(answering: Wire) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
    content = [{"type": "text", "text": "What is this?"}, picture]
    reply = (await answering.chat(messages=[{"role": "user", "content": content}])).json
    assert answering.asked[-1][0].text == "What is this?\n[image left out]"
    assert reply["doso"]["notes"] == ["The image in the question was left out: only text is read."]


HI = [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize(
    ("body", "status", "code", "param"),
    [
        ({"model": "doso"}, 400, "validation", "messages"),
        ({"messages": HI}, 400, "validation", "model"),
        ({"model": "gpt-4o", "messages": HI}, 404, "model_not_found", "model"),
        ({"model": 7, "messages": HI}, 400, "validation", "model"),
        ({"model": "doso", "messages": []}, 400, "validation", "messages"),
        ({"model": "doso", "messages": "hi"}, 400, "validation", "messages"),
        ({"model": "doso", "messages": HI * 2_001}, 400, "validation", "messages"),
        ({"model": "doso", "messages": [{"role": "system", "content": "x"}]}, 400, "validation", "messages"),
        ({"model": "doso", "messages": [{"role": "user", "content": " "}]}, 400, "validation", "messages[0].content"),
        ({"model": "doso", "messages": [{"role": "user", "content": None}]}, 400, "validation", "messages[0].content"),
        ({"model": "doso", "messages": [{"role": "user", "content": 7}]}, 400, "validation", "messages[0].content"),
        ({"model": "doso", "messages": [{"role": "owner", "content": "x"}]}, 400, "validation", "messages[0].role"),
        ({"model": "doso", "messages": [*HI, {"content": "x"}]}, 400, "validation", "messages[1].role"),
        (
            {"model": "doso", "messages": [{"role": "user", "content": [{"type": "input_audio", "input_audio": {}}]}]},
            400,
            "validation",
            "messages[0].content",
        ),
        ({"model": "doso", "messages": [{"role": "user", "content": "x" * 1_000_001}]}, 400, "validation", "messages"),
        ({"model": "doso", "messages": HI, "n": 2}, 400, "validation", "n"),
        ({"model": "doso", "messages": HI, "n": 0}, 400, "validation", "n"),
        ({"model": "doso", "messages": HI, "n": "1"}, 400, "validation", "n"),
        ({"model": "doso", "messages": HI, "stream": "yes"}, 400, "validation", "stream"),
        ({"model": "doso", "messages": HI, "temperature": 3}, 400, "validation", "temperature"),
        ({"model": "doso", "messages": HI, "max_tokens": 0}, 400, "validation", "max_tokens"),
        ({"model": "doso", "messages": HI, "stop": ""}, 400, "validation", "stop"),
        ({"model": "doso", "messages": HI, "modalities": ["text", "audio"]}, 400, "validation", "modalities"),
        ({"model": "doso", "messages": HI, "audio": {"voice": "x"}}, 400, "validation", "audio"),
        ({"model": "doso", "messages": HI, "functions": [{"name": "f"}]}, 400, "validation", "functions"),
        ({"model": "doso", "messages": HI, "tools": [{"function": {}}]}, 400, "validation", "tools[0].type"),
        (
            {"model": "doso", "messages": HI, "tools": [TOOL, {"type": "function"}]},
            400,
            "validation",
            "tools[1].function.name",
        ),
        (
            {"model": "doso", "messages": HI, "response_format": {"type": "xml"}},
            400,
            "validation",
            "response_format.type",
        ),
        (
            {"model": "doso", "messages": HI, "response_format": {"type": "json_schema"}},
            400,
            "validation",
            "response_format.json_schema",
        ),
        ({"model": "doso", "messages": HI, "effort": "max"}, 400, "validation", "effort"),
        ({"model": "doso", "messages": HI, "reasoning_effort": "ultra"}, 400, "validation", "reasoning_effort"),
        ({"model": "doso", "messages": HI, "metadata": {"effort": "max"}}, 400, "validation", "metadata.effort"),
        ({"model": "doso", "messages": HI, "metadata": {"scope": "mine"}}, 400, "validation", "metadata.scope"),
        (
            {"model": "doso", "messages": HI, "metadata": {"incognito": "maybe"}},
            400,
            "validation",
            "metadata.incognito",
        ),
        ({"model": "doso", "messages": HI, "metadata": []}, 400, "validation", "metadata"),
        ({"model": "doso", "messages": HI, "scope": {"mode": "strict_chat"}}, 400, "validation", "scope"),
        ({"model": "doso", "messages": HI, "conversation_id": "x"}, 400, "validation", "conversation_id"),
        ([], 400, "validation", None),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_what_is_refused_names_the_parameter(
    answering: Wire, body: object, status: int, code: str, param: str | None
) -> None:
    response = await answering.post("/v1/chat/completions", body)
    error = response.json["error"]
    assert (response.status, error["code"], error["param"]) == (status, code, param)
    assert error.keys() == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"
    assert answering.asked == []
