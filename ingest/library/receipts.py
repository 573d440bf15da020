"""Rows of the operations table: what a write came to, counted inside the transaction that stores."""

# ruff: noqa: S608 - statements are put together from constants only, values are parameters
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from sqlalchemy import text

from doso.db.connection import AsyncConnection
from doso.errors import RequestReused
from doso.ids import DocumentId, OperationId, OwnerId
from doso.records import Operation, OperationState, Skipped
from ingest.library.rows import AnyRow, known_moment, micros

#: How many skipped items and document ids a receipt names; the counts go on.
KEPT_SKIPS = 200
KEPT_DOCUMENTS = 200
KEPT_NOTES = 50

COLUMNS = (
    "id, owner, kind, state, created_at, updated_at, stored, unchanged, skipped_count, skipped, notes, facts, tokens, "
    "document_ids, error, unembedded"
)
_INSERT = text(
    "INSERT INTO operations (id, owner, kind, state, created_at, updated_at, request_id, body_digest, payload) "
    "VALUES (:id, :owner, :kind, 'queued', :now, :now, :request_id, :body_digest, :payload) "
    "ON CONFLICT (owner, request_id) DO NOTHING"
)
_BY_REQUEST = text(f"SELECT {COLUMNS}, body_digest FROM operations WHERE owner = :owner AND request_id = :request_id")
_BY_ID = text(f"SELECT {COLUMNS} FROM operations WHERE owner = :owner AND id = :id")
_END = text(
    "UPDATE operations SET state = :state, error = :error, payload = NULL, updated_at = :now "
    "WHERE id = :id AND owner = :owner AND state IN ('queued', 'running')"
)
_ADD_FACTS = text("UPDATE operations SET facts = facts + :count WHERE id = :id AND owner = :owner")
_OPEN_STATES = "state IN ('queued', 'running')"  # spelled as the partial index has it, else SQLite does not use that
_EMBEDDED = "work <= (SELECT embedded_work FROM owners WHERE owner = :owner)"
_READ = "work <= (SELECT extracted_work FROM owners WHERE owner = :owner)"
_DONE = "UPDATE operations SET state = 'done', updated_at = :now, error = NULL, unread = NULL"
_SETTLE = (
    text(
        f"{_DONE}, unembedded = NULL WHERE owner = :owner AND {_OPEN_STATES} AND state = 'running' "
        f"AND {_EMBEDDED} AND {_READ}"
    ),
    text(f"{_DONE}, unembedded = NULL WHERE owner = :owner AND unread IS NOT NULL AND {_EMBEDDED} AND {_READ}"),
    text(  # embedding is held up, all else is done
        f"{_DONE} WHERE owner = :owner AND unembedded IS NOT NULL AND (state = 'running' OR unread IS NOT NULL) "
        f"AND {_READ}"
    ),
    text(f"UPDATE operations SET unembedded = NULL WHERE owner = :owner AND unembedded IS NOT NULL AND {_EMBEDDED}"),
)
_LISTS = text("SELECT state, work, skipped, notes, document_ids FROM operations WHERE id = :id AND owner = :owner")
_ADD = text(
    "UPDATE operations SET state = 'running', updated_at = :now, stored = stored + :stored, "
    "unchanged = unchanged + :unchanged, skipped_count = skipped_count + :skipped_count, skipped = :skipped, "
    "notes = :notes, tokens = tokens + :tokens, document_ids = :document_ids, work = :work WHERE id = :id"
)


@dataclass(frozen=True, slots=True)
class Opening:
    """A receipt to be opened. `id` is the new receipt's unless the request id is known already."""

    id: OperationId
    kind: str
    request_id: str | None
    body_digest: str
    payload: str | None = None


@dataclass(frozen=True, slots=True)
class Tally:
    """What to add to a receipt."""

    stored: int = 0
    unchanged: int = 0
    tokens: int = 0
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    document_ids: tuple[DocumentId, ...] = ()


async def record(
    connection: AsyncConnection,
    owner: OwnerId,
    operation_id: OperationId,
    tally: Tally,
    *,
    now: datetime,
    work: int | None,
) -> None:
    """Add to an open receipt. `work` closes it for more: what remains is embedding and extraction up to that number.
    A receipt that is closed already stays as it is, so that a repeated request counts nothing twice."""
    row = (await connection.execute(_LISTS, {"id": operation_id, "owner": owner})).first()
    if row is None or row[0] not in (OperationState.QUEUED, OperationState.RUNNING) or row[1] is not None:
        return
    noted = msgspec.json.decode(row[3], type=list[str])
    values = {
        "id": operation_id,
        "now": micros(now),
        "stored": tally.stored,
        "unchanged": tally.unchanged,
        "skipped_count": len(tally.skipped),
        "skipped": _extended(row[2], _as_lists(tally.skipped), KEPT_SKIPS),
        "notes": _extended(row[3], [note for note in tally.notes if note not in noted], KEPT_NOTES),
        "tokens": tally.tokens,
        "document_ids": _extended(row[4], _unseen(tally.document_ids, row[4]), KEPT_DOCUMENTS),
        "work": work,
    }
    await connection.execute(_ADD, values)


