"""HTTP to a configured service: whole answers of bounded size and time, repeated once where nothing came back."""

from __future__ import annotations

import asyncio
import functools
import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import httpx

MAX_ANSWER_BYTES = 8_000_000
CONNECT_S = 5.0
ATTEMPTS = 2
PAUSE_S = 0.3
#: A service that asks for a longer pause than this is left alone instead.
MAX_PAUSE_S = 3.0
_PASSING = frozenset({500, 502, 503})
_NO_ANSWER = (httpx.ConnectError, httpx.ConnectTimeout, httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)

_KEPT_HEADERS = ("content-type", "retry-after")

Pause = Callable[[float], Awaitable[None]]


class AnswerTooLargeError(httpx.HTTPError):
    """The answer has more bytes than are read."""


@dataclass(frozen=True, slots=True)
class Service:
    """One configured address. Credentials go into the header alone, redirects are not followed."""

    base_url: str
    headers: Mapping[str, str]
    max_bytes: int = MAX_ANSWER_BYTES
    pause: Pause = asyncio.sleep

    async def post(self, path: str, body: object, *, timeout_s: float) -> httpx.Response:
        """The answer, read to its end. `timeout_s` bounds all of it, a second attempt included. Raises TimeoutError
        and httpx.HTTPError."""
        timeout = httpx.Timeout(timeout_s, connect=CONNECT_S)
        async with (
            asyncio.timeout(timeout_s),
            httpx.AsyncClient(
                headers={"Accept-Encoding": "identity", **self.headers}, timeout=timeout, verify=await certificates()
            ) as client,
        ):
            attempt = 1
            while True:
                try:
                    response = await self._once(client, path, body)
                except _NO_ANSWER:
                    if attempt == ATTEMPTS:
                        raise
                    await self.pause(PAUSE_S)
                else:
                    pause_s = _pause_before_repeat(response)
                    if pause_s is None or attempt == ATTEMPTS:
                        return response
                    await self.pause(pause_s)
                attempt += 1

    async def _once(self, client: httpx.AsyncClient, path: str, body: object) -> httpx.Response:
        async with client.stream("POST", f"{self.base_url.rstrip('/')}{path}", json=body) as response:
            whole = bytearray()
            async for piece in response.aiter_bytes():
                whole += piece
                if len(whole) > self.max_bytes:
                    raise AnswerTooLargeError("the answer is too large")
            kept = [(name, value) for name, value in response.headers.items() if name in _KEPT_HEADERS]
            return httpx.Response(response.status_code, headers=kept, content=bytes(whole), request=response.request)


async def certificates() -> ssl.SSLContext:
    """The authorities that are believed; reading them takes a tenth of a second, so it is done once."""
    return await asyncio.to_thread(_certificates)


@functools.cache
def _certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context()


def _pause_before_repeat(response: httpx.Response) -> float | None:
    """How long to wait before asking once more; None where the answer stands."""
    if response.status_code in _PASSING:
        return PAUSE_S
    if response.status_code != 429:
        return None
    stated = response.headers.get("retry-after", "")
    seconds = float(stated) if stated.isascii() and stated.isdecimal() and len(stated) < 6 else MAX_PAUSE_S + 1
    return max(seconds, PAUSE_S) if seconds <= MAX_PAUSE_S else None
