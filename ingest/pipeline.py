"""Everything that comes in goes through here: stored and searchable at once, then embedded and read by durable jobs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import msgspec

from doso.clock import Clock, system_clock
from doso.errors import Conflict, DosoError, InvalidInput, NotFound, TooLarge, Unavailable
from doso.foreground import Foreground
from doso.ids import DocumentId, OperationId, OwnerId, digest, new_id
from doso.jobs.ports import JobQueue
from doso.llm.chosen import settled
from doso.llm.ports import Embedder
from doso.records import DocumentKind, Incoming, Operation, OperationState, Skipped, Source
from doso.telemetry import log
from doso.text import clean, is_blank
from graph.service import Graph
from ingest.amending import Amending
from ingest.deletion import Deletion
from ingest.embedding import Embedding
from ingest.errands import DELETE, IMPORT, INDEX, Errands
from ingest.extraction import Extraction
from ingest.importing import (
    Archive,
    Importing,
    ImportProgress,
    OnProgress,
    check_size,
    discard,
    open_importer,
    sweep_staged,
    told,
)
from ingest.library import SqlLibrary
from ingest.library.prepared import document_id_of
from ingest.library.receipts import Opening
from ingest.library.rereading import Again
from ingest.operations import SqlOperations
from ingest.ports import Extractor, ImportOptions, Reader
from ingest.resting import Rests
from ingest.retries import Retries
from ingest.workshop import Workshop

MAX_REMEMBERED_CHARS = 100_000
STAGING = "staging"
SWEEP_S = 30.0
#: Brings a document from elsewhere, with what of it could not be read.
Fetch = Callable[[], Awaitable[tuple[Incoming, Sequence[Skipped]]]]

_log = log()


@dataclass(frozen=True, slots=True)
class Intake:
    """The verbs of taking in. `start` it once, before the first write, and `stop` it at the end."""

    library: SqlLibrary
    operations: SqlOperations
    graph: Graph
    extractors: Sequence[Extractor]
    embedder: Embedder
    jobs: JobQueue
    home: Path
    clock: Clock = system_clock
    retries: Retries = field(default_factory=Retries)
    workshop: Workshop = field(default_factory=Workshop)
    reader: Reader | None = None
    rests: Rests = field(default_factory=Rests)
    foreground: Foreground = field(default_factory=Foreground)

    # -- life
    def register(self) -> None:
        """Name the jobs; before the queue starts."""
        self.jobs.register(INDEX, self._index_job)
        self.jobs.register(IMPORT, self._import_job)
        self.jobs.register(DELETE, self._delete_job)

    async def start(self) -> None:
        """Register the jobs and set the queue going in the background: the first write or answer need not wait for
        it. What a crash left is taken up then, and looked for from time to time."""
        self.register()
        self.workshop.sweeper = asyncio.create_task(self._work())

    async def started(self) -> None:
        """Wait until the queue runs and what an earlier process left is queued."""
        await self.workshop.is_ready.wait()

    async def stop(self) -> None:
        """Stop looking and working; what is not done is taken up at the next start."""
        self.workshop.stop()
        if self.workshop.sweeper is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self.workshop.sweeper
        await self.jobs.stop()

    async def resume(self) -> None:
        """Queue again whatever is stored but not finished: by a crash here, or by a replica that died."""
        for operation in await self.operations.open():
            await self._errands.take_up(self.operations, operation, self.clock())
        for owner, document_id in await self.library.deletions():
            await self._errands.delete(owner, document_id, None)
        for owner in await self.library.unfinished_owners():
            if not self.workshop.is_running(f"embed:{owner}"):
                self.workshop.begin(owner)  # whatever was queued before may be lost
                await self._errands.index(owner, new_id())

    # -- verbs
    async def store_document(
        self, owner: OwnerId, incoming: Incoming, *, skipped: Sequence[Skipped] = (), request_id: str | None = None
    ) -> Operation:
        """Store one document. The same request id gives the first receipt. Raises RequestReused for another body."""
        return await self._store_one(owner, "document", incoming, skipped, request_id)

    async def store_fetched(
        self, owner: OwnerId, key: str, fetch: Fetch, *, request_id: str | None = None
    ) -> Operation:
        """Store the document that `fetch` brings. `key` says what is fetched: the same request id with the same key
        gives the first receipt, and nothing is fetched. Raises what `fetch` raises; then nothing is stored."""
        opening, begun = await self._opening(owner, "document", request_id, digest(key))
        if begun is not None and begun.state is not OperationState.QUEUED:
            return begun
        incoming, skipped = await fetch()
        operation, is_new = await self._store_opened(owner, opening, incoming, skipped)
        if is_new and operation.state not in _FINAL:
            await self._errands.index(owner, operation.id)
        return operation

    async def store_thread(
        self, owner: OwnerId, incoming: Incoming, *, skipped: Sequence[Skipped] = (), request_id: str | None = None
    ) -> Operation:
        """Append to or update a thread. `skipped`: messages that the door refused, for the receipt."""
        if incoming.kind is not DocumentKind.THREAD:
            raise InvalidInput("A thread comes as messages.", param="messages")
        return await self._store_one(owner, "threads", incoming, skipped, request_id)

    def index_soon(self, owner: OwnerId) -> None:
        """Give facts that came by another way than a document their vectors, in the next calm."""
        self.workshop.gather(owner, self.foreground.calm, lambda: self._errands.index(owner, new_id()))

    async def remember(
        self,
        owner: OwnerId,
        text: str,
        *,
        occurred_at: datetime | None = None,
        zone: str | None = None,
        request_id: str | None = None,
    ) -> Operation:
        """Store what the owner says and read it for facts before returning."""
        if is_blank(text):
            raise InvalidInput("There is nothing to remember.", param="text")
        if len(text) > MAX_REMEMBERED_CHARS:
            raise TooLarge(f"At most {MAX_REMEMBERED_CHARS} characters can be remembered at once.", param="text")
        body = digest(f"{clean(text)}\x1f{occurred_at and occurred_at.isoformat()}\x1f{zone}")
        opening, begun = await self._opening(owner, "remember", request_id, body)
        incoming = Incoming(
            uri=f"chat://remember/{opening.id}",
            title="",
            source=Source.CHAT,
            text=text,
            occurred_at=occurred_at or (begun.created_at if begun is not None else self.clock()),
            zone=zone,
            is_owner=True,
        )
        operation, is_new = await self._store_opened(owner, opening, incoming)
        if not is_new:
            return operation
        document_id = document_id_of(owner, incoming.uri)
        try:
            await Amending(self.graph, self.operations).run(owner, incoming, document_id, operation.id)
            await self._extraction(_ONCE).read(owner, document_id)
        except Unavailable as error:
            _log.warning("remember.read_later", code=error.code)
        await self._errands.index(owner, operation.id)
        return await self.operations.get(owner, operation.id)

    async def import_path(
        self,
        owner: OwnerId,
        path: Path,
        options: ImportOptions,
        *,
        format: str | None = None,
        request_id: str | None = None,
        on_progress: OnProgress | None = None,
    ) -> Operation:
        """Import a file or folder now; returns when all is stored. Raises UnknownFormat, InvalidInput."""
        archive = Archive(await asyncio.to_thread(open_importer, path, format), path, options)
        body = digest(f"{path}\x1f{format}\x1f{options}")
        operation, is_new = await self.operations.begin(owner, "import", request_id=request_id, body_digest=body)
        if not is_new and operation.state in _FINAL:
            return operation
        async with self.workshop.held(operation.id) as is_ours:
            if is_ours:
                await self._importing.run(owner, operation.id, archive, on_progress)
        return await self._indexing(owner, operation.id)

    async def import_upload(
        self,
        owner: OwnerId,
        staged: Path,
        options: ImportOptions,
        *,
        filename: str,
        format: str | None = None,
        request_id: str | None = None,
        body_digest: str | None = None,
    ) -> Operation:
        """Take over a file from `staging_path` and import it in a durable job, which removes it in the end. The
        receipt comes at once. `body_digest`: of the bytes, so that a repeated request is known."""
        try:
            await asyncio.to_thread(check_size, staged)
        except TooLarge:
            await asyncio.to_thread(discard, staged)
            raise
        body = digest(f"{body_digest or filename}\x1f{format}\x1f{options}")
        payload = {"path": str(staged), "format": format or "", "options": msgspec.json.encode(options).decode()}
        operation, is_new = await self.operations.begin(
            owner, "import", request_id=request_id, body_digest=body, payload=payload
        )
        if is_new:
            await self._errands.import_archive(owner, operation.id, key=operation.id)
        else:
            await asyncio.to_thread(discard, staged)
        return operation

    def staging_path(self, filename: str) -> Path:
        """A fresh place for an uploaded file, of the same name so that a format can be told by it."""
        folder = self.home / STAGING / new_id()
        folder.mkdir(parents=True, mode=0o700)
        name = Path(clean(filename).replace("\\", "/")).name[-100:].lstrip(".")
        return folder / (name or "upload")

    async def delete_document(
        self, owner: OwnerId, document_id: DocumentId, *, request_id: str | None = None
    ) -> Operation:
        """Forget a document with all that only it supported. No read finds it from here on. Raises NotFound."""
        if request_id is None:
            await self.library.document(owner, document_id)
        payload = {"document": str(document_id)}
        operation, is_new = await self.operations.begin(
            owner, "delete", request_id=request_id, body_digest=digest(document_id), payload=payload
        )
        if not is_new and operation.state in _FINAL:
            return operation
        try:
            await self._deletion.run(owner, document_id, operation.id)
        except NotFound as error:
            await self.operations.end(owner, operation.id, OperationState.FAILED, error=told(error))
            raise
        except Unavailable:  # the graph does not answer: the document is out of sight, the job goes on trying
            await self._errands.delete(owner, document_id, operation.id)
        await self._errands.index(owner, operation.id)
        return await self.operations.get(owner, operation.id)

    async def reembed(self, owner: OwnerId, *, request_id: str | None = None) -> Operation:
        """Build a new vector index beside the present one and cut over when it is whole."""
        opening, _ = await self._opening(owner, "reembed", request_id, "")
        operation, is_new = await self.library.rebuild_index(owner, (await settled(self.embedder)).info, opening)
        if is_new:
            await self._errands.index(owner, operation.id)
        return operation

    async def reextract(self, owner: OwnerId, again: Again, *, request_id: str | None = None) -> Operation:
        """Read documents for facts again: what a model found before and doesn't now goes, as far as it was a candidate.
        Raises NotFound."""
        opening, _ = await self._opening(owner, "reextract", request_id, digest(f"{again}"))
        operation, is_new = await self.library.read_anew(owner, opening, again)
        if is_new:
            self.rests.end(owner)
            await self._errands.index(owner, operation.id)
        return operation

    # -- storing
    async def _store_one(
        self, owner: OwnerId, kind: str, incoming: Incoming, skipped: Sequence[Skipped], request_id: str | None
    ) -> Operation:
        body = digest(msgspec.json.encode(incoming).decode())
        opening, _ = await self._opening(owner, kind, request_id, body)
        operation, is_new = await self._store_opened(owner, opening, incoming, skipped)
        if is_new and operation.state not in _FINAL:
            await self._errands.index(owner, operation.id)
        return operation

    async def _opening(
        self, owner: OwnerId, kind: str, request_id: str | None, body: str
    ) -> tuple[Opening, Operation | None]:
        """A receipt to be opened together with what it tells of; that of the request id where it was opened before
        but nothing came of it (by a Doso that did the two one after the other)."""
        opening = Opening(OperationId(new_id()), kind, request_id, body)
        begun = await self.operations.known(owner, opening) if request_id is not None else None
        return (opening if begun is None else replace(opening, id=begun.id)), begun

    async def _store_opened(
        self, owner: OwnerId, opening: Opening, incoming: Incoming, skipped: Sequence[Skipped] = ()
    ) -> tuple[Operation, bool]:
        """Store under a new receipt; a document that is half deleted is finished first."""
        try:
            return await self.library.store_opened(owner, opening, incoming, skipped=skipped)
        except Conflict:
            await self._deletion.finish(owner, document_id_of(owner, clean(incoming.uri)))
            return await self.library.store_opened(owner, opening, incoming, skipped=skipped)

    async def _indexing(self, owner: OwnerId, operation_id: OperationId) -> Operation:
        """The receipt of something stored, its jobs queued."""
        operation = await self.operations.seal(owner, operation_id)
        if operation.state not in _FINAL:
            await self._errands.index(owner, operation_id)
        return operation

    # -- jobs
    async def _import_job(self, payload: Mapping[str, str]) -> None:
        owner, operation_id = OwnerId(payload["owner"]), OperationId(payload["operation"])
        async with self.workshop.held(operation_id) as is_ours:
            found = await self.operations.payload(owner, operation_id) if is_ours else None
            if found is None:
                return  # done already, or another task is at it
            await self.operations.touch(owner, operation_id)
            path, options = Path(found["path"]), msgspec.json.decode(found["options"], type=ImportOptions)
            try:
                archive = Archive(await asyncio.to_thread(open_importer, path, found["format"] or None), path, options)
            except DosoError as error:
                await self.operations.end(owner, operation_id, OperationState.FAILED, error=told(error))
            else:
                await self.retries.run(lambda: self._importing.run(owner, operation_id, archive))
                await self._indexing(owner, operation_id)
            await asyncio.to_thread(discard, path)

    async def _delete_job(self, payload: Mapping[str, str]) -> None:
        owner, document_id = OwnerId(payload["owner"]), DocumentId(payload["document"])
        operation_id = OperationId(payload.get("operation", ""))
        if not operation_id:
            await self.retries.run(lambda: self._deletion.finish(owner, document_id))
            return
        try:
            await self.retries.run(lambda: self._deletion.run(owner, document_id, operation_id))
        except NotFound:  # a crash after the last step but before the receipt
            await self.operations.end(owner, operation_id, OperationState.DONE)

    async def _index_job(self, payload: Mapping[str, str]) -> None:
        owner = OwnerId(payload["owner"])
        self.workshop.begin(owner)
        embedding = Embedding(self.library, self.operations, self.graph, self.embedder, self.retries, self.foreground)
        extraction = self._extraction(self.retries)
        await asyncio.gather(
            self.workshop.alone(f"extract:{owner}", lambda: extraction.run(owner)),
            self.workshop.alone(f"embed:{owner}", lambda: embedding.run(owner)),
        )
        if self.reader is not None:  # a model is slow: what it found came after the vectors of facts were made
            with contextlib.suppress(Unavailable):
                await self.graph.embed_missing(owner, await settled(self.embedder), foreground=self.foreground)

    def _extraction(self, retries: Retries) -> Extraction:
        return Extraction(self.library, self.operations, self.graph, self.extractors, retries, self.reader, self.rests)

    @property
    def _errands(self) -> Errands:
        return Errands(self.jobs, self.workshop)

    @property
    def _deletion(self) -> Deletion:
        return Deletion(self.library, self.operations, self.graph)

    @property
    def _importing(self) -> Importing:
        return Importing(self.library, self.operations, self._deletion, self._errands.index)

    async def _tidy(self) -> None:
        """Remove uploaded files that a crash left and no import will read."""
        payloads = [operation.payload for operation in await self.operations.open()]
        kept = {str(Path(payload["path"]).parent) for payload in payloads if "path" in payload}
        await asyncio.to_thread(sweep_staged, self.home / STAGING, kept)

    async def _work(self) -> None:
        """Start the queue, then look for unfinished work for as long as the process lives."""
        while True:
            try:
                if not self.workshop.is_queue_started:
                    await self.jobs.start()
                    self.workshop.is_queue_started = True
                if not self.workshop.is_ready.is_set():
                    await self._tidy()
                await self.resume()
                self.workshop.is_ready.set()
            except Unavailable as error:
                _log.warning("jobs.held_up", code=error.code)
            await asyncio.sleep(SWEEP_S)


_FINAL = frozenset({OperationState.DONE, OperationState.FAILED, OperationState.CANCELLED})
_ONCE = Retries(attempts=1)

__all__ = ["ImportProgress", "Intake", "OnProgress"]
