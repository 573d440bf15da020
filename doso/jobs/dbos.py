"""Durable jobs on DBOS, in a SQLite file of their own or in a schema of the PostgreSQL database."""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from sqlalchemy.exc import SQLAlchemyError

from doso.errors import Conflict, DosoError, Unavailable
from doso.jobs.memory import MemoryQueue
from doso.jobs.ports import JobHandler, JobQueue
from doso.telemetry import log

if TYPE_CHECKING:
    from dbos import DBOS

QUEUE = "doso"
SCHEMA = "doso_jobs"
#: Jobs that one process works on at once.
WORKERS = 16
POLLING_S = 0.1
DRAIN_POLLING_S = 0.05
#: Fixed, so that a job queued by an older Doso is taken up by a newer one.
APPLICATION_VERSION = "doso-1"
#: A job cut off by so many crashes is given up by the queue; the library's sweep still finds its work.
MAX_RECOVERIES = 1000
_OPEN_STATES = ["ENQUEUED", "PENDING"]
_ENDED_STATES = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
#: Ended jobs that stay to be seen, and for how long; the newest.
KEPT_ENDED = 1000
KEPT_S = 3600.0
#: An unfinished job as old as this belongs to a process that died; the library's sweep has done its work since.
LOST_S = 2 * 24 * 3600.0
PRUNE_EVERY_S = 600.0
PRUNED_AT_ONCE = 500
#: DBOS itself waits for a database that is down without end; a write does not wait for it.
ENQUEUE_WITHIN_S = 5.0
LOCK_FILE = "jobs.lock"

_log = log()


