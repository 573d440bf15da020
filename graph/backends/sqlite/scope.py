"""One owner's door to a connection: every statement below it carries that owner's number."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from doso.db.connection import AsyncConnection
from doso.ids import OwnerId

#: Rows that come back from the driver, columns in the order of the statement.
Rows = Sequence[tuple[Any, ...]]

OWNER_NO = "SELECT no FROM owners WHERE id = ?"
ADD_OWNER = "INSERT INTO owners (id) VALUES (?) ON CONFLICT (id) DO NOTHING"

#: The number of an owner who never wrote: no row carries it.
NOBODY = 0


@dataclass(frozen=True, slots=True)
class Scope:
    """A connection within one transaction, and whose rows it may touch."""

    connection: AsyncConnection
    owner: OwnerId
    no: int

    async def all(self, sql: str, *values: object) -> Rows:
        """Every row of a statement with positional values."""
        result = await self.connection.exec_driver_sql(sql, values)
        return result.fetchall()  # type: ignore[return-value]

    async def one(self, sql: str, *values: object) -> tuple[Any, ...] | None:
        """The first row, or None."""
        rows = await self.all(sql, *values)
        return rows[0] if rows else None

    async def run(self, sql: str, *values: object) -> int:
        """Run a writing statement; returns how many rows it touched."""
        result = await self.connection.exec_driver_sql(sql, values)
        return int(result.rowcount)

    async def many(self, sql: str, rows: list[tuple[object, ...]]) -> None:
        """Run a writing statement once for each row."""
        if rows:
            await self.connection.exec_driver_sql(sql, rows)


async def reading(connection: AsyncConnection, owner: OwnerId) -> Scope:
    """The scope of a reader; an unknown owner has no rows."""
    row = (await connection.exec_driver_sql(OWNER_NO, (owner,))).fetchone()
    return Scope(connection, owner, NOBODY if row is None else int(row[0]))


async def writing(connection: AsyncConnection, owner: OwnerId) -> Scope:
    """The scope of a writer; an unknown owner gets a number."""
    await connection.exec_driver_sql(ADD_OWNER, (owner,))
    return await reading(connection, owner)


def listed(values: Iterable[str]) -> str:
    """Values as a JSON list, for `IN (SELECT value FROM json_each(?))`: no bound on their number."""
    return json.dumps(list(values), ensure_ascii=False)
