"""Reading of a response's body within limits of time and size."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable

import httpx2

from doso.llm.config import TimeLimits

#: No reply is longer than this; who sends more is cut off.
MAX_BODY_BYTES = 16 * 1024 * 1024


class TooMuchError(Exception):
    """The body is longer than any reply."""


class CallClock:
    """The deadlines of one call, by the loop's clock."""

    def __init__(self, limits: TimeLimits, *, is_whole: bool) -> None:
        """`is_whole`: the reply is not streamed, so that its first byte comes with its last."""
        self._now = asyncio.get_running_loop().time
        began_s = self._now()
        self._idle_s = limits.idle_s
        self._total = began_s + limits.total_s
        self.first = began_s + (limits.total_s if is_whole else min(limits.first_token_s, limits.total_s))

    def next(self, within_s: float | None = None) -> float:
        """Until when the next bytes must come."""
        return min(self._total, self._now() + (self._idle_s if within_s is None else within_s))

    @property
    def total(self) -> float:
        """Until when everything must be there."""
        return self._total


class Watch:
    """Interrupts whoever waits too long. One timer serves all waits of a call: to set one for each costs more than the
    reading itself."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._until = 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[object] | None = None  # that waits now
        self._is_late = False

    async def wait(self, coming: Awaitable[bytes], until: float) -> bytes:
        """What comes. Raises TimeoutError when it does not come until then, by the loop's clock."""
        task = asyncio.current_task()
        assert task is not None
        cancels_before = task.cancelling()
        self._task, self._until = task, until
        if self._timer is None or self._timer.when() > until:
            self._set(until)
        try:
            return await coming
        except asyncio.CancelledError:
            if self._is_late and task.uncancel() <= cancels_before:
                raise TimeoutError from None
            raise
        finally:
            self._task = None

    def stop(self) -> None:
        """Let go of the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set(self, until: float) -> None:
        self.stop()
        self._timer = self._loop.call_at(until, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if self._task is None:
            return  # nobody waits; the next wait sets it again
        if self._loop.time() < self._until:
            self._set(self._until)
        else:
            self._is_late = True
            self._task.cancel()


class Body:
    """The bytes of a response as they come."""

    def __init__(self, response: httpx2.Response) -> None:
        # without an encoding the raw bytes are the body, at half the price
        chunks = response.aiter_bytes() if "content-encoding" in response.headers else response.aiter_raw()
        self._chunks: AsyncGenerator[bytes, None] = chunks
        self._response = response
        self._watch = Watch()
        self._size = 0

    async def read(self, until: float, most_bytes: int = MAX_BODY_BYTES) -> bytes:
        """The next bytes, none only at the end. Raises TimeoutError, TooMuchError or what the connection raises."""
        try:
            chunk = await self._watch.wait(anext(self._chunks), until)
        except StopAsyncIteration:
            return b""
        self._size += len(chunk)
        if self._size > most_bytes:
            raise TooMuchError
        return chunk

    async def rest(self, clock: CallClock, most_bytes: int = MAX_BODY_BYTES) -> bytes:
        """All that still comes."""
        pieces = []
        while piece := await self.read(clock.next(), most_bytes):
            pieces.append(piece)
        return b"".join(pieces)

    async def drain(self, within_s: float) -> None:
        """Read on to the end if it is near, so that the connection can be used again."""
        try:
            async with asyncio.timeout(within_s):
                async for _ in self._chunks:
                    pass
        except (TimeoutError, httpx2.HTTPError):
            pass

    async def aclose(self) -> None:
        """Let go of the connection; one that has not been read to its end is closed at once."""
        self._watch.stop()
        try:
            await self._chunks.aclose()
        finally:
            await self._response.aclose()
