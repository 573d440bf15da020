"""Forgets a document across both stores, finished after a crash or an outage by whoever comes next."""

from __future__ import annotations

from dataclasses import dataclass

from doso.ids import DocumentId, OperationId, OwnerId
from doso.records import OperationState
from graph.service import Graph
from ingest.library import SqlLibrary
from ingest.operations import SqlOperations


@dataclass(frozen=True, slots=True)
class Deletion:
    """Each step may be repeated."""

    library: SqlLibrary
    operations: SqlOperations
    graph: Graph

    async def run(self, owner: OwnerId, document_id: DocumentId, operation_id: OperationId) -> None:
        """Out of sight first, then out of the graph, then the mark. Raises NotFound, Unavailable."""
        await self.library.begin_delete(owner, document_id)
        await self.finish(owner, document_id)
        await self.operations.end(owner, operation_id, OperationState.DONE)

    async def finish(self, owner: OwnerId, document_id: DocumentId) -> None:
        """The steps after the first, for a document that is marked; nothing for another."""
        if await self.library.is_deleting(owner, document_id):
            await self.graph.forget_document(owner, document_id)
            await self.library.finish_delete(owner, document_id)
