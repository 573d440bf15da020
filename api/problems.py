"""Errors on the wire: the OpenAI envelope for everything, with stable codes and no text of a driver."""

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from doso.errors import DosoError
from doso.telemetry import log

#: What a client is told when something unforeseen happened; the log has its type and place.
UNEXPECTED = "Something went wrong inside Doso. The request id names it in the log."
RETRY_AFTER_S = 2

_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}
_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "validation"}


#: An unknown id and a foreign one get the same answer to the last byte, so it doesn't repeat the id.
_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ROUTING = {404: "There is no such route.", 405: "This route does not take that method."}


#: Parameters that a caller knows by another name than their handler does.
_SPELLED = {"idempotency_key": "Idempotency-Key", "since": "from", "until": "to", "start": "from", "end": "to"}


class ErrorBody(msgspec.Struct, frozen=True):
    """The inner object of the envelope."""

    message: str
    type: str
    param: str | None
    code: str


class Envelope(msgspec.Struct, frozen=True):
    """The OpenAI shape of an error."""

    error: ErrorBody


def envelope(status: int, message: str, code: str, param: str | None = None) -> Envelope:
    """The error object for this status."""
    kind = _TYPES.get(status) or ("server_error" if status >= 500 else "invalid_request_error")
    return Envelope(ErrorBody(message=message, type=kind, param=param, code=code))


def headers_of(error: DosoError) -> dict[str, str]:
    """Headers that go with an error: how long to wait, how to sign in."""
    if error.status == 401:
        return {"WWW-Authenticate": 'Bearer realm="doso"'}
    if error.status in (429, 503):
        return {"Retry-After": str(error.retry_after_s or RETRY_AFTER_S)}
    return {}


def on_doso_error(_request: Request[Any, Any, Any], error: DosoError) -> Response[Envelope]:
    """An error that Doso raised on purpose."""
    message = _ID.sub("with this id", error.message) if error.status == 404 else error.message
    body = envelope(error.status, message, error.code, error.param)
    return Response(body, status_code=error.status, headers=headers_of(error))


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
    """Anything else: logged by type and place, never by its text, which may quote what a person wrote."""
    place = _place(error)
    log().error("request.failed", error=type(error).__name__, place=place, route=request.scope.get("path_template", ""))
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
