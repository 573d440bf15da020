"""A job queue in memory, for tests and for one-off commands: nothing of it survives the process."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field

from doso.errors import Conflict
from doso.jobs.ports import JobHandler
from doso.telemetry import log

#: Jobs at work at once.
WORKERS = 16
#: Keys remembered; a job as old as so many others may run again, which every handler bears.
MAX_KEYS = 10_000

_log = log()


@dataclass(slots=True)
class MemoryQueue:
    """Implements doso.jobs.ports.JobQueue. What is queued before `start` waits for it."""

    handlers: dict[str, JobHandler] = field(default_factory=dict)
    failures: list[BaseException] = field(default_factory=list)
    _keys: OrderedDict[str, None] = field(default_factory=OrderedDict)
    _waiting: list[tuple[str, Mapping[str, str]]] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(WORKERS))
    _is_started: bool = False

    def register(self, name: str, handler: JobHandler) -> None:
        """Name a handler; only before `start`."""
        if self._is_started:
            raise Conflict(f"The queue has started; {name!r} comes too late.")
        self.handlers[name] = handler

    async def start(self) -> None:
        """Begin working."""
        self._is_started = True
        for name, payload in self._waiting:
            self._spawn(name, payload)
        self._waiting.clear()

    async def enqueue(self, name: str, payload: Mapping[str, str], *, key: str) -> None:
        """Queue one run of the handler. The same key again changes nothing."""
        if key in self._keys:
            return
        self._keys[key] = None
        while len(self._keys) > MAX_KEYS:
            self._keys.popitem(last=False)
        if self._is_started:
            self._spawn(name, payload)
        else:
            self._waiting.append((name, dict(payload)))

    async def drain(self) -> None:
        """Wait until nothing is queued or running."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def stop(self) -> None:
        """Cancel what runs, as a crash would."""
        self._is_started = False
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _spawn(self, name: str, payload: Mapping[str, str]) -> None:
        task = asyncio.create_task(self._run(name, dict(payload)), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A job that failed is noted and stops no other."""
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.failures.append(error)
            _log.warning("job.failed", job=task.get_name(), error=type(error).__name__)

    async def _run(self, name: str, payload: Mapping[str, str]) -> None:
        async with self._slots:
            await self.handlers[name](payload)
