"""A connection within one transaction, for asyncio.

SQLAlchemy's own asyncio package loads its whole object mapper, a fifth of the time that a server takes to start. All we
need of it is to run Core's connection in a greenlet.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from sqlalchemy import Connection, CursorResult, Engine, Executable
from sqlalchemy.util.concurrency import greenlet_spawn

T = TypeVar("T")

Values = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None


class AsyncConnection:
    """What our statements are run on. Results are read whole: nothing is fetched later."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def execute(self, statement: Executable, values: Values = None) -> CursorResult[Any]:
        """Run a statement of SQLAlchemy's, once or once for each row of values."""
        return await greenlet_spawn(self._connection.execute, statement, values)

    async def exec_driver_sql(self, sql: str, values: Any = None) -> CursorResult[Any]:
        """Run a statement in the driver's own words."""
        return await greenlet_spawn(self._connection.exec_driver_sql, sql, values)

    async def scalar(self, statement: Executable, values: Values = None) -> Any:
        """The first column of the first row, None without a row."""
        return (await self.execute(statement, values)).scalar()

    async def run_sync(self, work: Callable[[Connection], T]) -> T:
        """Run something written for the plain connection."""
        return await greenlet_spawn(work, self._connection)


@asynccontextmanager
async def transaction(engine: Engine) -> AsyncIterator[AsyncConnection]:
    """A connection in a transaction: committed at the end of the block, rolled back on an exception."""
    connection = await greenlet_spawn(_begun, engine)
    try:
        yield AsyncConnection(connection)
        await greenlet_spawn(connection.commit)
    except BaseException:
        # closing rolls back, and must come to its end although the caller was cancelled
        await asyncio.shield(asyncio.ensure_future(greenlet_spawn(connection.close)))
        raise
    await greenlet_spawn(connection.close)


def _begun(engine: Engine) -> Connection:
    connection = engine.connect()
    try:
        connection.begin()
    except BaseException:
        connection.close()
        raise
    return connection
