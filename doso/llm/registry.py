"""The embedders by name, and the choice among them."""

from __future__ import annotations

from pathlib import Path

from doso.llm.ports import Embedder
from doso.plugins import load
from doso.settings import EmbedSettings

#: Each file ends in `build(settings, home) -> Embedder`.
EMBEDDERS = {
    "hashing": "doso.llm.embedders.hashing:build",
}


def open_embedder(settings: EmbedSettings, home: Path) -> Embedder:
    """The configured embedder. Raises InvalidInput for an unknown name."""
    name = "hashing" if settings.provider == "auto" else settings.provider
    embedder: Embedder = load(EMBEDDERS, "embedder", name)(settings, home)
    return embedder
