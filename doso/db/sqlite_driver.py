"""SQLite for asyncio with one trip to the connection's thread per statement, where aiosqlite makes four.

Every trip costs a wake-up of two threads, more than most of our statements take to run. A transaction for reading opens
together with its first statement: SQLite takes the snapshot there anyway.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import aiosqlite

BUSY_TIMEOUT_MS = 10_000
#: A writing transaction runs its statements on the spot for so long; then one trip gives the others their turn.
ON_THE_SPOT_S = 0.02
#: More rows than this at once always take the trip.
ON_THE_SPOT_ROWS = 64
_PRAGMAS = (
    "journal_mode=WAL",
    "synchronous=FULL",
    f"busy_timeout={BUSY_TIMEOUT_MS}",
    "foreign_keys=ON",
    "temp_store=MEMORY",
    "cache_size=-65536",
    "mmap_size=268435456",
)


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a statement left behind."""

    description: Any
    rows: list[Any]
    lastrowid: int | None
    rowcount: int


class SqliteConnection(aiosqlite.Connection):
    """The connection as SQLAlchemy's dialect uses it; its begin event opens transactions, not the driver.

    Whether a transaction is open is noted on the loop's side, when a statement is handed over: a caller that is
    cancelled leaves its statement running, and the rollback must wait its turn.
    """

    def __init__(self, path: str, **options: Any) -> None:
        chosen = options | {
            "isolation_level": None,
            "timeout": BUSY_TIMEOUT_MS / 1000,
            "check_same_thread": False,  # one thread at a time all the same: the loop runs what it does not hand over
        }
        super().__init__(lambda: sqlite3.connect(path, **chosen), iter_chunk_size=64)
        self._thread.daemon = True  # a process that dies does not wait for it
        self._is_prepared = False
        self._pending: str | None = None
        self._is_open = False
        self._is_reading = False
        self._on_the_spot_until = 0.0
        self._is_stopping = False

    def stop(self) -> asyncio.Future[Any] | None:
        """Let the thread end. Who gives up waiting for `close` stops it by force, and `close` goes on to stop it once
        more: a second stop would wait for good for a thread that is gone."""
        if self._is_stopping:
            return None
        self._is_stopping = True
        return super().stop()

    def begin_with_next(self) -> None:
        """Open a transaction for reading, together with the next statement."""
        self._pending = "BEGIN"

    def begins(self) -> None:
        """Note that the next statement opens a transaction."""
        self._is_open = True

    async def cursor(self) -> SqliteCursor:  # type: ignore[override]  # the dialect only awaits it
        """A cursor of this connection; costs nothing yet."""
        return SqliteCursor(self)

    async def commit(self) -> None:
        """Commit what is open. Where that only ends a snapshot, nobody waits for it."""
        self._pending = None
        if self._is_open and self._is_reading:
            self._tx.put_nowait((None, self._conn.commit))
        elif self._is_open:
            await super().commit()
        self._ended()

    async def rollback(self) -> None:
        """Roll back what is open."""
        self._pending = None
        if self._is_open:
            await super().rollback()
        self._ended()

    def _ended(self) -> None:
        self._is_open = self._is_reading = False
        self._on_the_spot_until = 0.0

    async def run(self, sql: str, values: Any, *, many: Sequence[Any] | None = None) -> _Outcome:
        """Run a statement to its end, with everything it returns.

        Who holds the write lock makes all other writers wait, and each trip costs a turn of the whole loop: so once
        the lock is there, short statements run on the spot. Its waits (BEGIN IMMEDIATE, COMMIT) are always trips.
        """
        if time.monotonic() < self._on_the_spot_until and len(many or ()) <= ON_THE_SPOT_ROWS:
            return self._ran(None, sql, values, many)
        begin, self._pending = self._pending, None
        if begin is not None:
            self._is_open = self._is_reading = True
        outcome: _Outcome = await self._execute(self._ran, begin, sql, values, many)  # type: ignore[no-untyped-call]
        if self._is_open and not self._is_reading:
            self._on_the_spot_until = time.monotonic() + ON_THE_SPOT_S
        return outcome

    def _ran(self, begin: str | None, sql: str, values: Any, many: Iterable[Any] | None) -> _Outcome:
        """On the connection's own thread."""
        connection = self._conn
        if not self._is_prepared:
            for pragma in _PRAGMAS:
                connection.execute(f"PRAGMA {pragma}")
            self._is_prepared = True
        if begin is not None:
            connection.execute(begin)
        cursor = connection.cursor()
        try:
            if many is None:
                cursor.execute(sql, values)
            else:
                cursor.executemany(sql, many)
            rows = cursor.fetchall() if cursor.description else []
            return _Outcome(cursor.description, rows, cursor.lastrowid, cursor.rowcount)
        finally:
            cursor.close()


class SqliteCursor:
    """A statement's results: read when it ran, so that nothing here waits but running it."""

    def __init__(self, connection: SqliteConnection) -> None:
        self._connection = connection
        self.description: Any = None
        self.lastrowid: int | None = None
        self.rowcount = -1
        self._rows: list[Any] = []

    async def execute(self, sql: str, values: Any = ()) -> None:
        """Run once."""
        self._take(await self._connection.run(sql, values))

    async def executemany(self, sql: str, rows: Iterable[Any]) -> None:
        """Run once for each row of values."""
        self._take(await self._connection.run(sql, (), many=list(rows)))

    async def fetchall(self) -> Sequence[Any]:
        """Every row."""
        return self._rows

    async def close(self) -> None:
        """Nothing is left open."""

    def _take(self, outcome: _Outcome) -> None:
        self.description, self._rows = outcome.description, outcome.rows
        self.lastrowid, self.rowcount = outcome.lastrowid, outcome.rowcount
