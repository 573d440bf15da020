"""Server-sent events as bytes, and the hand-over of a stream of them to whoever sends."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from types import TracebackType
from typing import Any, Protocol, Self

import msgspec

DONE = b"data: [DONE]\n\n"
KEEP_ALIVE = b": still at it\n\n"
#: Frames that may wait for a slow reader before the stream itself waits.
MAX_AHEAD = 32
#: After this frame the reader has its turn: what a model sends in one piece would else be shown only whole. The first
#: frame opens the stream, the second has the first word.
FIRST_WORD = 2

#: Legal inside JSON, but line ends to a reader that splits lines by Unicode rules.
_LINE_ENDS = ((b"\xe2\x80\xa8", b"\\u2028"), (b"\xe2\x80\xa9", b"\\u2029"), (b"\xc2\x85", b"\\u0085"))
_encode = msgspec.json.Encoder().encode


def json_line(value: Any) -> bytes:
    """A value as JSON on one line, whatever rules the reader splits lines by."""
    try:
        encoded = _encode(value)
    except UnicodeEncodeError:  # half of a surrogate pair, which no bytes can say
        encoded = json.dumps(msgspec.to_builtins(value), ensure_ascii=False).encode("utf-8", "replace")
    if not encoded.isascii():
        for raw, escaped in _LINE_ENDS:
            encoded = encoded.replace(raw, escaped)
    return encoded


def frame(data: bytes, event: str | None = None) -> bytes:
    """One event. `data` is JSON on one line."""
    name = b"" if event is None else b"event: %s\n" % event.encode()
    return b"%sdata: %s\n\n" % (name, data)


class Encoder(Protocol):
    """One dialect of an answer's stream: what each event is in bytes. A new event breaks its build."""

    def feed(self, event: Any) -> bytes:
        """The frames of an event; none of them when the dialect says nothing of it."""
        ...

    def end(self) -> bytes:
        """The last frames of a stream that did not fail."""
        ...

    def failed(self, error: Exception) -> bytes:
        """The last frames of one that did."""
        ...


async def encoded(events: AsyncGenerator[Any, None], encoder: Encoder) -> AsyncGenerator[bytes, None]:
    """The frames of a stream of events, to its end. Raises what the events raise."""
    async with aclosing(events):
        async for event in events:
            if frames := encoder.feed(event):
                yield frames
    yield encoder.end()


class Relay:
    """Runs a stream in one task of its own and hands its frames over.

    A generator must live in one task (its time limits and task groups belong to it), while its reader waits with a
    limit. The reader is never more than MAX_AHEAD frames behind: a stream that never waits stops there and lets the
    server notice that its caller has gone.
    """

    def __init__(self, frames: AsyncGenerator[bytes, None]) -> None:
        self._frames = frames
        self._waiting: deque[bytes] = deque()
        self._ready = asyncio.Event()
        self._room = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(lambda _: self._ready.set())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop the stream and wait until it has cleaned up."""
        assert self._task is not None
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.wait({self._task})
        if not self._task.cancelled():
            self._task.exception()  # seen here, so that nobody else reports it

    async def ready(self, within_s: float) -> None:
        """Wait until there is a frame, or for so long. Raises what the stream raised before its first frame."""
        if not self._waiting and await self._waits(within_s) and not self._waiting:
            self._result()

    async def take(self, within_s: float) -> bytes:
        """All frames that wait, at least one; a comment when there was none for so long; nothing at the end.

        Raises what the stream raised, after its last frame.
        """
        if not self._waiting and not await self._waits(within_s):
            return KEEP_ALIVE
        if not self._waiting:
            self._result()
            return b""
        frames = b"".join(self._waiting) if len(self._waiting) > 1 else self._waiting[0]
        self._waiting.clear()
        self._room.set()
        return frames

    async def _run(self) -> None:
        given_count = 0
        async with aclosing(self._frames):
            async for frames in self._frames:
                self._waiting.append(frames)
                self._ready.set()
                given_count += 1
                if given_count == FIRST_WORD:
                    await asyncio.sleep(0)
                if len(self._waiting) >= MAX_AHEAD:
                    self._room.clear()
                    await self._room.wait()

    async def _waits(self, within_s: float) -> bool:
        """Whether a frame or the end came in time."""
        if self._is_done:
            return True
        self._ready.clear()
        try:
            async with asyncio.timeout(within_s):
                await self._ready.wait()
        except TimeoutError:
            return False
        return True

    @property
    def _is_done(self) -> bool:
        return self._task is not None and self._task.done()

    def _result(self) -> None:
        assert self._task is not None
        self._task.result()
