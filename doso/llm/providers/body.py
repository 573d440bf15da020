"""Reading of a response's body within limits of time and size."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

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


class Body:
    """The bytes of a response as they come."""

    def __init__(self, response: httpx2.Response) -> None:
        # without an encoding the raw bytes are the body, at half the price
        chunks = response.aiter_bytes() if "content-encoding" in response.headers else response.aiter_raw()
        self._chunks: AsyncGenerator[bytes, None] = chunks
        self._response = response
        self._size = 0

    async def read(self, until: float, most_bytes: int = MAX_BODY_BYTES) -> bytes:
        """The next bytes, none at the end. Raises TimeoutError, TooMuchError or what the connection raises."""
        async with asyncio.timeout_at(until):
            try:
                chunk = await anext(self._chunks)
                while not chunk:
                    chunk = await anext(self._chunks)
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
        try:
            await self._chunks.aclose()
        finally:
            await self._response.aclose()
