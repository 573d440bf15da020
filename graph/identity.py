"""What makes two triples one fact: subject, predicate, object, the day of an occasion. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from doso.errors import InvalidInput
from doso.ids import EntityId, digest
from doso.records import EntityType, Fact, FactDraft, Literal, Mention
from graph.predicates import Predicate, canonical, describe
from graph.values import canonical as canonical_literal
from graph.values import identity

Object = EntityId | Literal


@dataclass(frozen=True, slots=True)
class Triple:
    """A draft's triple in the vocabulary's own terms, names not bound yet."""

    subject: Mention
    predicate: str
    object: Mention | Literal
    is_negated: bool


def read_triple(draft: FactDraft) -> Triple:
    """The draft's triple, turned round where its predicate is an inverse. Raises InvalidInput for what says nothing."""
    spelled = canonical(draft.predicate)
    object = canonical_literal(draft.object) if isinstance(draft.object, Literal) else draft.object
    if not spelled.is_inverse:
        return Triple(draft.subject, spelled.name, object, spelled.is_negated)
    if isinstance(object, Literal):
        types = describe(spelled.name).subject_types or (EntityType.TOPIC,)
        object = Mention(object.text, types[0], document_id=draft.provenance.document_id)
    return Triple(object, spelled.name, draft.subject, spelled.is_negated)


def is_single_valued(row: Predicate, subject_type: EntityType) -> bool:
    """Whether a subject of this type has one value of the predicate; an organisation may be in many places."""
    if row.name == "located_in" and subject_type is EntityType.ORG:
        return False
    return row.is_single_valued


def fact_key(subject: EntityId, predicate: str, object: Object, valid_from: datetime | None) -> str:
    """The key of a triple, the same whichever way round a symmetric or inverse one is said."""
    row = describe(predicate)
    day = valid_from.isoformat() if row.is_occasion and valid_from is not None else ""
    if isinstance(object, Literal):
        return digest("\x1f".join((subject, predicate, identity(object), day)))
    name, ends = predicate, (str(subject), str(object))
    if row.is_symmetric:
        ends = (min(ends), max(ends))
    elif row.inverse and row.inverse < predicate and describe(row.inverse).inverse == predicate:
        name, ends = row.inverse, (ends[1], ends[0])
    return digest("\x1f".join((ends[0], name, f"entity:{ends[1]}", day)))


def group_key(fact: Fact, groups: Mapping[EntityId, EntityId]) -> str:
    """The key of a fact between groups: equal for facts that differ only in which member of a group they name."""
    object = fact.object if isinstance(fact.object, Literal) else groups.get(fact.object, fact.object)
    return fact_key(groups.get(fact.subject_id, fact.subject_id), fact.predicate, object, fact.valid_from)


def distinct(facts: Iterable[Fact], groups: Mapping[EntityId, EntityId]) -> tuple[Fact, ...]:
    """The facts without repetitions between members of one group; the first of each stays."""
    kept: dict[tuple[str, str], Fact] = {}
    for fact in facts:
        kept.setdefault((group_key(fact, groups), fact.id if fact.retired_at else ""), fact)
    return tuple(kept.values())


def require_name(mention: Mention, name: str, limit: int) -> None:
    """Raise InvalidInput for a name that nobody could find again."""
    if not name:
        raise InvalidInput(f"A {mention.type.value.lower()} needs a name.", param="name")
    if len(name) > limit:
        raise InvalidInput(f"A name may have {limit} characters, not {len(name)}.", param="name")
