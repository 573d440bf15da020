"""The extraction job: reads new and changed passages for facts, after forgetting what the old ones said."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from doso.errors import DosoError, NotFound, PromptTooLong, Unavailable
from doso.ids import DocumentId, OwnerId, PassageId
from doso.records import Actor, DocumentKind, FactDraft, Skipped, StoredFact
from doso.telemetry import log
from graph.forgetting import Reading
from graph.service import Graph
from ingest.library import SqlLibrary
from ingest.library.unread import Stage, Unread
from ingest.operations import SqlOperations
from ingest.ports import Extractor, PassagesUnreadable, Reader
from ingest.resting import Rests
from ingest.retries import Retries

DOCUMENTS_AT_ONCE = 100
PASSAGES_AT_ONCE = 200
#: Documents that a model reads side by side, and passages of one of them between two commits: what a crash costs.
MODEL_DOCUMENTS_AT_ONCE = 4
MODEL_PASSAGES_AT_ONCE = 90

_log = log()


@dataclass(frozen=True, slots=True)
class Extraction:
    """Reads the documents of one owner at a time: first by rules, then, where a model is configured, by that. What
    rules state is there whatever becomes of the model."""

    library: SqlLibrary
    operations: SqlOperations
    graph: Graph
    extractors: Sequence[Extractor]
    retries: Retries = field(default_factory=Retries)
    reader: Reader | None = None
    rests: Rests = field(default_factory=Rests)

    async def run(self, owner: OwnerId) -> None:
        """Read all that waits. A document that can't be read is shown as failed and stops no other; when a store or
        model does not answer, receipts say so and what waits stays for the next run."""
        work = await self.library.stored_work(owner)
        try:
            while waiting := await self.library.unread_documents(owner, limit=DOCUMENTS_AT_ONCE):
                for document_id in waiting:
                    await self.read(owner, document_id)
        except Unavailable as error:
            await self._hold(owner, _why(error))
            return
        why = await self._read_all_by_model(owner)
        if why is None:
            await self.library.mark_extracted(owner, work)
        else:
            await self._hold(owner, why)

    async def read(self, owner: OwnerId, document_id: DocumentId) -> None:
        """Bring what rules state of one document up to its text. Raises Unavailable after the last attempt."""
        try:
            while await self.retries.run(lambda: self._step(owner, document_id)):
                pass
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001 - the job worker: one bad document must not stop the queue
            await self._give_up(owner, document_id, error, Stage.RULES)

    async def _step(self, owner: OwnerId, document_id: DocumentId) -> bool:
        """Forget what is stale, else read the next passages; False when nothing is left."""
        stale = await self.library.stale_passages(owner, document_id)
        if stale:
            await self.graph.forget_document(owner, document_id, passage_ids=stale)
            await self.library.forgot(owner, stale)
            return True
        unread = await self.library.unread(owner, document_id, limit=PASSAGES_AT_ONCE)
        if unread is None:
            await self.library.mark_read(owner, document_id, ())
            return False
        facts = await self._extract(owner, document_id, unread)
        is_whole = await self.library.mark_read(
            owner,
            document_id,
            unread.passages,
            next=Stage.MODEL if await self._has_model(owner) else None,
            operation_id=unread.operation_id,
            facts=facts,
        )
        return not is_whole

    async def _extract(self, owner: OwnerId, document_id: DocumentId, unread: Unread) -> int:
        """How many facts are new."""
        stored: list[StoredFact] = []
        for extractor in self.extractors:
            drafts = await extractor.extract(owner, unread.document, unread.passages)
            if drafts:
                actor = Actor(who=f"extractor:{extractor.name}", document_id=document_id)
                stored += await self.graph.assert_facts(owner, drafts, actor)
        await self._forget_if_deleted(owner, document_id)
        return _new(stored)

    # -- the model
    async def _read_all_by_model(self, owner: OwnerId) -> str | None:
        """Read what waits for the model; why not, where it can't be read now."""
        if self.reader is None:
            return None
        await self.reader.serves(owner)  # other settings than before end the rest
        seen: set[DocumentId] = set()
        while waiting := await self._waiting_for_model(owner, seen):
            if (why := self.rests.why(owner)) is not None:
                return why
            reading = [self._read_by_model(owner, document_id, self.reader) for document_id in waiting]
            ends = await asyncio.gather(*reading, return_exceptions=True)  # what others have begun is paid for: it ends
            unforeseen = [end for end in ends if end is not None and not isinstance(end, Unavailable)]
            if unforeseen:
                raise unforeseen[0]
            held_up = [end for end in ends if isinstance(end, Unavailable)]
            if held_up:
                return self._rested(owner, held_up[0])
            seen.update(waiting)
        return None

    async def _waiting_for_model(self, owner: OwnerId, seen: Collection[DocumentId]) -> list[DocumentId]:
        """Documents that this run has not tried yet: one edited meanwhile is for the next run."""
        limit = MODEL_DOCUMENTS_AT_ONCE + len(seen)
        found = await self.library.unread_documents(owner, stage=Stage.MODEL, limit=limit)
        return [document_id for document_id in found if document_id not in seen][:MODEL_DOCUMENTS_AT_ONCE]

    async def _read_by_model(self, owner: OwnerId, document_id: DocumentId, reader: Reader) -> None:
        """Raises Unavailable when the model (or a store) does not answer; what was read until then is kept."""
        last: frozenset[PassageId] = frozenset()
        try:
            while (read := await self._model_step(owner, document_id, reader)) and read != last:
                last = read
        except (PassagesUnreadable, PromptTooLong) as error:
            if self.rests.is_lasting(owner):
                raise  # it is not this document: the model answers nobody
            await self._give_up(owner, document_id, error, Stage.MODEL)
        except Unavailable:
            raise
        except Exception as error:  # noqa: BLE001 - the job worker: one bad document must not stop the queue
            await self._give_up(owner, document_id, error, Stage.MODEL)

    async def _model_step(self, owner: OwnerId, document_id: DocumentId, reader: Reader) -> frozenset[PassageId]:
        """Read the next passages; which, none when none is left."""
        unread = await self.library.unread(owner, document_id, limit=MODEL_PASSAGES_AT_ONCE, stage=Stage.MODEL)
        if unread is None:
            return frozenset()
        ids = frozenset(passage.id for passage in unread.passages)
        stored: Sequence[StoredFact] = ()
        if await reader.serves(owner):  # else it was taken out of the settings meanwhile
            certain: list[FactDraft] = []
            for extractor in self.extractors:
                certain += await extractor.extract(owner, unread.document, unread.passages)
            drafts = await reader.read(owner, unread.document, unread.passages, certain)
            self.rests.end(owner)
            actor = Actor(who=f"extractor:{reader.family.rstrip(':')}", document_id=document_id)
            stored = await self.graph.assert_reading(owner, Reading(document_id, ids, reader.family, actor), drafts)
            await self._forget_if_deleted(owner, document_id)
        await self.library.mark_read(
            owner,
            document_id,
            unread.passages,
            stage=Stage.MODEL,
            operation_id=unread.operation_id,
            facts=_new(stored),
        )
        return ids

    async def _has_model(self, owner: OwnerId) -> bool:
        return self.reader is not None and await self.reader.serves(owner)

    def _rested(self, owner: OwnerId, error: Unavailable) -> str:
        """Leave the model alone for a while; why."""
        self.rests.begin(owner, _why(error), wanted_s=error.retry_after_s)
        return _why(error)

    # -- ends
    async def _forget_if_deleted(self, owner: OwnerId, document_id: DocumentId) -> None:
        """A document that was deleted while it was read: what was just asserted must go as well."""
        try:
            await self.library.document(owner, document_id)
        except NotFound:
            await self.graph.forget_document(owner, document_id)

    async def _hold(self, owner: OwnerId, why: str) -> None:
        await self.operations.hold_unread(owner, why)
        _log.warning("extraction.held_up", code=why.partition(":")[0])

    async def _give_up(self, owner: OwnerId, document_id: DocumentId, error: Exception, stage: Stage) -> None:
        why = f"{error.code}: {error.message}" if isinstance(error, DosoError) else "internal: it could not be read"
        _log.warning("extraction.failed", document_id=document_id, error=type(error).__name__)
        unread = await self.library.unread(owner, document_id, limit=1, stage=stage)
        await self.library.fail_extraction(owner, document_id, stage, error=why)
        if unread is None or unread.operation_id is None:
            return
        operation = await self.operations.get(owner, unread.operation_id)
        await self.operations.add_failure(
            owner,
            operation.id,
            Skipped(unread.document.uri, "extraction_failed", why),
            is_whole=operation.kind != "import" or unread.document.kind is DocumentKind.THREAD,
        )


def _new(stored: Sequence[StoredFact]) -> int:
    return sum(fact.outcome == "stored" for fact in stored)


def _why(error: Unavailable) -> str:
    return f"{error.code}: stored and searchable, but not read for facts yet: {error.message}"
