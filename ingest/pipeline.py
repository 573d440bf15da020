"""Everything that comes in goes through here: stored and searchable at once, then embedded and read by durable jobs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

import msgspec
import structlog

from doso.clock import Clock, system_clock
from doso.errors import Conflict, DosoError, InvalidInput, NotFound, TooLarge, Unavailable
from doso.ids import DocumentId, OperationId, OwnerId, digest, new_id
from doso.jobs.ports import JobQueue
from doso.llm.ports import Embedder
from doso.records import DocumentKind, Incoming, Operation, OperationState, Skipped, Source, StoredDocument
from doso.text import clean, is_blank
from graph.service import Graph
from ingest import archives, registry
from ingest.embedding import Embedding
from ingest.extraction import Extraction
from ingest.library import SqlLibrary
from ingest.library.prepared import document_id_of
from ingest.library.receipts import Tally
from ingest.library.rows import known_moment
from ingest.operations import OpenOperation, SqlOperations
from ingest.ports import Extractor, Importer, ImportOptions, Progress
from ingest.retries import Retries
from ingest.workshop import Workshop

MAX_FILE_BYTES = 2_000_000_000
MAX_REMEMBERED_CHARS = 100_000
STAGING = "staging"
SWEEP_S = 30.0
#: An import that has committed nothing for so long, and is not at work here, was cut off.
SILENT_S = 120.0
#: While an import goes on, embedding is begun after this many batches.
BATCHES_PER_JOB = 10

INDEX, IMPORT, DELETE = "index", "import", "delete"

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import has come; bytes or entries read, items by what became of them."""

    read: Progress | None
    stored: int
    unchanged: int
    skipped: int


