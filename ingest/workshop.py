"""What of ingestion is at work in this process: one run per owner and activity, imports in progress, the sweep."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from doso.ids import OperationId, OwnerId

Run = Callable[[], Awaitable[None]]


@dataclass(slots=True)
class Workshop:
    """Process-local only: every fact that matters is in the database."""

    importing: set[OperationId] = field(default_factory=set)
    sweeper: asyncio.Task[None] | None = None
    is_queue_started: bool = False
    is_ready: asyncio.Event = field(default_factory=asyncio.Event)
    _expected: set[OwnerId] = field(default_factory=set)
    _running: set[str] = field(default_factory=set)
    _again: set[str] = field(default_factory=set)
    _gathering: dict[OwnerId, asyncio.Task[None]] = field(default_factory=dict)

    async def alone(self, activity: str, run: Run) -> None:
        """Run it unless it runs already; then that run is made to go round once more, and this call is done."""
        if activity in self._running:
            self._again.add(activity)
            return
        self._running.add(activity)
        try:
            while True:
                self._again.discard(activity)
                await run()
                if activity not in self._again:
                    return
        finally:
            self._running.discard(activity)
            self._again.discard(activity)

    def expect(self, owner: OwnerId) -> bool:
        """Note that an index job of this owner is queued; False when one is that has not begun."""
        is_first = owner not in self._expected
        self._expected.add(owner)
        return is_first

    def begin(self, owner: OwnerId) -> None:
        """An index job of this owner begins, or is no longer to be counted on: the next one has to be queued."""
        self._expected.discard(owner)

    def gather(self, owner: OwnerId, wait: Run, run: Run) -> None:
        """Run it when the wait is over, once for all that ask for it until then."""
        if owner not in self._gathering:
            self._gathering[owner] = asyncio.create_task(self._later(owner, wait, run))

    async def _later(self, owner: OwnerId, wait: Run, run: Run) -> None:
        await wait()
        del self._gathering[owner]
        await run()

    def stop(self) -> None:
        """Begin nothing more."""
        for task in (*self._gathering.values(), *([self.sweeper] if self.sweeper is not None else [])):
            task.cancel()
        self._gathering.clear()

    def is_running(self, activity: str) -> bool:
        """Whether this process is at it."""
        return activity in self._running

    @asynccontextmanager
    async def held(self, operation_id: OperationId) -> AsyncIterator[bool]:
        """True while this import is this caller's alone; False when another task has it."""
        if operation_id in self.importing:
            yield False
            return
        self.importing.add(operation_id)
        try:
            yield True
        finally:
            self.importing.discard(operation_id)
