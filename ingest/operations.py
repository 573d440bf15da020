"""Receipts of writes in the database: begun once per request id, closed when everything they promise is done."""

# ruff: noqa: S608 - statements are put together from constants only, values are parameters
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
from sqlalchemy import TextClause, text

from doso.clock import Clock, system_clock
from doso.db.engine import Database
from doso.errors import NotFound
from doso.ids import OperationId, OwnerId, new_id
from doso.records import Operation, OperationState, Skipped
from ingest.library import receipts
from ingest.library.receipts import Opening, with_skip
from ingest.library.rows import micros
from ingest.library.writing import lock_owner

_SEAL = text(
    "UPDATE operations SET work = (SELECT stored_work FROM owners WHERE owner = :owner), payload = NULL, "
    "updated_at = :now WHERE id = :id AND owner = :owner AND work IS NULL"
)
_RESTART = text(
    "UPDATE operations SET state = 'running', unchanged = 0, skipped_count = 0, skipped = '[]', updated_at = :now "
    "WHERE id = :id AND owner = :owner AND work IS NULL AND state IN ('queued', 'running')"
)
# Both conditions on the state: SQLite takes the partial index of open operations only for its own words.
_WAITING = "WHERE owner = :owner AND state IN ('queued', 'running') AND state = 'running' AND work > "
_UNEMBEDDED = "(SELECT embedded_work FROM owners WHERE owner = :owner)"
_HOLD_UNEMBEDDED = (
    text(f"UPDATE operations SET unembedded = :why, updated_at = :now {_WAITING}{_UNEMBEDDED} AND kind <> 'reembed'"),
    text(  # one that waits for reading as well has failed already, and must still know of its vectors when it heals
        "UPDATE operations SET unembedded = :why, updated_at = :now WHERE owner = :owner AND state = 'failed' "
        f"AND unread IS NOT NULL AND work > {_UNEMBEDDED} AND kind <> 'reembed'"
    ),
    text(  # of a re-embedding nothing is done before its end
        f"UPDATE operations SET state = 'failed', unread = :why, error = :why, updated_at = :now "
        f"{_WAITING}{_UNEMBEDDED} AND kind = 'reembed'"
    ),
)
_HOLD_UNREAD = (
    text(
        f"UPDATE operations SET state = 'failed', unread = :why, error = :why, updated_at = :now {_WAITING}"
        "(SELECT extracted_work FROM owners WHERE owner = :owner)"
    ),
)
_SKIPPED = text("SELECT skipped FROM operations WHERE id = :id AND owner = :owner")
_ADD_FAILURE = text(
    "UPDATE operations SET skipped = :skipped, skipped_count = skipped_count + 1, error = :error, updated_at = :now, "
    "state = CASE WHEN :is_whole = 1 THEN 'failed' ELSE state END, "
    "unread = CASE WHEN :is_whole = 1 THEN NULL ELSE unread END WHERE id = :id AND owner = :owner"
)
_ABANDON = text(
    "UPDATE operations SET state = 'failed', error = :error, payload = NULL, request_id = NULL, updated_at = :now "
    "WHERE id = :id AND owner = :owner AND state IN ('queued', 'running') AND work IS NULL"
)
_TOUCH = text("UPDATE operations SET updated_at = :now WHERE id = :id AND owner = :owner AND work IS NULL")
_RECOUNT = text(
    "UPDATE operations SET unchanged = CASE WHEN unchanged > :before THEN unchanged - :before ELSE 0 END, "
    "updated_at = :now WHERE id = :id AND owner = :owner AND work IS NULL"
)
_PAYLOAD = text(
    "SELECT payload FROM operations WHERE id = :id AND owner = :owner AND state IN ('queued', 'running') "
    "AND work IS NULL"
)
_OPEN = text(
    "SELECT id, owner, kind, payload, updated_at FROM operations WHERE state IN ('queued', 'running') "
    "AND work IS NULL ORDER BY id LIMIT :limit"
)
#: Open receipts looked at in one sweep.
MAX_OPEN = 1000


@dataclass(frozen=True, slots=True)
class OpenOperation:
    """A write whose storing has not ended: one at work now, or one that a crash cut off."""

    id: OperationId
    owner: OwnerId
    kind: str
    payload: dict[str, str]
    is_resumable: bool
    updated_at_us: int


