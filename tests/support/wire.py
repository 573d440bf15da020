"""The application on a real socket in the test's own loop, with asks that the test scripts."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
import uvicorn

import api.asking
from api.app import build_app
from api.kit import Kit
from api.observing import Observers
from ask.events import AskEvent
from ask.kit import AskKit
from ask.question import Question
from ask.wish import Means, Wish
from doso.ids import OwnerId
from doso.llm.ports import Embedder, EmbedderInfo
from doso.runtime import Runtime
from tests.support.library import WordEmbedder

NOW = datetime(2026, 3, 11, 12, 0, tzinfo=UTC)
WITHIN_S = 20.0

Script = Callable[[Question, Wish], AsyncGenerator[AskEvent, None]]


@dataclass
class Response:
    """What came back on one connection."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def data(self) -> list[str]:
        """The data of each event, in order."""
        return [line.removeprefix("data: ") for line in self.body.decode().split("\n") if line.startswith("data: ")]

    @property
    def chunks(self) -> list[dict[str, Any]]:
        """Each event but [DONE], parsed."""
        return [json.loads(data) for data in self.data if data != "[DONE]"]


@dataclass
class Wire:
    """A running server. `script` is the ask that the next requests get; `asked` is what they were asked with."""

    port: int
    script: Script
    asked: list[tuple[Question, Wish]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def post(self, path: str, body: object, **headers: str) -> Response:
        """A whole exchange."""
        reader, writer = await self.open(path, body, **headers)
        try:
            async with asyncio.timeout(WITHIN_S):
                return parsed(await reader.read())
        finally:
            writer.close()

    async def chat(self, text: str = "hi", **more: Any) -> Response:
        """A chat completion on one user message."""
        messages = [{"role": "user", "content": text}]
        return await self.post("/v1/chat/completions", {"model": "doso", "messages": messages} | more)

    async def get(self, path: str) -> Response:
        """A whole exchange without a body."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(f"GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n".encode())
        async with asyncio.timeout(WITHIN_S):
            reply = parsed(await reader.read())
        writer.close()
        return reply

    async def open(self, path: str, body: object, **headers: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection on which this was sent."""
        content = json.dumps(body).encode()
        given = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        head = (
            f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{self.port}\r\nconnection: close\r\n"
            f"content-type: application/json\r\ncontent-length: {len(content)}\r\n{given}\r\n"
        )
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(head.encode() + content)
        await writer.drain()
        return reader, writer


def parsed(raw: bytes) -> Response:
    """An HTTP/1.1 answer whose connection was closed after it."""
    head, _, body = raw.partition(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if headers.get("transfer-encoding") == "chunked":
        body = _dechunked(body)
    return Response(int(status.split()[1]), headers, body)


def _dechunked(body: bytes) -> bytes:
    parts = []
    while body:
        size, _, rest = body.partition(b"\r\n")
        length = int(size, 16)
        parts.append(rest[:length])
        body = rest[length + 2 :]
    return b"".join(parts)


@pytest.fixture
async def wire(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Wire]:
    """The application without a key, on a free port; its asks are the test's `script`."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        wire = Wire(listening.getsockname()[1], _unscripted)

        def answer(_kit: AskKit, question: Question, wish: Wish, _means: Means) -> AsyncGenerator[AskEvent, None]:
            wire.asked.append((question, wish))
            return wire.script(question, wish)

        monkeypatch.setattr(api.asking, "answer", answer)
        monkeypatch.setattr(api.asking, "means_of", lambda *_: Means(cast(Any, None)))
        async with _serving(listening):
            yield wire


@asynccontextmanager
async def _serving(listening: socket.socket) -> AsyncIterator[None]:
    config = uvicorn.Config(build_app(_fake_kit), log_config=None, lifespan="on", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    server.capture_signals = _no_signals  # type: ignore[method-assign, assignment]
    task = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        async with asyncio.timeout(WITHIN_S):
            while not server.started and not task.done():
                await asyncio.sleep(0.005)
        yield
    finally:
        server.should_exit = True
        with suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def _fake_kit() -> AsyncIterator[Kit]:
    """No store behind the routes: scripted asks need none."""
    embedder = _OneEmbedder(dimensions=4)
    kit = object.__new__(Kit)
    for name, value in {
        "accounts": SimpleNamespace(is_keyless=_yes),
        "runtime": SimpleNamespace(read=_runtime),
        "ask": AskKit(cast(Any, None), cast(Any, None), embedder, lambda: NOW),
        "embedder": embedder,
        "clock": lambda: NOW,
        "database": SimpleNamespace(in_use_count=0),
        "observers": Observers(),
        "notes": tuple,
    }.items():
        object.__setattr__(kit, name, value)
    yield kit


class _OneEmbedder(WordEmbedder):
    """Chosen whatever the settings say."""

    @property
    def known_info(self) -> EmbedderInfo:
        return self.info

    def choose(self, _provider: str) -> Embedder:
        return self

    async def settle(self) -> Embedder:
        return self


async def _yes() -> bool:
    return True


async def _runtime() -> Runtime:
    return Runtime()


class _no_signals:
    """The test's own process keeps its signal handlers."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


def _unscripted(_question: Question, _wish: Wish) -> AsyncGenerator[AskEvent, None]:
    raise AssertionError("the test scripted no ask")


OWNER = OwnerId("local")
