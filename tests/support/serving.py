"""The whole application on a real socket in the test's own loop, with a guard of the test's own for what it opens."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

import httpx
import uvicorn

from api.app import build_app
from doso.compose import open_kit
from doso.outgoing import Outgoing
from doso.settings import Settings

WITHIN_S = 60.0


@asynccontextmanager
async def served(home: Path, outgoing: Outgoing, **env: str) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a server on a fresh home, which reads the given environment and no other."""
    given = {"DOSO_HOME": str(home), "LLM_EMBED_PROVIDER": "hashing", "DOSO_LOG_LEVEL": "ERROR"} | env
    settings = Settings.from_env(given)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        app = build_app(lambda: open_kit(settings, outgoing))
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", timeout_graceful_shutdown=1))
        server.capture_signals = nullcontext  # type: ignore[method-assign, assignment]
        task = asyncio.create_task(server.serve(sockets=[listening]))
        try:
            async with asyncio.timeout(WITHIN_S):
                while not server.started and not task.done():
                    await asyncio.sleep(0.01)
            url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            async with httpx.AsyncClient(base_url=url, timeout=WITHIN_S, trust_env=False) as client:
                yield client
        finally:
            server.should_exit = True
            await task
