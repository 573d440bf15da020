"""The ASGI application for any server: `uvicorn --factory doso.asgi:create_app`."""

from __future__ import annotations

from api.app import build_app
from api.door.reply import ASGIApp
from doso.compose import open_kit
from doso.settings import Settings
from doso.telemetry import configure_logging


def create_app(settings: Settings | None = None) -> ASGIApp:
    """An application that opens everything when the server starts it, and closes it when the server stops."""
    chosen = settings or Settings.from_env()
    configure_logging(chosen.log_level)
    return build_app(lambda: open_kit(chosen))