class DbosQueue:
    """Implements doso.jobs.ports.JobQueue. DBOS is global to a process, so there is one queue per process."""

    def __init__(self, url: str, *, is_shared: bool, lock: TextIO | None = None) -> None:
        """`is_shared`: other processes may work on the same queue, so only the own jobs are recovered at start (the
        library's sweep takes up those of a process that died). `lock`: an open file, closed when the queue stops."""
        self._url = url
        self._lock = lock
        self._pruner: asyncio.Task[None] | None = None
        self._executor = f"{socket.gethostname()}-{os.getpid()}" if is_shared else "local"
        self._handlers: dict[str, JobHandler] = {}
        self._dbos: type[DBOS] | None = None
        self._workflow: Any = None
        self._early: list[tuple[str, dict[str, str], str]] = []

    def register(self, name: str, handler: JobHandler) -> None:
        """Name a handler; only before `start`."""
        if self._dbos is not None:
            raise Conflict(f"The queue has started; {name!r} comes too late.")
        self._handlers[name] = handler

    async def start(self) -> None:
        """Begin working, recovered jobs of an earlier process first. Again is nothing. Raises Unavailable."""
        if self._dbos is not None:
            return
        dbos = await asyncio.to_thread(_imported)
        dbos.destroy(destroy_registry=True)
        dbos(
            config={
                "name": QUEUE,
                "system_database_url": self._url,
                "dbos_system_schema": SCHEMA,
                "application_version": APPLICATION_VERSION,
                "executor_id": self._executor,
                "log_level": "ERROR",
                "run_admin_server": False,
                "use_listen_notify": False,
            }  # type: ignore[typeddict-unknown-key]
        )

        async def job(name: str, payload: dict[str, str]) -> None:
            await self._run(name, payload)

        self._workflow = dbos.workflow(name="doso_job", max_recovery_attempts=MAX_RECOVERIES)(job)
        try:
            dbos.launch()
            await dbos.register_queue_async(QUEUE, worker_concurrency=WORKERS, polling_interval_sec=POLLING_S)
        except (OSError, SQLAlchemyError) as error:
            raise Unavailable("The job queue can't be opened.") from error
        self._dbos = dbos
        self._pruner = asyncio.create_task(self._prune_often())
        while self._early:
            name, payload, key = self._early.pop(0)
            await self.enqueue(name, payload, key=key)

    async def enqueue(self, name: str, payload: Mapping[str, str], *, key: str) -> None:
        """Queue one run of the handler. The same key again is the same job and changes nothing. Before the start it is
        kept in memory; what the job is about is stored already, so a crash loses nothing. Raises Unavailable."""
        if self._dbos is None:
            self._early.append((name, dict(payload), key))
            return
        from dbos import SetWorkflowID  # noqa: PLC0415 - loaded by start

        try:
            async with asyncio.timeout(ENQUEUE_WITHIN_S):
                with SetWorkflowID(key):
                    await self._dbos.enqueue_workflow_async(QUEUE, self._workflow, name, dict(payload))
        except (OSError, SQLAlchemyError) as error:  # TimeoutError is an OSError
            raise Unavailable("The job queue does not answer.") from error

    async def drain(self) -> None:
        """Wait until nothing is queued or running."""
        while await self._is_busy():  # noqa: ASYNC110 - the end of a job of another process is no event here
            await asyncio.sleep(DRAIN_POLLING_S)

    async def _is_busy(self) -> bool:
        if self._dbos is None:
            return bool(self._early)
        return bool(
            await self._dbos.list_workflows_async(
                status=_OPEN_STATES, queue_name=QUEUE, limit=1, load_input=False, load_output=False
            )
        )

    async def prune(self) -> int:
        """Remove jobs that ended a while ago, all but the newest ended ones, and what dead processes left; how many."""
        ended = await self._pruned(status=_ENDED_STATES, completed_before=_ago(KEPT_S))
        many = await self._pruned(status=_ENDED_STATES, offset=KEPT_ENDED, sort_desc=True)
        return ended + many + await self._pruned(status=_OPEN_STATES, end_time=_ago(LOST_S))

    async def _pruned(self, **which: Any) -> int:
        count = 0
        while self._dbos is not None:
            found = await self._dbos.list_workflows_async(
                queue_name=QUEUE, limit=PRUNED_AT_ONCE, load_input=False, load_output=False, **which
            )
            if found:
                await self._dbos.delete_workflows_async([one.workflow_id for one in found])
            count += len(found)
            if len(found) < PRUNED_AT_ONCE:
                break
        return count

    async def _prune_often(self) -> None:
        while True:
            try:
                await self.prune()
            except (OSError, SQLAlchemyError) as error:
                _log.warning("jobs.not_pruned", error=type(error).__name__)
            await asyncio.sleep(PRUNE_EVERY_S)

    async def stop(self) -> None:
        """Stop taking jobs; what runs is left to recovery."""
        if self._pruner is not None:
            self._pruner.cancel()
            await asyncio.gather(self._pruner, return_exceptions=True)
        if self._dbos is not None:
            dbos, self._dbos = self._dbos, None
            await asyncio.to_thread(dbos.destroy, destroy_registry=True)
            # DBOS made its own pool the loop's and has just shut it down; what runs on needs one that works.
            asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor())
        if self._lock is not None:
            self._lock.close()

    async def _run(self, name: str, payload: dict[str, str]) -> None:
        handler = self._handlers.get(name)
        if handler is None:
            _log.warning("job.unknown", job=name)
            return
        try:
            await handler(payload)
        except DosoError as error:
            _log.warning("job.failed", job=name, code=error.code)


def open_queue(database_url: str, home: Path) -> JobQueue:
    """The queue that goes with a database: beside a SQLite file in the home, inside a PostgreSQL one.

    Beside SQLite it is one process's: a command that runs beside a server on the same home has a queue in memory, else
    each would take up the other's jobs and leave them when it ends. What the jobs are about is in the library, and what
    the command leaves undone the server's sweep finds."""
    if not database_url.startswith("sqlite"):
        return DbosQueue(database_url, is_shared=True)
    home.mkdir(parents=True, exist_ok=True)
    lock = _locked(home / LOCK_FILE)
    return MemoryQueue() if lock is None else DbosQueue(f"sqlite:///{home / 'jobs.db'}", is_shared=False, lock=lock)


def _locked(path: Path) -> TextIO | None:
    """The file, locked until it is closed or the process ends; None when another has it."""
    file = path.open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        file.close()
        return None
    return file


def _ago(seconds: float) -> str:
    return (datetime.now(UTC) - timedelta(seconds=seconds)).isoformat()


def _imported() -> type[DBOS]:
    """DBOS itself: half a second, so it is loaded when the queue starts and off the event loop."""
    from dbos import DBOS  # noqa: PLC0415

    return DBOS
