"""Writes passages with all that hangs on them: search rows, term counts, vectors to make, facts to forget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from sqlalchemy import TextClause, bindparam, text

from doso.db.connection import AsyncConnection
from doso.ids import DocumentId, OwnerId
from doso.records import Source
from doso.text import search_tokens
from ingest.library.prepared import Draft
from ingest.library.rows import chunks, micros
from ingest.library.terms import Terms, joined, namespace, terms_of

_INSERT = text(
    "INSERT INTO passages (id, owner, document_id, ordinal, text, offset_start, offset_end, content_hash, message_id, "
    "part, author, occurred_at, is_owner, sort_at, arrival) VALUES (:id, :owner, :document_id, :ordinal, :text, "
    ":start, :end, :content_hash, :message_id, :part, :author, :occurred_at, :is_owner, :sort_at, :arrival)"
)
_UPDATE = text(
    "UPDATE passages SET ordinal = :ordinal, text = :text, offset_start = :start, offset_end = :end, "
    "content_hash = :content_hash, part = :part, author = :author, occurred_at = :occurred_at, is_owner = :is_owner, "
    "sort_at = :sort_at, arrival = :arrival, "
    "needs_extraction = CASE WHEN :unread = 1 THEN 1 ELSE needs_extraction END WHERE seq = :seq"
)
_SEQS = text("SELECT id, seq FROM passages WHERE id IN :ids").bindparams(bindparam("ids", expanding=True))
_DELETE = text("DELETE FROM passages WHERE seq IN :seqs").bindparams(bindparam("seqs", expanding=True))
_STALE = text(
    "INSERT INTO stale_passages (passage_id, owner, document_id) VALUES (:id, :owner, :document_id) "
    "ON CONFLICT DO NOTHING"
)
_COUNT_TERM = text(
    "INSERT INTO search_terms (term, passages) VALUES (:term, :count) "
    "ON CONFLICT (term) DO UPDATE SET passages = search_terms.passages + excluded.passages"
)
_DROP_TERM = text("DELETE FROM search_terms WHERE term = :term AND passages <= 0")
_SLOTS = text("SELECT state FROM vector_indexes WHERE owner = :owner AND state = 'building'")
_QUEUE = text(
    "INSERT INTO embedding_queue (seq, slot, owner) VALUES (:seq, :slot, :owner) ON CONFLICT (seq, slot) DO NOTHING"
)
_DROP_VECTORS = text("DELETE FROM passage_vectors WHERE seq IN :seqs RETURNING index_id").bindparams(
    bindparam("seqs", expanding=True)
)
_DROP_QUEUED = text("DELETE FROM embedding_queue WHERE seq IN :seqs RETURNING slot, error").bindparams(
    bindparam("seqs", expanding=True)
)
_LOST_VECTORS = text(
    "UPDATE vector_indexes SET embedded = embedded - :count, removals = removals + :count WHERE id = :id"
)
_LOST_FAILURES = text("UPDATE vector_indexes SET failed = failed - :count WHERE owner = :owner AND state = :slot")
_SQLITE_SEARCH = (
    text("INSERT INTO passage_search (rowid, body, title, tags) VALUES (:seq, :body, :title, :tags)"),
    text("SELECT rowid, body, title FROM passage_search WHERE rowid IN :seqs").bindparams(
        bindparam("seqs", expanding=True)
    ),
    text("DELETE FROM passage_search WHERE rowid IN :seqs").bindparams(bindparam("seqs", expanding=True)),
)
_POSTGRES_SEARCH = (
    text(
        "INSERT INTO passage_search (seq, body, title, terms) "
        "VALUES (:seq, :body, :title, array_to_tsvector(CAST(:terms AS text[])))"
    ),
    text("SELECT seq, body, title FROM passage_search WHERE seq IN :seqs").bindparams(
        bindparam("seqs", expanding=True)
    ),
    text("DELETE FROM passage_search WHERE seq IN :seqs").bindparams(bindparam("seqs", expanding=True)),
)


@dataclass(frozen=True, slots=True)
class Placed:
    """A draft with its place in the document."""

    draft: Draft
    ordinal: int
    sort_at: int = 0
    arrival: int = 0


@dataclass(frozen=True, slots=True)
class Stored:
    """What a stored passage is compared by."""

    seq: int
    id: str
    content_hash: str
    meta: tuple[object, ...]  # author, occurred_at, is_owner
    place: tuple[object, ...]  # ordinal, start, end, sort_at


@dataclass(slots=True)
class PassageWriter:
    """One document's passages within one write transaction; sums up what the counters must learn."""

    connection: AsyncConnection
    is_sqlite: bool
    owner: OwnerId
    owner_number: int
    document_id: DocumentId
    source: Source
    chat_id: str | None
    title: str  # "" where the title's words find no passage
    passages_delta: int = 0
    tokens_delta: int = 0
    changed_count: int = 0
    term_deltas: Counter[str] = field(default_factory=Counter)

    async def apply(self, placed: Sequence[Placed], stored: Sequence[Stored], *, is_moving: bool) -> None:
        """Make the stored passages equal to the placed ones. `is_moving`: search rows are rewritten in any case,
        since title, chat or source changed."""
        known = {row.id: row for row in stored}
        wanted = {item.draft.id for item in placed}
        fresh = [item for item in placed if item.draft.id not in known]
        kept = [(item, known[item.draft.id]) for item in placed if item.draft.id in known]
        rewritten = [pair for pair in kept if pair[0].draft.content_hash != pair[1].content_hash]
        edited = {row.seq for _, row in rewritten}
        remade = [pair for pair in kept if _meta(pair[0]) != pair[1].meta and pair[1].seq not in edited]
        await self.remove([row for row in stored if row.id not in wanted])
        await self._update(kept, {pair[1].seq for pair in rewritten + remade})
        await self._forget([pair[1].id for pair in rewritten + remade])
        await self._unembed([pair[1].seq for pair in rewritten])
        searched = kept if is_moving else rewritten
        await self._unsearch([pair[1].seq for pair in searched])
        seqs = {**await self._insert(fresh), **{pair[1].id: pair[1].seq for pair in kept}}
        written = (*fresh, *(pair[0] for pair in searched))
        await self._search([(seqs[item.draft.id], item.draft.tokens) for item in written])
        await self._enqueue([seqs[item.draft.id] for item in (*fresh, *(pair[0] for pair in rewritten))])
        self.changed_count += len(fresh) + len(rewritten) + len(remade)

    async def remove(self, gone: Sequence[Stored]) -> None:
        """Drop passages with their search rows and vectors; their facts are noted as to be forgotten."""
        seqs = [row.seq for row in gone]
        await self._forget([row.id for row in gone])
        await self._unsearch(seqs)
        await self._unembed(seqs)
        for run in chunks(seqs):
            await self.connection.execute(_DELETE, {"seqs": list(run)})
        self.passages_delta -= len(seqs)
        self.changed_count += len(seqs)

    async def count_terms(self) -> None:
        """Write the document frequencies; once, at the end. Sorted, so that writers can't wait for each other."""
        deltas = [{"term": term, "count": count} for term, count in sorted(self.term_deltas.items()) if count]
        if deltas:
            await self.connection.execute(_COUNT_TERM, deltas)
        lost = [{"term": row["term"]} for row in deltas if int(str(row["count"])) < 0]
        if lost:
            await self.connection.execute(_DROP_TERM, lost)

    async def _insert(self, fresh: Sequence[Placed]) -> dict[str, int]:
        if not fresh:
            return {}
        rows = [
            {**_values(item), "id": item.draft.id, "owner": self.owner, "document_id": self.document_id}
            for item in fresh
        ]
        await self.connection.execute(_INSERT, rows)
        self.passages_delta += len(fresh)
        seqs: dict[str, int] = {}
        for run in chunks([item.draft.id for item in fresh]):
            seqs.update({row[0]: row[1] for row in await self.connection.execute(_SEQS, {"ids": list(run)})})
        return seqs

    async def _update(self, kept: Sequence[tuple[Placed, Stored]], unread: set[int]) -> None:
        rows = [
            {**_values(item), "seq": row.seq, "unread": int(row.seq in unread)}
            for item, row in kept
            if row.seq in unread or _place(item) != row.place
        ]
        for row in rows:
            del row["message_id"]
        if rows:
            await self.connection.execute(_UPDATE, rows)

    async def _forget(self, ids: Iterable[str]) -> None:
        rows = [{"id": id, "owner": self.owner, "document_id": self.document_id} for id in ids]
        if rows:
            await self.connection.execute(_STALE, rows)

    async def search_anew(self, texts: Sequence[tuple[int, str]]) -> None:
        """Write the search rows of stored passages again, as (seq, text)."""
        await self._unsearch([seq for seq, _ in texts])
        await self._search([(seq, search_tokens(text)) for seq, text in texts])

    async def _search(self, passages: Sequence[tuple[int, Sequence[str]]]) -> None:
        prefix = namespace(self.owner_number, self.source)
        rows: list[dict[str, object]] = []
        for seq, tokens in passages:
            terms = terms_of(
                prefix, tokens, self.title, document_id=self.document_id, chat_id=self.chat_id, source=self.source
            )
            self.term_deltas.update(terms.distinct)
            self.tokens_delta += len(terms.body)
            rows.append(_search_row(seq, terms, is_sqlite=self.is_sqlite))
        if rows:
            await self.connection.execute(self._statements[0], rows)

    async def _unsearch(self, seqs: Sequence[int]) -> None:
        for run in chunks(seqs):
            for row in await self.connection.execute(self._statements[1], {"seqs": list(run)}):
                body, title = row[1].split(), row[2].split()
                self.term_deltas.subtract({*body, *title})
                self.tokens_delta -= len(body)
            await self.connection.execute(self._statements[2], {"seqs": list(run)})

    async def _unembed(self, seqs: Sequence[int]) -> None:
        vectors: Counter[int] = Counter()
        failures: Counter[str] = Counter()
        for run in chunks(seqs):
            vectors.update(row[0] for row in await self.connection.execute(_DROP_VECTORS, {"seqs": list(run)}))
            queued = await self.connection.execute(_DROP_QUEUED, {"seqs": list(run)})
            failures.update(row[0] for row in queued if row[1] is not None)
        for index_id, count in vectors.items():
            await self.connection.execute(_LOST_VECTORS, {"id": index_id, "count": count})
        for slot, count in failures.items():
            await self.connection.execute(_LOST_FAILURES, {"owner": self.owner, "slot": slot, "count": count})

    async def _enqueue(self, seqs: Sequence[int]) -> None:
        if not seqs:
            return
        building = (await self.connection.execute(_SLOTS, {"owner": self.owner})).first()
        slots = ("active", "building") if building else ("active",)
        await self.connection.execute(
            _QUEUE, [{"seq": seq, "slot": slot, "owner": self.owner} for slot in slots for seq in seqs]
        )

    @property
    def _statements(self) -> tuple[TextClause, TextClause, TextClause]:
        return _SQLITE_SEARCH if self.is_sqlite else _POSTGRES_SEARCH


def _search_row(seq: int, terms: Terms, *, is_sqlite: bool) -> dict[str, object]:
    row: dict[str, object] = {"seq": seq, "body": joined(terms.body), "title": joined(terms.title)}
    if is_sqlite:
        return {**row, "tags": joined(terms.tags)}
    return {**row, "terms": sorted(terms.distinct | set(terms.tags))}


def _meta(item: Placed) -> tuple[object, ...]:
    draft = item.draft
    return draft.author, micros(draft.occurred_at), int(draft.is_owner)


def _place(item: Placed) -> tuple[object, ...]:
    return item.ordinal, item.draft.start, item.draft.end, item.sort_at


def _values(item: Placed) -> dict[str, object]:
    draft = item.draft
    return {
        "ordinal": item.ordinal,
        "text": draft.text,
        "start": draft.start,
        "end": draft.end,
        "content_hash": draft.content_hash,
        "message_id": draft.message_id,
        "part": draft.part,
        "author": draft.author,
        "occurred_at": micros(draft.occurred_at),
        "is_owner": int(draft.is_owner),
        "sort_at": item.sort_at,
        "arrival": item.arrival,
    }
