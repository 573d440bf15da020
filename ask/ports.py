"""What asking needs from elsewhere; doso.compose hands it the fitting thing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from doso.ids import OwnerId, PassageId
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import IndexStatus, Passage, Source


@dataclass(frozen=True, slots=True)
class PassageFilter:
    """Which passages a search may see. None means no limit of that kind.

    Chat, live-ask and staging documents are never in the document arm; `Source.CHAT` in `sources` asks for them.
    """

    chat_ids: tuple[str, ...] | None = None
    document_ids: tuple[str, ...] | None = None
    sources: frozenset[Source] | None = None
    since: datetime | None = None  # occurred_at, half-open
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class PassageHit:
    """A passage found in one arm. `score` compares within one result only."""

    passage: Passage
    score: float


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
