"""A job queue whose jobs are workflow events: begun, done, failed, with how long they took."""

from __future__ import annotations

import time
from collections.abc import Mapping

from doso.errors import DosoError
from doso.ids import OwnerId, new_id
from doso.jobs.ports import JobHandler, JobQueue
from doso.workflow import Workflow


class ToldQueue:
    """Implements doso.jobs.ports.JobQueue over another. A payload names the owner, and the operation where it has one:
    the events of a job are that owner's."""

    def __init__(self, queue: JobQueue, workflow: Workflow) -> None:
        self._queue = queue
        self._workflow = workflow

    def register(self, name: str, handler: JobHandler) -> None:
        """Name a handler; only before `start`."""
        self._queue.register(name, self._told(name, handler))

    async def start(self) -> None:
        """Begin working."""
        await self._queue.start()

    async def enqueue(self, name: str, payload: Mapping[str, str], *, key: str) -> None:
        """Queue one run of the handler."""
        await self._queue.enqueue(name, payload, key=key)

    async def drain(self) -> None:
        """Wait until nothing is queued or running in this process."""
        await self._queue.drain()

    async def stop(self) -> None:
        """Stop taking jobs."""
        await self._queue.stop()

    def _told(self, name: str, handler: JobHandler) -> JobHandler:
        async def run(payload: Mapping[str, str]) -> None:
            owner, work_id = OwnerId(payload["owner"]), payload.get("operation") or new_id()
            started = time.perf_counter()
            self._workflow.tell(owner, f"{name}.started", work_id)
            try:
                await handler(payload)
            except BaseException as error:
                code = error.code if isinstance(error, DosoError) else "internal"
                self._workflow.tell(owner, f"{name}.failed", work_id, code=code, ms=_ms(started))
                raise
            self._workflow.tell(owner, f"{name}.done", work_id, ms=_ms(started))

        return run


def _ms(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)
