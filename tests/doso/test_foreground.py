"""Background work makes room for requests: it waits for a gap, does little while somebody is there, never starves."""

from __future__ import annotations

import asyncio
import math

from api.door.reply import ASGIApp, Message, Receive, Scope, Send
from doso.asgi import told
from doso.foreground import Foreground

MOST, LEAST = 256, 32


def _patient(*, calm_s: float = 0) -> Foreground:
    return Foreground(gap_s=0, calm_s=calm_s, max_wait_s=math.inf)


async def _settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_work_is_large_where_nobody_is_answered() -> None:
    assert await Foreground().turn(most=MOST, least=LEAST) == MOST


async def test_work_waits_until_the_last_request_has_ended() -> None:
    foreground = _patient()
    with foreground.serving():
        with foreground.serving():
            turn = asyncio.create_task(foreground.turn(most=MOST, least=LEAST))
            await _settled()
        await _settled()
        assert not turn.done()
    assert await turn == MOST


async def test_work_is_small_as_long_as_somebody_was_here_lately() -> None:
    foreground = _patient(calm_s=math.inf)
    with foreground.serving():
        pass
    assert await foreground.turn(most=MOST, least=LEAST) == LEAST


async def test_work_that_finds_no_gap_goes_on_with_little() -> None:
    foreground = Foreground(max_wait_s=0)
    with foreground.serving():
        assert await foreground.turn(most=MOST, least=LEAST) == LEAST


async def _request(foreground: Foreground, app: ASGIApp, path: str) -> None:
    async def receive() -> Message:
        return {"type": "http.request"}

    async def send(message: Message) -> None:
        """Nobody reads it."""

    await told(foreground, app)({"type": "http", "path": path}, receive, send)


async def test_requests_are_told_of_and_those_that_only_watch_work_are_not() -> None:
    sizes = []
    foreground = Foreground(gap_s=0, calm_s=0, max_wait_s=0)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        sizes.append(await foreground.turn(most=MOST, least=LEAST))

    for path in ("/v1/ask/evidence", "/v1/operations/1", "/health/ready"):
        await _request(foreground, app, path)
    assert sizes == [LEAST, MOST, MOST]
