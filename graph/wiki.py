"""The page of an entity: everything known about it, grouped for a reader."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass
from functools import partial

from doso.errors import NotFound
from doso.ids import EntityId, OwnerId
from doso.records import Entity, Fact, Provenance, Source, Status
from graph import reading
from graph.grouping import by_group
from graph.identity import group_key, is_single_valued
from graph.ports import GraphStore, View
from graph.predicates import describe

#: Facts per predicate and direction on a page, rows of history, sources.
PER_PREDICATE = 50
PER_PAGE = 400
MAX_HISTORY = 50
#: The newest candidates of an entity in which disagreement is looked for.
MAX_CANDIDATES = 200
MAX_SOURCES = 100
RETIRED = frozenset({Status.SUPERSEDED, Status.REJECTED})


@dataclass(frozen=True, slots=True)
class Relation:
    """Facts of one predicate in one direction. `is_inverse`: the entity is their object."""

    predicate: str
    is_inverse: bool
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class PageSource:
    """A document that the page rests on, and how many of its facts it supports."""

    document_id: str | None
    source: Source
    facts_count: int


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A fact that counts, and candidates that give another value of the same single-valued predicate."""

    standing: Fact
    rivals: tuple[Fact, ...]


@dataclass(frozen=True, slots=True)
class WikiPage:
    """What is known about an entity. `entities` holds everyone whom the facts name, by member id. `conflicts`: where a
    source that is trusted less (or not yet enough) says otherwise."""

    entity: Entity
    relations: tuple[Relation, ...]
    history: tuple[Fact, ...]
    conflicts: tuple[Disagreement, ...]
    sources: tuple[PageSource, ...]
    entities: dict[EntityId, Entity]
    facts_count: int
    truncated: bool


async def page(store: GraphStore, owner: OwnerId, entity_id: EntityId, view: View) -> WikiPage:
    """The entity's page as this view sees it. Raises NotFound."""
    group = await store.group(owner, [entity_id])
    if not group:
        raise NotFound(f"No entity {entity_id}.", param="entity_id")
    members = tuple(member.id for member in group)
    list_of = partial(store.list_facts, owner, entity_ids=members, predicate=None, cursor=None)
    past = View(view.now, RETIRED, is_current_only=False)
    near, old, guessed = await asyncio.gather(
        reading.neighbours(store, owner, [entity_id], view, per_predicate=PER_PREDICATE, per_entity=PER_PAGE),
        list_of(past, limit=MAX_HISTORY),
        list_of(View(view.now, frozenset({Status.CANDIDATE})), limit=MAX_CANDIDATES),
    )
    entities = {**await reading.named(store, owner, (*old.data, *guessed.data)), **near.entities}
    conflicts = _conflicts(near.facts, guessed.data, entities)
    return WikiPage(
        entity=next(iter(by_group(group).values())),
        relations=_relations(near.facts, frozenset(members)),
        history=old.data,
        conflicts=conflicts,
        sources=_sources(near.facts),
        entities=entities,
        facts_count=len(near.facts),
        truncated=near.truncated,
    )


def _conflicts(
    facts: tuple[Fact, ...], candidates: tuple[Fact, ...], entities: dict[EntityId, Entity]
) -> tuple[Disagreement, ...]:
    """Candidates beside the value that counts, which they would replace if they did."""
    groups = {id: entity.id for id, entity in entities.items()}
    rivals: dict[tuple[EntityId, str], list[Fact]] = defaultdict(list)
    for fact in candidates:
        if is_single_valued(describe(fact.predicate), entities[fact.subject_id].type):
            for bearer in _bearers(fact):
                rivals[groups[bearer], fact.predicate].append(fact)
    found = []
    for fact in facts:
        others = [rival for bearer in _bearers(fact) for rival in rivals.get((groups[bearer], fact.predicate), ())]
        said = tuple(dict.fromkeys(one for one in others if group_key(one, groups) != group_key(fact, groups)))
        if fact.status is Status.VERIFIED and said:
            found.append(Disagreement(fact, said))
    return tuple(found)


def _bearers(fact: Fact) -> tuple[EntityId, ...]:
    """Whose value the fact is: its subject's, of a symmetric predicate both ends'."""
    return reading.ends(fact) if describe(fact.predicate).is_symmetric else (fact.subject_id,)


def _relations(facts: tuple[Fact, ...], members: frozenset[EntityId]) -> tuple[Relation, ...]:
    """Telling predicates first."""
    grouped: dict[tuple[str, bool], list[Fact]] = defaultdict(list)
    for fact in facts:
        grouped[fact.predicate, fact.subject_id not in members].append(fact)
    order = sorted(grouped, key=lambda key: (-describe(key[0]).strength, key))
    return tuple(Relation(predicate, inverse, tuple(grouped[predicate, inverse])) for predicate, inverse in order)


def _sources(facts: tuple[Fact, ...]) -> tuple[PageSource, ...]:
    counted: dict[tuple[str | None, Source], set[str]] = defaultdict(set)
    for fact in facts:
        for support in fact.provenance:
            counted[_document(support)].add(fact.id)
    order = sorted(counted, key=lambda key: (-len(counted[key]), str(key[0])))[:MAX_SOURCES]
    return tuple(PageSource(document, source, len(counted[document, source])) for document, source in order)


def _document(support: Provenance) -> tuple[str | None, Source]:
    return support.document_id, support.source
