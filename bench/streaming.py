"""A client of streamed chat completions that costs next to nothing itself: one socket, raw bytes, two moments."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from urllib.parse import urlsplit

WITHIN_S = 120.0


@dataclass(frozen=True, slots=True)
class Streamed:
    """One whole answer. Times are seconds since the request was written."""

    first_s: float
    whole_s: float
    text: str
    finish: str | None
    is_done: bool
    error: str | None
    last: dict[str, object]  # the chunk before [DONE] that bears most


class Client:
    """Asks one server, over a connection of its own for each request in flight."""

    def __init__(self, url: str, body: dict[str, object], headers: dict[str, str] | None = None) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 80
        data = json.dumps(body).encode()
        more = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        head = (
            f"POST {parts.path}/chat/completions HTTP/1.1\r\nhost: {self._host}:{self._port}\r\n"
            f"content-type: application/json\r\naccept: application/json\r\ncontent-length: {len(data)}\r\n{more}\r\n"
        )
        self._request = head.encode() + data
        self._free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def ask(self) -> Streamed:
        """One answer to its end. Raises AssertionError on a status that is not 200."""
        async with asyncio.timeout(WITHIN_S):
            reader, writer = self._free.pop() if self._free else await self._connect()
            started = time.perf_counter()
            writer.write(self._request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            assert b" 200 " in head.split(b"\r\n")[0], head[:200]
            found = await _read(reader, started)
        if b"connection: close" in head:
            writer.close()
        else:
            self._free.append((reader, writer))
        return found

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection(self._host, self._port, limit=1 << 20)

    def close(self) -> None:
        """Drop the connections."""
        for _, writer in self._free:
            writer.close()
        self._free.clear()


async def _read(reader: asyncio.StreamReader, started: float) -> Streamed:
    """The events of a chunked body."""
    first_s, waiting, events = 0.0, b"", []
    while size := int(await reader.readline(), 16):
        waiting += await reader.readexactly(size)
        await reader.readexactly(2)
        if not first_s and b'"content":"' in waiting.replace(b'"content": "', b'"content":"').replace(
            b'"content":""', b""
        ):
            first_s = time.perf_counter() - started
        *whole, waiting = waiting.split(b"\n\n")
        events += whole
    await reader.readline()
    return _told(events, first_s, time.perf_counter() - started)


def _told(events: list[bytes], first_s: float, whole_s: float) -> Streamed:
    text, finish, is_done, error = "", None, False, None
    last: dict[str, object] = {}
    for event in events:
        data = b"".join(line[5:].strip() for line in event.split(b"\n") if line.startswith(b"data:"))
        if data == b"[DONE]":
            is_done = True
        elif data:
            chunk = json.loads(data)
            error = json.dumps(chunk["error"]) if "error" in chunk else error
            last = chunk if "doso" in chunk or not last else last
            for choice in chunk.get("choices", ()):
                text += choice.get("delta", {}).get("content") or ""
                finish = choice.get("finish_reason") or finish
    return Streamed(first_s, whole_s, text, finish, is_done, error, last)
