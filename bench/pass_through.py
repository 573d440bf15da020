"""The bare pass-through that Doso's chat path is measured beside: Litestar, httpx, and nothing between.

python -m bench.pass_through --port 8001 --upstream http://127.0.0.1:9001/v1
"""

from __future__ import annotations

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import uvicorn
from litestar import Litestar, Request, get, post
from litestar.response import Stream


def build(upstream: str) -> Litestar:
    """An app that sends each request on as it came and each chunk back as it comes."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=1_000)
    client = httpx.AsyncClient(timeout=60, limits=limits, trust_env=False)

    @post("/v1/chat/completions", status_code=200)
    async def complete_chat(request: Request[Any, Any, Any]) -> Stream:
        body = await request.body()

        async def relay() -> AsyncIterator[bytes]:
            headers = {"content-type": "application/json"}
            async with client.stream("POST", f"{upstream}/chat/completions", content=body, headers=headers) as reply:
                async for chunk in reply.aiter_raw():
                    yield chunk

        return Stream(relay(), media_type="text/event-stream")

    @get("/health/live")
    async def live() -> str:
        return "ok"

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        yield
        await client.aclose()

    return Litestar([complete_chat, live], lifespan=[lifespan], logging_config=None, openapi_config=None)


def main() -> None:
    """Serve on loopback until killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--upstream", required=True)
    arguments = parser.parse_args()
    uvicorn.run(build(arguments.upstream), host="127.0.0.1", port=arguments.port, log_config=None, access_log=False)


if __name__ == "__main__":
    main()
