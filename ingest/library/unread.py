"""Which passages still have to be read for facts, and whose facts have to be forgotten first."""

# ruff: noqa: S608 - statements are put together from constants only, values are parameters
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from sqlalchemy import bindparam, text

from doso.db.connection import AsyncConnection
from doso.errors import NotFound
from doso.ids import DocumentId, OperationId, OwnerId, PassageId
from doso.records import Incoming, Passage
from ingest.library import reading
from ingest.library.rows import OWNED, PASSAGE_COLUMNS, chunks, passage_of


class Stage(IntEnum):
    """What a passage waits for, as `needs_extraction` has it; 0 when it is read."""

    RULES = 1  # and then the model, where one is configured
    MODEL = 2


_DOCUMENTS = {
    Stage.RULES: text(
        f"SELECT document_id FROM (SELECT p.document_id FROM passages p WHERE {OWNED} AND p.needs_extraction = 1 "
        "UNION SELECT document_id FROM stale_passages WHERE owner = :owner) AS waiting LIMIT :limit"
    ),
    Stage.MODEL: text(
        f"SELECT DISTINCT p.document_id FROM passages p WHERE {OWNED} AND p.needs_extraction = 2 LIMIT :limit"
    ),
}
_STALE = text("SELECT passage_id FROM stale_passages WHERE owner = :owner AND document_id = :id LIMIT :limit")
_FORGOT = text("DELETE FROM stale_passages WHERE owner = :owner AND passage_id IN :ids").bindparams(
    bindparam("ids", expanding=True)
)
_NEXT = {
    stage: text(
        f"SELECT {PASSAGE_COLUMNS}, p.message_id FROM passages p JOIN documents d ON d.id = p.document_id "
        f"WHERE {OWNED} AND p.document_id = :id AND p.needs_extraction = {stage.value} ORDER BY p.ordinal LIMIT :limit"
    )
    for stage in Stage
}
_OPERATION = text("SELECT operation_id FROM documents WHERE id = :id")
_READ = text(
    "UPDATE passages SET needs_extraction = :next WHERE owner = :owner AND id = :id AND content_hash = :content_hash "
    "AND needs_extraction = :stage AND NOT EXISTS (SELECT 1 FROM stale_passages s WHERE s.passage_id = passages.id)"
)
_INDEXED = text(
    "UPDATE documents SET state = 'indexed', error = NULL WHERE owner = :owner AND id = :id AND state = 'stored'"
)
_FAILED = text(
    "UPDATE documents SET state = 'failed', error = :error WHERE owner = :owner AND id = :id AND state <> 'deleting'"
)
_IS_WAITING = text(
    f"SELECT 1 FROM passages p WHERE {OWNED} AND p.document_id = :id AND p.needs_extraction IN (1, 2) "
    "UNION ALL SELECT 1 FROM stale_passages WHERE owner = :owner AND document_id = :id LIMIT 1"
)
_GIVE_UP = text(
    "UPDATE passages SET needs_extraction = 0 WHERE owner = :owner AND document_id = :id AND needs_extraction = :stage"
)
#: Passages whose facts are forgotten in one go.
MAX_STALE = 1000


@dataclass(frozen=True, slots=True)
class Unread:
    """Passages to read now, with the document they stand in (of a thread, the messages at hand and those answered)."""

    document: Incoming
    passages: tuple[Passage, ...]
    operation_id: OperationId | None


async def documents(connection: AsyncConnection, owner: OwnerId, *, stage: Stage, limit: int) -> tuple[DocumentId, ...]:
    """Documents with something to read at this stage; at the first also those with something to forget."""
    rows = await connection.execute(_DOCUMENTS[stage], {"owner": owner, "limit": limit})
    return tuple(DocumentId(row[0]) for row in rows)


async def stale(connection: AsyncConnection, owner: OwnerId, document_id: DocumentId) -> tuple[PassageId, ...]:
    """Passages whose facts must go."""
    rows = await connection.execute(_STALE, {"owner": owner, "id": document_id, "limit": MAX_STALE})
    return tuple(PassageId(row[0]) for row in rows)


async def forgot(connection: AsyncConnection, owner: OwnerId, ids: Sequence[PassageId]) -> None:
    """Their facts are gone."""
    for run in chunks(ids):
        await connection.execute(_FORGOT, {"owner": owner, "ids": list(run)})


async def next_passages(
    connection: AsyncConnection, owner: OwnerId, document_id: DocumentId, *, stage: Stage, limit: int
) -> Unread | None:
    """The next passages to read at this stage; None when there are none, or no document any more."""
    rows = (await connection.execute(_NEXT[stage], {"owner": owner, "id": document_id, "limit": limit})).all()
    if not rows:
        return None
    ids = [row[19] for row in rows if row[19] is not None]
    try:
        found = await reading.incoming(connection, owner, document_id, message_ids=ids or None)
    except NotFound:
        return None
    operation = (await connection.execute(_OPERATION, {"id": document_id})).scalar()
    passages = tuple(passage_of(row) for row in rows)
    return Unread(found, passages, None if operation is None else OperationId(operation))


async def mark_read(
    connection: AsyncConnection, owner: OwnerId, passages: Sequence[Passage], *, stage: Stage, next: Stage | None
) -> None:
    """They went through this stage and wait for the next, or for nothing; one that was edited meanwhile stays."""
    if passages:
        steps = {"owner": owner, "stage": stage.value, "next": 0 if next is None else next.value}
        rows = [{**steps, "id": item.id, "content_hash": item.content_hash} for item in passages]
        await connection.execute(_READ, rows)


async def is_waiting(connection: AsyncConnection, owner: OwnerId, document_id: DocumentId) -> bool:
    """Whether something of the document is still to be read or forgotten."""
    return (await connection.execute(_IS_WAITING, {"owner": owner, "id": document_id})).first() is not None


async def end(connection: AsyncConnection, owner: OwnerId, document_id: DocumentId) -> None:
    """The document is indexed."""
    await connection.execute(_INDEXED, {"owner": owner, "id": document_id})


async def fail(
    connection: AsyncConnection, owner: OwnerId, document_id: DocumentId, stage: Stage, *, error: str
) -> None:
    """The document is given up at this stage until it changes or is read anew."""
    values = {"owner": owner, "id": document_id}
    await connection.execute(_GIVE_UP, {**values, "stage": stage.value})
    await connection.execute(_FAILED, {**values, "error": error})
