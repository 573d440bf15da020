"""The extraction job: reads new and changed passages for facts, after forgetting what the old ones said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from doso.errors import DosoError, NotFound, Unavailable
from doso.ids import DocumentId, OwnerId
from doso.records import Actor, DocumentKind, Skipped
from doso.telemetry import log
from graph.service import Graph
from ingest.library import SqlLibrary
from ingest.library.unread import Unread
from ingest.operations import SqlOperations
from ingest.ports import Extractor
from ingest.retries import Retries

DOCUMENTS_AT_ONCE = 100
PASSAGES_AT_ONCE = 200

_log = log()


@dataclass(frozen=True, slots=True)
class Extraction:
    """Reads the documents of one owner at a time."""

    library: SqlLibrary
    operations: SqlOperations
    graph: Graph
    extractors: Sequence[Extractor]
    retries: Retries = field(default_factory=Retries)

    async def run(self, owner: OwnerId) -> None:
        """Read all that waits. A document that can't be read is shown as failed and stops no other; when a store or
        model does not answer, receipts say so and what waits stays for the next run."""
        work = await self.library.stored_work(owner)
        while waiting := await self.library.unread_documents(owner, limit=DOCUMENTS_AT_ONCE):
            for document_id in waiting:
                try:
                    await self.read(owner, document_id)
                except Unavailable as error:
                    await self.operations.hold_unread(
                        owner, f"{error.code}: stored and searchable, but not read for facts yet: {error.message}"
                    )
                    _log.warning("extraction.held_up", code=error.code)
                    return
        await self.library.mark_extracted(owner, work)

    async def read(self, owner: OwnerId, document_id: DocumentId) -> None:
        """Bring the facts of one document up to its text. Raises Unavailable after the last attempt."""
        try:
            while await self.retries.run(lambda: self._step(owner, document_id)):
                pass
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001 - the job worker: one bad document must not stop the queue
            await self._give_up(owner, document_id, error)

    async def _step(self, owner: OwnerId, document_id: DocumentId) -> bool:
        """Forget what is stale, else read the next passages; False when nothing is left."""
        stale = await self.library.stale_passages(owner, document_id)
        if stale:
            await self.graph.forget_document(owner, document_id, passage_ids=stale)
            await self.library.forgot(owner, stale)
            return True
        unread = await self.library.unread(owner, document_id, limit=PASSAGES_AT_ONCE)
        passages = () if unread is None else unread.passages
        operation_id = None if unread is None else unread.operation_id
        facts = 0 if unread is None else await self._extract(owner, document_id, unread)
        is_whole = await self.library.mark_read(owner, document_id, passages, operation_id=operation_id, facts=facts)
        return not is_whole and unread is not None

    async def _extract(self, owner: OwnerId, document_id: DocumentId, unread: Unread) -> int:
        """How many facts are new."""
        stored = 0
        for extractor in self.extractors:
            drafts = await extractor.extract(owner, unread.document, unread.passages)
            if drafts:
                actor = Actor(who=f"extractor:{extractor.name}", document_id=document_id)
                facts = await self.graph.assert_facts(owner, drafts, actor)
                stored += sum(fact.outcome == "stored" for fact in facts)
        try:
            await self.library.document(owner, document_id)
        except NotFound:  # deleted while it was read: what was just asserted must go as well
            await self.graph.forget_document(owner, document_id)
        return stored

    async def _give_up(self, owner: OwnerId, document_id: DocumentId, error: Exception) -> None:
        why = f"{error.code}: {error.message}" if isinstance(error, DosoError) else "internal: it could not be read"
        _log.warning("extraction.failed", document_id=document_id, error=type(error).__name__)
        unread = await self.library.unread(owner, document_id, limit=1)
        await self.library.end_extraction(owner, document_id, error=why)
        if unread is None or unread.operation_id is None:
            return
        operation = await self.operations.get(owner, unread.operation_id)
        await self.operations.add_failure(
            owner,
            operation.id,
            Skipped(unread.document.uri, "extraction_failed", why),
            is_whole=operation.kind != "import" or unread.document.kind is DocumentKind.THREAD,
        )
