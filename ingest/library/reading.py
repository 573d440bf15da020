"""Reads documents and passages; a document that is being deleted is gone for every read."""

# ruff: noqa: S608 - statements are put together from constants only, values are parameters
from __future__ import annotations

import base64
import binascii
from collections.abc import Collection, Sequence
from dataclasses import replace
from uuid import UUID

from sqlalchemy import bindparam, text

from doso.db.connection import AsyncConnection
from doso.errors import InvalidInput, NotFound
from doso.ids import DocumentId, OwnerId, PassageId
from doso.records import Document, Incoming, Page, Passage, Source
from ingest.library.rows import (
    DOCUMENT_COLUMNS,
    OWNED,
    PASSAGE_COLUMNS,
    AnyRow,
    chunks,
    document_of,
    head_of,
    messages_of,
    passage_of,
)

MAX_PAGE = 1000

_LIVE = "owner = :owner AND state <> 'deleting'"
_DOCUMENT = text(f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE id = :id AND {_LIVE}")
_TEXT = text(f"SELECT kind, text, details FROM documents WHERE id = :id AND {_LIVE}")
_LIST = f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE {_LIVE}"
_AT = "SELECT id, uri FROM documents WHERE owner = :owner AND (uri = :uri{parts})"
_AT_URI = text(_AT.format(parts=""))
#: "$" follows "#", so the range holds just what begins with the uri and a "#"; SQLite compares bytes, as "C" does.
_AT_PARTS = " OR (uri{bytes} >= :uri || '#' AND uri{bytes} < :uri || '$')"
_AT_URI_AND_PARTS = {
    is_sqlite: text(_AT.format(parts=_AT_PARTS.format(bytes="" if is_sqlite else ' COLLATE "C"')))
    for is_sqlite in (True, False)
}
_OF_SOURCE = " AND source = :source"
_AFTER = " AND (created_at < :at OR (created_at = :at AND id < :id))"
_NEWEST = " ORDER BY created_at DESC, id DESC LIMIT :limit"
_MESSAGE = "SELECT id, author, text, sent_at, reply_to, is_owner FROM messages WHERE document_id = :id "
_MESSAGES = text(_MESSAGE + "ORDER BY sort_at, arrival")
_SOME_MESSAGES = text(_MESSAGE + "AND id IN :ids ORDER BY sort_at, arrival").bindparams(
    bindparam("ids", expanding=True)
)
_FROM = f"SELECT {PASSAGE_COLUMNS} FROM passages p JOIN documents d ON d.id = p.document_id WHERE {OWNED} "
_PASSAGES_OF = text(_FROM + "AND p.document_id = :id ORDER BY p.ordinal")
_PASSAGES = text(_FROM + "AND p.id IN :ids").bindparams(bindparam("ids", expanding=True))
_AROUND = text(
    f"SELECT c.id AS around, {PASSAGE_COLUMNS} FROM passages c JOIN passages p ON p.document_id = c.document_id "
    "AND p.ordinal BETWEEN c.ordinal - :before AND c.ordinal + :after JOIN documents d ON d.id = p.document_id "
    f"WHERE {OWNED} AND c.id IN :ids ORDER BY p.ordinal"
).bindparams(bindparam("ids", expanding=True))


async def document(connection: AsyncConnection, owner: OwnerId, document_id: DocumentId) -> Document:
    """One document. Raises NotFound."""
    row = (await connection.execute(_DOCUMENT, {"owner": owner, "id": document_id})).first()
    if row is None:
        raise NotFound("There is no such document.")
    return document_of(row)


async def documents_at(
    connection: AsyncConnection, owner: OwnerId, uri: str, *, with_parts: bool, is_sqlite: bool
) -> tuple[tuple[DocumentId, str], ...]:
    """Id and uri of the document of this uri; `with_parts`: of those too whose uri goes on behind a "#"."""
    query = _AT_URI_AND_PARTS[is_sqlite] if with_parts else _AT_URI
    rows = await connection.execute(query, {"owner": owner, "uri": uri})
    return tuple((DocumentId(row[0]), row[1]) for row in rows)


async def incoming(
    connection: AsyncConnection, owner: OwnerId, document_id: DocumentId, *, message_ids: Sequence[str] | None = None
) -> Incoming:
    """The document as it came; of a thread only these messages when any are named. Raises NotFound."""
    row = (await connection.execute(_TEXT, {"owner": owner, "id": document_id})).first()
    if row is None:
        raise NotFound("There is no such document.")
    head = head_of(row[2])
    if message_ids is None:
        messages = messages_of(await connection.execute(_MESSAGES, {"id": document_id}))
        return replace(head, text=row[1], messages=messages)
    wanted = set(message_ids)
    messages = messages_of(await _some(connection, document_id, wanted))
    answered = {message.reply_to for message in messages if message.reply_to} - wanted
    if answered:  # who was answered is part of what a message says
        messages = (*messages_of(await _some(connection, document_id, answered)), *messages)
    return replace(head, text=row[1], messages=messages)


async def text_of(connection: AsyncConnection, owner: OwnerId, document_id: DocumentId) -> str:
    """The text of a document; of a thread, a line per message."""
    found = await incoming(connection, owner, document_id)
    if not found.messages:
        return found.text
    return "\n".join(f"{message.author}: {message.text}" for message in found.messages)


async def passages_of(connection: AsyncConnection, owner: OwnerId, document_id: DocumentId) -> tuple[Passage, ...]:
    """All passages of a document in order."""
    rows = await connection.execute(_PASSAGES_OF, {"owner": owner, "id": document_id})
    return tuple(passage_of(row) for row in rows)


async def passages(connection: AsyncConnection, owner: OwnerId, ids: Collection[PassageId]) -> dict[PassageId, Passage]:
    """The owner's passages among these ids."""
    found: dict[PassageId, Passage] = {}
    for run in chunks(list(ids)):
        for row in await connection.execute(_PASSAGES, {"owner": owner, "ids": list(run)}):
            found[PassageId(row[0])] = passage_of(row)
    return found


async def neighbours(
    connection: AsyncConnection, owner: OwnerId, ids: Collection[PassageId], *, before: int, after: int
) -> dict[PassageId, tuple[Passage, ...]]:
    """For each passage those around it in its document, in order, itself included."""
    around: dict[PassageId, list[Passage]] = {}
    for run in chunks(list(ids)):
        values = {"owner": owner, "ids": list(run), "before": before, "after": after}
        for row in await connection.execute(_AROUND, values):
            around.setdefault(PassageId(row[0]), []).append(passage_of(row[1:]))  # type: ignore[arg-type]
    return {passage_id: tuple(found) for passage_id, found in around.items()}


async def list_documents(
    connection: AsyncConnection, owner: OwnerId, *, source: Source | None, cursor: str | None, limit: int
) -> Page[Document]:
    """Documents newest first. Raises InvalidInput for a cursor that no page gave."""
    limit = max(1, min(limit, MAX_PAGE))
    query, values = _LIST, {"owner": owner, "limit": limit + 1}
    if source is not None:
        query, values = query + _OF_SOURCE, {**values, "source": source.value}
    if cursor is not None:
        at, identity = _place(cursor)
        query, values = query + _AFTER, {**values, "at": at, "id": identity}
    rows = (await connection.execute(text(query + _NEWEST), values)).all()
    following = _cursor(rows[limit - 1][8], rows[limit - 1][0]) if len(rows) > limit else None
    return Page(tuple(document_of(row) for row in rows[:limit]), following)


async def _some(connection: AsyncConnection, document_id: DocumentId, ids: Collection[str]) -> list[AnyRow]:
    rows: list[AnyRow] = []
    for run in chunks(sorted(ids)):
        rows.extend((await connection.execute(_SOME_MESSAGES, {"id": document_id, "ids": list(run)})).all())
    return rows


def _cursor(at: int, identity: str) -> str:
    return base64.urlsafe_b64encode(f"{at} {identity}".encode()).decode()


def _place(cursor: str) -> tuple[int, str]:
    try:
        at, _, identity = (
            base64.b64decode(cursor.encode("ascii"), altchars=b"-_", validate=True).decode().partition(" ")
        )
        return int(at), str(UUID(identity))
    except (binascii.Error, ValueError) as error:
        raise InvalidInput("This cursor is not one that a page gave.", param="cursor") from error