async def begin(
    connection: AsyncConnection, owner: OwnerId, opening: Opening, *, now: datetime
) -> tuple[Operation, bool]:
    """A new receipt, or the earlier one of this request id (False). Raises RequestReused for another body."""
    values = {
        "id": opening.id,
        "owner": owner,
        "kind": opening.kind,
        "now": micros(now),
        "request_id": opening.request_id,
        "body_digest": opening.body_digest,
        "payload": opening.payload,
    }
    is_new = (await connection.execute(_INSERT, values)).rowcount == 1
    found = await read(connection, owner, opening.id) if is_new else await known(connection, owner, opening)
    assert found is not None, "a receipt that is not new has the request id"
    return found, is_new


async def known(connection: AsyncConnection, owner: OwnerId, opening: Opening) -> Operation | None:
    """The receipt of this request id, None when there is none. Raises RequestReused for another body."""
    if opening.request_id is None:
        return None
    values = {"owner": owner, "request_id": opening.request_id}
    row = (await connection.execute(_BY_REQUEST, values)).first()
    if row is None:
        return None
    if row[16] != opening.body_digest or row[2] != opening.kind:
        raise RequestReused(f"The request id {opening.request_id!r} was used for another request.", param="request_id")
    return operation_of(row)


async def read(connection: AsyncConnection, owner: OwnerId, operation_id: OperationId) -> Operation | None:
    """One receipt; None for an unknown id."""
    row = (await connection.execute(_BY_ID, {"owner": owner, "id": operation_id})).first()
    return None if row is None else operation_of(row)


async def end(
    connection: AsyncConnection,
    owner: OwnerId,
    operation_id: OperationId,
    state: OperationState,
    *,
    error: str | None,
    now: datetime,
) -> None:
    """Give an open receipt its final state; one that is final keeps it."""
    values = {"owner": owner, "id": operation_id, "state": state.value, "error": error, "now": micros(now)}
    await connection.execute(_END, values)


async def settle(connection: AsyncConnection, owner: OwnerId, *, now: datetime) -> None:
    """Close the receipts whose documents are read for facts and embedded, or whose embedding is held up; those that
    wait for nothing any more lose their reason to wait."""
    for statement in _SETTLE:
        await connection.execute(statement, {"owner": owner, "now": micros(now)})


async def add_facts(connection: AsyncConnection, owner: OwnerId, operation_id: OperationId, count: int) -> None:
    """Count facts that came of a write."""
    await connection.execute(_ADD_FACTS, {"owner": owner, "id": operation_id, "count": count})


def operation_of(row: AnyRow) -> Operation:
    """A row of COLUMNS."""
    notes = msgspec.json.decode(row[10], type=list[str])
    if row[15] is not None:
        notes.append(f"Stored and found by its words; its vectors are made as soon as they can be: {row[15]}")
    return Operation(
        id=OperationId(row[0]),
        owner=OwnerId(row[1]),
        kind=row[2],
        state=OperationState(row[3]),
        created_at=known_moment(row[4]),
        updated_at=known_moment(row[5]),
        stored=row[6],
        unchanged=row[7],
        skipped_count=row[8],
        skipped=tuple(Skipped(*item) for item in msgspec.json.decode(row[9], type=list[tuple[str, str, str]])),
        notes=tuple(notes),
        facts=row[11],
        tokens=row[12],
        document_ids=tuple(DocumentId(item) for item in msgspec.json.decode(row[13], type=list[str])),
        error=row[14],
    )


def with_skip(stored: str, skipped: Skipped) -> str:
    """The column of skipped items with one more."""
    return _extended(stored, _as_lists((skipped,)), KEPT_SKIPS)


def _as_lists(skipped: Sequence[Skipped]) -> list[list[str]]:
    return [[item.ref, item.code, item.why] for item in skipped]


def _unseen(ids: Sequence[DocumentId], stored: str) -> list[str]:
    known = set(msgspec.json.decode(stored, type=list[str]))
    return [item for item in dict.fromkeys(ids) if item not in known]


def _extended(stored: str, more: Sequence[object], limit: int) -> str:
    kept = msgspec.json.decode(stored, type=list[object])
    return _json([*kept, *more][:limit]) if more and len(kept) < limit else stored


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
