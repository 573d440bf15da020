"""The one pool of connections to models' servers, opened with the first call."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2

MAX_CONNECTIONS = 1_000
MAX_IDLE_CONNECTIONS = 100
IDLE_EXPIRY_S = 30.0


class Connections:
    """Holds the client, which is made with its first use: a start without models does without."""

    def __init__(self) -> None:
        self._client: httpx2.AsyncClient | None = None
        self._opening = asyncio.Lock()

    async def client(self) -> httpx2.AsyncClient:
        """The client; reading the trusted certificates takes a while, so it is made beside the loop."""
        if self._client is None:
            async with self._opening:
                if self._client is None:
                    self._client = await asyncio.to_thread(_opened)
        return self._client

    async def aclose(self) -> None:
        """Close every connection."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()


def _opened() -> httpx2.AsyncClient:
    """Redirects are not followed: a prompt and a key go where the configuration says, only there. Whoever sends and
    reads keeps the time; only connecting is timed here, by each request."""
    import httpx2  # noqa: PLC0415 - with all it needs, slower to load than many a start

    limits = httpx2.Limits(
        max_connections=MAX_CONNECTIONS,
        max_keepalive_connections=MAX_IDLE_CONNECTIONS,
        keepalive_expiry=IDLE_EXPIRY_S,
    )
    return httpx2.AsyncClient(timeout=httpx2.Timeout(None), limits=limits, follow_redirects=False)
