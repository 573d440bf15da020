"""The library of one database: documents and passages, stored, found and removed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from doso.clock import Clock, system_clock
from doso.db.connection import AsyncConnection
from doso.db.engine import Database
from doso.errors import IndexMismatch
from doso.ids import DocumentId, OperationId, OwnerId, PassageId
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import (
    Document,
    Incoming,
    IndexStatus,
    Operation,
    OperationState,
    Page,
    Passage,
    Skipped,
    Source,
    StoredDocument,
)
from doso.records.passages import PassageFilter, PassageHit
from ingest.library import deleting, lexical, reading, receipts, rereading, status, unread, vector_rows, writing
from ingest.library.prepared import DraftCache, Prepared, prepare
from ingest.library.receipts import Opening, Tally
from ingest.library.rereading import Again
from ingest.library.unread import Stage
from ingest.library.vector_rows import IndexRow, Waiting
from ingest.library.vector_search import VectorSearch


@dataclass(frozen=True, slots=True)
class Storing:
    """One transaction that stores under a receipt. `skipped`: what the importer left out meanwhile; `is_last`: the
    receipt takes nothing more."""

    connection: AsyncConnection
    owner: OwnerId
    operation_id: OperationId | None
    now: datetime
    skipped: Sequence[Skipped]
    is_last: bool


@dataclass(frozen=True, slots=True)
class SqlLibrary:
    """Implements ingest.ports.Library and what asking needs of passages. `embedder`: tells the configured one, so
    that the status can tell when the active vectors are of another."""

    database: Database
    vectors: VectorSearch
    embedder: Callable[[], EmbedderInfo | None] = field(default=lambda: None)
    clock: Clock = system_clock

    # -- writing
    async def store(
        self, owner: OwnerId, incoming: Incoming, *, operation_id: OperationId | None = None
    ) -> StoredDocument:
        """Store, update or recognise as unchanged; searchable by text on return. With an operation, its receipt is
        written in the same transaction and takes nothing more."""
        results = await self.store_batch(owner, [incoming], operation_id=operation_id, is_last=True)
        return results[0]

    async def store_batch(
        self,
        owner: OwnerId,
        documents: Sequence[Incoming],
        *,
        operation_id: OperationId | None = None,
        skipped: Sequence[Skipped] = (),
        is_last: bool = False,
    ) -> tuple[StoredDocument, ...]:
        """Store several documents in one transaction. `skipped`: what the importer left out meanwhile. `is_last`:
        the receipt closes with this."""
        prepared = [prepare(owner, incoming) for incoming in documents]
        drafts = await self._drafts(prepared)
        async with self.database.write() as connection:
            storing = Storing(connection, owner, operation_id, self.clock(), skipped, is_last)
            return tuple(outcome.result for outcome in await self._store(storing, prepared, drafts))

    async def store_opened(
        self, owner: OwnerId, opening: Opening, incoming: Incoming, *, skipped: Sequence[Skipped] = ()
    ) -> tuple[Operation, bool]:
        """Open a receipt, store one document under it and settle what can be, in one transaction: no crash leaves a
        request id without what was asked for. False when the request id is known and was seen to already."""
        document = prepare(owner, incoming)
        drafts = await self._drafts([document])
        async with self.database.write() as connection:
            now = self.clock()
            await writing.lock_owner(connection, owner)
            operation, _ = await receipts.begin(connection, owner, opening, now=now)
            if operation.id != opening.id or operation.state is not OperationState.QUEUED:
                return operation, False
            storing = Storing(connection, owner, operation.id, now, skipped, is_last=True)
            (outcome,) = await self._store(storing, [document], drafts)
            if outcome.result.outcome == "skipped" and outcome.result.skipped:
                why = outcome.result.skipped[0]
                error = f"import.{why.code}: {why.why}"
                await receipts.end(connection, owner, operation.id, OperationState.FAILED, error=error, now=now)
            await receipts.settle(connection, owner, now=now)
            found = await receipts.read(connection, owner, operation.id)
        assert found is not None, "the receipt was written in this transaction"
        return found, True

    async def _store(self, storing: Storing, prepared: Sequence[Prepared], drafts: DraftCache) -> list[writing.Outcome]:
        connection, owner, now = storing.connection, storing.owner, storing.now
        number, _ = await writing.lock_owner(connection, owner)
        writer = writing.Writer(connection, self.database.is_sqlite, owner, number, now, storing.operation_id)
        outcomes = [await writer.store(document, drafts) for document in prepared]
        if storing.operation_id is not None:
            work = await writing.stored_work(connection, owner) if storing.is_last else None
            tally = _tally([document.incoming for document in prepared], outcomes, storing.skipped)
            await receipts.record(connection, owner, storing.operation_id, tally, now=now, work=work)
        return outcomes

    async def _drafts(self, documents: Sequence[Prepared]) -> DraftCache:
        """Cut what looks new before the transaction begins, off the event loop."""
        cache = DraftCache()
        async with self.database.read() as connection:
            seen = [(document, await writing.unseen(connection, document)) for document in documents]
        for document, messages in seen:
            if messages is not None:
                await asyncio.to_thread(cache.warm, document, messages)
        return cache

    async def begin_delete(self, owner: OwnerId, document_id: DocumentId) -> tuple[PassageId, ...]:
        """First step: everything here goes but the document's mark, so that no read finds any of it. Raises NotFound
        unless the document exists or is at this step already."""
        async with self.database.write() as connection:
            return await deleting.begin(connection, owner, document_id, is_sqlite=self.database.is_sqlite)

    async def finish_delete(self, owner: OwnerId, document_id: DocumentId) -> None:
        """Second step, when the graph has forgotten it too: the mark goes."""
        async with self.database.write() as connection:
            await deleting.finish(connection, owner, document_id)

    async def is_deleting(self, owner: OwnerId, document_id: DocumentId) -> bool:
        """Whether this document is between the two steps."""
        async with self.database.read() as connection:
            return await deleting.is_begun(connection, owner, document_id)

    async def deletions(self) -> tuple[tuple[OwnerId, DocumentId], ...]:
        """Documents between the two steps."""
        async with self.database.read() as connection:
            return await deleting.begun(connection)

    # -- reading
    async def document(self, owner: OwnerId, document_id: DocumentId) -> Document:
        """One document. Raises NotFound."""
        async with self.database.read() as connection:
            return await reading.document(connection, owner, document_id)

    async def documents_at(self, owner: OwnerId, uri: str, *, with_parts: bool) -> tuple[tuple[DocumentId, str], ...]:
        """The stored document of this uri; `with_parts`: those too whose uri goes on behind a "#"."""
        async with self.database.read() as connection:
            return await reading.documents_at(
                connection, owner, uri, with_parts=with_parts, is_sqlite=self.database.is_sqlite
            )

    async def text_of(self, owner: OwnerId, document_id: DocumentId) -> str:
        """The text of a document; of a thread, a line per message. Raises NotFound."""
        async with self.database.read() as connection:
            return await reading.text_of(connection, owner, document_id)

    async def incoming_of(self, owner: OwnerId, document_id: DocumentId) -> Incoming:
        """The stored document as it came. Raises NotFound."""
        async with self.database.read() as connection:
            return await reading.incoming(connection, owner, document_id)

    async def passages_of(self, owner: OwnerId, document_id: DocumentId) -> tuple[Passage, ...]:
        """All passages of a document in order."""
        async with self.database.read() as connection:
            return await reading.passages_of(connection, owner, document_id)

    async def passages(self, owner: OwnerId, ids: Collection[PassageId]) -> dict[PassageId, Passage]:
        """The owner's passages among these ids."""
        async with self.database.read() as connection:
            return await reading.passages(connection, owner, ids)

    async def neighbours(
        self, owner: OwnerId, passage_ids: Collection[PassageId], *, before: int, after: int
    ) -> dict[PassageId, tuple[Passage, ...]]:
        """For each passage those around it in its document, in order, itself included."""
        async with self.database.read() as connection:
            return await reading.neighbours(connection, owner, passage_ids, before=before, after=after)

    async def list_documents(
        self, owner: OwnerId, *, source: Source | None, cursor: str | None, limit: int
    ) -> Page[Document]:
        """Documents newest first."""
        async with self.database.read() as connection:
            return await reading.list_documents(connection, owner, source=source, cursor=cursor, limit=limit)

    async def index_status(self, owner: OwnerId) -> IndexStatus:
        """How far the vectors are, from counters."""
        async with self.database.read() as connection:
            return await status.index_status(connection, owner, self.embedder())

    # -- searching
    async def search_lexical(
        self, owner: OwnerId, tokens: Sequence[str], filter: PassageFilter, *, limit: int
    ) -> tuple[PassageHit, ...]:
        """BM25 over search tokens, best first; no tokens, no hits."""
        async with self.database.read() as connection:
            return await lexical.search_lexical(
                connection, owner, tokens, filter, limit=limit, is_sqlite=self.database.is_sqlite
            )

    async def search_vector(
        self, owner: OwnerId, vector: Vectors, info: EmbedderInfo, filter: PassageFilter, *, limit: int
    ) -> tuple[PassageHit, ...]:
        """Cosine in the active index, best first. Raises IndexMismatch when that index is of another embedder."""
        async with self.database.read() as connection:
            index = (await vector_rows.indexes(connection, owner)).get("active")
            if index is None or limit < 1:
                return ()
            if not index.fits(info):
                raise IndexMismatch(status.mismatch(index.info, info))
            hits = await self.vectors.nearest(connection, owner, index, vector, filter, limit=limit)
            passages = await lexical.hydrate(connection, owner, [seq for seq, _ in hits])
        return tuple(PassageHit(passages[seq], score) for seq, score in hits if seq in passages)

    # -- what remains to be done
    async def unfinished_owners(self) -> tuple[OwnerId, ...]:
        """Owners with something stored that is not yet embedded or read for facts."""
        async with self.database.read() as connection:
            return await status.unfinished_owners(connection, self.embedder())

    async def stored_work(self, owner: OwnerId) -> int:
        """The number of the owner's last change; what is embedded or extracted is told by it."""
        async with self.database.read() as connection:
            return await writing.stored_work(connection, owner)

    async def mark_embedded(self, owner: OwnerId, work: int) -> None:
        """Everything stored up to this number is embedded, or counted as failed."""
        await self._mark(status.EMBEDDED, owner, work)

    async def mark_extracted(self, owner: OwnerId, work: int) -> None:
        """Everything stored up to this number was read for facts."""
        await self._mark(status.EXTRACTED, owner, work)

    async def open_index(self, owner: OwnerId, info: EmbedderInfo) -> tuple[IndexRow, ...]:
        """The indexes that this embedder has to fill: the active one, made when there is none; the one being built;
        one begun now where the active one is of another embedder."""
        async with self.database.read() as connection:
            present = await vector_rows.indexes(connection, owner)
        if "active" in present and all(index.fits(info) for index in present.values()):
            return tuple(present[state] for state in ("active", "building") if state in present)
        async with self.database.write() as connection:
            await writing.lock_owner(connection, owner)
            found = await vector_rows.indexes(connection, owner)
            is_sqlite = self.database.is_sqlite
            active, building = found.get("active"), found.get("building")
            if active is None:
                active = await vector_rows.make(connection, owner, "active", info, self.clock(), is_sqlite=is_sqlite)
            is_stale = building is not None and not building.fits(info)
            if is_stale or (building is None and not active.fits(info)):
                building = await vector_rows.make(
                    connection, owner, "building", info, self.clock(), is_sqlite=is_sqlite
                )
        return tuple(index for index in (active, building) if index is not None and index.fits(info))

    async def rebuild_index(self, owner: OwnerId, info: EmbedderInfo, opening: Opening) -> tuple[Operation, bool]:
        """Begin a new index beside the active one, every passage queued for it, under a receipt opened with it. False
        when the request id is known and was seen to already."""
        async with self.database.write() as connection:
            now = self.clock()
            await writing.lock_owner(connection, owner)
            operation, _ = await receipts.begin(connection, owner, opening, now=now)
            if operation.id != opening.id or operation.state is not OperationState.QUEUED:
                return operation, False
            await writing.count_work(connection, owner)
            await vector_rows.make(connection, owner, "building", info, now, is_sqlite=self.database.is_sqlite)
            work = await writing.stored_work(connection, owner)
            await receipts.record(connection, owner, operation.id, Tally(), now=now, work=work)
            found = await receipts.read(connection, owner, operation.id)
        assert found is not None, "the receipt was written in this transaction"
        return found, True

    async def cut_over(self, owner: OwnerId) -> bool:
        """Put the built index in the place of the active one; False while it lacks vectors."""
        async with self.database.write() as connection:
            await writing.lock_owner(connection, owner)
            return await vector_rows.cut_over(connection, owner)

    async def waiting(self, owner: OwnerId, slot: str, *, after: int, limit: int) -> tuple[Waiting, ...]:
        """Passages without a vector in this index, in the order they were stored."""
        async with self.database.read() as connection:
            return await vector_rows.waiting(connection, owner, slot, after=after, limit=limit)

    async def put_vectors(self, owner: OwnerId, index: IndexRow, hashes: Mapping[int, str], vectors: Vectors) -> int:
        """Store vectors in the order of `hashes` (seq -> content hash that was embedded); returns how many counted."""
        async with self.database.write() as connection:
            await writing.lock_owner(connection, owner)
            return await vector_rows.put(connection, owner, index, hashes, vectors, is_sqlite=self.database.is_sqlite)

    async def fail_vectors(self, index: IndexRow, seqs: Sequence[int], error: str) -> None:
        """These passages can't be embedded; shown in the status, not tried again until edited."""
        async with self.database.write() as connection:
            await vector_rows.fail(connection, index, seqs, error)

    async def report_trouble(self, index: IndexRow, error: str) -> None:
        """Show in the status why embedding does not get on."""
        async with self.database.write() as connection:
            await vector_rows.trouble(connection, index, error)

    # -- extraction
    async def unread_documents(
        self, owner: OwnerId, *, limit: int, stage: Stage = Stage.RULES
    ) -> tuple[DocumentId, ...]:
        """Documents with passages to read for facts at this stage; at the first also those with facts to forget."""
        async with self.database.read() as connection:
            return await unread.documents(connection, owner, stage=stage, limit=limit)

    async def read_anew(self, owner: OwnerId, opening: Opening, again: Again) -> tuple[Operation, bool]:
        """Queue documents to be read anew. False when the request id is known. Raises NotFound."""
        async with self.database.write() as connection:
            return await rereading.begin(connection, owner, opening, again, now=self.clock())

    async def stale_passages(self, owner: OwnerId, document_id: DocumentId) -> tuple[PassageId, ...]:
        """Passages that were edited or removed and whose facts must be forgotten."""
        async with self.database.read() as connection:
            return await unread.stale(connection, owner, document_id)

    async def forgot(self, owner: OwnerId, ids: Sequence[PassageId]) -> None:
        """The facts of these passages are forgotten."""
        async with self.database.write() as connection:
            await unread.forgot(connection, owner, ids)

    async def unread(
        self, owner: OwnerId, document_id: DocumentId, *, limit: int, stage: Stage = Stage.RULES
    ) -> unread.Unread | None:
        """The next passages to read with what of the document they stand in; None when all are read."""
        async with self.database.read() as connection:
            return await unread.next_passages(connection, owner, document_id, stage=stage, limit=limit)

    async def mark_read(
        self,
        owner: OwnerId,
        document_id: DocumentId,
        passages: Sequence[Passage],
        *,
        stage: Stage = Stage.RULES,
        next: Stage | None = None,
        operation_id: OperationId | None = None,
        facts: int = 0,
    ) -> bool:
        """These were read, and that many facts of them are new; one that was edited meanwhile stays to be read again.
        `next`: what they wait for now. True when nothing of the document is left to read: it is indexed."""
        async with self.database.write() as connection:
            await unread.mark_read(connection, owner, passages, stage=stage, next=next)
            if operation_id is not None and facts:
                await receipts.add_facts(connection, owner, operation_id, facts)
            if await unread.is_waiting(connection, owner, document_id):
                return False
            await unread.end(connection, owner, document_id)
            return True

    async def fail_extraction(self, owner: OwnerId, document_id: DocumentId, stage: Stage, *, error: str) -> None:
        """The document can't be read at this stage; it is not tried again by itself."""
        async with self.database.write() as connection:
            await unread.fail(connection, owner, document_id, stage, error=error)

    async def _mark(self, which: status.Mark, owner: OwnerId, work: int) -> None:
        async with self.database.read() as connection:
            if await status.marked(connection, which, owner) >= work:
                return
        async with self.database.write() as connection:
            await writing.lock_owner(connection, owner)
            await status.mark(connection, which, owner, work)
            await receipts.settle(connection, owner, now=self.clock())


def _tally(documents: Sequence[Incoming], outcomes: Sequence[writing.Outcome], skipped: Sequence[Skipped]) -> Tally:
    results = [outcome.result for outcome in outcomes]
    return Tally(
        stored=sum(result.stored_count for result in results),
        unchanged=sum(result.unchanged_count for result in results),
        tokens=sum(outcome.tokens for outcome in outcomes),
        skipped=(*skipped, *(item for result in results for item in result.skipped)),
        notes=tuple(dict.fromkeys(note for incoming in documents for note in incoming.notes)),
        document_ids=tuple(result.document_id for result in results if result.document_id is not None),
    )
