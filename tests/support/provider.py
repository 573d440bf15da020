"""A model's server on loopback that sends exactly the bytes it is told, and remembers what it was sent."""

from __future__ import annotations

import argparse
import asyncio
import json
import struct
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from socket import SO_LINGER, SOL_SOCKET
from typing import Any

Chunk = Mapping[str, object]
_LOOPBACK = "127.0.0.1"


class End(Enum):
    """What becomes of the connection after an answer."""

    KEEP = "keep"  # it waits for the next request
    CLOSE = "close"  # FIN
    RESET = "reset"  # RST
    HOLD = "hold"  # silence until the client leaves


@dataclass(frozen=True)
class Pause:
    """Silence between two writes."""

    seconds: float


@dataclass(frozen=True)
class Gate:
    """Silence until the test opens it; set it from the loop of the stub."""

    opened: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True)
class Answer:
    """Bytes on the socket, one network write for each, and what follows them."""

    writes: tuple[bytes | Pause | Gate, ...]
    end: End = End.KEEP


@dataclass(eq=False)
class Seen:
    """One request. `left_at` is when the client's connection closed while it was being answered, or after it."""

    method: str
    path: str
    headers: dict[str, str]
    raw: bytes
    at: float
    left_at: float | None = None
    left: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def body(self) -> dict[str, Any]:
        """The JSON object that was sent."""
        found: dict[str, Any] = json.loads(self.raw)
        return found

    @property
    def is_stream(self) -> bool:
        """Whether a stream was asked for."""
        return self.raw.startswith(b"{") and bool(self.body.get("stream"))

    @property
    def prompt(self) -> str:
        """All texts of the messages, a line each."""
        return "\n".join(str(message.get("content") or "") for message in self.body["messages"])


Responder = Callable[[Seen], Answer]
Scripted = Answer | Responder


# ── answers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def http(status: int, body: bytes | str | object = b"", *, type: str = "application/json", **headers: str) -> Answer:
    """A whole HTTP answer; an object becomes JSON, `retry_after` the header Retry-After."""
    data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    more = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    head = f"HTTP/1.1 {status} X\r\ncontent-type: {type}\r\ncontent-length: {len(data)}\r\n{more}\r\n"
    return Answer((head.encode() + data,))


def failure(
    status: int, message: str = "no", *, code: str | None = None, param: str | None = None, **headers: str
) -> Answer:
    """An error as OpenAI spells it."""
    error = {"message": message, "type": "error", "param": param, "code": code}
    return http(status, {"error": error}, **headers)


def raw_stream(*writes: bytes | Pause | Gate, end: End = End.CLOSE, type: str = "text/event-stream") -> Answer:
    """These very bytes as the body of a 200 without length or chunking: it ends with the connection."""
    head = f"HTTP/1.1 200 OK\r\ncontent-type: {type}\r\nconnection: close\r\n\r\n".encode()
    return Answer((head, *writes), end)


def chunked_stream(*writes: bytes | Pause | Gate, end: End = End.KEEP) -> Answer:
    """These bytes in chunks of HTTP; the last chunk comes only where the connection is kept."""
    head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    framed = [b"%x\r\n%s\r\n" % (len(one), one) if isinstance(one, bytes) else one for one in writes]
    return Answer((head, *framed, *([b"0\r\n\r\n"] if end is End.KEEP else [])), end)


def sse(*chunks: Chunk | str) -> tuple[bytes, ...]:
    """Each chunk as an event of its own; a text ("[DONE]") as it is."""
    texts = [chunk if isinstance(chunk, str) else json.dumps(chunk, ensure_ascii=False) for chunk in chunks]
    return tuple(f"data: {text}\n\n".encode() for text in texts)