OnProgress = Callable[[ImportProgress], None]


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

    # -- life
    def register(self) -> None:
        """Name the jobs; before the queue starts."""
        self.jobs.register(INDEX, self._index_job)
        self.jobs.register(IMPORT, self._import_job)
        self.jobs.register(DELETE, self._delete_job)

    async def start(self) -> None:
        """Register, start the queue, take up what a crash left and look for such work from time to time."""
        self.register()
        await self.jobs.start()
        await self.resume()
        self.workshop.sweeper = asyncio.create_task(self._sweep())

    async def stop(self) -> None:
        """Stop looking and working; what is not done is taken up at the next start."""
        if self.workshop.sweeper is not None:
            self.workshop.sweeper.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self.workshop.sweeper
        await self.jobs.stop()

    async def resume(self) -> None:
        """Queue again whatever is stored but not finished: by a crash here, or by a replica that died."""
        for operation in await self.operations.open():
            await self._resume(operation)
        for owner, document_id in await self.library.deletions():
            await self.jobs.enqueue(DELETE, {"owner": owner, "document": document_id}, key=f"delete:{new_id()}")
        for owner in await self.library.unfinished_owners():
            if not self.workshop.is_running(f"embed:{owner}"):
                await self._queue_index(owner, new_id())

    # -- verbs
    async def store_document(
        self, owner: OwnerId, incoming: Incoming, *, skipped: Sequence[Skipped] = (), request_id: str | None = None
    ) -> Operation:
        """Store one document. The same request id gives the first receipt. Raises RequestReused for another body."""
        return await self._store_one(owner, "document", incoming, skipped, request_id)

    async def store_thread(
        self, owner: OwnerId, incoming: Incoming, *, skipped: Sequence[Skipped] = (), request_id: str | None = None
    ) -> Operation:
        """Append to or update a thread. `skipped`: messages that the door refused, for the receipt."""
        if incoming.kind is not DocumentKind.THREAD:
            raise InvalidInput("A thread comes as messages.", param="messages")
        return await self._store_one(owner, "threads", incoming, skipped, request_id)

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
        operation, is_new = await self.operations.begin(owner, "remember", request_id=request_id, body_digest=body)
        if not is_new and operation.state is not OperationState.QUEUED:
            return operation
        incoming = Incoming(
            uri=f"chat://remember/{operation.id}",
            title="",
            source=Source.CHAT,
            text=text,
            occurred_at=occurred_at or operation.created_at,
            zone=zone,
            is_owner=True,
        )
        await self._store(owner, incoming, operation.id)
        try:
            await Extraction(self.library, self.operations, self.graph, self.extractors, _ONCE).read(
                owner, document_id_of(owner, incoming.uri)
            )
        except Unavailable as error:
            _log.warning("remember.read_later", code=error.code)
        return await self._indexing(owner, operation.id)

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
        importer = await asyncio.to_thread(_importer, path, format)
        body = digest(f"{path}\x1f{format}\x1f{options}")
        operation, is_new = await self.operations.begin(owner, "import", request_id=request_id, body_digest=body)
        if not is_new and operation.state in _FINAL:
            return operation
        async with self.workshop.held(operation.id) as is_ours:
            if is_ours:
                await self._import(owner, operation.id, importer, path, options, on_progress)
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
        if staged.stat().st_size > MAX_FILE_BYTES:
            staged.unlink()
            raise TooLarge(f"At most {MAX_FILE_BYTES} bytes can be imported at once.", param="file")
        body = digest(f"{body_digest or filename}\x1f{format}\x1f{options}")
        payload = {"path": str(staged), "format": format or "", "options": msgspec.json.encode(options).decode()}
        operation, is_new = await self.operations.begin(
            owner, "import", request_id=request_id, body_digest=body, payload=payload
        )
        if is_new:
            await self._queue_import(owner, operation.id, key=operation.id)
        else:
            await asyncio.to_thread(_discard, staged)
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
            await self._delete(owner, document_id, operation.id)
        except NotFound as error:
            await self.operations.end(
                owner, operation.id, OperationState.FAILED, error=f"{error.code}: {error.message}"
            )
            raise
        except Unavailable:  # the graph does not answer: the document is out of sight, the job goes on trying
            await self._queue_delete(owner, document_id, operation.id)
        return await self.operations.get(owner, operation.id)

    async def reembed(self, owner: OwnerId, *, request_id: str | None = None) -> Operation:
        """Build a new vector index beside the present one and cut over when it is whole."""
        operation, is_new = await self.operations.begin(owner, "reembed", request_id=request_id, body_digest="")
        if not is_new and operation.state is not OperationState.QUEUED:
            return operation
        await self.library.rebuild_index(owner, self.embedder.info)
        await self.operations.note(owner, operation.id, Tally())
        return await self._indexing(owner, operation.id)

    # -- storing
    async def _store_one(
        self, owner: OwnerId, kind: str, incoming: Incoming, skipped: Sequence[Skipped], request_id: str | None
    ) -> Operation:
        body = digest(msgspec.json.encode(incoming).decode())
        operation, is_new = await self.operations.begin(owner, kind, request_id=request_id, body_digest=body)
        if not is_new and operation.state is not OperationState.QUEUED:
            return operation
        result = await self._store(owner, incoming, operation.id, skipped)
        if result.outcome == "skipped" and result.skipped:
            why = result.skipped[0]
            await self.operations.end(owner, operation.id, OperationState.FAILED, error=f"import.{why.code}: {why.why}")
            return await self.operations.get(owner, operation.id)
        return await self._indexing(owner, operation.id)

    async def _store(
        self, owner: OwnerId, incoming: Incoming, operation_id: OperationId, skipped: Sequence[Skipped] = ()
    ) -> StoredDocument:
        (result,) = await self._store_batch(owner, (incoming,), operation_id, skipped, is_last=True)
        return result

    async def _store_batch(
        self,
        owner: OwnerId,
        documents: Sequence[Incoming],
        operation_id: OperationId,
        skipped: Sequence[Skipped],
        *,
        is_last: bool,
    ) -> tuple[StoredDocument, ...]:
        async def store() -> tuple[StoredDocument, ...]:
            return await self.library.store_batch(
                owner, documents, operation_id=operation_id, skipped=skipped, is_last=is_last
            )

        try:
            return await store()
        except Conflict:  # one of them is half deleted: finish that first
            for incoming in documents:
                await self._finish_delete(owner, document_id_of(owner, clean(incoming.uri)))
            return await store()

    async def _indexing(self, owner: OwnerId, operation_id: OperationId) -> Operation:
        """The receipt of something stored, its jobs queued."""
        await self.operations.seal(owner, operation_id)
        await self.operations.settle(owner)
        operation = await self.operations.get(owner, operation_id)
        if operation.state not in _FINAL:
            await self._queue_index(owner, operation_id)
        return operation

    # -- importing
    async def _import(
        self,
        owner: OwnerId,
        operation_id: OperationId,
        importer: Importer,
        path: Path,
        options: ImportOptions,
        on_progress: OnProgress | None,
    ) -> None:
        """Store an archive batch by batch. One that was cut off is read again; what it had stored counts once."""
        before = await self.operations.get(owner, operation_id)
        await self.operations.restart(owner, operation_id)
        seen = ImportProgress(None, before.stored, -before.stored, 0)
        count = 0
        try:
            async for batch in archives.batches(importer, path, options):
                results = await self._store_batch(owner, batch.documents, operation_id, batch.skipped, is_last=False)
                seen = _advanced(seen, batch, results)
                count += 1
                if on_progress is not None:
                    on_progress(replace(seen, unchanged=max(0, seen.unchanged)))
                if count % BATCHES_PER_JOB == 0:
                    await self._queue_index(owner, f"{operation_id}:{count}:{new_id()}")
        except DosoError as error:
            if isinstance(error, Unavailable):
                raise
            await self.operations.end(
                owner, operation_id, OperationState.FAILED, error=f"{error.code}: {error.message}"
            )
            return
        if before.stored:
            await self.operations.recount(owner, operation_id, before.stored)

    async def _import_job(self, payload: Mapping[str, str]) -> None:
        owner, operation_id = OwnerId(payload["owner"]), OperationId(payload["operation"])
        async with self.workshop.held(operation_id) as is_ours:
            found = await self.operations.payload(owner, operation_id) if is_ours else None
            if found is None:
                return  # done already, or another task is at it
            path, options = Path(found["path"]), msgspec.json.decode(found["options"], type=ImportOptions)
            try:
                importer = await asyncio.to_thread(_importer, path, found["format"] or None)
            except DosoError as error:
                text = f"{error.code}: {error.message}"
                await self.operations.end(owner, operation_id, OperationState.FAILED, error=text)
            else:
                await self.retries.run(lambda: self._import(owner, operation_id, importer, path, options, None))
                await self._indexing(owner, operation_id)
            await asyncio.to_thread(_discard, path)

    # -- deleting
    async def _delete(self, owner: OwnerId, document_id: DocumentId, operation_id: OperationId) -> None:
        await self.library.begin_delete(owner, document_id)
        await self._finish_delete(owner, document_id)
        await self.operations.end(owner, operation_id, OperationState.DONE)
        await self._queue_index(owner, operation_id)

    async def _finish_delete(self, owner: OwnerId, document_id: DocumentId) -> None:
        if (owner, document_id) in await self.library.deletions():
            await self.graph.forget_document(owner, document_id)
            await self.library.finish_delete(owner, document_id)

    async def _delete_job(self, payload: Mapping[str, str]) -> None:
        owner, document_id = OwnerId(payload["owner"]), DocumentId(payload["document"])
        operation_id = OperationId(payload.get("operation", ""))
        if not operation_id:
            await self.retries.run(lambda: self._finish_delete(owner, document_id))
            return
        try:
            await self.retries.run(lambda: self._delete(owner, document_id, operation_id))
        except NotFound:  # a crash after the last step but before the receipt
            await self.operations.end(owner, operation_id, OperationState.DONE)

    # -- jobs
    async def _index_job(self, payload: Mapping[str, str]) -> None:
        owner = OwnerId(payload["owner"])
        embedding = Embedding(self.library, self.operations, self.graph, self.embedder, self.retries)
        extraction = Extraction(self.library, self.operations, self.graph, self.extractors, self.retries)
        await asyncio.gather(
            self.workshop.alone(f"extract:{owner}", lambda: extraction.run(owner)),
            self.workshop.alone(f"embed:{owner}", lambda: embedding.run(owner)),
        )

    async def _queue_index(self, owner: OwnerId, key: str) -> None:
        await self.jobs.enqueue(INDEX, {"owner": owner}, key=f"index:{key}")

    async def _queue_import(self, owner: OwnerId, operation_id: OperationId, *, key: str) -> None:
        await self.jobs.enqueue(IMPORT, {"owner": owner, "operation": operation_id}, key=f"import:{key}")

    async def _queue_delete(self, owner: OwnerId, document_id: DocumentId, operation_id: OperationId) -> None:
        payload = {"owner": owner, "document": document_id, "operation": operation_id}
        await self.jobs.enqueue(DELETE, payload, key=f"delete:{new_id()}")

    async def _resume(self, operation: OpenOperation) -> None:
        if operation.id in self.workshop.importing:
            return
        is_silent = (self.clock() - known_moment(operation.updated_at_us)).total_seconds() > SILENT_S
        if operation.kind == "delete" and "document" in operation.payload:
            await self._queue_delete(operation.owner, DocumentId(operation.payload["document"]), operation.id)
        elif operation.kind == "import" and operation.is_resumable:
            if is_silent or self.workshop.sweeper is None:
                await self._queue_import(operation.owner, operation.id, key=new_id())
        elif operation.kind == "import" and is_silent:
            await self.operations.end(
                operation.owner,
                operation.id,
                OperationState.FAILED,
                error="import.interrupted: the process ended; import the same file again, nothing is stored twice",
            )

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_S)
            try:
                await self.resume()
            except Unavailable as error:
                _log.warning("sweep.held_up", code=error.code)


_FINAL = frozenset({OperationState.DONE, OperationState.FAILED, OperationState.CANCELLED})
_ONCE = Retries(attempts=1)


def _importer(path: Path, format: str | None) -> Importer:
    if not path.exists():
        raise InvalidInput(f"There is no file {path.name!r}.", param="path")
    if path.is_file() and path.stat().st_size > MAX_FILE_BYTES:
        raise TooLarge(f"At most {MAX_FILE_BYTES} bytes can be imported at once.", param="path")
    return registry.importer(format) if format else registry.detect(path)


def _discard(staged: Path) -> None:
    staged.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        staged.parent.rmdir()


def _advanced(seen: ImportProgress, batch: archives.Batch, results: Sequence[StoredDocument]) -> ImportProgress:
    return ImportProgress(
        read=batch.progress or seen.read,
        stored=seen.stored + sum(result.stored_count for result in results),
        unchanged=seen.unchanged + sum(result.unchanged_count for result in results),
        skipped=seen.skipped + len(batch.skipped) + sum(len(result.skipped) for result in results),
    )
