"""What asking needs from elsewhere; doso.compose hands it the fitting thing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from doso.ids import OwnerId, PassageId
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import IndexStatus, Passage
from doso.records.live import FailedSource, LiveFindings
from doso.records.passages import PassageFilter, PassageHit


class PassageSearch(Protocol):
    """The library as asking sees it."""

    async def search_lexical(
        self, owner: OwnerId, tokens: Sequence[str], filter: PassageFilter, *, limit: int
    ) -> tuple[PassageHit, ...]:
        """BM25 over search tokens (doso.text), best first; no tokens, no hits."""
        ...

    async def search_vector(
        self, owner: OwnerId, vector: Vectors, info: EmbedderInfo, filter: PassageFilter, *, limit: int
    ) -> tuple[PassageHit, ...]:
        """Cosine in the active index, best first. Raises IndexMismatch when that index is of another embedder."""
        ...

    async def neighbours(
        self, owner: OwnerId, passage_ids: Collection[PassageId], *, before: int, after: int
    ) -> dict[PassageId, tuple[Passage, ...]]:
        """For each passage those around it in its document, in order, itself included."""
        ...

    async def index_status(self, owner: OwnerId) -> IndexStatus: ...


class LiveSources(Protocol):
    """The world outside, as asking sees it. Everything fetched is stored as a document of the lowest trust, its facts
    as candidates, before it is returned."""

    async def research(self, owner: OwnerId, query: str, *, urls: Sequence[str] = ()) -> LiveFindings:
        """Search for the query with every tool that is on (or read the given addresses) and return what was found.

        Never raises for a source that fails or refuses: that is in `failed`. Cancel it to stop all requests.
        """
        ...


__all__ = ["FailedSource", "LiveFindings", "LiveSources", "PassageFilter", "PassageHit", "PassageSearch"]
