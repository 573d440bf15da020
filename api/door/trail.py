"""The trail of a request: its id, one log line, its place in the metrics."""

import re
import time

from api.door.reply import ASGIApp, Message, Receive, Scope, Send, header
from doso.ids import new_id
from doso.telemetry import Metrics, log, log_fields

#: Where a route finds the id of its request.
REQUEST_ID = "doso.request_id"
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_QUIET = frozenset({"/health/live", "/health/ready", "/metrics"})


class RequestTrail:
    """Outermost layer: every answer carries an x-request-id, the caller's own when it is a plain word."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = header(scope, b"x-request-id") or ""
        request_id = given if _REQUEST_ID.fullmatch(given) else new_id()
        scope[REQUEST_ID] = request_id
        status = 0
        started = time.perf_counter()

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message = _with_id(message, request_id)
            await send(message)

        with log_fields(request_id=request_id):
            try:
                await self._app(scope, receive, sending)
            finally:
                self._note(scope, status, time.perf_counter() - started)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route = str(scope.get("path_template") or "-")
        method = scope["method"] if scope["method"] in ("GET", "POST", "PUT", "PATCH", "DELETE") else "other"
        metrics = self._metrics
        metrics.requests.labels(method, route, str(status)).inc()
        metrics.latency.labels(route).observe(seconds)
        level = "debug" if scope["path"] in _QUIET else "info"
        getattr(log(), level)("request", method=method, route=route, status=status, ms=round(seconds * 1000, 1))


def _with_id(message: Message, request_id: str) -> Message:
    headers = [*message.get("headers", ()), (b"x-request-id", request_id.encode())]
    return {**message, "headers": headers}
