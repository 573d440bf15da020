"""Callers who leave, who read slowly, and many at once: over a real socket, without a model."""

from __future__ import annotations

import asyncio
import itertools
import random
import socket
import struct
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

import api.door.limiter
from ask.events import AskEvent
from ask.question import Question
from ask.wish import Wish
from doso.llm.chat import TextDelta
from tests.support.answers import finished
from tests.support.wire import WITHIN_S, Wire

STREAMED = {"model": "doso", "stream": True, "messages": [{"role": "user", "content": "a long story"}]}
PLAIN = {"model": "doso", "messages": [{"role": "user", "content": "a long story"}]}


@dataclass
class Watched:
    """An ask whose end the test can wait for."""

    told_count: int = 0
    is_waiting: asyncio.Event = field(default_factory=asyncio.Event)
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    async def waiting(self, _question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        """Three words, then silence."""
        try:
            for word in ("Once ", "upon ", "a "):
                yield TextDelta(word)
            self.is_waiting.set()
            await asyncio.Event().wait()
        finally:
            self.closed.set()

    async def silent(self, _question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        """Nothing at all."""
        try:
            self.is_waiting.set()
            await asyncio.Event().wait()
            yield TextDelta("never")
        finally:
            self.closed.set()

    async def endless(self, _question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        """Words without end that never wait for anything."""
        try:
            while True:
                self.told_count += 1
                yield TextDelta("x" * 10_000)
        finally:
            self.closed.set()


async def within(happening: Any) -> None:
    async with asyncio.timeout(WITHIN_S):
        await happening


async def settled(is_true: Callable[[], bool]) -> None:
    async with asyncio.timeout(WITHIN_S):
        while not is_true():
            await asyncio.sleep(0)


def leave(writer: asyncio.StreamWriter, how: str) -> None:
    if how == "reset":
        opened: socket.socket = writer.get_extra_info("socket")
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
    else:
        writer.close()


@pytest.mark.parametrize("how", ["close", "reset"])
async def test_a_reader_who_leaves_in_the_middle_ends_the_ask(wire: Wire, how: str) -> None:
    watched = Watched()
    wire.script = watched.waiting
    before = len(asyncio.all_tasks())
    reader, writer = await wire.open("/v1/chat/completions", STREAMED)
    await reader.readuntil(b'"upon "')
    await within(watched.is_waiting.wait())
    leave(writer, how)
    await within(watched.closed.wait())
    await settled(lambda: len(asyncio.all_tasks()) <= before)


async def test_a_reader_who_leaves_before_the_first_word_ends_the_ask(wire: Wire) -> None:
    for body in (STREAMED, PLAIN):
        watched = Watched()
        wire.script = watched.silent
        before = len(asyncio.all_tasks())
        _, writer = await wire.open("/v1/chat/completions", body)
        await within(watched.is_waiting.wait())
        leave(writer, "close")
        await within(watched.closed.wait())
        await settled(lambda before=before: len(asyncio.all_tasks()) <= before)  # type: ignore[misc]


@pytest.mark.parametrize("how", ["close", "reset"])
async def test_a_reader_who_leaves_a_stream_that_never_waits_leaves_a_living_server(wire: Wire, how: str) -> None:
    watched = Watched()
    wire.script = watched.endless
    reader, writer = await wire.open("/v1/chat/completions", STREAMED)
    await reader.readexactly(100_000)
    leave(writer, how)
    await within(watched.closed.wait())

    async def short(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield TextDelta("Still here.")
        yield finished()

    wire.script = short
    assert (await wire.chat()).json["choices"][0]["message"]["content"] == "Still here."


async def test_a_reader_who_does_not_read_holds_the_stream_up(wire: Wire) -> None:
    watched = Watched()
    wire.script = watched.endless
    _, writer = await wire.open("/v1/chat/completions", STREAMED)
    told = -1
    async with asyncio.timeout(WITHIN_S):
        while told != watched.told_count or told < 1:
            told = watched.told_count
            for _ in range(200):
                await asyncio.sleep(0)
    assert told < 5_000
    leave(writer, "close")
    await within(watched.closed.wait())


async def test_fifty_readers_who_leave_at_any_point_leave_nothing_behind(wire: Wire) -> None:
    begun = ended = 0

    async def endless(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        nonlocal begun, ended
        begun += 1
        try:
            for at in itertools.count():
                await asyncio.sleep(0)
                yield TextDelta(f"word {at} ")
        finally:
            ended += 1

    wire.script = endless
    chance = random.Random(7)
    before = len(asyncio.all_tasks())

    async def leaving(size: int, how: str) -> None:
        reader, writer = await wire.open("/v1/chat/completions", STREAMED)
        if size:
            await reader.readexactly(size)
        leave(writer, how)

    sizes = [chance.choice((0, chance.randrange(1, 60_000))) for _ in range(50)]
    await asyncio.gather(*(leaving(size, chance.choice(("close", "reset"))) for size in sizes))
    await settled(lambda: begun > 0 and ended == begun and len(asyncio.all_tasks()) <= before)


async def test_two_hundred_streams_at_once(wire: Wire) -> None:
    begun = 0
    all_begun = asyncio.Event()

    async def together(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        nonlocal begun
        begun += 1
        if begun == 200:
            all_begun.set()
        yield TextDelta("one ")
        await all_begun.wait()
        for _ in range(20):
            await asyncio.sleep(0)
            yield TextDelta("more ")
        yield finished()

    wire.script = together
    responses = await asyncio.gather(*(wire.chat(stream=True) for _ in range(200)))
    assert {response.status for response in responses} == {200}
    assert {response.data[-1] for response in responses} == {"[DONE]"}
    told = {
        "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in response.chunks) for response in responses
    }
    assert told == {"one " + "more " * 20}


async def test_beyond_the_most_answers_a_question_is_told_to_come_back(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api.door.limiter, "MAX_ANSWERS", 1)
    watched = Watched()
    wire.script = watched.waiting
    reader, writer = await wire.open("/v1/chat/completions", STREAMED)
    await reader.readuntil(b'"upon "')
    refused = await wire.chat(stream=True)
    assert (refused.status, refused.json["error"]["code"], refused.headers["retry-after"]) == (503, "busy", "2")
    leave(writer, "close")
    await within(watched.closed.wait())

    async def short(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
        yield finished()

    wire.script = short
    assert (await wire.chat()).status == 200
