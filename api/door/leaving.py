"""Ends the work of a caller who leaves: a server stops sending by itself, it does not stop a handler."""

import asyncio
from collections.abc import Awaitable
from contextlib import AsyncExitStack, suppress

from api.door.reply import ASGIApp, Message, Receive, Scope, Send

#: Where asking and reading are long; a write that its caller no longer waits for is finished all the same.
WATCHED_PATHS = frozenset(
    {
        "/v1/ask/evidence",
        "/v1/chat/completions",
        "/v1/embeddings",
        "/v1/events",
        "/v1/responses",
        "/v1/search",
    }
)
#: Where a route leaves what must be closed with the request, however it ends.
CLOSING = "doso.closing"


class LeavingGuard:
    """Cancels the work on a request when its caller leaves, and closes what the request opened."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in WATCHED_PATHS:
            await self._app(scope, receive, send)
            return
        body = await receive()
        async with AsyncExitStack() as stack:
            scope[CLOSING] = stack
            await _until_gone(self._app(scope, _once(body), send), receive)


async def _until_gone(work: Awaitable[None], receive: Receive) -> None:
    task = asyncio.ensure_future(work)
    gone = asyncio.create_task(_disconnected(receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        if not task.done():
            task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _once(message: Message) -> Receive:
    """The whole body once; after it nothing more comes until the caller leaves, which the guard watches for."""
    messages = [message]

    async def receive() -> Message:
        return messages.pop() if messages else await asyncio.Future()

    return receive
