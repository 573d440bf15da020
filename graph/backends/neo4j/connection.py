"""The one place that speaks to the Neo4j driver: bounded, retried, serial per owner, its errors translated."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, LiteralString, TypeVar
from weakref import WeakValueDictionary

import neo4j
from neo4j.exceptions import (
    AuthError,
    ClientError,
    ConfigurationError,
    ConnectionAcquisitionTimeoutError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from doso.errors import InvalidInput, Unavailable
from doso.ids import OwnerId

T = TypeVar("T")

CONNECT_TIMEOUT_S = 3.0
ACQUIRE_TIMEOUT_S = 6.0
#: From the first failure on; the attempt under way then may last as long as its connection attempt.
RETRY_S = 4.0
#: A read answers or fails within this.
READ_TIMEOUT_S = 8.0
#: A write connects and gets its owner's lock within this, which other processes may hold; before that it waits its
#: turn in this process.
LOCK_TIMEOUT_S = 8.0
TURN_TIMEOUT_S = 30.0
#: A single statement or commit of a write, which may carry thousands of rows.
WRITE_STATEMENT_TIMEOUT_S = 60.0
#: A pooled connection that lay idle this long is tried before it is used: after a restart of the server it is dead.
IDLE_BEFORE_CHECK_S = 2.0
MAX_LIFETIME_S = 600.0
POOL_SIZE = 50
MAX_ROWS_OF_A_WRITE = 1_000_000
RETRY_AFTER_S = 2
#: Two processes that start at once both find an index missing; the second is told this in spite of IF NOT EXISTS.
ALREADY_MADE = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"

#: Taken first by every write: the lock on this node gives one owner's writes, of any process, a serial order, so that
#: what they check still holds when they act, and two of them can't deadlock over the rest.
LOCK_OWNER: LiteralString = """
MERGE (o:Owner {id: $owner})
ON CREATE SET o.writes = 1
ON MATCH SET o.writes = o.writes + 1
RETURN o.writes AS writes
"""

Params = Mapping[str, object]


class Statements:
    """Runs statements of one owner inside a transaction. `number` counts the owner's writes (0 in a read)."""

    def __init__(
        self, tx: neo4j.AsyncManagedTransaction, owner: OwnerId, *, number: int, timeout_s: float | None
    ) -> None:
        self._tx = tx
        self._timeout_s = timeout_s
        self.owner = owner
        self._sequence = count(number * MAX_ROWS_OF_A_WRITE)

    def next_sequence(self) -> int:
        """A number above all that this owner's earlier writes took, for rows that keep the order they came in."""
        return next(self._sequence)

    async def rows(self, statement: LiteralString, **params: object) -> list[neo4j.Record]:
        """All rows of a statement; `$owner` is given to each."""
        async with asyncio.timeout(self._timeout_s):
            result = await self._tx.run(statement, {"owner": self.owner, **params})
            return [row async for row in result]

    async def collected(self, statement: LiteralString, **params: object) -> list[Any]:
        """The list that a statement returns as `rows` of its only record: a record of its own for each row costs the
        driver many times what a value in a list does."""
        found: list[Any] = (await self.rows(statement, **params))[0]["rows"]
        return found


