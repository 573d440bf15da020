"""The embedder that the settings choose, which may change while the process runs."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path

from doso.errors import EmbedderUnavailable, InvalidInput
from doso.llm.ports import Embedder, EmbedderInfo, Vectors
from doso.llm.registry import AUTO, EMBEDDERS, open_embedder
from doso.settings import EmbedSettings
from doso.telemetry import log


class ChosenEmbedder:
    """Implements Embedder by the one that is chosen at present. Work that uses it more than once settles on one first:
    vectors of two must never meet."""

    def __init__(self, settings: EmbedSettings, home: Path, provider: Callable[[], Awaitable[str]]) -> None:
        self._settings = settings
        self._home = home
        self._provider = provider
        self._opened: dict[str, Embedder] = {}
        self._chosen: Embedder | None = None
        self.trouble: str | None = None  # why there is none

    @property
    def info(self) -> EmbedderInfo:
        """The identity of the one chosen last. Raises EmbedderUnavailable."""
        if self._chosen is None:
            raise EmbedderUnavailable(self.trouble or "No embedder is chosen yet.")
        return self._chosen.info

    @property
    def known_info(self) -> EmbedderInfo | None:
        """The same; None where there is none."""
        return None if self._chosen is None else self._chosen.info

    def choose(self, provider: str) -> Embedder | None:
        """The embedder of this provider, chosen from now on; None where it can't be opened in this process."""
        try:
            self._chosen, self.trouble = self._open(provider), None
        except InvalidInput as error:
            if self.trouble is None:
                log().error("embedder.missing", embedder=provider)
            self._chosen, self.trouble = None, f"The chosen embedder can't be opened: {error.message}"
        return self._chosen

    async def settle(self) -> Embedder:
        """The one that the settings choose now, for the length of some work. Raises EmbedderUnavailable."""
        provider = await self._provider()
        if provider not in self._opened:
            await asyncio.to_thread(self.choose, provider)  # some load much when they are opened
        chosen = self.choose(provider)
        if chosen is None:
            raise EmbedderUnavailable(self.trouble or "There is no embedder.")
        return chosen

    async def check(self, provider: str) -> None:
        """Open it without choosing it. Raises InvalidInput saying what is missing."""
        try:
            if provider != AUTO and provider not in EMBEDDERS:
                raise InvalidInput(f"Embedders are {', '.join((AUTO, *EMBEDDERS))}.")
            await asyncio.to_thread(self._open, provider)
        except InvalidInput as error:
            raise InvalidInput(error.message, param="embed_provider") from error

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts, by the one that is chosen now. Raises EmbedderUnavailable."""
        return await (await self.settle()).embed_passages(texts)

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a question, by the one that is chosen now. Raises EmbedderUnavailable."""
        return await (await self.settle()).embed_query(text)

    async def aclose(self) -> None:
        """Close all that were opened."""
        for embedder in self._opened.values():
            await embedder.aclose()
        self._opened.clear()

    def _open(self, provider: str) -> Embedder:
        if provider not in self._opened:
            self._opened[provider] = open_embedder(replace(self._settings, provider=provider), self._home)
        return self._opened[provider]


async def settled(embedder: Embedder) -> Embedder:
    """One embedder for the length of some work. Raises EmbedderUnavailable."""
    return await embedder.settle() if isinstance(embedder, ChosenEmbedder) else embedder
