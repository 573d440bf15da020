"""Every skeptic lens by name."""

from __future__ import annotations

from typing import cast

from ask.skeptics.ports import Lens
from doso.plugins import load

LENSES: dict[str, str] = {
    "support": "ask.skeptics.lenses.support:build",
    "identity": "ask.skeptics.lenses.identity:build",
    "relevance": "ask.skeptics.lenses.relevance:build",
}


def open_lenses() -> tuple[Lens, ...]:
    """All of them, in order."""
    return tuple(cast(Lens, load(LENSES, "lens", name)()) for name in LENSES)
