"""A job queue that starts when the server has time for it, so that the first questions are answered meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress

from doso.errors import Unavailable
from doso.jobs.ports import JobHandler, JobQueue

START_WITHIN_S = 60.0
#: The queue starts after this in any case, however long a model takes to answer.
IDLE_WITHIN_S = 10.0


class StartingQueue:
    """Implements doso.jobs.ports.JobQueue over another. `start` waits until `idle` returns or somebody has a job;
    `enqueue` waits for the start, all else goes through."""

    def __init__(self, queue: JobQueue, idle: Callable[[], Awaitable[None]]) -> None:
        self._queue = queue
        self._idle = idle
        self._wanted = asyncio.Event()
        self._started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._launch: asyncio.Task[None] | None = None

    @property
    def trouble(self) -> str | None:
        """Why there is no queue at present; None while it is starting or runs."""
        if not self._started.done() or self._started.exception() is None:
            return None
        return f"Background jobs do not run: {self._started.exception()}"

    def register(self, name: str, handler: JobHandler) -> None:
        """Name a handler; only before `start`."""
        self._queue.register(name, handler)

    async def start(self) -> None:
        """Begin working. Raises Unavailable; then each `enqueue` raises the same, until a later start succeeds."""
        await self._wait_for_time()
        self._launch = asyncio.create_task(self._queue.start())
        try:
            await asyncio.shield(self._launch)  # a start cut in half could not be stopped in good order
        except Unavailable as error:
            self._settle().set_exception(error)
            self._started.exception()  # seen: whoever enqueues is told, nobody else need be
            raise
        self._settle().set_result(None)

    async def enqueue(self, name: str, payload: Mapping[str, str], *, key: str) -> None:
        """Queue one run of the handler, once the queue has started."""
        self._wanted.set()
        try:
            async with asyncio.timeout(START_WITHIN_S):
                await asyncio.shield(self._started)
        except TimeoutError as error:
            raise Unavailable("The job queue is still starting; try again.", retry_after_s=2) from error
        await self._queue.enqueue(name, payload, key=key)

    async def drain(self) -> None:
        """Wait until nothing is queued or running in this process."""
        self._wanted.set()
        await asyncio.shield(self._started)
        await self._queue.drain()

    async def stop(self) -> None:
        """Stop taking jobs, after a start that is under way."""
        if self._launch is not None:
            await asyncio.wait([self._launch])
        await self._queue.stop()

    async def _wait_for_time(self) -> None:
        """Until there is nothing more pressing, or a job is there."""
        waits = [asyncio.ensure_future(self._idle()), asyncio.ensure_future(self._wanted.wait())]
        try:
            await asyncio.wait(waits, timeout=IDLE_WITHIN_S, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
                with suppress(asyncio.CancelledError):
                    await wait

    def _settle(self) -> asyncio.Future[None]:
        """The future of this attempt: a new one where an earlier attempt failed."""
        if self._started.done():
            self._started = asyncio.get_running_loop().create_future()
        return self._started
