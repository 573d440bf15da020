"""What asking needs from elsewhere; doso.compose hands it the fitting thing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from doso.ids import OwnerId, PassageId
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import IndexStatus, Passage
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


__all__ = ["PassageFilter", "PassageHit", "PassageSearch"]
