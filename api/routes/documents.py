"""Documents: take in, list, read, forget."""

from typing import Any

from litestar import Request, Response, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from api.kit import Kit
from api.observing import tell_receipt
from api.requests import IdempotencyKey, one_request_id
from api.routes.uploads import receive_upload
from api.schemas.common import (
    DEFAULT_PAGE,
    Cursor,
    Limit,
    PageOut,
    QueryText,
    decoded,
    to_id,
    to_moment,
    to_page,
    visible,
)
from api.schemas.documents import (
    DocumentIn,
    DocumentOut,
    OperationOut,
    PassageOut,
    RememberIn,
    ThreadIn,
    source_of,
    to_asked_page,
    to_document,
    to_operation,
    to_passage,
    to_text_document,
    to_thread,
)
from doso.accounts import Caller
from doso.errors import InvalidInput
from doso.ids import DocumentId, OperationId
from doso.records import Operation, OperationState
from doso.runtime import check_zone
from ingest.library.rereading import Again
from ingest.live.page import take_in


@post("/v1/documents", status_code=200)
async def add_document(
    *,
    request: Request[Any, Any, Any],
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    idempotency_key: IdempotencyKey = None,
) -> Response[OperationOut]:
    """Take in one text, or the page at a `url` (JSON), or one file (multipart, field `file`); the receipt names the
    document."""
    if request.content_type[0] == "multipart/form-data":
        return await receive_upload(request, kit, caller, idempotency_key)
    body = decoded(await request.body(), DocumentIn)
    request_id = one_request_id(idempotency_key, body.request_id)
    zone = body.timezone or (await kit.runtime.read()).timezone
    check_zone(zone)
    if body.url is not None:
        asked = to_asked_page(body, zone)
        taken = await take_in(kit.intake, kit.live.guard, caller.owner, asked, request_id=request_id, clock=kit.clock)
        return receipt(tell_receipt(kit.observers, taken))
    incoming = to_text_document(body, zone)
    stored = await kit.intake.store_document(caller.owner, incoming, request_id=request_id)
    return receipt(tell_receipt(kit.observers, stored))


@post("/v1/documents/import", status_code=202)
async def import_archive(
    *,
    request: Request[Any, Any, Any],
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    idempotency_key: IdempotencyKey = None,
) -> Response[OperationOut]:
    """Take in an archive (multipart: `file`, and `format` or auto, `me`, `timezone`, `chat_id`, `title`)."""
    if request.content_type[0] != "multipart/form-data":
        raise InvalidInput("An archive comes as multipart/form-data, in the field `file`.", param="Content-Type")
    return await receive_upload(request, kit, caller, idempotency_key)


@post("/v1/threads", status_code=202)
async def append_thread(
    data: JSONBody[ThreadIn],
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    idempotency_key: IdempotencyKey = None,
) -> OperationOut:
    """Append messages to a thread, or update those whose id it has."""
    zone = await _zone(kit, data.timezone)
    incoming, skipped = to_thread(data, zone)
    request_id = one_request_id(idempotency_key, data.request_id)
    operation = await kit.intake.store_thread(caller.owner, incoming, skipped=skipped, request_id=request_id)
    return to_operation(tell_receipt(kit.observers, operation))


@post("/v1/remember", status_code=200)
async def remember(
    data: JSONBody[RememberIn],
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    idempotency_key: IdempotencyKey = None,
) -> OperationOut:
    """Remember what the user says; facts it states plainly are there when this answers."""
    zone = await _zone(kit, data.timezone)
    operation = await kit.intake.remember(
        caller.owner,
        visible(data.text, param="text"),
        occurred_at=to_moment(data.occurred_at, zone=zone, param="occurred_at"),
        zone=zone,
        request_id=one_request_id(idempotency_key, data.request_id),
    )
    return to_operation(tell_receipt(kit.observers, operation))


@get("/v1/documents")
async def list_documents(
    *,
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    source: QueryText = None,
    cursor: Cursor = None,
    limit: Limit = None,
) -> PageOut[DocumentOut]:
    """Documents, newest first, with how far each has come and its badge."""
    badge = None if source is None else source_of(source)
    page = await kit.library.list_documents(caller.owner, source=badge, cursor=cursor, limit=limit or DEFAULT_PAGE)
    return to_page(page, to_document)


@get("/v1/documents/{document_id:str}")
async def read_document(
    document_id: FromPath[str], kit: NamedDependency[Kit], caller: NamedDependency[Caller]
) -> DocumentOut:
    """One document with its text."""
    known = DocumentId(to_id(document_id))
    document = await kit.library.document(caller.owner, known)
    return to_document(document, await kit.library.text_of(caller.owner, known))


@get("/v1/documents/{document_id:str}/passages")
async def document_passages(
    *,
    document_id: FromPath[str],
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    cursor: Cursor = None,
    limit: Limit = None,
) -> PageOut[PassageOut]:
    """The quotable parts of a document in order: for a thread, its messages."""
    known = DocumentId(to_id(document_id))
    await kit.library.document(caller.owner, known)
    if cursor is not None and not cursor.isdecimal():
        raise InvalidInput("This cursor is of another list.", param="cursor")
    start, size = int(cursor or 0), limit or DEFAULT_PAGE
    passages = await kit.library.passages_of(caller.owner, known)
    following = str(start + size) if start + size < len(passages) else None
    return PageOut([to_passage(passage) for passage in passages[start : start + size]], following)


@delete("/v1/documents/{document_id:str}", status_code=200)
async def forget_document(
    document_id: FromPath[str],
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    idempotency_key: IdempotencyKey = None,
) -> OperationOut:
    """Forget a document with everything that only it supported."""
    request_id = one_request_id(idempotency_key, None)
    known = DocumentId(to_id(document_id))
    operation = await kit.intake.delete_document(caller.owner, known, request_id=request_id)
    return to_operation(tell_receipt(kit.observers, operation))


@post("/v1/documents/{document_id:str}/reextract", status_code=202)
async def reextract_document(
    document_id: FromPath[str],
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    idempotency_key: IdempotencyKey = None,
) -> OperationOut:
    """Read a document for facts again, by rules and by the configured model, whose earlier candidates of this document
    give way to the new ones; the way to try again what could not be read."""
    request_id = one_request_id(idempotency_key, None)
    known = DocumentId(to_id(document_id))
    return to_operation(await kit.intake.reextract(caller.owner, Again(known), request_id=request_id))


@get("/v1/operations/{operation_id:str}")
async def read_operation(
    operation_id: FromPath[str], kit: NamedDependency[Kit], caller: NamedDependency[Caller]
) -> OperationOut:
    """A write's receipt."""
    return to_operation(await kit.intake.operations.get(caller.owner, OperationId(to_id(operation_id))))


def receipt(operation: Operation) -> Response[OperationOut]:
    """A receipt: 200 when it is final, 202 while work goes on."""
    is_open = operation.state in (OperationState.QUEUED, OperationState.RUNNING)
    return Response(to_operation(operation), status_code=202 if is_open else 200)


async def _zone(kit: Kit, stated: str | None) -> str:
    """The zone of times that carry none: the caller's, else the stored setting. Raises InvalidInput."""
    zone = stated or (await kit.runtime.read()).timezone
    check_zone(zone)
    return zone
