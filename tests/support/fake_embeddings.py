"""A far end that speaks the true wire of `/embeddings`, byte by byte, and misbehaves as it is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

Reply = bytes | Callable[[dict[str, Any], asyncio.StreamWriter], Awaitable[None]]


def http(status: int, body: bytes, *, type: str = "application/json", headers: str = "") -> bytes:
    """A whole HTTP answer."""
    head = f"HTTP/1.1 {status} X\r\ncontent-type: {type}\r\ncontent-length: {len(body)}\r\n{headers}\r\n"
    return head.encode() + body


def vector_of(text: str, dimensions: int) -> list[float]:
    """A vector that tells texts apart by their length."""
    return [float(len(text)), 1.0, *([0.5] * (dimensions - 2))]


def good(request: dict[str, Any], dimensions: int) -> bytes:
    """The right answer, rows in reverse order to show that the index counts."""
    rows = [
        {"object": "embedding", "index": place, "embedding": vector_of(text, dimensions)}
        for place, text in enumerate(request["input"])
    ]
    body = {"object": "list", "model": request["model"], "data": rows[::-1], "usage": {"prompt_tokens": 1}}
    return http(200, json.dumps(body).encode())


@dataclass
class FarEnd:
    """What it will answer, in turn (then rightly), and what it was asked."""

    dimensions: int = 4
    script: list[Reply] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = next(
                    int(x.split(":")[1]) for x in head.lower().split("\r\n") if x.startswith("content-length")
                )
                request = json.loads(await reader.readexactly(length))
                self.heads.append(head)
                self.requests.append(request)
                reply = self.script.pop(0) if self.script else good(request, self.dimensions)
                if isinstance(reply, bytes):
                    writer.write(reply)
                    await writer.drain()
                else:
                    await reply(request, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@pytest.fixture
async def far_end() -> AsyncIterator[FarEnd]:
    """A far end on loopback."""
    end = FarEnd()
    server = await asyncio.start_server(end.serve, "127.0.0.1", 0)
    end.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    yield end
    server.close()
