"""The current moment, behind a port so that tests and replays can choose it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def system_clock() -> datetime:
    """Now, UTC-aware."""
    return datetime.now(UTC)
