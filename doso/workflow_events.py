"""Workflow events between processes: rows of a bounded table, written in batches, followed from any replica."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime, timedelta

import msgspec
from sqlalchemy import text

from doso.clock import Clock, system_clock
from doso.db.engine import Database
from doso.errors import Busy, Unavailable
from doso.ids import OwnerId
from doso.telemetry import log
from doso.workflow import MAX_WAITING, Field, NumberedEvent, WorkflowEvent

#: Events wait this long for others, so that an ask does not pay for a transaction each.
GATHER_S = 0.25
#: How long an event of another process may go unseen.
POLL_S = 0.5
MAX_BATCH = 500
MAX_READ = 200
#: Streams that one owner may follow through one process.
MAX_FOLLOWERS = 32
KEEP_FOR = timedelta(days=1)
KEEP_COUNT = 100_000
#: Old rows are looked for once in so many new ones.
PRUNE_EVERY = 1_000

_INSERT = text(
    "INSERT INTO workflow_events (owner, name, at, work_id, conversation_id, fields)"
    " VALUES (:owner, :name, :at, :work_id, :conversation_id, :fields)"
)
#: Numbers are given in the order of commits only when writers wait for each other, as they do on SQLite anyway.
_LOCK = text("SELECT pg_advisory_xact_lock(50005005)")
_READ = text(
    "SELECT number, name, at, work_id, conversation_id, fields FROM workflow_events"
    " WHERE owner = :owner AND number > :after ORDER BY number LIMIT :limit"
)
_READ_ONE = text(
    "SELECT number, name, at, work_id, conversation_id, fields FROM workflow_events"
    " WHERE owner = :owner AND number > :after AND conversation_id = :conversation_id ORDER BY number LIMIT :limit"
)
_NEWEST = text("SELECT MAX(number) FROM workflow_events")
_OLDEST = text("SELECT MIN(number) FROM workflow_events")
_OWNERS = text("SELECT DISTINCT owner FROM workflow_events WHERE number > :after")
_PRUNE = text(
    "DELETE FROM workflow_events WHERE at < :before OR number <= (SELECT MAX(number) FROM workflow_events) - :keep"
)


class WorkflowEvents:
    """Implements Workflow over a table; `run` writes what was told, `follow` reads it, also that of other processes."""

    def __init__(self, database: Database, clock: Clock = system_clock) -> None:
        self._database = database
        self._clock = clock
        self._waiting: deque[WorkflowEvent] = deque()
        self._told = asyncio.Event()
        self._bells: dict[OwnerId, set[asyncio.Event]] = {}
        self._followed = asyncio.Event()
        self._since_prune = 0

    def tell(
        self, owner: OwnerId, name: str, work_id: str, *, conversation_id: str | None = None, **fields: Field
    ) -> None:
        """Tell one event, as of now; left out where too many wait."""
        if len(self._waiting) < MAX_WAITING:
            self._waiting.append(WorkflowEvent(owner, name, self._clock(), work_id, conversation_id, fields))
            self._told.set()

    def check_room(self, owner: OwnerId) -> None:
        """Raises Busy when the owner follows too many streams already."""
        if len(self._bells.get(owner, ())) >= MAX_FOLLOWERS:
            raise Busy(f"At most {MAX_FOLLOWERS} streams of events; close one.", retry_after_s=5)

    async def follow(
        self, owner: OwnerId, *, after: int | None = None, conversation_id: str | None = None
    ) -> AsyncGenerator[NumberedEvent, None]:
        """The owner's events from now on, or after this number, for as long as it is iterated. Raises Unavailable."""
        with self._bell(owner) as bell:
            newest = await self.newest()
            seen = newest if after is None else min(after, newest)  # a number of another database is as good as none
            while True:
                bell.clear()
                found = await self.read(owner, after=seen, conversation_id=conversation_id)
                for numbered in found:
                    seen = numbered.number
                    yield numbered
                if not found:
                    await bell.wait()

    async def read(
        self, owner: OwnerId, *, after: int, conversation_id: str | None = None, limit: int = MAX_READ
    ) -> Sequence[NumberedEvent]:
        """Stored events after this number, in order."""
        statement, values = _READ, {"owner": owner, "after": after, "limit": limit}
        if conversation_id is not None:
            statement, values = _READ_ONE, values | {"conversation_id": conversation_id}
        async with self._database.read() as connection:
            rows = (await connection.execute(statement, values)).all()
        return [
            NumberedEvent(
                row.number,
                WorkflowEvent(
                    owner,
                    row.name,
                    datetime.fromtimestamp(row.at / 1000, UTC),
                    row.work_id,
                    row.conversation_id,
                    msgspec.json.decode(row.fields),
                ),
            )
            for row in rows
        ]

    async def newest(self) -> int:
        """The number of the newest stored event of anyone."""
        async with self._database.read() as connection:
            return int(await connection.scalar(_NEWEST) or 0)

    async def oldest(self) -> int:
        """The number of the oldest event that is still there."""
        async with self._database.read() as connection:
            return int(await connection.scalar(_OLDEST) or 0)

    async def flush(self) -> None:
        """Write what waits. Raises Unavailable; then the batch is lost, for nobody waits for these events."""
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(MAX_BATCH, len(self._waiting)))]
            async with self._database.write() as connection:
                if not self._database.is_sqlite:
                    await connection.execute(_LOCK)
                await connection.execute(_INSERT, [_row(event) for event in batch])
                self._since_prune += len(batch)
                if self._since_prune >= PRUNE_EVERY:
                    self._since_prune = 0
                    before = _ms(self._clock() - KEEP_FOR)
                    await connection.execute(_PRUNE, {"before": before, "keep": KEEP_COUNT})
            self._ring({event.owner for event in batch})

    async def write_all(self) -> None:
        """Write what is told, in batches, until cancelled."""
        while True:
            await self._told.wait()
            await asyncio.sleep(GATHER_S)
            self._told.clear()
            with _shrugged("workflow.not_written"):
                await self.flush()

    async def watch(self) -> None:
        """Look for events of other processes while somebody follows, until cancelled."""
        seen: int | None = None
        while True:
            if not self._bells:
                seen = None
                self._followed.clear()
            await self._followed.wait()
            with _shrugged("workflow.not_read"):
                seen = await self._look(seen)
            await asyncio.sleep(POLL_S)

    async def _look(self, seen: int | None) -> int:
        async with self._database.read() as connection:
            newest = int(await connection.scalar(_NEWEST) or 0)
            if seen is None:
                self._ring(set(self._bells))
            elif newest > seen:
                rows = (await connection.execute(_OWNERS, {"after": seen})).all()
                self._ring({OwnerId(row.owner) for row in rows})
        return newest

    def _ring(self, owners: set[OwnerId]) -> None:
        for owner in owners:
            for bell in self._bells.get(owner, ()):
                bell.set()

    @contextmanager
    def _bell(self, owner: OwnerId) -> Iterator[asyncio.Event]:
        """Rung when the owner has new events; somebody follows while it hangs."""
        bell = asyncio.Event()
        self._bells.setdefault(owner, set()).add(bell)
        self._followed.set()
        try:
            yield bell
        finally:
            self._bells[owner].discard(bell)
            if not self._bells[owner]:
                del self._bells[owner]


@asynccontextmanager
async def open_workflow(database: Database) -> AsyncIterator[WorkflowEvents]:
    """Events that are written and watched for in the background; what waits at the end is written then."""
    events = WorkflowEvents(database)
    tasks = [asyncio.create_task(events.write_all()), asyncio.create_task(events.watch())]
    try:
        yield events
    finally:
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        with _shrugged("workflow.not_written"):
            await events.flush()


@contextmanager
def _shrugged(what: str) -> Iterator[None]:
    """Events are told for convenience: a database that does not answer costs them and nothing else."""
    try:
        yield
    except Unavailable as error:
        log().warning(what, code=error.code)


def _row(event: WorkflowEvent) -> dict[str, object]:
    return {
        "owner": event.owner,
        "name": event.name,
        "at": _ms(event.at),
        "work_id": event.work_id,
        "conversation_id": event.conversation_id,
        "fields": msgspec.json.encode(dict(event.fields)).decode(),
    }


def _ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
