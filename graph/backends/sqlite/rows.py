"""Rows of the SQLite graph into records, and records into rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from doso.ids import ChangeId, DocumentId, EntityId, FactId, OwnerId, PassageId
from doso.records import (
    Actor,
    Alias,
    Change,
    ChangeOp,
    Entity,
    EntityType,
    Fact,
    Literal,
    LiteralKind,
    Provenance,
    Source,
    Status,
    Trust,
)

Row = Sequence[Any]


def to_text(moment: datetime | None) -> str | None:
    """A moment as sortable text in UTC."""
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="microseconds")


def to_moment(text: str | None) -> datetime | None:
    """The UTC-aware moment of a stored text."""
    return None if text is None else datetime.fromisoformat(text)


def entity_from_row(owner: OwnerId, row: Row) -> Entity:
    """Columns: id, type, name, group_id, role, context, created_at, aliases as JSON [[key, given], …]."""
    id, type, name, group_id, role, context, created_at, aliases = row
    return Entity(
        id=EntityId(id),
        owner=owner,
        type=EntityType(type),
        name=name,
        group_id=EntityId(group_id),
        aliases=tuple(
            Alias(spelled, key, DocumentId(document) if document else None, PassageId(passage) if passage else None)
            for key, given in json.loads(aliases)
            for spelled, document, passage in given
        ),
        role=role,
        context=context,
        created_at=to_moment(created_at),
    )


def row_from_entity(no: int, entity: Entity) -> tuple[object, ...]:
    """Columns: owner, id, type, name, group_id, role, context, created_at."""
    return (
        no,
        entity.id,
        entity.type.value,
        entity.name,
        entity.group_id,
        entity.role,
        entity.context,
        to_text(entity.created_at),
    )


def fact_from_row(owner: OwnerId, row: Row) -> Fact:
    """Columns: id, key, subject_id, predicate, object_id, literal_kind, literal_text, status, confidence, trust,
    recorded_at, verified_at, retired_at, superseded_by, valid_from, valid_until, zone, text,
    provenance as JSON rows of `provenance_from_row`."""
    id, key, subject_id, predicate, object_id, kind, literal, status, confidence, trust, *rest = row
    recorded_at, verified_at, retired_at, superseded_by, valid_from, valid_until, zone, text, supports = rest
    return Fact(
        id=FactId(id),
        owner=owner,
        key=key,
        subject_id=EntityId(subject_id),
        predicate=predicate,
        object=EntityId(object_id) if object_id is not None else Literal(literal, LiteralKind(kind)),
        status=Status(status),
        confidence=confidence,
        trust=Trust(trust),
        recorded_at=datetime.fromisoformat(recorded_at),
        verified_at=to_moment(verified_at),
        retired_at=to_moment(retired_at),
        superseded_by=None if superseded_by is None else FactId(superseded_by),
        valid_from=to_moment(valid_from),
        valid_until=to_moment(valid_until),
        zone=zone,
        text=text,
        provenance=tuple(provenance_from_row(support) for support in json.loads(supports)),
    )


def row_from_fact(no: int, fact: Fact) -> tuple[object, ...]:
    """Columns: owner, then those of `fact_from_row`."""
    literal = fact.object if isinstance(fact.object, Literal) else None
    return (
        no,
        fact.id,
        fact.key,
        fact.subject_id,
        fact.predicate,
        None if literal else fact.object,
        literal.kind.value if literal else None,
        literal.text if literal else None,
        fact.status.value,
        fact.confidence,
        int(fact.trust),
        to_text(fact.recorded_at),
        to_text(fact.verified_at),
        to_text(fact.retired_at),
        fact.superseded_by,
        to_text(fact.valid_from),
        to_text(fact.valid_until),
        fact.zone,
        fact.text,
    )


def provenance_from_row(row: Row) -> Provenance:
    """Columns: document_id, passage_id, extractor, source, trust, author, occurred_at, span_start, span_end,
    fingerprint."""
    document_id, passage_id, extractor, source, trust, author, occurred_at, start, end, fingerprint = row
    return Provenance(
        document_id=DocumentId(document_id) if document_id else None,
        passage_id=PassageId(passage_id) if passage_id else None,
        source=Source(source),
        trust=Trust(trust),
        extractor=extractor,
        author=author,
        occurred_at=to_moment(occurred_at),
        span=None if start is None else (start, end),
        fingerprint=fingerprint,
    )


def row_from_provenance(no: int, fact_id: FactId, support: Provenance) -> tuple[object, ...]:
    """Columns: owner, fact_id, then those of `provenance_from_row`; "" where there is no document or passage, so
    that uniqueness holds for those too."""
    start, end = support.span or (None, None)
    return (
        no,
        fact_id,
        support.document_id or "",
        support.passage_id or "",
        support.extractor,
        support.source.value,
        int(support.trust),
        support.author,
        to_text(support.occurred_at),
        start,
        end,
        support.fingerprint,
    )


def change_from_row(owner: OwnerId, row: Row) -> Change:
    """Columns: id, op, at, who, reason, document_id, summary, target_id, before, after, undone_by."""
    id, op, at, who, reason, document_id, summary, target_id, before, after, undone_by = row
    return Change(
        id=ChangeId(id),
        owner=owner,
        op=ChangeOp(op),
        at=datetime.fromisoformat(at),
        actor=Actor(who, reason, None if document_id is None else DocumentId(document_id)),
        summary=summary,
        target_id=target_id,
        before=before,
        after=after,
        undone_by=None if undone_by is None else ChangeId(undone_by),
    )


def row_from_change(no: int, change: Change) -> tuple[object, ...]:
    """Columns: owner, then those of `change_from_row`."""
    return (
        no,
        change.id,
        change.op.value,
        to_text(change.at),
        change.actor.who,
        change.actor.reason,
        change.actor.document_id,
        change.summary,
        change.target_id,
        change.before,
        change.after,
        change.undone_by,
    )
