"""A job queue that starts in the background, so that the first questions are answered meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from doso.errors import DosoError, Unavailable
from doso.jobs.ports import JobHandler, JobQueue

START_WITHIN_S = 60.0


class StartingQueue:
    """Implements doso.jobs.ports.JobQueue over another: `enqueue` waits for its start, all else goes through."""

    def __init__(self, queue: JobQueue) -> None:
        self._queue = queue
        self._started: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def register(self, name: str, handler: JobHandler) -> None:
        """Name a handler; only before `start`."""
        self._queue.register(name, handler)

    async def start(self) -> None:
        """Begin working. Raises Unavailable; then each `enqueue` raises the same."""
        try:
            await self._queue.start()
        except Unavailable as error:
            self._started.set_exception(error)
            self._started.exception()  # seen: whoever enqueues is told, nobody else need be
            raise
        self._started.set_result(None)

    async def enqueue(self, name: str, payload: Mapping[str, str], *, key: str) -> None:
        """Queue one run of the handler, once the queue has started."""
        try:
            async with asyncio.timeout(START_WITHIN_S):
                await asyncio.shield(self._started)
        except TimeoutError as error:
            raise Unavailable("The job queue is still starting; try again.", retry_after_s=2) from error
        await self._queue.enqueue(name, payload, key=key)

    async def drain(self) -> None:
        """Wait until nothing is queued or running in this process."""
        await asyncio.shield(self._started)
        await self._queue.drain()

    async def stop(self) -> None:
        """Stop taking jobs."""
        await self._queue.stop()


class BackgroundStart:
    """Runs a start beside everything else; `finish` waits for it, however it ended."""

    def __init__(self, start: Callable[[], Awaitable[None]], failed: Callable[[DosoError], None]) -> None:
        self._task = asyncio.create_task(self._run(start, failed))

    async def finish(self) -> None:
        """Wait until the start has ended."""
        with suppress(asyncio.CancelledError):
            await self._task

    async def _run(self, start: Callable[[], Awaitable[None]], failed: Callable[[DosoError], None]) -> None:
        try:
            await start()
        except DosoError as error:
            failed(error)
