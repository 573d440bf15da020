"""The library of one database: documents and passages, stored, found and removed."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from doso.clock import Clock, system_clock
from doso.db.engine import Database
from doso.errors import IndexMismatch
from doso.ids import DocumentId, OperationId, OwnerId, PassageId
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import Document, Incoming, IndexStatus, Page, Passage, Skipped, Source, StoredDocument
from doso.records.passages import PassageFilter, PassageHit
from ingest.library import deleting, lexical, reading, status, unread, vector_rows, writing
from ingest.library.prepared import DraftCache, Prepared, prepare
from ingest.library.receipts import Tally, record
from ingest.library.vector_rows import IndexRow, Waiting
from ingest.library.vector_search import VectorSearch


@dataclass(frozen=True, slots=True)
class SqlLibrary:
    """Implements ingest.ports.Library and what asking needs of passages. `embedder`: the configured one, so that the
    status can tell when the active vectors are of another."""

    database: Database
    vectors: VectorSearch
    embedder: EmbedderInfo | None = None
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
        now = self.clock()
        async with self.database.write() as connection:
            number, work = await writing.lock_owner(connection, owner)
            writer = writing.Writer(connection, self.database.is_sqlite, owner, number, now, operation_id)
            outcomes = [await writer.store(document, drafts) for document in prepared]
            if operation_id is not None:
                work = await writing.stored_work(connection, owner)
                tally = _tally(documents, outcomes, skipped)
                await record(connection, owner, operation_id, tally, now=now, work=work if is_last else None)
        return tuple(outcome.result for outcome in outcomes)

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

    async def deletions(self) -> tuple[tuple[OwnerId, DocumentId], ...]:
        """Documents between the two steps."""
        async with self.database.read() as connection:
            return await deleting.begun(connection)

    # -- reading
    async def document(self, owner: OwnerId, document_id: DocumentId) -> Document:
        """One document. Raises NotFound."""
        async with self.database.read() as connection:
            return await reading.document(connection, owner, document_id)

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
            return await status.index_status(connection, owner, self.embedder)

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
            return await status.unfinished_owners(connection, self.embedder)

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

    async def rebuild_index(self, owner: OwnerId, info: EmbedderInfo) -> IndexRow:
        """Begin a new index beside the active one, every passage queued for it."""
        async with self.database.write() as connection:
            await writing.lock_owner(connection, owner)
            await writing.count_work(connection, owner)
            return await vector_rows.make(
                connection, owner, "building", info, self.clock(), is_sqlite=self.database.is_sqlite
            )

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
    async def unread_documents(self, owner: OwnerId, *, limit: int) -> tuple[DocumentId, ...]:
        """Documents with passages to read for facts, or facts to forget."""
        async with self.database.read() as connection:
            return await unread.documents(connection, owner, limit=limit)

    async def stale_passages(self, owner: OwnerId, document_id: DocumentId) -> tuple[PassageId, ...]:
        """Passages that were edited or removed and whose facts must be forgotten."""
        async with self.database.read() as connection:
            return await unread.stale(connection, owner, document_id)

    async def forgot(self, owner: OwnerId, ids: Sequence[PassageId]) -> None:
        """The facts of these passages are forgotten."""
        async with self.database.write() as connection:
            await unread.forgot(connection, owner, ids)

    async def unread(self, owner: OwnerId, document_id: DocumentId, *, limit: int) -> unread.Unread | None:
        """The next passages to read with what of the document they stand in; None when all are read."""
        async with self.database.read() as connection:
            return await unread.next_passages(connection, owner, document_id, limit=limit)

    async def mark_read(self, owner: OwnerId, passages: Sequence[Passage]) -> None:
        """These were read; one that was edited meanwhile stays to be read again."""
        async with self.database.write() as connection:
            await unread.mark_read(connection, owner, passages)

    async def end_extraction(self, owner: OwnerId, document_id: DocumentId, *, error: str | None) -> None:
        """The document is indexed, or failed with this error."""
        async with self.database.write() as connection:
            await unread.end(connection, owner, document_id, error=error)

    async def _mark(self, statement: status.Mark, owner: OwnerId, work: int) -> None:
        async with self.database.write() as connection:
            await status.mark(connection, statement, owner, work)


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