def chunk(delta: Mapping[str, object] | None, finish: str | None = None, **more: object) -> dict[str, object]:
    """A chat.completion.chunk."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "stub", "choices": [choice], **more}


def usage_of(input_tokens: int, output_tokens: int, *, cached: int = 0, reasoning: int = 0) -> dict[str, object]:
    """Usage as OpenAI spells it."""
    return {
        "prompt_tokens": input_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": input_tokens + output_tokens,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": reasoning},
    }


def text_chunks(
    pieces: Sequence[str], *, reasoning: Sequence[str] = (), finish: str = "stop", usage: Chunk | None = None
) -> tuple[Chunk | str, ...]:
    """A whole normal stream: role, reasoning, text, finish, usage, [DONE]."""
    return (
        chunk({"role": "assistant", "content": ""}),
        *(chunk({"reasoning_content": piece}) for piece in reasoning),
        *(chunk({"content": piece}) for piece in pieces),
        chunk({}, finish),
        {**chunk(None), "choices": [], "usage": usage or usage_of(10, len(pieces))},
        "[DONE]",
    )


def tool_chunks(name: str, arguments: Sequence[str], *, id: str = "call_1") -> tuple[Chunk | str, ...]:
    """A whole normal stream of one call of a tool."""
    first = {"index": 0, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}
    return (
        chunk({"role": "assistant", "content": None, "tool_calls": [first]}),
        *(chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in arguments),
        chunk({}, "tool_calls"),
        {**chunk(None), "choices": [], "usage": usage_of(10, 5)},
        "[DONE]",
    )


def completion(
    text: str | None, *, finish: str = "stop", usage: Chunk | None = None, **message: object
) -> dict[str, object]:
    """A chat.completion, not streamed."""
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "stub",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
        ],
        "usage": usage or usage_of(10, 5),
    }


def text_stream(
    *pieces: str, reasoning: Sequence[str] = (), finish: str = "stop", usage: Chunk | None = None, pause_s: float = 0
) -> Responder:
    """A normal reply in these pieces: streamed where a stream was asked for, else whole."""

    def respond(seen: Seen) -> Answer:
        if not seen.is_stream:
            return http(200, completion("".join(pieces), finish=finish, usage=usage))
        events = sse(*text_chunks(pieces, reasoning=reasoning, finish=finish, usage=usage))
        if not pause_s:
            return chunked_stream(*events)
        return chunked_stream(*(part for event in events for part in (event, Pause(pause_s))))

    return respond


def json_reply(value: object, *, finish: str = "stop") -> Responder:
    """A normal reply whose text is this JSON."""
    return text_stream(json.dumps(value, ensure_ascii=False), finish=finish)


def tool_call(name: str, arguments: object, *, id: str = "call_1") -> Responder:
    """A normal reply that calls a client's tool."""
    text = json.dumps(arguments, ensure_ascii=False)
    function = {"name": name, "arguments": text}

    def respond(seen: Seen) -> Answer:
        if seen.is_stream:
            return chunked_stream(*sse(*tool_chunks(name, [text[:3], text[3:]], id=id)))
        calls = [{"id": id, "type": "function", "function": function}]
        return http(200, completion(None, finish="tool_calls", tool_calls=calls))

    return respond


def vector_of(text: str, dimensions: int) -> list[float]:
    """A vector that tells texts apart by their length."""
    return [float(len(text)), 1.0, *([0.5] * (dimensions - 2))]


def embeddings(seen: Seen, dimensions: int = 4) -> Answer:
    """The right answer to a request for embeddings, rows in reverse order to show that the index counts."""
    texts = seen.body["input"]
    rows = [
        {"object": "embedding", "index": place, "embedding": vector_of(text, dimensions)}
        for place, text in enumerate([texts] if isinstance(texts, str) else texts)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return http(200, {"object": "list", "model": seen.body["model"], "data": rows[::-1], "usage": usage})


def by_default(seen: Seen) -> Answer:
    """What a server that works answers: a greeting, vectors, a list of one model."""
    if seen.path.endswith("/embeddings"):
        return embeddings(seen)
    if seen.path.endswith("/models"):
        return http(200, {"object": "list", "data": [{"id": "stub", "object": "model"}]})
    return text_stream("Hel", "lo.")(seen)


# ── the server ───────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(eq=False)
class ProviderStub:
    """Answers `script` in order, then as `respond` says; `routes` has what answers a path of its own (/embeddings)."""

    script: list[Scripted] = field(default_factory=list)
    respond: Responder = by_default
    routes: dict[str, Responder] = field(default_factory=dict)
    requests: list[Seen] = field(default_factory=list)
    open_count: int = 0  # connections that are open now
    connections_count: int = 0
    port: int = 0
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """The base URL as clients take it."""
        return f"http://{_LOOPBACK}:{self.port}/v1"

    @property
    def chats(self) -> list[Seen]:
        """The requests for completions."""
        return [seen for seen in self.requests if seen.path.endswith("/chat/completions")]

    async def start(self, port: int = 0) -> ProviderStub:
        """Listen on loopback."""
        self._server = await asyncio.start_server(self._serve, _LOOPBACK, port, limit=64 * 1024 * 1024)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def stop(self) -> None:
        """Stop listening and drop every connection."""
        if self._server is not None:
            self._server.close()
        for task in tuple(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        self.open_count += 1
        self.connections_count += 1
        mine: list[Seen] = []
        try:
            await self._converse(reader, writer, mine)
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.tasks.discard(task)
            self.open_count -= 1
            writer.close()
            for seen in mine:
                _has_left(seen)

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, mine: list[Seen]) -> None:
        first = b""
        while True:
            seen = await _read(reader, first)
            mine.append(seen)
            self.requests.append(seen)
            ahead = asyncio.ensure_future(reader.read(1))  # what tells that the client leaves
            ahead.add_done_callback(partial(_notice, seen))
            try:
                end = await _either(_write(writer, self._answer(seen)), ahead)
                if end is End.RESET:
                    writer.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, struct.pack("ii", 1, 0))
                    writer.transport.abort()
                    return
                if end is End.CLOSE or end is None:
                    return
                first = await ahead
                if not first:
                    return
            finally:
                ahead.cancel()

    def _answer(self, seen: Seen) -> Answer:
        route = self.routes.get(seen.path.removeprefix("/v1"))
        if route is not None:
            return route(seen)
        scripted = self.script.pop(0) if self.script else self.respond
        return scripted if isinstance(scripted, Answer) else scripted(seen)


