"""Durable background jobs: at least once, so every handler is safe to repeat."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

#: A handler takes the payload it was queued with. Values are strings so that any queue can store them.
JobHandler = Callable[[Mapping[str, str]], Awaitable[None]]


class JobQueue(Protocol):
    """Queues work that survives a crash of the process."""

    def register(self, name: str, handler: JobHandler) -> None:
        """Name a handler; only before `start`."""
        ...

    async def start(self) -> None:
        """Begin working, recovered jobs of an earlier process first."""
        ...

    async def enqueue(self, name: str, payload: Mapping[str, str], *, key: str) -> None:
        """Queue one run of the handler. The same key again is the same job and changes nothing."""
        ...

    async def drain(self) -> None:
        """Wait until nothing is queued or running in this process."""
        ...

    async def stop(self) -> None:
        """Stop taking jobs; what runs is left to recovery."""
        ...
