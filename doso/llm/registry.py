"""The embedders and the providers of models by name, and the choice among the embedders."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from doso.clock import Clock
from doso.errors import InvalidInput
from doso.llm.http import Connections
from doso.llm.ports import Embedder, Provider
from doso.plugins import load
from doso.settings import EmbedSettings
from doso.telemetry import log

if TYPE_CHECKING:
    from doso.llm.config import ModelConfig  # which checks its entries by the table below

#: Each file ends in `build(settings, home) -> Embedder`.
EMBEDDERS = {
    "hashing": "doso.llm.embedders.hashing:build",
    "minilm": "doso.llm.embedders.minilm:build",
    "onnx": "doso.llm.embedders.onnx:build",
    "openai": "doso.llm.embedders.openai:build",
}

#: Each file ends in `build(config, connections, clock) -> Provider`.
PROVIDERS = {
    "openai": "doso.llm.providers.openai:build",
}


def open_provider(config: ModelConfig, connections: Connections, clock: Clock) -> Provider:
    """The model of this configuration; nothing is sent yet. Raises InvalidInput for a provider nobody registered."""
    provider: Provider = load(PROVIDERS, "provider", config.provider)(config, connections, clock)
    return provider


#: Whatever is at hand, the best first.
AUTO = "auto"


def open_embedder(settings: EmbedSettings, home: Path) -> Embedder:
    """The embedder that was asked for, or with "auto" the best that is at hand; models are read at first use.

    Raises InvalidInput when one that was asked for, by name, folder or address, can't be opened.
    """
    if settings.provider != AUTO:
        return _build(settings.provider, settings, home)
    if settings.model_dir is not None:
        return _build("onnx", settings, home)
    if settings.base_url is not None:
        return _build("openai", settings, home)
    for name in ("onnx", "minilm"):
        try:
            return _build(name, settings, home)
        except InvalidInput as error:
            log().info("embedder.passed_over", embedder=name, reason=error.message)
    return _build("hashing", settings, home)


def _build(name: str, settings: EmbedSettings, home: Path) -> Embedder:
    embedder: Embedder = load(EMBEDDERS, "embedder", name)(settings, home)
    return embedder
