"""Rows of the operations table: what a write came to, counted inside the transaction that stores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from doso.ids import DocumentId, OperationId, OwnerId
from doso.records import Operation, OperationState, Skipped
from ingest.library.rows import AnyRow, known_moment, micros

#: How many skipped items and document ids a receipt names; the counts go on.
KEPT_SKIPS = 200
KEPT_DOCUMENTS = 200
KEPT_NOTES = 50

COLUMNS = (
    "id, owner, kind, state, created_at, updated_at, stored, unchanged, skipped_count, skipped, notes, facts, tokens, "
    "document_ids, error"
)
_LISTS = text("SELECT state, work, skipped, notes, document_ids FROM operations WHERE id = :id AND owner = :owner")
_ADD = text(
    "UPDATE operations SET state = 'running', updated_at = :now, stored = stored + :stored, "
    "unchanged = unchanged + :unchanged, skipped_count = skipped_count + :skipped_count, skipped = :skipped, "
    "notes = :notes, tokens = tokens + :tokens, document_ids = :document_ids, work = :work WHERE id = :id"
)


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


def operation_of(row: AnyRow) -> Operation:
    """A row of COLUMNS."""
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
        notes=tuple(msgspec.json.decode(row[10], type=list[str])),
        facts=row[11],
        tokens=row[12],
        document_ids=tuple(DocumentId(item) for item in msgspec.json.decode(row[13], type=list[str])),
        error=row[14],
    )


def lists_json(operation: Operation) -> dict[str, str]:
    """The columns of a receipt that hold lists."""
    return {
        "skipped": _json(_as_lists(operation.skipped[:KEPT_SKIPS])),
        "notes": _json(operation.notes[:KEPT_NOTES]),
        "document_ids": _json(operation.document_ids[:KEPT_DOCUMENTS]),
    }


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
