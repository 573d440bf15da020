"""Frames of server-sent events, and their hand-over from the task that makes them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.schemas.answers import Telling
from api.wire.openai import ChatChunks
from api.wire.sse import KEEP_ALIVE, MAX_AHEAD, Relay, frame, json_line
from ask.events import AskEvent
from doso.llm.chat import ReasoningDelta, TextDelta, ToolCallDelta
from doso.llm.sse import SseDecoder
from tests.support.answers import finished

#: Everything that some reader or other takes for a line's end, and halves of surrogate pairs.
_AWKWARD = st.text(st.sampled_from('\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029\x00"\\é🌍\ud83c\udf0d:') | st.characters())
_ANY_TEXT = st.text() | _AWKWARD


def mended(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@given(_ANY_TEXT)
def test_json_is_one_line_by_any_rule_and_says_the_same(text: str) -> None:
    line = json_line(text)
    assert len(line.decode().splitlines()) == 1
    assert json.loads(line) == mended(text)


@given(st.lists(_ANY_TEXT, max_size=8), st.data())
def test_a_decoder_reads_what_was_framed_however_it_was_cut(texts: list[str], data: st.DataObject) -> None:
    raw = b"".join(frame(json_line(text), event="response.x") for text in texts)
    decoder, found, rest = SseDecoder(), [], raw
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        found += decoder.feed(rest[:size])
        rest = rest[size:]
    assert [json.loads(one) for one in found + decoder.finish()] == [mended(text) for text in texts]


_PIECES = st.one_of(
    st.builds(TextDelta, _ANY_TEXT),
    st.builds(ReasoningDelta, _ANY_TEXT),
    st.builds(ToolCallDelta, st.integers(0, 3), _ANY_TEXT),
)


@given(st.lists(_PIECES, max_size=12))
def test_the_chunks_of_any_answer_add_up_to_it(events: list[AskEvent]) -> None:
    encoder = ChatChunks(id="c", created=1, model="doso", request_id="r", telling=Telling(), has_usage=True)
    raw = b"".join(encoder.feed(event) for event in (*events, finished())) + encoder.end()
    decoder = SseDecoder()
    *told, done = decoder.feed(raw) + decoder.finish()
    assert done == "[DONE]"
    chunks = [json.loads(one) for one in told]
    assert {(chunk["id"], chunk["created"], chunk["object"]) for chunk in chunks} == {("c", 1, "chat.completion.chunk")}
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks if chunk["choices"]]
    assert deltas[0] == {"role": "assistant", "content": ""}
    assert "".join(delta.get("content", "") for delta in deltas) == _joined(events, TextDelta)
    assert "".join(delta.get("reasoning_content", "") for delta in deltas) == _joined(events, ReasoningDelta)
    calls = [delta["tool_calls"][0] for delta in deltas if "tool_calls" in delta]
    assert [(call["index"], call["function"]["arguments"]) for call in calls] == [
        (event.index, mended(event.arguments)) for event in events if isinstance(event, ToolCallDelta)
    ]
    finishes = [chunk["choices"][0]["finish_reason"] for chunk in chunks if chunk["choices"]]
    assert finishes == [None] * (len(finishes) - 1) + ["stop"]
    assert [bool(chunk["choices"]) for chunk in chunks] == [True] * (len(chunks) - 1) + [False]


def _joined(events: Sequence[AskEvent], kind: type[TextDelta] | type[ReasoningDelta]) -> str:
    return "".join(mended(event.text) for event in events if isinstance(event, kind))


async def all_of(relay: Relay) -> bytes:
    taken = []
    while frames := await relay.take(60.0):
        taken.append(frames)
    return b"".join(taken)


async def frames_of(*frames: bytes, waits: Sequence[bool] = ()) -> AsyncGenerator[bytes, None]:
    for at, one in enumerate(frames):
        if at < len(waits) and waits[at]:
            await asyncio.sleep(0)
        yield one


@given(st.lists(st.tuples(st.binary(min_size=1, max_size=4), st.booleans()), max_size=3 * MAX_AHEAD))
def test_a_relay_hands_over_everything_in_order(parts: list[tuple[bytes, bool]]) -> None:
    frames, waits = [part[0] for part in parts], [part[1] for part in parts]

    async def relayed() -> bytes:
        async with Relay(frames_of(*frames, waits=waits)) as relay:
            return await all_of(relay)

    assert asyncio.run(relayed()) == b"".join(frames)


async def test_a_relay_runs_ahead_by_a_bounded_number_of_frames() -> None:
    told = 0

    async def endless() -> AsyncGenerator[bytes, None]:
        nonlocal told
        while True:
            told += 1
            yield b"x"

    async with Relay(endless()) as relay:
        await relay.ready(60.0)
        for _ in range(10):
            await asyncio.sleep(0)
        assert told == MAX_AHEAD
        assert await relay.take(60.0) == b"x" * MAX_AHEAD


async def test_a_relay_raises_what_the_stream_raised_after_its_last_frame() -> None:
    async def failing() -> AsyncGenerator[bytes, None]:
        yield b"one"
        raise ValueError("no")

    async with Relay(failing()) as relay:
        await relay.ready(60.0)
        assert await relay.take(60.0) == b"one"
        with pytest.raises(ValueError, match="no"):
            await relay.take(60.0)


async def test_a_relay_tells_a_failure_before_the_first_frame_at_once() -> None:
    async def failing() -> AsyncGenerator[bytes, None]:
        for frames in (b"",):
            if not frames:
                raise ValueError("no")
            yield frames

    async with Relay(failing()) as relay:
        with pytest.raises(ValueError, match="no"):
            await relay.ready(60.0)


async def test_a_relay_that_waits_too_long_gives_a_comment() -> None:
    async def silent() -> AsyncGenerator[bytes, None]:
        await asyncio.Event().wait()
        yield b""

    async with Relay(silent()) as relay:
        assert await relay.take(0.01) == KEEP_ALIVE
        assert await relay.take(0.01) == KEEP_ALIVE


async def test_a_relay_that_is_left_closes_the_stream_in_its_own_task() -> None:
    tasks = []

    async def waiting() -> AsyncGenerator[bytes, None]:
        tasks.append(asyncio.current_task())
        try:
            async with asyncio.timeout(60):
                yield b"one"
                await asyncio.Event().wait()
        finally:
            tasks.append(asyncio.current_task())

    async with Relay(waiting()) as relay:
        assert await relay.take(60.0) == b"one"
    assert len(set(tasks)) == 1
    assert tasks[0] is not asyncio.current_task()
