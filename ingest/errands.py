"""Queueing of the jobs of ingestion; one that can't be queued is found by the sweep, for its work is stored already."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from doso.errors import Unavailable
from doso.ids import DocumentId, OperationId, OwnerId, new_id
from doso.jobs.ports import JobQueue
from doso.telemetry import log
from ingest.library.rows import known_moment
from ingest.operations import OpenOperation, SqlOperations
from ingest.workshop import Workshop

INDEX, IMPORT, DELETE = "index", "import", "delete"
#: A write that has shown no sign of life for so long, and is not at work here, was cut off.
SILENT_S = 120.0
INTERRUPTED = "operation.interrupted: the process ended before anything was stored; send it again"
INTERRUPTED_IMPORT = "import.interrupted: the process ended; import the same file again, nothing is stored twice"

_log = log()


@dataclass(frozen=True, slots=True)
class Errands:
    """What is sent for."""

    jobs: JobQueue
    workshop: Workshop

    async def index(self, owner: OwnerId, key: str) -> None:
        """One job that has not begun is enough: it will see all that is stored by then."""
        if self.workshop.expect(owner) and not await self._send(INDEX, {"owner": owner}, key=f"index:{key}"):
            self.workshop.begin(owner)

    async def import_archive(self, owner: OwnerId, operation_id: OperationId, *, key: str) -> None:
        """Read an uploaded archive."""
        await self._send(IMPORT, {"owner": owner, "operation": operation_id}, key=f"import:{key}")

    async def delete(self, owner: OwnerId, document_id: DocumentId, operation_id: OperationId | None) -> None:
        """Go on deleting a document; without an operation it is one whose receipt is closed."""
        payload = {"owner": str(owner), "document": str(document_id)}
        if operation_id is not None:
            payload["operation"] = operation_id
        await self._send(DELETE, payload, key=f"delete:{new_id()}")

    async def take_up(self, operations: SqlOperations, operation: OpenOperation, now: datetime) -> None:
        """Go on with a write whose storing has not ended, or close it when it was cut off."""
        if operation.id in self.workshop.importing:
            return
        is_silent = (now - known_moment(operation.updated_at_us)).total_seconds() > SILENT_S
        if operation.kind == "delete" and "document" in operation.payload:
            await self.delete(operation.owner, DocumentId(operation.payload["document"]), operation.id)
        elif operation.kind == "import" and operation.is_resumable:
            if is_silent or not self.workshop.is_ready.is_set():
                await self.import_archive(operation.owner, operation.id, key=new_id())
        elif is_silent:
            error = INTERRUPTED_IMPORT if operation.kind == "import" else INTERRUPTED
            await operations.abandon(operation.owner, operation.id, error=error)

    async def _send(self, job: str, payload: Mapping[str, str], *, key: str) -> bool:
        try:
            await self.jobs.enqueue(job, payload, key=key)
        except Unavailable as error:
            _log.warning("jobs.not_queued", job=job, code=error.code)
            return False
        return True
