"""Entities, facts and their history, as every package passes them around."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Generic, TypeVar

from doso.ids import ChangeId, DocumentId, EntityId, FactId, OwnerId, PassageId
from doso.records.source import Source, Trust

T = TypeVar("T")


class EntityType(StrEnum):
    """The kinds of thing a fact can be about; TOPIC is the kind of what has no closer one."""

    PERSON = "PERSON"
    PET = "PET"
    ORG = "ORG"
    PLACE = "PLACE"
    EVENT = "EVENT"
    PRODUCT = "PRODUCT"
    TOPIC = "TOPIC"


class Status(StrEnum):
    """Where a fact stands; only VERIFIED ones are read by default."""

    CANDIDATE = "candidate"
    VERIFIED = "verified"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"


class LiteralKind(StrEnum):
    """What a literal's text stands for. JSON covers numbers outside 64 bits, lists and maps, as canonical text."""

    TEXT = "text"
    NUMBER = "number"
    BOOLEAN = "boolean"
    DATE = "date"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class Literal:
    """A value that is no entity. `text` is the canonical form, the same on every backend."""

    text: str
    kind: LiteralKind = LiteralKind.TEXT


@dataclass(frozen=True, slots=True)
class Alias:
    """One name of an entity. `key` is its normal form (graph.names), `name` as it was written."""

    name: str
    key: str
    document_id: DocumentId | None = None  # None: stated by a person or made with the entity
    passage_id: PassageId | None = None


@dataclass(frozen=True, slots=True)
class Entity:
    """A person, place or thing of one owner.

    `group_id` is the id of the representative of all entities that `equate` edges join, its own id when alone;
    facts keep the id they were written with, reads go through the group.
    `context` tells namesakes apart ("accounting", a thread id); "" for the plain bearer of a name.
    """

    id: EntityId
    owner: OwnerId
    type: EntityType
    name: str
    group_id: EntityId
    aliases: tuple[Alias, ...] = ()
    role: str | None = None  # "owner" for the one PERSON who is the owner
    context: str = ""
    created_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """A name as a text uses it, to be bound to an entity.

    `thread` is the conversation in which a bare first name may mean the one person known there.
    """

    name: str
    type: EntityType
    thread: str | None = None
    role: str | None = None
    context: str = ""
    document_id: DocumentId | None = None


@dataclass(frozen=True, slots=True)
class Binding:
    """Which entity a mention means. `rule` says why: key, configured, variant, near, first_name, owner, new."""

    mention: Mention
    entity: Entity
    rule: str
    reason: str
    candidates: tuple[EntityId, ...] = ()  # others that might be meant, when the mention stayed apart


@dataclass(frozen=True, slots=True)
class Provenance:
    """One passage (or a person's direct word) that supports a fact."""

    document_id: DocumentId | None
    passage_id: PassageId | None
    source: Source
    trust: Trust
    extractor: str  # "structure", "statement", "person", "model:" and the model's name
    author: str | None = None
    occurred_at: datetime | None = None
    span: tuple[int, int] | None = None  # character offsets within the passage text
    fingerprint: str | None = None  # of the sentence that says so: a copy of it elsewhere is no second source


@dataclass(frozen=True, slots=True)
class FactDraft:
    """A triple that wants to be stored; names are not bound yet.

    Moments are UTC-aware. `zone` is the IANA zone in which a day was said, None for an exact instant.
    """

    subject: Mention
    predicate: str
    object: Mention | Literal
    provenance: Provenance
    status: Status = Status.CANDIDATE
    confidence: float = 1.0
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """A stored triple. `recorded_at`/`retired_at` say when Doso knew it, `valid_*` when it held in the world."""

    id: FactId
    owner: OwnerId
    key: str  # digest of subject, predicate, object and valid_from where the predicate is an occasion
    subject_id: EntityId
    predicate: str
    object: EntityId | Literal  # an EntityId is a plain str; a Literal is never a str
    status: Status
    confidence: float
    trust: Trust
    recorded_at: datetime
    verified_at: datetime | None = None  # since when it counts; None for what only ever was a candidate
    retired_at: datetime | None = None
    superseded_by: FactId | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    zone: str | None = None
    text: str = ""  # the fact as prose, what is searched and embedded
    provenance: tuple[Provenance, ...] = ()


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """One-hop facts of some entities, with every entity they name. `truncated`: a hub had more than the bound."""

    facts: tuple[Fact, ...]
    entities: dict[EntityId, Entity]
    truncated: bool


class ChangeOp(StrEnum):
    """What a row of the change log did."""

    ASSERT = "assert"
    VERIFY = "verify"
    RETRACT = "retract"
    SUPERSEDE = "supersede"
    EQUATE = "equate"
    DISTINGUISH = "distinguish"
    RENAME = "rename"
    FORGET = "forget"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Actor:
    """Who changes the graph and why."""

    who: str  # "user", "import", "extractor:<name>", "api"
    reason: str = ""
    document_id: DocumentId | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One mutation. `before` and `after` are JSON texts of the touched rows, enough to undo it."""

    id: ChangeId
    owner: OwnerId
    op: ChangeOp
    at: datetime
    actor: Actor
    summary: str  # one sentence for a person
    target_id: str
    before: str
    after: str
    undone_by: ChangeId | None = None


@dataclass(frozen=True, slots=True)
class StoredFact:
    """What became of one draft. `outcome`: stored, known (provenance added), conflict (a higher tier disagrees: kept
    as a candidate), rejected (a person rejected this very fact before), skipped; `why` says more."""

    draft: FactDraft
    fact: Fact | None
    outcome: str
    why: str = ""
    superseded: tuple[FactId, ...] = ()


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A keyset page; `next_cursor` is None at the end."""

    data: tuple[T, ...]
    next_cursor: str | None = None


@dataclass(frozen=True, slots=True)
class ForgetReceipt:
    """What forgetting a document or entity removed."""

    facts_count: int = 0
    entities_count: int = 0
    aliases_count: int = 0
    provenance_count: int = 0


@dataclass(frozen=True, slots=True)
class FactHit:
    """A fact found by search. `score` is the engine's own number: only its order within one result means something."""

    fact: Fact
    score: float


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """How much one owner's graph holds."""

    entities: int = 0
    facts: int = 0
    detail: dict[str, int] = field(default_factory=dict)
