"""Answering at the door itself, in the same envelope as the routes; the shapes of ASGI."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

from api.problems import fault_of, headers_of
from doso.errors import DosoError

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]


async def refuse(error: DosoError, send: Send, path: str = "") -> None:
    """Send the error as a whole answer, in the words of the route that was asked."""
    body = msgspec.json.encode(fault_of(error, path))
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in headers_of(error).items()]
    if error.status == 413:
        headers.append((b"connection", b"close"))  # the rest of the body stays unread
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def header(scope: Scope, name: bytes) -> str | None:
    """The first header of this lower-case name; None when it is absent."""
    for key, value in scope["headers"]:
        if key == name:
            return str(value.decode("latin-1"))
    return None
