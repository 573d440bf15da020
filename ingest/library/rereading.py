"""Reading stored documents for facts anew: under a receipt, as if they had just come."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text

from doso.db.connection import AsyncConnection
from doso.errors import NotFound
from doso.ids import DocumentId, OwnerId
from doso.records import IngestState, Operation, OperationState
from ingest.library import receipts, writing
from ingest.library.receipts import Opening, Tally

_DOCUMENTS = text(
    "UPDATE documents SET state = 'stored', error = NULL, operation_id = :operation "
    "WHERE owner = :owner AND state <> 'deleting' AND (:id = '' OR id = :id) AND (:state = '' OR state = :state)"
)
_PASSAGES = text(
    "UPDATE passages SET needs_extraction = 1 WHERE owner = :owner AND document_id IN "
    "(SELECT id FROM documents WHERE owner = :owner AND operation_id = :operation)"
)


@dataclass(frozen=True, slots=True)
class Again:
    """Which documents are read again: all, or the one of this id, or those in this state."""

    document_id: DocumentId | None = None
    state: IngestState | None = None


async def begin(
    connection: AsyncConnection, owner: OwnerId, opening: Opening, again: Again, *, now: datetime
) -> tuple[Operation, bool]:
    """Queue documents to be read again. False when the request id is known and was seen to already.

    Raises NotFound for an unknown document.
    """
    await writing.lock_owner(connection, owner)
    operation, _ = await receipts.begin(connection, owner, opening, now=now)
    if operation.id != opening.id or operation.state is not OperationState.QUEUED:
        return operation, False
    values = {"owner": owner, "operation": operation.id}
    chosen = {"id": again.document_id or "", "state": again.state.value if again.state else ""}
    changed = (await connection.execute(_DOCUMENTS, {**values, **chosen})).rowcount
    if again.document_id is not None and not changed:
        raise NotFound("There is no such document.", param="document_id")
    await connection.execute(_PASSAGES, values)
    await writing.count_work(connection, owner)
    work = await writing.stored_work(connection, owner)
    ids = () if again.document_id is None else (again.document_id,)
    await receipts.record(connection, owner, operation.id, Tally(document_ids=ids), now=now, work=work)
    found = await receipts.read(connection, owner, operation.id)
    assert found is not None, "the receipt was written in this transaction"
    return found, True
