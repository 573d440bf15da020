"""Chat over a real socket with a real process and a model's server behind it: leaving, many at once, the next one."""

from __future__ import annotations

import asyncio
import json
import socket
import sqlite3
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.support.provider import (
    Answer,
    End,
    Pause,
    ProviderStub,
    Seen,
    chunk,
    chunked_stream,
    sse,
    text_stream,
    threaded_stub,
)
from tests.support.server import Server
from tests.support.waiting import until
from tests.support.wire import parsed

QUESTION = "Where does Nina live?"
STREAMS_COUNT = 200
#: The provider's connection is to be closed within this time of the client's leaving.
CLOSED_WITHIN_S = 1.0
#: A limit of time counts by the best of so many tries: other work on the machine only ever adds to it.
TRIES = 3


def scripted(seen: Seen) -> Answer:
    """A story without end for who asks for one, a short answer else."""
    if "story" not in seen.prompt:
        return text_stream("Nina lives in ", "Bogor [S1].")(seen)
    words: list[bytes | Pause] = [*sse(chunk({"content": "and then "})), Pause(0.01)]
    return chunked_stream(*sse(chunk({"role": "assistant"})), *(words * 3_000), end=End.HOLD)


@dataclass(frozen=True)
class Chatting:
    """A server and the model behind it."""

    server: Server
    stub: ProviderStub

    def connect(self, body: dict[str, Any]) -> socket.socket:
        """A connection on which this was asked."""
        content = json.dumps(body).encode()
        head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(content)}\r\n"
        connection = socket.create_connection(("127.0.0.1", self.server.port), timeout=60)
        connection.sendall(head.encode() + b"content-type: application/json\r\nconnection: close\r\n\r\n" + content)
        return connection

    def outcomes(self) -> list[tuple[str, int]]:
        """How each call of a model ended, and the tokens it is charged."""
        with sqlite3.connect(self.server.home / "doso.db") as database:
            rows = database.execute("SELECT outcome, output_tokens FROM usage_events ORDER BY at_ms, id").fetchall()
        return [(str(outcome), int(tokens)) for outcome, tokens in rows]


@pytest.fixture(scope="module")
def chatting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chatting]:
    with threaded_stub(scripted) as stub:
        server = Server(tmp_path_factory.mktemp("chat"), {"LLM_BASE_URL": stub.url, "LLM_MODEL": "stub-1"})
        try:
            server.start()
            body = {"subject": {"name": "Nina", "type": "person"}, "predicate": "lives_in", "object": "Bogor"}
            httpx.post(f"{server.url}/v1/facts", json=body, trust_env=False, timeout=60).raise_for_status()
            yield Chatting(server, stub)
        finally:
            server.stop()


def asked(text: str, **more: Any) -> dict[str, Any]:
    return {"model": "doso", "messages": [{"role": "user", "content": text}]} | more


@pytest.mark.parametrize("how", ["close", "reset"])
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
def test_a_caller_who_leaves_closes_the_models_connection(chatting: Chatting, how: str, stream: bool) -> None:
    delays = [_delay_of_leaving(chatting, how, stream) for _ in range(TRIES)]
    assert min(delays) < CLOSED_WITHIN_S
    answer = httpx.post(f"{chatting.server.url}/v1/chat/completions", json=asked(QUESTION), trust_env=False, timeout=60)
    assert answer.json()["choices"][0]["message"]["content"] == "Nina lives in Bogor [S1]."


def _delay_of_leaving(chatting: Chatting, how: str, stream: bool) -> float:
    before = len(chatting.stub.chats)
    calls_before = len(chatting.outcomes())
    connection = chatting.connect(asked(f"{QUESTION} Tell it as a story.", stream=stream))
    until(lambda: len(chatting.stub.chats) > before)
    if stream:
        told = b""
        while told.count(b"and then") < 3:
            received = connection.recv(65_536)
            assert received, told
            told += received
    if how == "reset":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    left_at = time.monotonic()
    connection.close()
    seen = chatting.stub.chats[-1]
    until(lambda: seen.left_at is not None)
    until(lambda: len(chatting.outcomes()) > calls_before)
    outcome, tokens = chatting.outcomes()[-1]
    assert outcome == "cancelled"
    assert tokens > 0 or not stream
    assert seen.left_at is not None
    return seen.left_at - left_at


async def test_two_hundred_streams_at_once(chatting: Chatting) -> None:
    replies = await asyncio.gather(*(_stream(chatting) for _ in range(STREAMS_COUNT)))
    assert {reply.status for reply in replies} == {200}
    assert {reply.data[-1] for reply in replies} == {"[DONE]"}
    texts = {"".join(part["choices"][0]["delta"].get("content", "") for part in reply.chunks) for reply in replies}
    assert texts == {"Nina lives in Bogor [S1]."}


async def _stream(chatting: Chatting) -> Any:
    reader, writer = await asyncio.open_connection("127.0.0.1", chatting.server.port)
    content = json.dumps(asked(QUESTION, stream=True)).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: {len(content)}\r\n"
    writer.write(head.encode() + b"content-type: application/json\r\nconnection: close\r\n\r\n" + content)
    async with asyncio.timeout(120):
        reply = parsed(await reader.read())
    writer.close()
    return reply
