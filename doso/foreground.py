"""Who is being answered goes first: work in the background asks here how much to do next, and waits for a gap."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

#: Nobody was answered for so long: a client that asks again and again leaves shorter pauses between its requests.
GAP_S = 0.05
#: Nobody was answered for so long: whoever was here has gone.
CALM_S = 2.0
#: However busy it is, work goes on after this.
MAX_WAIT_S = 1.0
#: What can wait for a calm waits no longer than this.
MAX_BUSY_S = 300.0


@dataclass(slots=True)
class Foreground:
    """Counts the requests under way in this process. One that nobody tells of requests never lets work wait."""

    gap_s: float = GAP_S
    calm_s: float = CALM_S
    max_wait_s: float = MAX_WAIT_S
    _serving_count: int = 0
    _ended_at_s: float = float("-inf")
    _free: asyncio.Event = field(default_factory=asyncio.Event)

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Somebody is being answered for the length of the block."""
        self._serving_count += 1
        self._free.clear()
        try:
            yield
        finally:
            self._serving_count -= 1
            self._ended_at_s = time.monotonic()
            if self._serving_count == 0:
                self._free.set()

    async def turn(self, *, most: int, least: int) -> int:
        """How many to do next: `most` in a calm, `least` in a gap or when none came in time."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self.max_wait_s):
                await self._quiet(self.gap_s)
        return most if self._serving_count == 0 and self._quiet_s() >= self.calm_s else least

    async def calm(self) -> None:
        """Wait until whoever was here has gone, but not for ever."""
        with suppress(TimeoutError):
            async with asyncio.timeout(MAX_BUSY_S):
                await self._quiet(self.calm_s)

    async def _quiet(self, for_s: float) -> None:
        while self._serving_count or self._quiet_s() < for_s:
            if self._serving_count:
                await self._free.wait()
            else:
                await asyncio.sleep(for_s - self._quiet_s())

    def _quiet_s(self) -> float:
        return time.monotonic() - self._ended_at_s
