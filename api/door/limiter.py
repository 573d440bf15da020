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
#: Answers under way or waiting for their retrieval; they hold little, but not nothing.
ANSWER_PATHS = frozenset({"/v1/chat/completions", "/v1/responses", "/v1/embeddings"})
MAX_ANSWERS = 1_000
_TOO_MANY = "Too many questions at once; try again shortly."
_GIVE_BACK = "doso.give_back"


def give_back(scope: Mapping[str, Any]) -> None:
    """Give the place of a request back early: it goes on to wait for somebody else."""
    scope[_GIVE_BACK]()


class EvidenceLimiter:
    """Lets a few through at a time, a bounded number wait for a bounded time, and answers 503 to the rest.

    Answers are not among them: they hold no processor while they wait for a model, and their retrieval is bounded by
    the gate of ask.kit; MAX_ANSWERS bounds their number. A caller who leaves gives the place back at once, by
    api.door.leaving.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics
        self._slots = asyncio.Semaphore(MAX_IN_FLIGHT)
        self._waiting_count = 0
        self._answers_count = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        if path in ANSWER_PATHS:
            await self._answer(scope, receive, send)
        elif path in LIMITED_PATHS:
            await self._limited(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._answers_count >= MAX_ANSWERS:
            await refuse(Busy(_TOO_MANY, retry_after_s=2), send)
            return
        self._answers_count += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._answers_count -= 1

    async def _limited(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not await self._enter():
            await refuse(Busy(_TOO_MANY, retry_after_s=2), send)
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
