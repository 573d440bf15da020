"""What answers a question: the compiled plan, the evidence items with their sources, the pack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from doso.ids import DocumentId, FactId, PassageId
from doso.records.documents import IndexStatus, Passage
from doso.records.facts import Entity, Literal, Status
from doso.records.live import FailedSource
from doso.records.source import Source


class Intent(StrEnum):
    """What a question is after."""

    IDENTITY_LOOKUP = "identity_lookup"
    PLAN_RECALL = "plan_recall"
    PEOPLE_RANKING = "people_ranking"
    CONVERSATION_QA = "conversation_qa"
    ACTION_REQUEST = "action_request"


class Route(StrEnum):
    """Which sources a question reads: facts and passages, or the latest passages ("catch me up")."""

    HYBRID = "hybrid"
    RECENT = "recent"


@dataclass(frozen=True, slots=True)
class TimeRange:
    """A stretch of time that a question names: half-open, aware, counted in `timezone`. `phrase` is its words."""

    start: datetime
    end: datetime
    timezone: str
    phrase: str = ""


@dataclass(frozen=True, slots=True)
class PersonRef:
    """A person in a question: a name, or only what describes them."""

    name: str | None
    descriptors: tuple[str, ...] = ()
    chat_id: str | None = None


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a question, as of a moment."""

    city: str
    as_of: datetime


@dataclass(frozen=True, slots=True)
class Ranking:
    """People are wanted in order, at most `limit` of them."""

    kind: str
    limit: int


@dataclass(frozen=True, slots=True)
class RequestedAction:
    """Something to be done in the world; asking never does it."""

    type: str
    requires_approval: bool = True


@dataclass(frozen=True, slots=True)
class Plan:
    """A question compiled without a model: the same words at the same moment give the same plan."""

    intent: Intent
    route: Route
    time_range: TimeRange | None = None
    people: tuple[PersonRef, ...] = ()
    location: Location | None = None
    plan_status: tuple[str, ...] = ()  # proposed, confirmed, changed, cancelled
    ranking: Ranking | None = None
    requested_action: RequestedAction | None = None


class ItemKind(StrEnum):
    """What an evidence item is made of."""

    FACT = "fact"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True)
class Scores:
    """The parts of an item's relevance, each 0 to 1; None where that arm did not see it."""

    lexical: float | None = None
    vector: float | None = None
    graph: float | None = None
    recency: float | None = None


@dataclass(frozen=True, slots=True)
class EvidenceSource:
    """Where an item comes from. `external_ids` are the source's own ids of what the passage covers."""

    document_id: DocumentId | None
    passage_id: PassageId | None
    external_ids: tuple[str, ...]
    title: str
    source: Source
    uri: str | None = None
    author: str | None = None
    occurred_at: datetime | None = None
    chat_id: str | None = None
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class EvidenceFact:
    """The triple behind a fact item, its two sides resolved."""

    id: FactId
    subject: Entity
    predicate: str
    object: Entity | Literal
    status: Status
    confidence: float
    recorded_at: datetime
    valid_from: datetime | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """One marked piece of a pack. `score` is the absolute relevance, 0 to 1; order in the pack is by rank."""

    mark: str
    kind: ItemKind
    text: str
    score: float
    scores: Scores
    tokens: int
    sources: tuple[EvidenceSource, ...]
    fact: EvidenceFact | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """A pack. `tokens` is the sum over its items; `no_results`: nothing passed the relevance floor.

    `prompt` is the pack as text to paste. `index_status.warnings` says what could not be searched, and why;
    `failed_sources` are the live ones that could not be read.
    """

    id: str
    question: str
    plan: Plan
    no_results: bool
    items: tuple[EvidenceItem, ...]
    entities: tuple[Entity, ...]
    index_status: IndexStatus
    tokens: int
    prompt: str
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    failed_sources: tuple[FailedSource, ...] = ()


def passage_text(passage: Passage) -> str:
    """A passage as it is quoted and embedded: what someone said with day, hour and speaker, other text as it stands.

    "(8 May 2023, 13:56) Mara: …", in the passage's own zone. A document's date and author stay in its source.
    """
    if passage.chat_id is None:
        return passage.text
    said_at = spoken_at(passage.occurred_at, passage.zone)
    when = "" if said_at is None else f"({said_at.day} {said_at:%B %Y}, {said_at:%H:%M}) "
    who = f"{passage.author}: " if passage.author else ""
    return f"{when}{who}{passage.text}"


def spoken_at(moment: datetime | None, zone: str | None) -> datetime | None:
    """The moment on the clock of its zone; UTC where none is known."""
    if moment is None:
        return None
    try:
        return moment.astimezone(ZoneInfo(zone or "UTC"))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return moment.astimezone(ZoneInfo("UTC"))
