"""Trying again what a far end refused for the moment: with growing, jittered pauses and a ceiling."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TypeVar

from doso.errors import Unavailable

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Retries:
    """How often and how long apart. `pause` and `jitter` are ports so that a test needs no waiting."""

    attempts: int = 5
    first_s: float = 0.5
    ceiling_s: float = 30.0
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = random.random

    async def run(self, action: Callable[[], Awaitable[T]]) -> T:
        """What the action gives. Raises its last Unavailable when every attempt failed."""
        for attempt in range(self.attempts - 1):
            try:
                return await action()
            except Unavailable as error:
                await self.pause(self.wait_s(attempt, error.retry_after_s))
        return await action()

    def wait_s(self, attempt: int, wanted_s: int | None) -> float:
        """The pause after this attempt: half of it fixed, half drawn, never over the ceiling."""
        full = min(self.ceiling_s, max(self.first_s * 2**attempt, float(wanted_s or 0)))
        return float(full / 2 + full / 2 * self.jitter())
