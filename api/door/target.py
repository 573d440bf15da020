"""The request's target: bounds and encoding of path and query."""

from urllib.parse import unquote_to_bytes

from api.door.reply import ASGIApp, Receive, Scope, Send, refuse
from doso.errors import DosoError, InvalidInput, NotFound, TooLarge

MAX_PATH_BYTES = 2_048
MAX_QUERY_BYTES = 16_384


class UriTooLong(TooLarge):
    """The target itself is too long."""

    status = 414


class TargetGuard:
    """Refuses a target that no route can mean."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                check_target(scope["raw_path"] or b"", scope["query_string"])
            except DosoError as error:
                await refuse(error, send)
                return
        await self._app(scope, receive, send)


def check_target(path: bytes, query: bytes) -> None:
    """Raises UriTooLong, InvalidInput for a query that is no UTF-8, NotFound for a path that is none."""
    if len(path) > MAX_PATH_BYTES or len(query) > MAX_QUERY_BYTES:
        raise UriTooLong(f"The address is longer than {MAX_QUERY_BYTES} bytes.")
    try:
        unquote_to_bytes(query.replace(b"+", b" ")).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput("The query string is not UTF-8.") from error
    try:
        text = unquote_to_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise NotFound("There is no such route.") from error
    if "\x00" in text or text.startswith("//"):
        raise NotFound("There is no such route.")