async def _read(reader: asyncio.StreamReader, first: bytes) -> Seen:
    head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *rest = head.split("\r\n")
    method, path, _ = line.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (one.partition(":") for one in rest) if name}
    raw = await reader.readexactly(int(headers.get("content-length", 0)))
    return Seen(method, path, headers, raw, time.monotonic())


async def _write(writer: asyncio.StreamWriter, answer: Answer) -> End:
    for write in answer.writes:
        match write:
            case bytes():
                writer.write(write)
                await writer.drain()
            case Pause(seconds):
                await asyncio.sleep(seconds)
            case Gate(opened):
                await opened.wait()
    return answer.end


async def _either(writing: Coroutine[Any, Any, End], ahead: asyncio.Future[bytes]) -> End | None:
    """The end of the answer, None when the client left before it."""
    task = asyncio.create_task(writing)
    try:
        waited: set[asyncio.Future[Any]] = {task, ahead}
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        is_gone = ahead.done() and (ahead.exception() is not None or not ahead.result())
        return None if is_gone and not task.done() else await task
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError, ConnectionError):
            await task


def _notice(seen: Seen, done: asyncio.Future[bytes]) -> None:
    if not done.cancelled() and (done.exception() is not None or not done.result()):
        _has_left(seen)


def _has_left(seen: Seen) -> None:
    if seen.left_at is None:
        seen.left_at = time.monotonic()
        seen.left.set()


@asynccontextmanager
async def provider_stub(respond: Responder = by_default, *script: Scripted) -> AsyncIterator[ProviderStub]:
    """A stub in this loop."""
    stub = await ProviderStub(list(script), respond).start()
    try:
        yield stub
    finally:
        await stub.stop()


@contextmanager
def threaded_stub(respond: Responder = by_default, *script: Scripted) -> Iterator[ProviderStub]:
    """A stub in a thread of its own, for tests that are not async (a server in another process is asked)."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    stub = ProviderStub(list(script), respond)
    asyncio.run_coroutine_threadsafe(stub.start(), loop).result(10)
    try:
        yield stub
    finally:
        asyncio.run_coroutine_threadsafe(stub.stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def main() -> None:
    """`python -m tests.support.provider`: a stub in its own process; prints its base URL, then serves until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--pieces", type=int, default=20, help="deltas of each reply")
    parser.add_argument("--pause-ms", type=float, default=0, help="silence after each delta")
    arguments = parser.parse_args()
    reply = text_stream(*(f"word{n} " for n in range(arguments.pieces)), pause_s=arguments.pause_ms / 1000)

    def respond(seen: Seen) -> Answer:
        return reply(seen) if seen.path.endswith("/chat/completions") else by_default(seen)

    async def serve() -> None:
        stub = await ProviderStub(respond=respond).start(arguments.port)
        sys.stdout.write(f"{stub.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
