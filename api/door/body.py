"""Bounds on a request's body, checked by its declared length and again while it is read."""

from collections.abc import Mapping

from api.door.json_bytes import check_json
from api.door.reply import ASGIApp, Message, Receive, Scope, Send, header, refuse
from doso.errors import DosoError, InvalidInput, TooLarge

MAX_JSON_BYTES = 5_000_000
MAX_THREAD_BYTES = 16_000_000
#: Clients send the pictures of a whole conversation with each turn.
MAX_CHAT_BYTES = 16_000_000
MAX_UPLOAD_BYTES = 1_000_000_000
#: Routes that take more JSON than others.
JSON_LIMITS: Mapping[str, int] = {
    "/v1/threads": MAX_THREAD_BYTES,
    "/v1/facts": MAX_THREAD_BYTES,
    "/v1/chat/completions": MAX_CHAT_BYTES,
    "/v1/responses": MAX_CHAT_BYTES,
}
#: Routes that take a file.
UPLOAD_PATHS = frozenset({"/v1/documents", "/v1/documents/import"})
_WRITES = frozenset({"POST", "PUT", "PATCH"})


class BodyGuard:
    """Refuses what is too large, of another type than it may be, or not JSON, before a route parses it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            guarded = await _guard(scope, receive)
        except DosoError as error:
            await refuse(error, send)
            return
        await self._app(scope, guarded, send)


async def _guard(scope: Scope, receive: Receive) -> Receive:
    kind = (header(scope, b"content-type") or "").split(";")[0].strip().lower()
    path = scope["path"]
    length = _declared_length(scope)
    if kind == "multipart/form-data" and path in UPLOAD_PATHS:
        _check_size(length, MAX_UPLOAD_BYTES)
        return _counted(receive, MAX_UPLOAD_BYTES)
    limit = JSON_LIMITS.get(path, MAX_JSON_BYTES)
    _check_size(length, limit)
    body = await _read(receive, limit)
    if body and scope["method"] in _WRITES:
        if kind != "application/json" and not kind.endswith("+json"):
            raise InvalidInput("The Content-Type must be application/json.", param="Content-Type")
        check_json(body)
    return _replayed(body, receive)


def _declared_length(scope: Scope) -> int | None:
    value = header(scope, b"content-length")
    if value is None:
        return None
    if not value.isascii() or not value.isdecimal():
        raise InvalidInput("The Content-Length is not a number.", param="Content-Length")
    return int(value[:20])


def _check_size(size: int | None, limit: int) -> None:
    if size is not None and size > limit:
        raise TooLarge(f"The body is larger than {limit} bytes.")


async def _read(receive: Receive, limit: int) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise InvalidInput("The body ended early.")
        chunk = message.get("body", b"")
        size += len(chunk)
        _check_size(size, limit)
        chunks.append(chunk)
        if not message.get("more_body"):
            return b"".join(chunks)


def _replayed(body: bytes, receive: Receive) -> Receive:
    is_sent = False

    async def replay() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _counted(receive: Receive, limit: int) -> Receive:
    size = 0

    async def counted() -> Message:
        nonlocal size
        message = await receive()
        if message["type"] == "http.request":
            size += len(message.get("body", b""))
            _check_size(size, limit)
        return message

    return counted
