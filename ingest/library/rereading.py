"""Reading stored documents for facts anew: under a receipt, as if they had just come."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import text

from doso.db.connection import AsyncConnection
from doso.errors import NotFound
from doso.ids import DocumentId, OwnerId
from doso.records import Operation, OperationState
from ingest.library import receipts, writing
from ingest.library.receipts import Opening, Tally

_LIVING = "owner = :owner AND state <> 'deleting' AND (:id = '' OR id = :id)"
_DOCUMENTS = text(
    f"UPDATE documents SET state = 'stored', error = NULL, operation_id = :operation WHERE {_LIVING}"  # noqa: S608
)
_PASSAGES = text("UPDATE passages SET needs_extraction = 1 WHERE owner = :owner AND (:id = '' OR document_id = :id)")


async def begin(
    connection: AsyncConnection, owner: OwnerId, opening: Opening, document_id: DocumentId | None, *, now: datetime
) -> tuple[Operation, bool]:
    """Queue one document, or all, to be read again. False when the request id is known and was seen to already.

    Raises NotFound for an unknown document.
    """
    await writing.lock_owner(connection, owner)
    operation, _ = await receipts.begin(connection, owner, opening, now=now)
    if operation.id != opening.id or operation.state is not OperationState.QUEUED:
        return operation, False
    values = {"owner": owner, "id": document_id or ""}
    changed = (await connection.execute(_DOCUMENTS, {**values, "operation": operation.id})).rowcount
    if document_id is not None and not changed:
        raise NotFound("There is no such document.", param="document_id")
    await connection.execute(_PASSAGES, values)
    await writing.count_work(connection, owner)
    work = await writing.stored_work(connection, owner)
    ids = () if document_id is None else (document_id,)
    await receipts.record(connection, owner, operation.id, Tally(document_ids=ids), now=now, work=work)
    found = await receipts.read(connection, owner, operation.id)
    assert found is not None, "the receipt was written in this transaction"
    return found, True
