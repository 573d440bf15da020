"""Stores incoming documents: document, messages, passages, search rows, counters and receipt in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import TextClause, bindparam, text

from doso.db.connection import AsyncConnection
from doso.errors import Conflict
from doso.ids import OperationId, OwnerId
from doso.records import UNLISTED_SOURCES, DocumentKind, IngestState, Message, Skipped, StoredDocument
from doso.text import token_count
from ingest.library.passage_rows import PassageWriter, Placed, Stored
from ingest.library.prepared import DraftCache, Prepared, with_people_of
from ingest.library.rows import AnyRow, chunks, head_of, micros
from ingest.library.vector_rows import relist

_MAKE_OWNER = text("INSERT INTO owners (owner) VALUES (:owner) ON CONFLICT (owner) DO NOTHING")
_LOCK_OWNER = text("UPDATE owners SET owner = owner WHERE owner = :owner RETURNING number, stored_work")
_WORK = text("SELECT stored_work FROM owners WHERE owner = :owner")
_COUNT = text(
    "UPDATE owners SET passages = passages + :passages, tokens = tokens + :tokens, "
    "stored_work = stored_work + :work WHERE owner = :owner"
)
_FIND = text("SELECT state, content_hash, head_hash, details FROM documents WHERE id = :id")
_INSERT = text(
    "INSERT INTO documents (id, owner, uri, title, source, kind, state, content_hash, head_hash, created_at, "
    "updated_at, author, occurred_at, chat_id, zone, external_id, text, details, operation_id) VALUES (:id, :owner, "
    ":uri, :title, :source, :kind, 'stored', :content_hash, :head_hash, :now, :now, :author, :occurred_at, :chat_id, "
    ":zone, :external_id, :text, :details, :operation_id)"
)
_UPDATE = text(
    "UPDATE documents SET title = :title, source = :source, kind = :kind, state = 'stored', error = NULL, "
    "content_hash = :content_hash, head_hash = :head_hash, updated_at = :now, author = :author, "
    "occurred_at = :occurred_at, chat_id = :chat_id, zone = :zone, external_id = :external_id, text = :text, "
    "details = :details, operation_id = :operation_id WHERE id = :id"
)
_RECOUNT = text("UPDATE documents SET passages_count = passages_count + :count WHERE id = :id")
_STORED = "SELECT seq, id, content_hash, author, occurred_at, is_owner, ordinal, offset_start, offset_end, sort_at "
_ALL_PASSAGES = text(_STORED + "FROM passages WHERE document_id = :id")
_MESSAGE_PASSAGES = text(_STORED + "FROM passages WHERE document_id = :id AND message_id IN :messages").bindparams(
    bindparam("messages", expanding=True)
)
_HASHES = text(
    "SELECT id, content_hash, sort_at, arrival FROM messages WHERE document_id = :id AND id IN :messages"
).bindparams(bindparam("messages", expanding=True))
_SEQS = text("SELECT seq FROM passages WHERE document_id = :id")
_TEXTS = text("SELECT seq, text FROM passages WHERE document_id = :id")
_END = text("SELECT ordinal, sort_at FROM passages WHERE document_id = :id ORDER BY ordinal DESC LIMIT 1")
_LAST_ARRIVAL = text("SELECT COALESCE(MAX(arrival), -1) FROM messages WHERE document_id = :id")
_PUT_MESSAGE = text(
    "INSERT INTO messages (document_id, id, owner, author, text, sent_at, reply_to, is_owner, content_hash, sort_at, "
    "arrival) VALUES (:document_id, :id, :owner, :author, :text, :sent_at, :reply_to, :is_owner, :content_hash, "
    ":sort_at, :arrival) ON CONFLICT (document_id, id) DO UPDATE SET author = excluded.author, text = excluded.text, "
    "sent_at = excluded.sent_at, reply_to = excluded.reply_to, is_owner = excluded.is_owner, "
    "content_hash = excluded.content_hash, sort_at = excluded.sort_at"
)
_RENUMBER = text(
    "UPDATE passages SET ordinal = placed.place FROM (SELECT seq AS placed_seq, ROW_NUMBER() OVER "
    "(ORDER BY sort_at, arrival, part) - 1 AS place FROM passages WHERE document_id = :id) AS placed "
    "WHERE passages.seq = placed.placed_seq AND passages.ordinal <> placed.place"
)
_REREAD = (
    text("UPDATE passages SET needs_extraction = 1 WHERE document_id = :id"),
    text(
        "INSERT INTO stale_passages (passage_id, owner, document_id) SELECT id, owner, document_id FROM passages "
        "WHERE document_id = :id ON CONFLICT DO NOTHING"
    ),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one document's storing came to, with what the receipt counts."""

    result: StoredDocument
    has_changed: bool
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class KnownMessage:
    """What a stored message is compared by and where it stands."""

    content_hash: str
    sort_at: int
    arrival: int


