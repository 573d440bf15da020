"""A streamed chat completion, byte for byte, over a real socket."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator

import pytest

import api.wire.sending
import api.wire.sse
from ask.events import AskEvent, Phase, PhaseChanged
from ask.question import Question
from ask.wish import Wish
from doso.errors import ProviderLimited, ProviderRefused, ProviderStreamFailed, ProviderTimeout
from doso.llm.chat import FinishReason, ReasoningDelta, TextDelta, ToolCallDelta
from tests.support.answers import cited, finished, item, sources
from tests.support.wire import Wire

TEXT = "It reads 4711 [S1]."
METER = item()


async def answered(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
    yield PhaseChanged(Phase.RETRIEVING)
    yield sources(METER)
    yield PhaseChanged(Phase.ANSWERING)
    yield ReasoningDelta("Let me ")
    yield ReasoningDelta("see.")
    yield TextDelta("It reads ")
    yield TextDelta("4711 [S1].")
    yield cited(TEXT, METER)
    yield finished()


def head(body: str) -> str:
    """What every chunk of this stream begins with."""
    names = re.match(r'data: (\{"id":"chatcmpl-[0-9a-f]{32}",[^\[]*)"choices"', body)
    assert names is not None
    return names[1]


async def test_the_bytes_of_a_stream(wire: Wire) -> None:
    wire.script = answered
    response = await wire.chat(stream=True, stream_options={"include_usage": True})
    body = response.body.decode()
    start = head(body)
    assert re.fullmatch(
        r'\{"id":"chatcmpl-[0-9a-f]{32}","object":"chat.completion.chunk","created":1773230400,"model":"doso",', start
    )

    def chunk(delta: str, finish: str = "null") -> str:
        choice = f'{{"index":0,"delta":{delta},"logprobs":null,"finish_reason":{finish}}}'
        return f'data: {start}"choices":[{choice}],"usage":null}}\n\n'

    url = f"{wire.url}/v1/documents/d-1"
    place = f'{{"start_index":14,"end_index":18,"title":"Meter book","url":"{url}"}}'
    annotated = chunk(f'{{"annotations":[{{"type":"url_citation","url_citation":{place}}}]}}')
    doso = (
        '"doso":{"evidence_id":"e-1","no_results":false,"is_partial":false,"is_verified":true,"citations":[{"mark":"S1","places":[[14,18]],'
        '"kind":"passage","text":"The meter reads 4711.","sources":[{"document_id":"d-1","external_ids":["m-1"],'
        '"title":"Meter book","source":"note","passage_id":"p-1"}]}],"dropped_count":0,"notes":[],"timings_ms":{},'
        '"is_usage_exact":true,"served_by":{"provider":"stub","model":"stub-1"}}'
    )
    assert body == "".join(
        [
            chunk('{"role":"assistant","content":""}'),
            chunk('{"reasoning_content":"Let me "}'),
            chunk('{"reasoning_content":"see."}'),
            chunk('{"content":"It reads "}'),
            chunk('{"content":"4711 [S1]."}'),
            annotated.replace('],"usage":null', f'],{doso},"usage":null'),
            chunk("{}", '"stop"'),
            f'data: {start}"choices":[],"usage":{{"prompt_tokens":120,"completion_tokens":30,"total_tokens":150,'
            '"prompt_tokens_details":{"cached_tokens":20},"completion_tokens_details":{"reasoning_tokens":10}}}\n\n',
            "data: [DONE]\n\n",
        ]
    )


async def test_the_headers_of_a_stream(wire: Wire) -> None:
    wire.script = answered
    response = await wire.chat(stream=True)
    assert response.status == 200
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert response.headers["cache-control"] == "no-cache, no-transform"
    assert response.headers["x-accel-buffering"] == "no"
    assert response.headers["x-request-id"]
    assert "content-length" not in response.headers


async def test_usage_is_told_to_those_alone_who_ask(wire: Wire) -> None:
    wire.script = answered
    for options in ({}, {"stream_options": None}, {"stream_options": {"include_usage": False}}):
        response = await wire.chat(stream=True, **options)
        assert all(len(chunk["choices"]) == 1 for chunk in response.chunks)
        assert b"usage" not in response.body.replace(b"is_usage_exact", b"")


async def test_a_client_that_accepts_json_alone_gets_its_stream(wire: Wire) -> None:
    wire.script = answered
    body = {"model": "doso", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    response = await wire.post("/v1/chat/completions", body, accept="application/json", openai_beta="x")
    assert response.data[-1] == "[DONE]"


async def test_tool_calls_are_told_piece_by_piece(wire: Wire) -> None:
    async def calling(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield sources(METER)
        yield ToolCallDelta(0, "", id="call_1", name="look_up")
        yield ToolCallDelta(0, '{"q":')
        yield ToolCallDelta(0, '"tea"}')
        yield ToolCallDelta(1, "{}", id="call_2", name="stop")
        yield finished(FinishReason.TOOL_CALLS)

    wire.script = calling
    response = await wire.chat(stream=True)
    deltas = [chunk["choices"][0]["delta"] for chunk in response.chunks]
    assert deltas[1:5] == [
        {
            "tool_calls": [
                {"index": 0, "id": "call_1", "type": "function", "function": {"name": "look_up", "arguments": ""}}
            ]
        },
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"q":'}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '"tea"}'}}]},
        {
            "tool_calls": [
                {"index": 1, "id": "call_2", "type": "function", "function": {"name": "stop", "arguments": "{}"}}
            ]
        },
    ]
    assert [chunk["choices"][0]["finish_reason"] for chunk in response.chunks][-1] == "tool_calls"


async def test_a_line_end_of_unicode_is_escaped(wire: Wire) -> None:
    async def odd(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield TextDelta("a\u2028b\u2029c\x85d\x0be\r\nf\ud800 你好 🌍")
        yield finished()

    wire.script = odd
    response = await wire.chat(stream=True)
    assert len(response.body.decode().splitlines()) == response.body.count(b"\n")
    assert response.chunks[1]["choices"][0]["delta"]["content"] == "a\u2028b\u2029c\x85d\x0be\r\nf? 你好 🌍"


@pytest.mark.parametrize(
    ("error", "status", "retry"),
    [
        (ProviderRefused("The model's server turned it down."), 502, "false"),
        (ProviderTimeout("It took too long."), 504, None),
        (ProviderLimited("Asked too often.", retry_after_s=7), 429, None),
        (ProviderLimited("Asked too often.", retry_after_s=86_400), 429, "false"),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
async def test_a_failure_before_the_first_word_has_a_status(
    wire: Wire, error: ProviderRefused, status: int, retry: str | None, stream: bool
) -> None:
    async def failing(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield sources(METER)
        yield PhaseChanged(Phase.ANSWERING)
        raise error

    wire.script = failing
    response = await wire.chat(stream=stream)
    assert (response.status, response.json["error"]["code"]) == (status, error.code)
    assert response.headers["content-type"] == "application/json"
    assert response.headers.get("x-should-retry") == retry
    assert response.headers.get("retry-after") == (None if error.retry_after_s is None else str(error.retry_after_s))


async def test_a_failure_after_the_first_word_is_an_event(wire: Wire) -> None:
    async def breaking(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield TextDelta("It reads ")
        raise ProviderStreamFailed("The model broke off.")

    wire.script = breaking
    response = await wire.chat(stream=True)
    *_, last, done = response.data
    assert done == "[DONE]"
    assert last == (
        '{"error":{"message":"The model broke off.","type":"server_error","param":null,"code":"provider.stream_failed",'
        f'"request_id":"{response.headers["x-request-id"]}"}}}}'
    )
    assert [chunk["choices"][0]["delta"] for chunk in response.chunks[:-1]] == [
        {"role": "assistant", "content": ""},
        {"content": "It reads "},
    ]
    assert b'"finish_reason":"' not in response.body


async def test_an_unforeseen_failure_is_an_event_without_its_text(
    wire: Wire, capsys: pytest.CaptureFixture[str]
) -> None:
    async def raising(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield TextDelta("It ")
        raise ValueError("sk-SECRET123")

    wire.script = raising
    response = await wire.chat(stream=True)
    error = response.chunks[-1]["error"]
    assert (error["code"], error["request_id"]) == ("internal", response.headers["x-request-id"])
    assert response.data[-1] == "[DONE]"
    log = capsys.readouterr().err
    assert b"sk-SECRET123" not in response.body
    assert b"Traceback" not in response.body
    assert "sk-SECRET123" not in log
    failed = [line for line in log.splitlines() if '"request.failed"' in line]
    assert len(failed) == 1
    assert error["request_id"] in failed[0]
    assert '"error":"ValueError"' in failed[0]


@pytest.mark.parametrize("stream", [True, False])
async def test_an_ask_that_ends_without_saying_so_has_failed(wire: Wire, stream: bool) -> None:
    async def ending(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield TextDelta("It reads ")

    wire.script = ending
    response = await wire.chat(stream=stream)
    error = (response.chunks[-1] if stream else response.json)["error"]
    assert (response.status, error["code"]) == (200 if stream else 502, "provider.stream_failed")


async def test_a_long_wait_is_bridged_by_comments(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.wire.sending, "BEGUN_WITHIN_S", 0.01)
    monkeypatch.setattr(api.wire.sending, "KEEP_ALIVE_S", 0.01)
    go_on = asyncio.Event()

    async def slow(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield PhaseChanged(Phase.RETRIEVING)
        await go_on.wait()
        yield TextDelta("At last.")
        yield finished()

    wire.script = slow
    body = {"model": "doso", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    reader, writer = await wire.open("/v1/chat/completions", body)
    await reader.readuntil(b": still at it\n\n")
    await reader.readuntil(b": still at it\n\n")
    go_on.set()
    rest = await reader.read()
    assert b'"content":"At last."' in rest
    assert b"data: [DONE]\n\n" in rest
    writer.close()


async def test_a_failure_after_the_headers_is_an_event_though_nothing_was_said(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api.wire.sending, "BEGUN_WITHIN_S", 0.01)
    monkeypatch.setattr(api.wire.sending, "KEEP_ALIVE_S", 0.01)
    go_on = asyncio.Event()

    async def failing(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield PhaseChanged(Phase.RETRIEVING)
        await go_on.wait()
        raise ProviderTimeout("It took too long.")

    wire.script = failing
    body = {"model": "doso", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    reader, writer = await wire.open("/v1/chat/completions", body)
    await reader.readuntil(b": still at it\n\n")
    go_on.set()
    rest = await reader.read()
    assert b'"code":"provider.timeout"' in rest
    assert b"data: [DONE]\n\n" in rest
    writer.close()
