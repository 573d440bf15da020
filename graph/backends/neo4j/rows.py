"""What Neo4j returns into records, and records into what it stores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from doso.ids import ChangeId, DocumentId, EntityId, FactId, OwnerId, PassageId, digest
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
from doso.text import query_tokens

#: Distinct tokens of a fact or an entity that are searched, and characters of one: longer ones are cut alike on both
#: sides.
INDEXED_TOKENS = 256
TOKEN_CHARS = 64

Row = Mapping[str, Any]
Properties = dict[str, object]


def to_utc(moment: datetime | None) -> datetime | None:
    """The same moment in UTC; Neo4j compares an aware time with a naive one as NULL, so none goes in."""
    return None if moment is None else moment.astimezone(UTC)


def iso(moment: datetime | None) -> str | None:
    """A moment as text in UTC, which a statement turns into a DateTime: cheaper to send than the driver's own."""
    return None if moment is None else moment.astimezone(UTC).isoformat()


def moment_of(text: str | None) -> datetime | None:
    """A moment from its ISO text in UTC: the driver's own DateTime costs ten times as much to read."""
    return None if text is None else datetime.fromisoformat(text).astimezone(UTC)


def search_tokens(texts: Iterable[str]) -> list[str]:
    """The tokens under which texts are found."""
    return cut_tokens(token for text in texts for token in query_tokens(text, limit=INDEXED_TOKENS))


def cut_tokens(tokens: Iterable[str]) -> list[str]:
    """Distinct tokens without those that no index of ours can hold."""
    return list(dict.fromkeys(token[:TOKEN_CHARS] for token in tokens if token and not any(map(str.isspace, token))))


def scope_token(owner: OwnerId) -> str:
    """The token that stands for an owner inside the full-text index."""
    return f"o{digest(owner)[:24]}"


def entity_of(owner: OwnerId, row: Row) -> Entity:
    """From a map of entities.COLUMNS."""
    return Entity(
        id=EntityId(row["id"]),
        owner=owner,
        type=EntityType(row["type"]),
        name=row["name"],
        group_id=EntityId(row["group_id"]),
        aliases=tuple(alias for name in row["names"] for alias in _aliases_of(name)),
        role=row["role"],
        context=row["context"],
        created_at=moment_of(row["created_at"]),
    )


def _aliases_of(name: Row) -> Iterable[Alias]:
    for spelling, document, passage in zip(name["spellings"], name["documents"], name["passages"], strict=True):
        yield Alias(
            name=spelling,
            key=name["key"],
            document_id=DocumentId(document) if document else None,
            passage_id=PassageId(passage) if passage else None,
        )


def entity_properties(entity: Entity) -> Properties:
    """What an (:Entity) holds beside owner and id."""
    names = dict.fromkeys([entity.name, *(alias.name for alias in entity.aliases)])
    return {
        "type": entity.type.value,
        "name": entity.name,
        "group_id": entity.group_id,
        "role": entity.role,
        "context": entity.context,
        "created_at": iso(entity.created_at),
        "listed_as": entity.type.value if entity.id == entity.group_id else None,
        "search": " ".join(search_tokens(names)),
        "scope": scope_token(entity.owner),
    }


def name_rows(entity: Entity) -> list[Properties]:
    """One (:Name) for each key of an entity; a missing document or passage is "" there, since lists hold no null."""
    by_key = sorted(enumerate(entity.aliases), key=lambda pair: (pair[1].key, pair[0]))
    rows: list[Properties] = []
    for key, group in groupby(by_key, key=lambda pair: pair[1].key):
        pairs = list(group)
        rows.append(
            {
                "entity_id": entity.id,
                "key": key,
                "type": entity.type.value,
                "context": entity.context,
                "place": pairs[0][0],
                "spellings": [alias.name for _, alias in pairs],
                "documents": [alias.document_id or "" for _, alias in pairs],
                "passages": [alias.passage_id or "" for _, alias in pairs],
            }
        )
    return rows


