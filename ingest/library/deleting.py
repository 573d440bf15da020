"""Deletes a document in two steps, since the graph is another store: a mark stays until that has forgotten it too."""

from __future__ import annotations

from sqlalchemy import text

from doso.db.connection import AsyncConnection
from doso.errors import NotFound
from doso.ids import DocumentId, OwnerId, PassageId
from doso.records import IngestState, Source
from ingest.library.passage_rows import PassageWriter, Stored
from ingest.library.writing import finish as count
from ingest.library.writing import lock_owner

MAX_BEGUN = 1000

_FIND = text("SELECT state, source, chat_id FROM documents WHERE id = :id AND owner = :owner")
_PASSAGES = text("SELECT seq, id, content_hash FROM passages WHERE document_id = :id")
_MARK = text(
    "UPDATE documents SET state = 'deleting', title = '', text = '', details = '{}', author = NULL, chat_id = NULL, "
    "external_id = NULL, error = NULL, passages_count = 0 WHERE id = :id"
)
_MESSAGES = text("DELETE FROM messages WHERE document_id = :id")
_STALE = text("DELETE FROM stale_passages WHERE document_id = :id AND owner = :owner")
_REMOVE = text("DELETE FROM documents WHERE id = :id AND owner = :owner AND state = 'deleting'")
_IS_BEGUN = text("SELECT 1 FROM documents WHERE id = :id AND owner = :owner AND state = 'deleting'")
_BEGUN = text("SELECT owner, id FROM documents WHERE state = 'deleting' LIMIT :limit")


async def begin(
    connection: AsyncConnection, owner: OwnerId, document_id: DocumentId, *, is_sqlite: bool
) -> tuple[PassageId, ...]:
    """Remove passages, search rows, vectors and messages and mark the document. Raises NotFound."""
    number, _ = await lock_owner(connection, owner)
    row = (await connection.execute(_FIND, {"id": document_id, "owner": owner})).first()
    if row is None:
        raise NotFound("There is no such document.")
    if row[0] == IngestState.DELETING:
        return ()
    passages = [
        Stored(found[0], found[1], found[2], (), ())
        for found in await connection.execute(_PASSAGES, {"id": document_id})
    ]
    writer = PassageWriter(connection, is_sqlite, owner, number, document_id, Source(row[1]), row[2], "")
    await writer.remove(passages)
    await connection.execute(_MESSAGES, {"id": document_id})
    await connection.execute(_STALE, {"id": document_id, "owner": owner})
    await connection.execute(_MARK, {"id": document_id})
    await count(connection, owner, writer)
    return tuple(PassageId(passage.id) for passage in passages)


async def finish(connection: AsyncConnection, owner: OwnerId, document_id: DocumentId) -> None:
    """Remove the mark; nothing when it is gone already."""
    await connection.execute(_REMOVE, {"id": document_id, "owner": owner})


async def is_begun(connection: AsyncConnection, owner: OwnerId, document_id: DocumentId) -> bool:
    """Whether this document is marked."""
    return (await connection.execute(_IS_BEGUN, {"id": document_id, "owner": owner})).first() is not None


async def begun(connection: AsyncConnection) -> tuple[tuple[OwnerId, DocumentId], ...]:
    """Documents that are marked."""
    rows = await connection.execute(_BEGUN, {"limit": MAX_BEGUN})
    return tuple((OwnerId(row[0]), DocumentId(row[1])) for row in rows)
