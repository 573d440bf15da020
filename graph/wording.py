"""Spelling facts anew when the names or the time in them changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from doso.ids import EntityId
from doso.records import Entity, Fact, Literal
from graph.grouping import by_member
from graph.ports import GraphTx
from graph.prose import fact_text


async def reworded(tx: GraphTx, facts: Sequence[Fact], now: datetime) -> tuple[Fact, ...]:
    """The facts with their prose as their entities are called today."""
    ids = {id for fact in facts for id in _ends(fact)}
    entities = by_member(await tx.group(ids))
    return tuple(worded(fact, entities, now) for fact in facts)


def worded(fact: Fact, entities: dict[EntityId, Entity], now: datetime) -> Fact:
    """The fact with its prose, names from these entities."""
    object = fact.object if isinstance(fact.object, Literal) else entities[fact.object]
    text = fact_text(
        fact.predicate,
        entities[fact.subject_id],
        object,
        valid_from=fact.valid_from,
        valid_until=fact.valid_until,
        zone=fact.zone,
        now=now,
    )
    return replace(fact, text=text)


def _ends(fact: Fact) -> tuple[EntityId, ...]:
    return (fact.subject_id,) if isinstance(fact.object, Literal) else (fact.subject_id, fact.object)
