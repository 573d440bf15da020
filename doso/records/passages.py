"""What a search over passages is asked and what it hands back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from doso.records.documents import Passage
from doso.records.source import Source


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
