"""Waiting for what another process does: polled, since nothing there can wake us."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

WITHIN_S = 120.0
_POLL_S = 0.1


def until(is_true: Callable[[], bool]) -> None:
    """Poll until it is. Raises AssertionError after WITHIN_S."""
    deadline = time.monotonic() + WITHIN_S
    while not is_true():
        assert time.monotonic() < deadline, "it did not come about"
        time.sleep(_POLL_S)


async def eventually(is_true: Callable[[], Awaitable[bool]]) -> None:
    """The same for who asks over a connection."""
    async with asyncio.timeout(WITHIN_S):
        while not await is_true():
            await asyncio.sleep(_POLL_S)