@dataclass(frozen=True, slots=True)
class Writer:
    """One write transaction of one owner."""

    connection: AsyncConnection
    is_sqlite: bool
    owner: OwnerId
    owner_number: int
    now: datetime
    operation_id: OperationId | None

    async def store(self, document: Prepared, drafts: DraftCache) -> Outcome:
        """Store, update or recognise as unchanged. Raises Conflict while the document is being deleted."""
        if document.why_not is not None:
            return Outcome(StoredDocument(None, "skipped", skipped=(document.why_not,)), has_changed=False)
        row = (await self.connection.execute(_FIND, {"id": document.document_id})).first()
        if row is not None and row[0] == IngestState.DELETING:
            raise Conflict("This document is just being deleted; try again.", retry_after_s=1)
        store = self._store_thread if document.is_thread else self._store_text
        return await store(document, row, drafts)

    async def _store_text(self, document: Prepared, row: AnyRow | None, cache: DraftCache) -> Outcome:
        if row is not None and row[1] == document.content_hash:
            return Outcome(StoredDocument(document.document_id, "unchanged", unchanged_count=1), has_changed=False)
        await self._put(document, row)
        drafts = cache.text(document)
        placed = [Placed(draft, ordinal) for ordinal, draft in enumerate(drafts)]
        stored = [] if row is None else await self._stored(_ALL_PASSAGES, {"id": document.document_id})
        writer = self._writer(document)
        await writer.apply(placed, stored, is_moving=row is not None and _is_moving(document, row))
        if row is not None and row[2] != document.head_hash and document.incoming.kind is not DocumentKind.TEXT:
            for statement in _REREAD:  # who takes part or when may have changed: read all of it again
                await self.connection.execute(statement, {"id": document.document_id})
        await self._finish(document, writer, row)
        outcome = "stored" if row is None else "updated"
        tokens = token_count(document.incoming.text)
        return Outcome(StoredDocument(document.document_id, outcome, stored_count=1), has_changed=True, tokens=tokens)

    async def _store_thread(self, document: Prepared, row: AnyRow | None, cache: DraftCache) -> Outcome:
        if row is not None:
            document = with_people_of(document, head_of(row[3]))
        known = await known_messages(self.connection, document) if row is not None else {}
        changed, blank = [], []
        for message in document.messages:
            if message.id in known:
                if known[message.id].content_hash != document.hashes[message.id]:
                    changed.append(message)
            elif message.text.strip() and cache.message(document, message):
                changed.append(message)
            else:
                blank.append(Skipped(message.id, "no_text", "The message has no text."))
        skipped = (*document.skipped, *blank)
        same = len(document.messages) - len(changed) - len(blank)
        is_moving = row is not None and _is_moving(document, row)
        head_changed = row is not None and row[2] != document.head_hash
        if not changed and not head_changed and (row is not None or not document.messages or blank):
            identity = document.document_id if row is not None else None
            outcome = "unchanged" if row is not None else "skipped"
            return Outcome(StoredDocument(identity, outcome, 0, same, skipped), has_changed=False)
        await self._put(document, row)
        writer = self._writer(document)
        await self._put_messages(document, changed, known, writer, cache)
        if is_moving:
            await self._move(document, writer)
        await self._finish(document, writer, row)
        outcome = "stored" if row is None else "updated" if changed or head_changed else "unchanged"
        tokens = sum(token_count(message.text) for message in changed)
        result = StoredDocument(document.document_id, outcome, len(changed), same, skipped)
        return Outcome(result, has_changed=bool(changed) or is_moving, tokens=tokens)

    async def _put_messages(
        self,
        document: Prepared,
        changed: Sequence[Message],
        known: Mapping[str, KnownMessage],
        writer: PassageWriter,
        cache: DraftCache,
    ) -> None:
        if not changed:
            return
        identity = {"id": document.document_id}
        end = (await self.connection.execute(_END, identity)).first()  # the last is the latest: places follow time
        ordinal, last_at = (-1, 0) if end is None else (end[0], end[1])
        arrival = (await self.connection.execute(_LAST_ARRIVAL, identity)).scalar_one()
        rows, placed, is_in_order = [], [], True
        latest = last_at
        for message in changed:
            old = known.get(message.id)
            sort_at = micros(message.sent_at)
            if sort_at is None:  # without a time it stays where it came
                sort_at = old.sort_at if old is not None else latest
            arrival = arrival if old is not None else arrival + 1
            place = (sort_at, old.arrival if old is not None else arrival)
            is_in_order = is_in_order and old is None and sort_at >= latest
            latest = max(latest, sort_at)
            rows.append(self._message_row(document, message, place))
            for draft in cache.message(document, message):
                ordinal += 1
                placed.append(Placed(draft, ordinal, *place))
        await self.connection.execute(_PUT_MESSAGE, rows)
        stored = []
        edited = [message.id for message in changed if message.id in known]
        for run in chunks(edited):
            stored += await self._stored(_MESSAGE_PASSAGES, {**identity, "messages": list(run)})
        await writer.apply(placed, stored, is_moving=False)
        if not is_in_order:
            await self.connection.execute(_RENUMBER, identity)

    def _message_row(self, document: Prepared, message: Message, place: tuple[int, int]) -> dict[str, object]:
        return {
            "document_id": document.document_id,
            "id": message.id,
            "owner": self.owner,
            "author": message.author,
            "text": message.text,
            "sent_at": micros(message.sent_at),
            "reply_to": message.reply_to,
            "is_owner": int(message.is_owner),
            "content_hash": document.hashes[message.id],
            "sort_at": place[0],
            "arrival": place[1],
        }

    async def _move(self, document: Prepared, writer: PassageWriter) -> None:
        """The thread's chat or source changed: every search row is written anew."""
        rows = await self.connection.execute(_TEXTS, {"id": document.document_id})
        await writer.search_anew([(row[0], row[1]) for row in rows])

    async def _stored(self, statement: TextClause, values: dict[str, object]) -> list[Stored]:
        rows = await self.connection.execute(statement, values)
        return [Stored(row[0], row[1], row[2], tuple(row[3:6]), tuple(row[6:10])) for row in rows]

    async def _put(self, document: Prepared, row: AnyRow | None) -> None:
        incoming = document.incoming
        values = {
            "id": document.document_id,
            "title": incoming.title,
            "source": incoming.source.value,
            "kind": incoming.kind.value,
            "content_hash": document.content_hash,
            "head_hash": document.head_hash,
            "now": micros(self.now),
            "author": incoming.author,
            "occurred_at": micros(incoming.occurred_at),
            "chat_id": incoming.chat_id,
            "zone": incoming.zone,
            "external_id": incoming.external_id,
            "text": "" if document.is_thread else incoming.text,
            "details": document.head,
            "operation_id": self.operation_id,
        }
        if row is None:
            await self.connection.execute(_INSERT, {**values, "owner": self.owner, "uri": incoming.uri})
        else:
            await self.connection.execute(_UPDATE, values)

    def _writer(self, document: Prepared) -> PassageWriter:
        incoming = document.incoming
        return PassageWriter(
            self.connection,
            self.is_sqlite,
            self.owner,
            self.owner_number,
            document.document_id,
            incoming.source,
            incoming.chat_id,
            "" if document.is_thread else incoming.title,
        )

    async def _finish(self, document: Prepared, writer: PassageWriter, row: AnyRow | None) -> None:
        source = document.incoming.source
        if row is not None and (head_of(row[3]).source in UNLISTED_SOURCES) != (source in UNLISTED_SOURCES):
            rows = await self.connection.execute(_SEQS, {"id": document.document_id})
            await relist(self.connection, [found[0] for found in rows], source)
        await finish(self.connection, self.owner, writer)
        await self.connection.execute(_RECOUNT, {"id": document.document_id, "count": writer.passages_delta})


