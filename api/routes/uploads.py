"""Files that come in as multipart, taken over by a durable import."""

import hashlib
from pathlib import Path
from typing import Any

from litestar import Request, Response
from litestar.concurrency import sync_to_thread
from litestar.datastructures import FormMultiDict, UploadFile
from litestar.exceptions import HTTPException

from api.kit import Kit
from api.requests import one_request_id
from api.schemas.common import MAX_NAME_CHARS
from api.schemas.documents import OperationOut, to_operation
from doso.accounts import Caller
from doso.errors import InvalidInput
from doso.runtime import check_zone
from doso.text import clean
from ingest.ports import ImportOptions
from ingest.registry import IMPORTERS

AUTO = "auto"
MAX_ME = 50
MAX_FILE_NAME_CHARS = 200
_CHUNK_BYTES = 1 << 20


async def receive_upload(
    request: Request[Any, Any, Any], kit: Kit, caller: Caller, idempotency_key: str | None
) -> Response[OperationOut]:
    """Stage the file and queue its import. Raises InvalidInput naming the field at fault."""
    form = await _form(request)
    upload = form.get("file")
    if not isinstance(upload, UploadFile):
        raise InvalidInput("The form has no file in the field `file`.", param="file")
    format_name = _text(form, "format") or AUTO
    if format_name != AUTO and format_name not in IMPORTERS:
        known = ", ".join((AUTO, *sorted(IMPORTERS)))
        raise InvalidInput(f"Unknown format; known: {known}.", param="format")
    zone = _text(form, "timezone") or _text(form, "zone") or (await kit.runtime.read()).timezone
    check_zone(zone)
    request_id = one_request_id(idempotency_key, _text(form, "request_id"))
    name = clean(upload.filename or "").strip()[-MAX_FILE_NAME_CHARS:] or "upload"
    staged = kit.intake.staging_path(name)
    body_digest = await sync_to_thread(_copy, upload, staged)
    operation = await kit.intake.import_upload(
        caller.owner,
        staged,
        ImportOptions(
            zone=zone,
            me=tuple(clean(str(value))[:MAX_NAME_CHARS] for value in form.getall("me", [])[:MAX_ME]),
            title=_text(form, "title"),
            chat_id=_text(form, "chat_id"),
            origin=name,
        ),
        filename=name,
        format=None if format_name == AUTO else format_name,
        request_id=request_id,
        body_digest=body_digest,
    )
    return Response(to_operation(operation), status_code=202)


async def _form(request: Request[Any, Any, Any]) -> FormMultiDict:
    try:
        return await request.form()
    except (HTTPException, ValueError, UnicodeDecodeError) as error:
        raise InvalidInput("The multipart body is broken.") from error


def _text(form: FormMultiDict, name: str) -> str | None:
    value = form.get(name)
    if value is None or isinstance(value, UploadFile):
        return None
    return clean(str(value)).strip()[:MAX_NAME_CHARS] or None


def _copy(upload: UploadFile, staged: Path) -> str:
    """Write the file to its place and return the digest of its bytes."""
    digest = hashlib.sha256()
    upload.file.seek(0)
    with staged.open("wb") as target:
        while chunk := upload.file.read(_CHUNK_BYTES):
            digest.update(chunk)
            target.write(chunk)
    return digest.hexdigest()
