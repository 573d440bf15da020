"""`doso serve`: the HTTP server in this process."""

from __future__ import annotations

import asyncio
import gc
import ipaddress
from dataclasses import replace

import click

from doso.errors import InvalidInput
from doso.settings import Settings

GRACEFUL_S = 10
KEEP_ALIVE_S = 30
BACKLOG = 1024


@click.command()
@click.option("--host", help="Address to listen on; anything but this machine needs a key. [default: DOSO_HOST]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on. [default: DOSO_PORT]")
def serve(host: str | None, port: int | None) -> None:
    """Serve HTTP until interrupted."""
    settings = Settings.from_env()
    settings = replace(
        settings, host=settings.host if host is None else host, port=settings.port if port is None else port
    )
    if not _is_loopback(settings.host):
        asyncio.run(_check_key(settings))
    gc.disable()  # nothing that is loaded now is garbage; looking for it takes a tenth of the start
    import uvicorn  # noqa: PLC0415 - the command line checks come first

    from doso.asgi import create_app  # noqa: PLC0415
    from doso.http_protocol import BoundedProtocol  # noqa: PLC0415

    config = uvicorn.Config(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        http=BoundedProtocol,
        lifespan="on",
        timeout_graceful_shutdown=GRACEFUL_S,
        timeout_keep_alive=KEEP_ALIVE_S,
        backlog=BACKLOG,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws="none",
    )
    server = uvicorn.Server(config)
    gc.freeze()
    gc.enable()
    click.echo(f"Doso listens on http://{_shown(settings.host)}:{settings.port} (Ctrl+C stops it)", err=True)
    server.run()
    if not server.started:
        raise SystemExit(3)


async def _check_key(settings: Settings) -> None:
    from doso.accounts import Accounts  # noqa: PLC0415
    from doso.db.engine import open_database  # noqa: PLC0415
    from doso.db.migrate import upgrade  # noqa: PLC0415

    database = open_database(settings.database_url)
    try:
        await upgrade(database)
        if await Accounts(database).is_keyless():
            raise InvalidInput(
                f"Listening on {settings.host} needs a key, else anyone there could read this memory: "
                "make one with `doso keys create`, or listen on 127.0.0.1.",
                param="host",
            )
    finally:
        await database.aclose()


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
