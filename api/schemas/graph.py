"""Entities, facts and changes as the wire shows them."""

from collections.abc import Mapping
from datetime import datetime

import msgspec

from doso.ids import EntityId
from doso.records import Change, Entity, Fact, Literal, Neighbourhood, Provenance, StoredFact
from graph.values import from_literal


class EntityRefOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """An entity where a fact names it."""

    id: str
    name: str
    type: str


class ObjectOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """The object of a fact: an entity with an id, or a literal with its kind."""

    name: str
    id: str | None = None
    type: str | None = None
    kind: str | None = None
    value: object = None


class SourceOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """What supports a fact."""

    document_id: str | None
    source: str
    extractor: str
    passage_id: str | None = None
    author: str | None = None
    occurred_at: datetime | None = None
    span: tuple[int, int] | None = None


class FactOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """A triple with its standing."""

    id: str
    subject: EntityRefOut
    predicate: str
    object: ObjectOut
    status: str
    confidence: float
    trust: str
    recorded_at: datetime
    text: str = ""
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    timezone: str | None = None
    retired_at: datetime | None = None
    superseded_by: str | None = None
    sources: list[SourceOut] = []


class EntityOut(msgspec.Struct, frozen=True):
    """A person, place or thing. `id` is its own, `group_id` that of all it was equated with."""

    id: str
    group_id: str
    name: str
    type: str
    aliases: list[str]
    role: str | None
    context: str
    created_at: datetime | None


class NeighboursOut(msgspec.Struct, frozen=True):
    """Facts around entities; `truncated` when a bound cut some off."""

    facts: list[FactOut]
    entities: list[EntityOut]
    truncated: bool


class PathsOut(msgspec.Struct, frozen=True):
    """Shortest chains of facts between two entities."""

    paths: list[list[FactOut]]


class StoredFactOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of one asserted triple."""

    outcome: str
    fact: FactOut | None = None
    why: str = ""
    superseded: list[str] = []


class ChangeOut(msgspec.Struct, frozen=True):
    """One row of the change log."""

    id: str
    op: str
    at: datetime
    who: str
    reason: str
    document_id: str | None
    summary: str
    target_id: str
    before: object
    after: object
    undone_by: str | None


def to_entity(entity: Entity) -> EntityOut:
    """An entity with its names, its own first."""
    names = dict.fromkeys((entity.name, *(alias.name for alias in entity.aliases)))
    return EntityOut(
        id=entity.id,
        group_id=entity.group_id,
        name=entity.name,
        type=entity.type.value,
        aliases=list(names),
        role=entity.role,
        context=entity.context,
        created_at=entity.created_at,
    )


def to_fact(fact: Fact, entities: Mapping[EntityId, Entity]) -> FactOut:
    """A fact, its ends named from `entities`."""
    return FactOut(
        id=fact.id,
        subject=_ref(fact.subject_id, entities),
        predicate=fact.predicate,
        object=_object(fact.object, entities),
        status=fact.status.value,
        confidence=fact.confidence,
        trust=fact.trust.name.lower(),
        recorded_at=fact.recorded_at,
        text=fact.text,
        valid_from=fact.valid_from,
        valid_to=fact.valid_until,
        timezone=fact.zone,
        retired_at=fact.retired_at,
        superseded_by=fact.superseded_by,
        sources=[_source(row) for row in fact.provenance],
    )


def to_neighbours(around: Neighbourhood) -> NeighboursOut:
    """A neighbourhood."""
    return NeighboursOut(
        facts=[to_fact(fact, around.entities) for fact in around.facts],
        entities=[to_entity(entity) for entity in around.entities.values()],
        truncated=around.truncated,
    )


def to_stored_fact(stored: StoredFact, entities: Mapping[EntityId, Entity]) -> StoredFactOut:
    """The receipt of one triple."""
    return StoredFactOut(
        outcome=stored.outcome,
        fact=None if stored.fact is None else to_fact(stored.fact, entities),
        why=stored.why,
        superseded=list(stored.superseded),
    )


def to_change(change: Change) -> ChangeOut:
    """A change; its rows before and after as objects."""
    return ChangeOut(
        id=change.id,
        op=change.op.value,
        at=change.at,
        who=change.actor.who,
        reason=change.actor.reason,
        document_id=change.actor.document_id,
        summary=change.summary,
        target_id=change.target_id,
        before=_json(change.before),
        after=_json(change.after),
        undone_by=change.undone_by,
    )


def ends_of(fact: Fact) -> set[EntityId]:
    """The ids of the entities a fact names."""
    return {fact.subject_id} if isinstance(fact.object, Literal) else {fact.subject_id, fact.object}


def _ref(entity_id: EntityId, entities: Mapping[EntityId, Entity]) -> EntityRefOut:
    entity = entities.get(entity_id)
    return EntityRefOut(entity_id, entity.name if entity else "", entity.type.value if entity else "")


def _object(value: EntityId | Literal, entities: Mapping[EntityId, Entity]) -> ObjectOut:
    if isinstance(value, Literal):
        return ObjectOut(name=value.text, kind=value.kind.value, value=from_literal(value))
    ref = _ref(value, entities)
    return ObjectOut(name=ref.name, id=ref.id, type=ref.type)


def _json(text: str) -> object:
    if not text:
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def _source(row: Provenance) -> SourceOut:
    return SourceOut(
        document_id=row.document_id,
        source=row.source.value,
        extractor=row.extractor,
        passage_id=row.passage_id,
        author=row.author,
        occurred_at=row.occurred_at,
        span=row.span,
    )
