"""Spelling facts anew when the names or the time in them changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

from doso.ids import EntityId
from doso.records import Entity, Fact, Literal
from graph.grouping import by_member
from graph.ports import GraphTx
from graph.prose import fact_text

#: Facts that are spelled anew in one step.
RESPELLED_AT_ONCE = 500


async def reworded(tx: GraphTx, facts: Sequence[Fact], now: datetime) -> tuple[Fact, ...]:
    """The facts with their prose as their entities are called today."""
    ids = {id for fact in facts for id in _ends(fact)}
    entities = by_member(await tx.group(ids))
    return tuple(worded(fact, entities, now) for fact in facts)


async def respell(tx: GraphTx, ids: Collection[EntityId], now: datetime) -> None:
    """Spell the current facts of these entities anew."""
    for as_object in (False, True):
        facts = await tx.facts_of(ids, as_object=as_object)
        for start in range(0, len(facts), RESPELLED_AT_ONCE):
            await tx.put_facts(await reworded(tx, facts[start : start + RESPELLED_AT_ONCE], now))


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