@dataclass(frozen=True, slots=True)
class SqlOperations:
    """Receipts beside the library they tell of."""

    database: Database
    clock: Clock = system_clock

    async def begin(
        self,
        owner: OwnerId,
        kind: str,
        *,
        request_id: str | None,
        body_digest: str,
        payload: dict[str, str] | None = None,
    ) -> tuple[Operation, bool]:
        """A new receipt, or the earlier one of this request id (False). Raises RequestReused for another body."""
        stored = None if payload is None else msgspec.json.encode(payload).decode()
        opening = Opening(OperationId(new_id()), kind, request_id, body_digest, stored)
        async with self.database.write() as connection:
            return await receipts.begin(connection, owner, opening, now=self.clock())

    async def known(self, owner: OwnerId, opening: Opening) -> Operation | None:
        """The receipt of this request id, None when there is none. Raises RequestReused for another body."""
        async with self.database.read() as connection:
            return await receipts.known(connection, owner, opening)

    async def get(self, owner: OwnerId, operation_id: OperationId) -> Operation:
        """The receipt as it stands. Raises NotFound."""
        async with self.database.read() as connection:
            found = await receipts.read(connection, owner, operation_id)
        if found is None:
            raise NotFound("There is no such operation.")
        return found

    async def seal(self, owner: OwnerId, operation_id: OperationId) -> Operation:
        """Nothing more will be stored: what remains is embedding and extraction of what was stored so far."""
        async with self.database.write() as connection:
            now = self.clock()
            await lock_owner(connection, owner)
            await connection.execute(_SEAL, {"owner": owner, "id": operation_id, "now": micros(now)})
            await receipts.settle(connection, owner, now=now)
            found = await receipts.read(connection, owner, operation_id)
        if found is None:
            raise NotFound("There is no such operation.")
        return found

    async def end(
        self, owner: OwnerId, operation_id: OperationId, state: OperationState, *, error: str | None = None
    ) -> None:
        """Give an open receipt its final state; one that is final keeps it."""
        async with self.database.write() as connection:
            await receipts.end(connection, owner, operation_id, state, error=error, now=self.clock())

    async def abandon(self, owner: OwnerId, operation_id: OperationId, *, error: str) -> None:
        """End a write that stopped before it was stored; its request id is free again, so that it can be repeated."""
        await self._execute(_ABANDON, owner=owner, id=operation_id, error=error)

    async def touch(self, owner: OwnerId, operation_id: OperationId) -> None:
        """Show that an import is still at work, though it has nothing to store yet."""
        await self._execute(_TOUCH, owner=owner, id=operation_id)

    async def restart(self, owner: OwnerId, operation_id: OperationId) -> None:
        """Count anew what was unchanged or skipped, before an interrupted import is read again."""
        await self._execute(_RESTART, owner=owner, id=operation_id)

    async def recount(self, owner: OwnerId, operation_id: OperationId, stored_before: int) -> None:
        """An interrupted import was read again: what it had stored itself does not count as unchanged."""
        await self._execute(_RECOUNT, owner=owner, id=operation_id, before=stored_before)

    async def payload(self, owner: OwnerId, operation_id: OperationId) -> dict[str, str] | None:
        """What an unfinished import has to read; None when it has ended."""
        async with self.database.read() as connection:
            stored = (await connection.execute(_PAYLOAD, {"owner": owner, "id": operation_id})).scalar()
        return None if stored is None else msgspec.json.decode(stored, type=dict[str, str])

    async def hold_unembedded(self, owner: OwnerId, why: str) -> None:
        """Tell the receipts that wait for embedding why it does not come about; they need not wait for it."""
        await self._hold(_HOLD_UNEMBEDDED, owner, why)

    async def hold_unread(self, owner: OwnerId, why: str) -> None:
        """Fail the receipts that wait for extraction, saying why; they are done once it has come about."""
        await self._hold(_HOLD_UNREAD, owner, why)

    async def add_failure(self, owner: OwnerId, operation_id: OperationId, failure: Skipped, *, is_whole: bool) -> None:
        """Show a document that could not be read for facts; `is_whole`: the write was of this document alone."""
        values = {"owner": owner, "id": operation_id}
        async with self.database.write() as connection:
            await lock_owner(connection, owner)
            skipped = (await connection.execute(_SKIPPED, values)).scalar()
            if skipped is None:
                return
            error, now = f"{failure.code}: {failure.why}", micros(self.clock())
            more = {"skipped": with_skip(skipped, failure), "error": error, "is_whole": int(is_whole), "now": now}
            await connection.execute(_ADD_FAILURE, {**values, **more})

    async def open(self) -> tuple[OpenOperation, ...]:
        """Writes whose storing has not ended, oldest first."""
        async with self.database.read() as connection:
            rows = (await connection.execute(_OPEN, {"limit": MAX_OPEN})).all()
        return tuple(
            OpenOperation(
                OperationId(row[0]),
                OwnerId(row[1]),
                row[2],
                msgspec.json.decode(row[3], type=dict[str, str]) if row[3] else {},
                row[3] is not None,
                row[4],
            )
            for row in rows
        )

    async def _hold(self, statements: Sequence[TextClause], owner: OwnerId, why: str) -> None:
        async with self.database.write() as connection:
            now = self.clock()
            await lock_owner(connection, owner)
            for statement in statements:
                await connection.execute(statement, {"owner": owner, "why": why, "now": micros(now)})
            await receipts.settle(connection, owner, now=now)

    async def _execute(self, statement: TextClause, **values: object) -> None:
        async with self.database.write() as connection:
            await connection.execute(statement, {**values, "now": micros(self.clock())})
