"""Errors on the wire: the OpenAI envelope for everything, with stable codes and no text of a driver."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from doso.errors import Conflict, DosoError, ProviderRefused, ReplyUnreadable
from doso.telemetry import log

#: What a client is told when something unforeseen happened; the log has its type and place.
UNEXPECTED = "Something went wrong inside Doso. The request id names it in the log."
RETRY_AFTER_S = 2

_TYPES = {403: "permission_error", 429: "rate_limit_exceeded"}
#: Routes that OpenAI's own clients call, and the codes that those know by another name.
OPENAI_PATHS = ("/v1/chat/completions", "/v1/models", "/v1/embeddings", "/v1/responses")
_OPENAI_CODES = {"auth.required": "invalid_api_key"}
#: Trying again by itself would bring the same.
_FINAL = (Conflict, ProviderRefused, ReplyUnreadable)
#: Longer than this no client should wait by itself.
MAX_RETRY_AFTER_S = 120
_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "validation"}


#: An unknown id and a foreign one get the same answer to the last byte, so it doesn't repeat the id.
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ROUTING = {404: "There is no such route.", 405: "This route does not take that method."}


#: Parameters that a caller knows by another name than their handler does.
_SPELLED = {"idempotency_key": "Idempotency-Key", "since": "from", "until": "to", "start": "from", "end": "to"}


class ErrorBody(msgspec.Struct, frozen=True):
    """The inner object of the envelope; `request_id` inside a stream, where no header can tell it any more."""

    message: str
    type: str
    param: str | None
    code: str
    request_id: str | msgspec.UnsetType = msgspec.UNSET


class Envelope(msgspec.Struct, frozen=True):
    """The OpenAI shape of an error."""

    error: ErrorBody


def envelope(status: int, message: str, code: str, param: str | None = None) -> Envelope:
    """The error object for this status."""
    kind = _TYPES.get(status) or ("server_error" if status >= 500 else "invalid_request_error")
    return Envelope(ErrorBody(message=message, type=kind, param=param, code=code))


def fault_of(error: DosoError, path: str = "") -> Envelope:
    """The error object of what Doso raised on purpose, as a client of this route knows it."""
    code = _OPENAI_CODES.get(error.code, error.code) if path.startswith(OPENAI_PATHS) else error.code
    message = _ID.sub("with this id", error.message) if error.status == 404 else error.message
    return envelope(error.status, message, code, error.param)


def fault_in_stream(error: Exception, request_id: str) -> Envelope:
    """The error object of a stream that can't have a status any more."""
    known = fault_of(error) if isinstance(error, DosoError) else envelope(500, UNEXPECTED, "internal")
    return Envelope(msgspec.structs.replace(known.error, request_id=request_id))


def headers_of(error: DosoError) -> dict[str, str]:
    """Headers that go with an error: how long to wait, how to sign in, whether a client should try again by itself.

    OpenAI's clients repeat 409, 429 and 5xx twice unless they are told not to.
    """
    headers: dict[str, str] = {}
    if error.status == 401:
        headers["WWW-Authenticate"] = 'Bearer realm="doso"'
    if error.status in (429, 503):
        headers["Retry-After"] = str(error.retry_after_s or RETRY_AFTER_S)
    if isinstance(error, _FINAL) or (error.retry_after_s or 0) > MAX_RETRY_AFTER_S:
        headers["X-Should-Retry"] = "false"
    return headers


def on_doso_error(request: Request[Any, Any, Any], error: DosoError) -> Response[Envelope]:
    """An error that Doso raised on purpose."""
    body = fault_of(error, request.scope["path"])
    return Response(body, status_code=error.status, headers=headers_of(error))


def log_unexpected(error: Exception, route: str) -> None:
    """An error that nobody foresaw, by type and place; its text may quote what a person wrote."""
    log().error("request.failed", error=type(error).__name__, place=_place(error), route=route)


def on_http_error(_request: Request[Any, Any, Any], error: HTTPException) -> Response[Envelope]:
    """An error of the framework: unknown route, wrong method, a body or parameter of the wrong shape."""
    status = error.status_code
    if isinstance(error, ValidationException):
        param, fault = _first_fault(error)
        return Response(envelope(400, fault, "validation", param), status_code=400)
    code = _CODES.get(status, "validation" if status < 500 else "internal")
    allowed = {name: value for name, value in (error.headers or {}).items() if name.lower() == "allow"}
    text = _ROUTING.get(status) or (_first_line(error.detail) if status < 500 else UNEXPECTED)
    return Response(envelope(status, text, code), status_code=status, headers=allowed)


def on_unexpected(request: Request[Any, Any, Any], error: Exception) -> Response[Envelope]:
    """Anything else."""
    log_unexpected(error, str(request.scope.get("path_template", "")))
    return Response(envelope(500, UNEXPECTED, "internal"), status_code=500)


def _first_fault(error: ValidationException) -> tuple[str | None, str]:
    extra = error.extra
    first: Any = extra[0] if isinstance(extra, list) and extra else None
    if isinstance(first, Mapping):
        key, fault = str(first.get("key")), _first_line(str(first.get("message") or error.detail))
        return (None if key in ("None", "data") else _SPELLED.get(key, key)), fault
    return None, _first_line(error.detail)


def _first_line(text: str) -> str:
    line = text.strip().splitlines()[0] if text.strip() else "The request is not valid."
    if line == "'data'":
        return "The body is empty; this route takes JSON."
    return line.partition(" for path ")[0][:300]


def _place(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{trace.tb_frame.f_globals.get('__name__', '')}:{trace.tb_lineno}"