def fact_of(owner: OwnerId, row: Row) -> Fact:
    """From a map of facts.COLUMNS."""
    entity_id = row["object_id"]
    literal = None if entity_id else Literal(row["object_text"], LiteralKind(row["object_kind"]))
    recorded_at = moment_of(row["recorded_at"])
    assert recorded_at is not None
    return Fact(
        id=FactId(row["id"]),
        owner=owner,
        key=row["key"],
        subject_id=EntityId(row["subject_id"]),
        predicate=row["predicate"],
        object=literal or EntityId(entity_id),
        status=Status(row["status"]),
        confidence=row["confidence"],
        trust=Trust(row["trust"]),
        recorded_at=recorded_at,
        verified_at=moment_of(row["verified_at"]),
        retired_at=moment_of(row["retired_at"]),
        superseded_by=row["superseded_by"],
        valid_from=moment_of(row["valid_from"]),
        valid_until=moment_of(row["valid_until"]),
        zone=row["zone"],
        text=row["text"],
        provenance=tuple(_provenance_of(support) for support in row["provenance"]),
    )


def fact_properties(fact: Fact) -> Properties:
    """What a (:Fact) holds beside owner and id."""
    literal = fact.object if isinstance(fact.object, Literal) else None
    return {
        "key": fact.key,
        "subject_id": fact.subject_id,
        "predicate": fact.predicate,
        "object_id": None if literal else fact.object,
        "object_text": literal.text if literal else None,
        "object_kind": literal.kind.value if literal else None,
        "status": fact.status.value,
        "confidence": float(fact.confidence),
        "trust": int(fact.trust),
        "recorded_at": iso(fact.recorded_at),
        "verified_at": iso(fact.verified_at),
        "retired_at": iso(fact.retired_at),
        "superseded_by": fact.superseded_by,
        "valid_from": iso(fact.valid_from),
        "valid_until": iso(fact.valid_until),
        "zone": fact.zone,
        "text": fact.text,
        "search": " ".join(search_tokens([fact.text])),
        "scope": f"{scope_token(fact.owner)} {fact.status.value}",
    }


def _provenance_of(row: Row) -> Provenance:
    start = row["span_start"]
    return Provenance(
        document_id=row["document_id"],
        passage_id=row["passage_id"],
        source=Source(row["source"]),
        trust=Trust(row["trust"]),
        extractor=row["extractor"],
        author=row["author"],
        occurred_at=moment_of(row["occurred_at"]),
        span=None if start is None else (start, row["span_end"]),
        fingerprint=row["fingerprint"],
    )


def support_id(fact_id: FactId, support: Provenance) -> str:
    """The id of a (:Provenance): what makes it the same support."""
    return digest("\x1f".join((fact_id, support.document_id or "", support.passage_id or "", support.extractor)))


def provenance_row(fact_id: FactId, support: Provenance, sequence: int) -> Properties:
    """One (:Provenance); its id makes the same support one node."""
    start, end = support.span or (None, None)
    return {
        "fact_id": fact_id,
        "id": support_id(fact_id, support),
        "properties": {
            "fact_id": fact_id,
            "sequence": sequence,
            "document_id": support.document_id,
            "passage_id": support.passage_id,
            "source": support.source.value,
            "trust": int(support.trust),
            "extractor": support.extractor,
            "author": support.author,
            "occurred_at": iso(support.occurred_at),
            "span_start": start,
            "span_end": end,
            "fingerprint": support.fingerprint,
        },
    }


def change_of(owner: OwnerId, row: Row) -> Change:
    """From a map of changes.COLUMNS."""
    at = moment_of(row["at"])
    assert at is not None
    return Change(
        id=ChangeId(row["id"]),
        owner=owner,
        op=ChangeOp(row["op"]),
        at=at,
        actor=Actor(row["who"], row["reason"], row["document_id"]),
        summary=row["summary"],
        target_id=row["target_id"],
        before=row["before"],
        after=row["after"],
        undone_by=row["undone_by"],
    )


def change_properties(change: Change) -> Properties:
    """What a (:Change) holds beside owner."""
    return {
        "id": change.id,
        "op": change.op.value,
        "at": iso(change.at),
        "who": change.actor.who,
        "reason": change.actor.reason,
        "document_id": change.actor.document_id,
        "summary": change.summary,
        "target_id": change.target_id,
        "before": change.before,
        "after": change.after,
        "undone_by": change.undone_by,
    }
