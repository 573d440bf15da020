"""Builders of graph records with everything a test does not care about filled in."""

from __future__ import annotations

from datetime import UTC, datetime

from doso.ids import DocumentId, EntityId, FactId, OwnerId, PassageId, new_id
from doso.records import Alias, Entity, EntityType, Fact, Literal, Provenance, Source, Status, Trust
from graph.ports import View

#: The moment at which tests happen.
NOW = datetime(2026, 3, 11, 3, 0, tzinfo=UTC)


def at(day: str) -> datetime:
    """Midnight UTC of an ISO day."""
    return datetime.fromisoformat(day).replace(tzinfo=UTC)


def an_alias(name: str, document: str | None = None, passage: str | None = None) -> Alias:
    """An alias whose key is its lower-case name: stores never look inside a key."""
    return Alias(
        name=name,
        key=name.lower(),
        document_id=None if document is None else DocumentId(document),
        passage_id=None if passage is None else PassageId(passage),
    )


def an_entity(
    owner: OwnerId,
    name: str,
    *,
    type: EntityType = EntityType.PERSON,
    group: EntityId | None = None,
    aliases: tuple[Alias, ...] | None = None,
    role: str | None = None,
    context: str = "",
) -> Entity:
    """A new entity with one alias, its name."""
    id = EntityId(new_id())
    return Entity(
        id=id,
        owner=owner,
        type=type,
        name=name,
        group_id=group or id,
        aliases=(an_alias(name),) if aliases is None else aliases,
        role=role,
        context=context,
        created_at=NOW,
    )


def a_fact(
    subject: Entity,
    predicate: str,
    object: Entity | Literal,
    *,
    key: str | None = None,
    status: Status = Status.VERIFIED,
    recorded_at: datetime = NOW,
    verified_at: datetime | None = NOW,
    retired_at: datetime | None = None,
    superseded_by: FactId | None = None,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
    text: str | None = None,
) -> Fact:
    """A new verified fact without provenance."""
    id = FactId(new_id())
    shown = object.name if isinstance(object, Entity) else object.text
    return Fact(
        id=id,
        owner=subject.owner,
        key=key or id,
        subject_id=subject.id,
        predicate=predicate,
        object=object.id if isinstance(object, Entity) else object,
        status=status,
        confidence=1.0,
        trust=Trust.IMPORTED,
        recorded_at=recorded_at,
        verified_at=verified_at,
        retired_at=retired_at,
        superseded_by=superseded_by,
        valid_from=valid_from,
        valid_until=valid_until,
        zone="Asia/Jakarta",
        text=f"{subject.name} {predicate.replace('_', ' ')} {shown}" if text is None else text,
    )


def a_provenance(document: str | None, passage: str | None = None, extractor: str = "structure") -> Provenance:
    """What a document's passage supports."""
    return Provenance(
        document_id=None if document is None else DocumentId(document),
        passage_id=None if passage is None else PassageId(passage),
        source=Source.NOTE,
        trust=Trust.IMPORTED,
        extractor=extractor,
        author="Rina",
        occurred_at=at("2026-01-02"),
        span=(3, 9),
    )


def a_view(*statuses: Status, as_of: datetime | None = None, is_current_only: bool = True) -> View:
    """What is verified and current at NOW, unless told otherwise."""
    return View(
        now=NOW,
        statuses=frozenset(statuses or (Status.VERIFIED,)),
        as_of=as_of,
        is_current_only=is_current_only,
    )
