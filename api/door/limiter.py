"""A bound on evidence requests worked on at once, with a short queue before it."""

import asyncio
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Any

from api.door.reply import ASGIApp, Receive, Scope, Send, refuse
from doso.errors import Busy
from doso.telemetry import Metrics

LIMITED_PATHS = frozenset({"/v1/ask/evidence", "/v1/search"})
MAX_IN_FLIGHT = 4
MAX_WAITING = 160
MAX_WAIT_S = 6.0
_GIVE_BACK = "doso.give_back"


def give_back(scope: Mapping[str, Any]) -> None:
    """Give the place of a request back early: it goes on to wait for somebody else."""
    scope[_GIVE_BACK]()


class EvidenceLimiter:
    """Lets a few through at a time, a bounded number wait for a bounded time, and answers 503 to the rest.

    Streams are not among them: they hold no processor while they wait for a model, and their retrieval is bounded by
    the gate of ask.kit. A caller who leaves gives the place back at once, by api.door.leaving.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics
        self._slots = asyncio.Semaphore(MAX_IN_FLIGHT)
        self._waiting_count = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in LIMITED_PATHS:
            await self._app(scope, receive, send)
            return
        if not await self._enter():
            await refuse(Busy("Too many questions at once; try again shortly.", retry_after_s=2), send)
            return
        with ExitStack() as place:
            place.callback(self._slots.release)
            scope[_GIVE_BACK] = place.close
            with self._metrics.evidence_in_flight.track_inprogress():
                await self._app(scope, receive, send)

    async def _enter(self) -> bool:
        if not self._slots.locked():
            return await self._slots.acquire()
        if self._waiting_count >= MAX_WAITING:
            return False
        self._waiting_count += 1
        self._metrics.evidence_waiting.set(self._waiting_count)
        try:
            async with asyncio.timeout(MAX_WAIT_S):
                return await self._slots.acquire()
        except TimeoutError:
            return False
        finally:
            self._waiting_count -= 1
            self._metrics.evidence_waiting.set(self._waiting_count)