async def known_messages(connection: AsyncConnection, document: Prepared) -> dict[str, KnownMessage]:
    """Those of the document's messages that are stored already."""
    known: dict[str, KnownMessage] = {}
    for run in chunks([message.id for message in document.messages]):
        rows = await connection.execute(_HASHES, {"id": document.document_id, "messages": list(run)})
        known.update({row[0]: KnownMessage(row[1], row[2], row[3]) for row in rows})
    return known


async def unseen(connection: AsyncConnection, document: Prepared) -> list[Message] | None:
    """The messages that look new or edited (for one text: none); None where nothing of the document changed."""
    row = (await connection.execute(_FIND, {"id": document.document_id})).first()
    if not document.is_thread:
        return None if row is not None and row[1] == document.content_hash else []
    known = {} if row is None else await known_messages(connection, document)
    hashes = document.hashes
    return [m for m in document.messages if m.id not in known or known[m.id].content_hash != hashes[m.id]]


async def lock_owner(connection: AsyncConnection, owner: OwnerId) -> tuple[int, int]:
    """The owner's number and how much work was stored; writes of one owner are in line from here to the commit."""
    await connection.execute(_MAKE_OWNER, {"owner": owner})
    row = (await connection.execute(_LOCK_OWNER, {"owner": owner})).one()
    return row[0], row[1]


async def stored_work(connection: AsyncConnection, owner: OwnerId) -> int:
    """The number of the owner's last change; 0 for an unknown owner."""
    return (await connection.execute(_WORK, {"owner": owner})).scalar() or 0


async def count_work(connection: AsyncConnection, owner: OwnerId) -> None:
    """Number a change that brings work but no passages."""
    await connection.execute(_COUNT, {"owner": owner, "passages": 0, "tokens": 0, "work": 1})


async def finish(connection: AsyncConnection, owner: OwnerId, writer: PassageWriter) -> None:
    """Write the term counts and the owner's counters that one document changed."""
    await writer.count_terms()
    values = {"owner": owner, "passages": writer.passages_delta, "tokens": writer.tokens_delta, "work": 1}
    await connection.execute(_COUNT, values)


def _is_moving(document: Prepared, row: AnyRow) -> bool:
    """Whether search rows must be rewritten: chat or source, and for one text the title, changed."""
    before, after = head_of(row[3]), document.incoming
    if (before.chat_id, before.source) != (after.chat_id, after.source):
        return True
    return not document.is_thread and before.title != after.title
