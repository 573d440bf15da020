"""Receipts of writes in the database: begun once per request id, closed when everything they promise is done."""

# ruff: noqa: S608 - statements are put together from constants only, values are parameters
from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec
from sqlalchemy import TextClause, text

from doso.clock import Clock, system_clock
from doso.db.engine import Database
from doso.errors import NotFound, RequestReused
from doso.ids import OperationId, OwnerId, new_id
from doso.records import Operation, OperationState, Skipped
from ingest.library.receipts import COLUMNS, Tally, lists_json, operation_of, record
from ingest.library.rows import micros

_INSERT = text(
    "INSERT INTO operations (id, owner, kind, state, created_at, updated_at, request_id, body_digest, payload) "
    "VALUES (:id, :owner, :kind, 'queued', :now, :now, :request_id, :body_digest, :payload) "
    "ON CONFLICT (owner, request_id) DO NOTHING"
)
_BY_REQUEST = text(f"SELECT {COLUMNS}, body_digest FROM operations WHERE owner = :owner AND request_id = :request_id")
_BY_ID = text(f"SELECT {COLUMNS} FROM operations WHERE owner = :owner AND id = :id")
_SAVE = text(
    "UPDATE operations SET state = :state, updated_at = :now, stored = :stored, unchanged = :unchanged, "
    "skipped_count = :skipped_count, skipped = :skipped, notes = :notes, facts = :facts, tokens = :tokens, "
    "document_ids = :document_ids, error = :error WHERE id = :id AND owner = :owner"
)
_SETTLE = text(
    "UPDATE operations SET state = 'done', updated_at = :now, error = NULL WHERE owner = :owner "
    "AND state = 'running' AND work <= (SELECT embedded_work FROM owners WHERE owner = :owner) "
    "AND work <= (SELECT extracted_work FROM owners WHERE owner = :owner)"
)
_SEAL = text(
    "UPDATE operations SET work = (SELECT stored_work FROM owners WHERE owner = :owner), payload = NULL, "
    "updated_at = :now WHERE id = :id AND owner = :owner AND work IS NULL"
)
_END = text(
    "UPDATE operations SET state = :state, error = :error, payload = NULL, updated_at = :now "
    "WHERE id = :id AND owner = :owner AND state IN ('queued', 'running')"
)
_RESTART = text(
    "UPDATE operations SET state = 'running', unchanged = 0, skipped_count = 0, skipped = '[]', updated_at = :now "
    "WHERE id = :id AND owner = :owner AND work IS NULL AND state IN ('queued', 'running')"
)
_FAIL = "UPDATE operations SET state = 'failed', error = :error, updated_at = :now WHERE owner = :owner "
_FAIL_UNEMBEDDED = text(
    _FAIL + "AND state = 'running' AND work > (SELECT embedded_work FROM owners WHERE owner = :owner)"
)
_FAIL_UNREAD = text(_FAIL + "AND state = 'running' AND work > (SELECT extracted_work FROM owners WHERE owner = :owner)")
_RECOUNT = text(
    "UPDATE operations SET unchanged = CASE WHEN unchanged > :before THEN unchanged - :before ELSE 0 END, "
    "updated_at = :now WHERE id = :id AND owner = :owner AND work IS NULL"
)
_PAYLOAD = text(
    "SELECT payload FROM operations WHERE id = :id AND owner = :owner AND state IN ('queued', 'running') "
    "AND work IS NULL"
)
_ADD_FACTS = text("UPDATE operations SET facts = facts + :count WHERE id = :id AND owner = :owner")
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
        values = {
            "id": new_id(),
            "owner": owner,
            "kind": kind,
            "now": micros(self.clock()),
            "request_id": request_id,
            "body_digest": body_digest,
            "payload": None if payload is None else msgspec.json.encode(payload).decode(),
        }
        async with self.database.write() as connection:
            is_new = (await connection.execute(_INSERT, values)).rowcount == 1
            if is_new:
                row = (await connection.execute(_BY_ID, {"owner": owner, "id": values["id"]})).one()
                return operation_of(row), True
            row = (await connection.execute(_BY_REQUEST, {"owner": owner, "request_id": request_id})).one()
        if row[15] != body_digest or row[2] != kind:
            raise RequestReused(f"The request id {request_id!r} was used for another request.", param="request_id")
        return operation_of(row), False

    async def get(self, owner: OwnerId, operation_id: OperationId) -> Operation:
        """The receipt as it stands. Raises NotFound."""
        async with self.database.read() as connection:
            row = (await connection.execute(_BY_ID, {"owner": owner, "id": operation_id})).first()
        if row is None:
            raise NotFound("There is no such operation.")
        return operation_of(row)

    async def save(self, operation: Operation) -> None:
        """Write a receipt as given."""
        values = {
            "id": operation.id,
            "owner": operation.owner,
            "state": operation.state.value,
            "now": micros(self.clock()),
            "stored": operation.stored,
            "unchanged": operation.unchanged,
            "skipped_count": operation.skipped_count,
            "facts": operation.facts,
            "tokens": operation.tokens,
            "error": operation.error,
            **lists_json(operation),
        }
        async with self.database.write() as connection:
            await connection.execute(_SAVE, values)

    async def note(self, owner: OwnerId, operation_id: OperationId, tally: Tally) -> None:
        """Add to a receipt that is still open, outside a storing transaction."""
        async with self.database.write() as connection:
            await record(connection, owner, operation_id, tally, now=self.clock(), work=None)

    async def seal(self, owner: OwnerId, operation_id: OperationId) -> None:
        """Nothing more will be stored: what remains is embedding and extraction of what was stored so far."""
        await self._execute(_SEAL, owner=owner, id=operation_id)

    async def end(
        self, owner: OwnerId, operation_id: OperationId, state: OperationState, *, error: str | None = None
    ) -> None:
        """Give an open receipt its final state; one that is final keeps it."""
        await self._execute(_END, owner=owner, id=operation_id, state=state.value, error=error)

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

    async def settle(self, owner: OwnerId) -> None:
        """Close the receipts whose documents are embedded and extracted."""
        await self._execute(_SETTLE, owner=owner)

    async def fail_unembedded(self, owner: OwnerId, error: str) -> None:
        """Tell the receipts that wait for embedding why it did not come about."""
        await self._execute(_FAIL_UNEMBEDDED, owner=owner, error=error)

    async def fail_unread(self, owner: OwnerId, error: str) -> None:
        """Tell the receipts that wait for extraction why it did not come about."""
        await self._execute(_FAIL_UNREAD, owner=owner, error=error)

    async def add_facts(self, owner: OwnerId, operation_id: OperationId, count: int) -> None:
        """Count facts that came of a write."""
        async with self.database.write() as connection:
            await connection.execute(_ADD_FACTS, {"owner": owner, "id": operation_id, "count": count})

    async def add_failure(self, owner: OwnerId, operation_id: OperationId, failure: Skipped, *, is_whole: bool) -> None:
        """Show a document that could not be read for facts; `is_whole`: the write was of this document alone."""
        found = await self.get(owner, operation_id)
        state = OperationState.FAILED if is_whole else found.state
        error, skipped = f"{failure.code}: {failure.why}", (*found.skipped, failure)
        await self.save(
            replace(found, state=state, error=error, skipped=skipped, skipped_count=found.skipped_count + 1)
        )

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

    async def _execute(self, statement: TextClause, **values: object) -> None:
        async with self.database.write() as connection:
            await connection.execute(statement, {**values, "now": micros(self.clock())})
