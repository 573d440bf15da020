"""A stream of frames as a response: begun when its first frame is there, ended in order whatever happens."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack
from typing import Any

from litestar import Request, Response
from litestar.response.streaming import ASGIStreamingResponse

from api.door.leaving import CLOSING
from api.problems import log_unexpected
from api.wire.sse import Encoder, Relay, encoded
from doso.errors import DosoError
from doso.telemetry import log

MEDIA_TYPE = "text/event-stream"
#: No cache and no proxy on the way may hold frames back.
HEADERS = {"Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no"}
#: An answer that has not begun by then gets its headers all the same; until then a failure has a status of its own.
BEGUN_WITHIN_S = 2.0
#: A comment is sent when nothing else was for so long; proxies cut a silent connection after 30 to 60 seconds.
KEEP_ALIVE_S = 10.0


async def begin_stream(
    request: Request[Any, Any, Any], events: AsyncGenerator[Any, None], encoder: Encoder
) -> Response[bytes]:
    """The response of a stream. Raises what the events raise before their first frame."""
    stack: AsyncExitStack = request.scope[CLOSING]  # type: ignore[literal-required]
    relay = await stack.enter_async_context(Relay(encoded(events, encoder)))
    await relay.ready(BEGUN_WITHIN_S)
    return _EventStream(_frames(relay, encoder, request.scope["path"]))


async def _frames(relay: Relay, encoder: Encoder, route: str) -> AsyncGenerator[bytes, None]:
    try:
        while frames := await relay.take(KEEP_ALIVE_S):
            yield frames
    except DosoError as error:
        log().warning("stream.failed", code=error.code, route=route)
        yield encoder.failed(error)
    except Exception as error:  # noqa: BLE001 - the stream's last line: this event is all that a client can still see
        log_unexpected(error, route)
        yield encoder.failed(error)


class _EventStream(Response[bytes]):
    """A response whose body is made while it is sent."""

    def __init__(self, frames: AsyncGenerator[bytes, None]) -> None:
        super().__init__(b"", media_type=MEDIA_TYPE, headers=HEADERS, status_code=200)
        self._frames = frames

    def to_asgi_response(  # the framework's own signature
        self, app: Any, request: Any, *, encoded_headers: Iterable[tuple[bytes, bytes]] | None = None, **_: Any
    ) -> ASGIStreamingResponse:
        """The same for the server."""
        return _EventStreamReply(
            iterator=self._frames,
            media_type=MEDIA_TYPE,
            status_code=200,
            headers=dict(HEADERS),
            encoded_headers=encoded_headers,
        )


class _EventStreamReply(ASGIStreamingResponse):
    """Only sends: the caller's leaving is watched for at the door."""

    async def send_body(self, send: Any, receive: Any) -> None:
        """Send the frames as they come."""
        await self._stream(send)
