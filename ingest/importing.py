"""Imports an archive batch by batch; cut off anywhere and begun again, it loses nothing and stores nothing twice."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import time
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from doso.errors import Conflict, DosoError, InvalidInput, NotFound, TooLarge, Unavailable
from doso.ids import OperationId, OwnerId
from doso.records import Incoming, OperationState, Skipped, StoredDocument
from doso.telemetry import log
from doso.text import clean
from ingest import archives, registry
from ingest.deletion import Deletion
from ingest.library import SqlLibrary
from ingest.library.prepared import document_id_of
from ingest.operations import SqlOperations
from ingest.ports import Importer, ImportOptions, Progress, Withdrawn

MAX_FILE_BYTES = 2_000_000_000
#: While an import goes on, embedding is begun after this many batches.
BATCHES_PER_JOB = 10
#: How often an import shows that it is at work.
BEAT_S = 30.0
#: An uploaded file that nobody took up for so long belongs to no import any more.
STALE_STAGED_S = 24 * 3600.0

_log = log()


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import has come; bytes or entries read, items by what became of them."""

    read: Progress | None
    stored: int
    unchanged: int
    skipped: int


OnProgress = Callable[[ImportProgress], None]


@dataclass(frozen=True, slots=True)
class Archive:
    """Something to import."""

    importer: Importer
    path: Path
    options: ImportOptions


@dataclass(frozen=True, slots=True)
class Importing:
    """Stores documents under a receipt. `queue_index` begins embedding and extraction of what is stored so far."""

    library: SqlLibrary
    operations: SqlOperations
    deletion: Deletion
    queue_index: Callable[[OwnerId, str], Awaitable[None]]

    async def run(
        self, owner: OwnerId, operation_id: OperationId, archive: Archive, on_progress: OnProgress | None = None
    ) -> None:
        """Store all of an archive. What an earlier, cut-off run had stored counts once."""
        before = await self.operations.get(owner, operation_id)
        await self.operations.restart(owner, operation_id)
        seen = ImportProgress(None, before.stored, -before.stored, 0)
        count = 0
        heart = asyncio.create_task(self._beat(owner, operation_id))
        try:
            async for batch in archives.batches(archive.importer, archive.path, archive.options):
                skipped = (*batch.skipped, *await self._withdraw(owner, batch.withdrawn))
                results = await self.store(owner, batch.documents, operation_id, skipped, is_last=False)
                seen = _advanced(seen, batch, results)
                count += 1
                if on_progress is not None:
                    on_progress(replace(seen, unchanged=max(0, seen.unchanged)))
                if count % BATCHES_PER_JOB == 0:
                    await self.queue_index(owner, f"{operation_id}:{count}:{before.updated_at.isoformat()}")
        except Unavailable:
            raise
        except DosoError as error:
            await self.operations.end(owner, operation_id, OperationState.FAILED, error=told(error))
            return
        except Exception as error:  # noqa: BLE001 - the job worker: a file that breaks its importer must not come back
            _log.warning("import.broke", operation_id=operation_id, error=type(error).__name__)
            why = f"internal: the file could not be read to its end ({type(error).__name__})"
            await self.operations.end(owner, operation_id, OperationState.FAILED, error=why)
            return
        finally:
            heart.cancel()
        if before.stored:
            await self.operations.recount(owner, operation_id, before.stored)

    async def _withdraw(self, owner: OwnerId, withdrawn: Sequence[Withdrawn]) -> list[Skipped]:
        """Delete what an earlier archive brought and this one says is no more. What the graph holds up is out of sight
        and finished by the sweep."""
        removed = []
        for one in withdrawn:
            for document_id, uri in await self.library.documents_at(owner, one.uri, with_parts=one.with_parts):
                with contextlib.suppress(NotFound):
                    await self.library.begin_delete(owner, document_id)
                    removed.append(Skipped(uri, "removed", "It was called off: what was imported of it is removed."))
                with contextlib.suppress(Unavailable):
                    await self.deletion.finish(owner, document_id)
        return removed

    async def _beat(self, owner: OwnerId, operation_id: OperationId) -> None:
        """Show that the import is at work while it reads something large: another process would take it for dead."""
        while True:
            await asyncio.sleep(BEAT_S)
            with contextlib.suppress(Unavailable):
                await self.operations.touch(owner, operation_id)

    async def store(
        self,
        owner: OwnerId,
        documents: Sequence[Incoming],
        operation_id: OperationId,
        skipped: Sequence[Skipped] = (),
        *,
        is_last: bool,
    ) -> tuple[StoredDocument, ...]:
        """Store documents in one transaction with their receipt; one that is half deleted is finished first."""

        async def store() -> tuple[StoredDocument, ...]:
            return await self.library.store_batch(
                owner, documents, operation_id=operation_id, skipped=skipped, is_last=is_last
            )

        try:
            return await store()
        except Conflict:
            for incoming in documents:
                await self.deletion.finish(owner, document_id_of(owner, clean(incoming.uri)))
            return await store()


def open_importer(path: Path, format: str | None) -> Importer:
    """The importer of this format, or the one that recognises the bytes. Raises UnknownFormat, InvalidInput."""
    if not path.exists():
        raise InvalidInput(f"There is no file {path.name!r}.", param="path")
    check_size(path)
    return registry.importer(format) if format else registry.detect(path)


def check_size(path: Path) -> None:
    """Raises TooLarge."""
    if path.is_file() and path.stat().st_size > MAX_FILE_BYTES:
        raise TooLarge(f"At most {MAX_FILE_BYTES} bytes can be imported at once.", param="file")


def discard(staged: Path) -> None:
    """Remove an uploaded file with its folder."""
    staged.unlink(missing_ok=True)
    with contextlib.suppress(OSError):
        staged.parent.rmdir()


def sweep_staged(folder: Path, kept: Collection[str] = ()) -> None:
    """Remove uploaded files that no open import has to read, a day after they came: a crash left them."""
    if not folder.is_dir():
        return
    oldest = time.time() - STALE_STAGED_S
    for place in folder.iterdir():
        if str(place) not in kept and place.stat().st_mtime < oldest:
            shutil.rmtree(place, ignore_errors=True)


def told(error: DosoError) -> str:
    """An error as a receipt shows it."""
    return f"{error.code}: {error.message}"


def _advanced(seen: ImportProgress, batch: archives.Batch, results: Sequence[StoredDocument]) -> ImportProgress:
    return ImportProgress(
        read=batch.progress or seen.read,
        stored=seen.stored + sum(result.stored_count for result in results),
        unchanged=seen.unchanged + sum(result.unchanged_count for result in results),
        skipped=seen.skipped + len(batch.skipped) + sum(len(result.skipped) for result in results),
    )