class Connection:
    """An open driver with its bookmarks, which let a read see every write that this process made before it."""

    def __init__(self, driver: neo4j.AsyncDriver) -> None:
        self._driver = driver
        self._bookmarks = neo4j.AsyncGraphDatabase.bookmark_manager()
        self._turns: WeakValueDictionary[OwnerId, asyncio.Lock] = WeakValueDictionary()

    @classmethod
    def open(cls, url: str, user: str | None, password: str | None) -> Connection:
        """A connection that connects on first use. Raises InvalidInput for a URL that the driver refuses."""
        try:
            driver = neo4j.AsyncGraphDatabase.driver(
                url,
                auth=(user, password or "") if user else None,
                connection_timeout=CONNECT_TIMEOUT_S,
                connection_acquisition_timeout=ACQUIRE_TIMEOUT_S,
                max_transaction_retry_time=RETRY_S,
                max_connection_lifetime=MAX_LIFETIME_S,
                max_connection_pool_size=POOL_SIZE,
                liveness_check_timeout=IDLE_BEFORE_CHECK_S,
                keep_alive=True,
                telemetry_disabled=True,
                notifications_min_severity="OFF",
                user_agent="doso",
            )
        except (ConfigurationError, ValueError) as error:
            raise InvalidInput(f"The graph URL is no Neo4j URL: {error}", param="graph_url") from error
        return cls(driver)

    async def read(self, owner: OwnerId, work: Callable[[Statements], Awaitable[T]]) -> T:
        """Run `work` in a read transaction, retried after a transient fault. Raises Unavailable."""

        async def unit(tx: neo4j.AsyncManagedTransaction) -> T:
            return await work(Statements(tx, owner, number=0, timeout_s=None))

        async with _translated(READ_TIMEOUT_S), self._session() as session:
            return await session.execute_read(unit)

    async def write(self, owner: OwnerId, work: Callable[[Statements], Awaitable[T]]) -> T:
        """Run `work` in a write transaction of this owner once it is its turn. Raises Unavailable.

        A fault at commit time leaves the outcome unknown and is not retried: the caller repeats the request.
        """

        clock = asyncio.get_running_loop().time

        async def unit(tx: neo4j.AsyncManagedTransaction) -> T:
            lock = Statements(tx, owner, number=0, timeout_s=None)
            number = int((await lock.rows(LOCK_OWNER))[0]["writes"])
            _rebind(bound, None)  # from here on each statement has a bound of its own
            try:
                result = await work(Statements(tx, owner, number=number, timeout_s=WRITE_STATEMENT_TIMEOUT_S))
            finally:
                _rebind(bound, clock() + LOCK_TIMEOUT_S)  # for the rollback and, after a fault, the next attempt
            _rebind(bound, clock() + WRITE_STATEMENT_TIMEOUT_S)  # for the commit
            return result

        async with self._turn(owner), _translated(LOCK_TIMEOUT_S) as bound, self._session() as session:
            return await session.execute_write(unit)

    async def define(self, statement: LiteralString) -> None:
        """Run one schema statement in a transaction of its own. What another process made meanwhile is made."""

        async def unit(tx: neo4j.AsyncManagedTransaction) -> None:
            await (await tx.run(statement)).consume()

        try:
            async with _translated(WRITE_STATEMENT_TIMEOUT_S), self._session() as session:
                await session.execute_write(unit)
        except ClientError as error:
            if error.code != ALREADY_MADE:
                raise

    async def ask(self, statement: LiteralString, params: Params | None = None) -> Sequence[neo4j.Record]:
        """Rows of a statement that belongs to no owner."""

        async def unit(tx: neo4j.AsyncManagedTransaction) -> list[neo4j.Record]:
            return [row async for row in await tx.run(statement, dict(params or {}))]

        async with _translated(READ_TIMEOUT_S), self._session() as session:
            return await session.execute_read(unit)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._driver.close()

    def _session(self) -> neo4j.AsyncSession:
        return self._driver.session(bookmark_manager=self._bookmarks)

    @asynccontextmanager
    async def _turn(self, owner: OwnerId) -> AsyncIterator[None]:
        """One writer per owner in this process, so that waiting writers hold no connections."""
        lock = self._turns.get(owner)
        if lock is None:
            self._turns[owner] = lock = asyncio.Lock()
        try:
            async with asyncio.timeout(TURN_TIMEOUT_S):
                await lock.acquire()
        except TimeoutError as error:
            raise Unavailable(
                "The graph is busy with earlier writes; try again.", retry_after_s=RETRY_AFTER_S
            ) from error
        try:
            yield
        finally:
            lock.release()


def _rebind(bound: asyncio.Timeout, when: float | None) -> None:
    """Move a bound, unless it has just passed: then it is about to be heard of."""
    if not bound.expired():
        bound.reschedule(when)


@asynccontextmanager
async def _translated(timeout_s: float) -> AsyncIterator[asyncio.Timeout]:
    """Turns what the driver raises when the server can't answer in time into Unavailable; other errors pass."""
    try:
        async with asyncio.timeout(timeout_s) as bound:
            yield bound
    except AuthError as error:
        raise Unavailable(
            "Neo4j refuses the credentials; check DOSO_GRAPH_USER and DOSO_GRAPH_PASSWORD.", retry_after_s=60
        ) from error
    except IncompleteCommit as error:
        raise Unavailable(
            "Neo4j went away during a commit, so the outcome is unknown; repeat the request with the same request id.",
            retry_after_s=RETRY_AFTER_S,
        ) from error
    except (
        ServiceUnavailable,
        SessionExpired,
        ConnectionAcquisitionTimeoutError,
        TransientError,
        ConnectionError,
        TimeoutError,
    ) as error:
        raise Unavailable("Neo4j does not answer; try again.", retry_after_s=RETRY_AFTER_S) from error
    except (DriverError, Neo4jError) as error:
        if isinstance(error, ClientError) or not error.is_retryable():
            raise
        raise Unavailable("Neo4j can't serve the request now; try again.", retry_after_s=RETRY_AFTER_S) from error
