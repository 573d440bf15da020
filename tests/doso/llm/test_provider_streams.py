"""A provider's stream is read the same whatever happens to it on its way, over a real socket."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest

from doso.errors import ProviderStreamFailed, ProviderUnavailable
from doso.llm.chat import FinishReason, TokenUsage, ToolCallDelta
from doso.llm.ports import Outcome
from tests.doso.llm.models import SHORT, Bench, Told, at, bench, told
from tests.support.provider import (
    Answer,
    End,
    Pause,
    ProviderStub,
    chunk,
    chunked_stream,
    completion,
    http,
    provider_stub,
    raw_stream,
    sse,
    text_chunks,
    tool_chunks,
    usage_of,
)


@pytest.fixture
async def stub() -> AsyncIterator[ProviderStub]:
    async with provider_stub() as made:
        yield made


@pytest.fixture
async def work() -> AsyncIterator[Bench]:
    async with bench() as made:
        yield made


def bytewise(*writes: bytes) -> list[bytes]:
    return [write[place : place + 1] for write in writes for place in range(len(write))]


A, B = chunk({"content": "A"}), chunk({"content": "B"})
STOP = chunk({}, "stop")
WHOLE = sse(*text_chunks(["你好世界 ", "🌍 Ñandú"]))

FINE = {
    "normal": (chunked_stream(*sse(A, B, STOP, "[DONE]")), "AB"),
    "without length": (raw_stream(*sse(A, B, STOP, "[DONE]")), "AB"),
    "a byte a write": (raw_stream(*bytewise(*WHOLE)), "你好世界 🌍 Ñandú"),
    "a byte a chunk": (chunked_stream(*bytewise(*sse(A, B, STOP, "[DONE]"))), "AB"),
    "carriage returns": (raw_stream(*(part.replace(b"\n", b"\r") for part in sse(A, B, STOP))), "AB"),
    "no [DONE]": (raw_stream(*sse(A, B, STOP)), "AB"),
    "no last blank line": (raw_stream(*sse(A, B), sse(STOP)[0].rstrip()), "AB"),
    "no finish but [DONE]": (raw_stream(*sse(A, B, "[DONE]")), "AB"),
    "held open after [DONE]": (raw_stream(*sse(A, B, STOP, "[DONE]"), end=End.HOLD), "AB"),
    "held open after the finish": (raw_stream(*sse(A, B, STOP), end=End.HOLD), "AB"),
    "reset after the finish": (raw_stream(*sse(A, B, STOP), end=End.RESET), "AB"),
    "cut after the finish": (chunked_stream(*sse(A, B, STOP), end=End.CLOSE), "AB"),
    "finished twice": (raw_stream(*sse(A, B, STOP, STOP, chunk({"content": "C"}), "[DONE]")), "AB"),
    "empty choices": (
        raw_stream(*sse({"choices": []}, A, {"choices": None}, {}, B, chunk(None), STOP, "[DONE]")),
        "AB",
    ),
    "comments and pings": (raw_stream(b": ping\n\n", *sse(A, "ping"), b": ping\n\nretry: 1\n\n", *sse(B, STOP)), "AB"),
    "no blank lines": (raw_stream(b"".join(part.replace(b"\n\n", b"\n") for part in sse(A, B, STOP))), "AB"),
    "one completion": (http(200, completion("AB")), "AB"),
    "one completion after blanks": (http(200, "\n \n" + json.dumps(completion("AB"))), "AB"),
    "one completion as a stream": (raw_stream(json.dumps(completion("AB"), indent=1).encode()), "AB"),
    "a chunk a line": (raw_stream(*(json.dumps(one).encode() + b"\n" for one in (A, B, STOP))), "AB"),
    "slow but steady": (raw_stream(*(part for one in sse(A, B, STOP) for part in (one, Pause(0.05)))), "AB"),
}


@pytest.mark.parametrize(("answer", "text"), FINE.values(), ids=FINE.keys())
async def test_a_whole_reply(stub: ProviderStub, work: Bench, answer: Answer, text: str) -> None:
    stub.script = [answer]
    async with asyncio.timeout(30):
        found = await told(work.models(at(stub)))
    assert found.text == text
    assert found.end.reason is FinishReason.STOP
    assert [event.outcome for event in work.sink.events] == [Outcome.OK]
    assert len(stub.requests) == 1


BROKEN = {
    "FIN": raw_stream(*sse(A)),
    "FIN in a chunked body": chunked_stream(*sse(A), end=End.CLOSE),
    "RST": raw_stream(*sse(A), end=End.RESET),
    "silence": raw_stream(*sse(A), end=End.HOLD),
    "FIN in the middle of an event": raw_stream(*sse(A), sse(B)[0][:30]),
    "an error object": raw_stream(
        *sse(A, {"error": {"message": "overloaded key sk-live-ABC123", "code": "500"}}, "[DONE]")
    ),
    "an error object without data": raw_stream(
        *sse(A), b'{"success":false,"error":{"code":"INTERNAL","status":500}}\n'
    ),
    "an indented error object": raw_stream(*sse(A), b'{\n  "error": {"message": "no"}\n}\n'),
    "a list of errors": raw_stream(*sse(A, '[{"error": {"code": 500}}]')),
    "the reason error": raw_stream(*sse(A, chunk({}, "error"), "[DONE]")),
    "no JSON": raw_stream(*sse(A, "{nonsense"), *sse(B, STOP)),
}


@pytest.mark.parametrize("answer", BROKEN.values(), ids=BROKEN.keys())
async def test_a_reply_that_breaks_off_is_never_taken_for_whole(
    stub: ProviderStub, work: Bench, answer: Answer
) -> None:
    stub.script = [answer]
    found = Told()
    async with asyncio.timeout(30):
        with pytest.raises(ProviderStreamFailed) as caught:
            await told(work.models(at(stub, limits=SHORT)), into=found)
    assert found.text == "A"
    assert len(found.events) == 1
    assert "sk-" not in caught.value.message
    [event] = work.sink.events
    assert event.outcome is Outcome.PARTIAL
    assert not event.usage.is_exact
    assert len(stub.requests) == 1, "what was shown is never asked for again"
    assert (await told(work.models(at(stub)))).text == "Hello.", "the next request works"


NOTHING = {
    "a page": http(200, "<!doctype html><html><body>Sign in</body></html>", type="text/html"),
    "an empty body": http(200, b""),
    "blanks": http(200, b" \n"),
    "no JSON": http(200, "OK, fine", type="text/plain"),
    "JSON of another kind": http(200, {"hello": "world"}),
    "no choices": http(200, {"choices": []}),
    "nothing but [DONE]": raw_stream(*sse("[DONE]")),
    "an empty stream": raw_stream(),
    "FIN before the head": Answer((), End.CLOSE),
    "RST before the head": Answer((), End.RESET),
    "half a head": Answer((b"HTTP/1.1 200 OK\r\ncontent-t",), End.CLOSE),
    "no HTTP": Answer((b"SSH-2.0-OpenSSH\r\n",), End.CLOSE),
    "an error before all": raw_stream(*sse({"error": {"message": "no", "code": 503}})),
    "silence before the head": Answer((), End.HOLD),
    "silence after the head": raw_stream(end=End.HOLD),
    "only pings": raw_stream(*(part for _ in range(40) for part in (b": ping\n\n", Pause(0.1)))),
}


@pytest.mark.parametrize("answer", NOTHING.values(), ids=NOTHING.keys())
async def test_what_is_no_reply_is_asked_for_again(stub: ProviderStub, work: Bench, answer: Answer) -> None:
    stub.script = [answer]
    async with asyncio.timeout(30):
        found = await told(work.models(at(stub, limits=SHORT)))
    assert found.text == "Hello."
    assert len(stub.requests) == 2
    assert [event.outcome for event in work.sink.events] == [Outcome.OK]


@pytest.mark.parametrize("answer", NOTHING.values(), ids=NOTHING.keys())
async def test_what_never_is_a_reply_is_an_error_in_the_end(stub: ProviderStub, work: Bench, answer: Answer) -> None:
    stub.respond = lambda _: answer
    async with asyncio.timeout(30):
        with pytest.raises(ProviderUnavailable) as caught:
            await told(work.models(at(stub, limits=SHORT)))
    assert caught.value.status in (502, 503, 504)
    assert 2 <= len(stub.requests) <= 4
    assert [event.outcome for event in work.sink.events] == [Outcome.FAILED]


async def test_usage_is_asked_for_and_exact(stub: ProviderStub, work: Bench) -> None:
    stub.script = [chunked_stream(*sse(*text_chunks(["A"], usage=usage_of(10, 7, cached=4, reasoning=2))))]
    found = await told(work.models(at(stub)))
    assert found.end.usage == TokenUsage(10, 7, 4, 2, is_exact=True)
    assert stub.requests[0].body["stream_options"] == {"include_usage": True}


async def test_usage_that_is_not_reported_is_estimated_and_marked(stub: ProviderStub, work: Bench) -> None:
    stub.script = [raw_stream(*sse(chunk({"content": "x" * 40}), STOP))]
    found = await told(work.models(at(stub)))
    assert found.end.usage == TokenUsage(6, 10, is_exact=False)


async def test_a_tool_call_is_relayed_as_it_comes(stub: ProviderStub, work: Bench) -> None:
    stub.script = [chunked_stream(*sse(*tool_chunks("f", ['{"x"', ":1}"])))]
    found = await told(work.models(at(stub)))
    assert found.events[:-1] == [
        ToolCallDelta(0, "", id="call_1", name="f"),
        ToolCallDelta(0, '{"x"'),
        ToolCallDelta(0, ":1}"),
    ]
    assert found.end.reason is FinishReason.TOOL_CALLS


async def test_a_cut_call_never_ends_as_a_whole_one(stub: ProviderStub, work: Bench) -> None:
    cut = tool_chunks("f", ['{"x": "hal'])
    stub.script = [chunked_stream(*sse(*cut))]
    with pytest.raises(ProviderStreamFailed):
        await told(work.models(at(stub)))
    stub.script = [chunked_stream(*sse(*cut[:2], chunk({}, "length"), "[DONE]"))]
    assert (await told(work.models(at(stub)))).end.reason is FinishReason.LENGTH


async def test_a_body_without_end_is_cut_off(stub: ProviderStub, work: Bench) -> None:
    stub.script = [http(200, b'{"choices": "' + b"x" * 20_000_000)]
    with pytest.raises(ProviderUnavailable) as caught:
        await told(work.models(at(stub)))
    assert caught.value.code == "provider.reply"
    assert len(stub.requests) == 1
    stub.script = [raw_stream(*sse(A), *([sse(chunk({"content": "x" * 1_000_000}))[0]] * 20))]
    with pytest.raises(ProviderStreamFailed):
        await told(work.models(at(stub)))


async def test_a_trickle_is_cut_off_by_the_total_time(stub: ProviderStub, work: Bench) -> None:
    trickle = [part for byte in bytewise(*sse(*[A] * 20)) for part in (byte, Pause(0.02))]
    stub.respond = lambda _: raw_stream(*trickle)
    async with asyncio.timeout(30):
        with pytest.raises(ProviderUnavailable):
            await told(work.models(at(stub, limits={**SHORT, "first_token_s": 0.5, "total_s": 0.5})))


async def test_an_error_body_without_end_is_not_read(stub: ProviderStub, work: Bench) -> None:
    stub.respond = lambda _: http(400, b"x" * 20_000_000)
    async with asyncio.timeout(30):
        with pytest.raises(ProviderUnavailable):
            await told(work.models(at(stub)))


async def test_connections_are_used_again(stub: ProviderStub, work: Bench) -> None:
    models = work.models(at(stub))
    for _ in range(3):
        await told(models)
    assert len(stub.requests) == 3
    assert stub.connections_count == 1
