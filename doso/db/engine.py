"""One relational database, SQLite or PostgreSQL: connections for reading and for writing."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import AsyncAdaptedQueuePool, QueuePool
from sqlalchemy.util.concurrency import greenlet_spawn

from doso.db.connection import AsyncConnection, transaction
from doso.db.glance import Rows, SqliteGlance
from doso.db.sqlite_driver import SqliteConnection
from doso.errors import Unavailable

POOL_TIMEOUT_S = 10
#: More would only make a writer wait longer for its turn: all of them share one interpreter.
SQLITE_READERS = 4
POSTGRES_CONNECTIONS = 16

#: Primary result codes of SQLite: busy, locked, out of memory, read-only, I/O error, corrupt, full, can't open,
#: lock protocol, not a database.
_SQLITE_FAULTS = frozenset({5, 6, 7, 8, 10, 11, 13, 14, 15, 26})
#: SQLSTATE: serialization failure, deadlock, lock not available, read-only transaction.
_POSTGRES_FAULTS = frozenset({"40001", "40P01", "55P03", "25006"})
#: Connection, authorization, resources, operator intervention, system error, internal error.
_POSTGRES_FAULT_CLASSES = frozenset({"08", "28", "53", "57", "58", "XX"})


class Database:
    """An open database. Reads and writes are separate doors: a SQLite transaction that starts by reading can't turn
    to writing, so a writing one always begins IMMEDIATE."""

    def __init__(self, readers: Engine, writer: Engine, glance: SqliteGlance | None = None) -> None:
        self._readers = readers
        self._writer = writer
        self._glance = glance
        self.is_sqlite = readers.dialect.name == "sqlite"

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """A connection for reading, one snapshot for the block. Raises Unavailable."""
        with _Translated():
            async with transaction(self._readers) as connection:
                yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """A writing transaction, committed at the end of the block, rolled back on an exception. Raises Unavailable."""
        with _Translated():
            async with transaction(self._writer) as connection:
                yield connection

    async def glance(self, sql: str, values: Mapping[str, object] | None = None) -> Rows:
        """The rows of one statement that finds few by a key: on SQLite at once, without giving way. Raises
        Unavailable."""
        rows = None if self._glance is None else self._glance.rows(sql, values or {})
        if rows is not None:
            return rows
        async with self.read() as connection:
            return [tuple(row) for row in (await connection.execute(text(sql), values)).all()]

    @property
    def in_use_count(self) -> int:
        """Connections that someone holds at this moment."""
        return sum(cast(QueuePool, engine.pool).checkedout() for engine in {self._readers, self._writer})

    async def aclose(self) -> None:
        """Close every connection."""
        if self._glance is not None:
            self._glance.close()
        await greenlet_spawn(self._readers.dispose)
        if self._writer is not self._readers:
            await greenlet_spawn(self._writer.dispose)


def open_database(url: str) -> Database:
    """Open "sqlite:///path" or "postgresql://…" without connecting yet; the folder of a SQLite file is made."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        if parsed.database:
            Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
        parsed = parsed.set(drivername="sqlite+aiosqlite")
        glance = SqliteGlance(parsed.database) if parsed.database else None
        return Database(_sqlite(parsed, _begin_reading, SQLITE_READERS), _sqlite(parsed, _begin_writing, 1), glance)
    engine = create_engine(
        parsed.set(drivername="postgresql+asyncpg"),
        pool_size=POSTGRES_CONNECTIONS,
        max_overflow=0,
        pool_timeout=POOL_TIMEOUT_S,
        pool_pre_ping=True,
    )
    return Database(engine, engine)


def _sqlite(url: URL, begin: Callable[[Connection], None], size: int) -> Engine:
    engine = create_engine(
        url,
        poolclass=AsyncAdaptedQueuePool,
        pool_size=size,
        max_overflow=0,
        pool_timeout=POOL_TIMEOUT_S * 3,
        connect_args={"async_creator_fn": SqliteConnection},
    )
    event.listen(engine, "begin", begin)
    return engine


def _begin_reading(connection: Connection) -> None:
    _driver(connection).begin_with_next()


def _begin_writing(connection: Connection) -> None:
    _driver(connection).begins()
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _driver(connection: Connection) -> SqliteConnection:
    return cast(SqliteConnection, connection.connection.driver_connection)


class _Translated:
    """Turns what the driver raises when the database can't answer into Unavailable; other errors pass."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, _type: Any, error: BaseException | None, _trace: Any) -> None:
        if isinstance(error, PoolTimeoutError):
            raise Unavailable("The database is busy; try again.", retry_after_s=1) from error
        if isinstance(error, DBAPIError) and is_fault(error):
            raise Unavailable("The database does not answer; try again.", retry_after_s=2) from error
        if isinstance(error, (ConnectionError, TimeoutError)):
            raise Unavailable("The database does not answer; try again.", retry_after_s=2) from error


def is_fault(error: DBAPIError) -> bool:
    """Whether the database could not do what was asked, against having been asked wrongly (no such table)."""
    if error.connection_invalidated:
        return True
    code = getattr(error.orig, "sqlite_errorcode", None)
    if isinstance(code, int):
        return code & 0xFF in _SQLITE_FAULTS
    state = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "pgcode", None)
    if isinstance(state, str):
        return state in _POSTGRES_FAULTS or state[:2] in _POSTGRES_FAULT_CLASSES
    return isinstance(error.orig, (ConnectionError, TimeoutError))
