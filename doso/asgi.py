"""The ASGI application for any server: `uvicorn --factory doso.asgi:create_app`."""

from __future__ import annotations

from api.app import build_app
from api.door.reply import ASGIApp, Receive, Scope, Send
from doso.compose import open_kit
from doso.foreground import Foreground
from doso.settings import Settings
from doso.telemetry import configure_logging

#: Who only looks whether work is done must not hold it up.
WATCHING = ("/health/", "/metrics", "/v1/operations/")


def create_app(settings: Settings | None = None) -> ASGIApp:
    """An application that opens everything when the server starts it, and closes it when the server stops."""
    chosen = settings or Settings.from_env()
    configure_logging(chosen.log_level)
    foreground = Foreground()
    return told(foreground, build_app(lambda: open_kit(chosen, foreground=foreground)))


def told(foreground: Foreground, app: ASGIApp) -> ASGIApp:
    """The application, whose requests the work in the background makes room for."""

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(WATCHING):
            await app(scope, receive, send)
            return
        with foreground.serving():
            await app(scope, receive, send)

    return answering
