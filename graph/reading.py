"""Reads that think in groups: find, seed, neighbours, paths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from doso.errors import NotFound
from doso.ids import EntityId, FactId, OwnerId
from doso.records import Entity, EntityType, Fact, Literal, Neighbourhood, Page
from doso.text import STOPWORDS, query_tokens
from graph.grouping import by_group, by_member
from graph.identity import distinct
from graph.names import display_name, name_key, stored_key
from graph.ports import GraphStore, View
from graph.seeding import is_first_person, is_namesake, question_words, spans, taken, unique

#: Tokens of a name or question that a search takes.
MAX_TOKENS = 24
#: Bounds of a walk: depth, facts read, facts per predicate and entity, paths returned.
MAX_DEPTH = 8
MAX_PATH_FACTS = 6_000
FRONTIER_AT_ONCE = 25
PATH_PER_PREDICATE = 50
PATH_PER_ENTITY = 100
MAX_PATHS = 10


async def find(
    store: GraphStore, owner: OwnerId, name: str, configured: Mapping[str, str], *, type: EntityType | None, limit: int
) -> tuple[Entity, ...]:
    """Entities of this name: exact first, then by a certain variant, else by words. One per group."""
    shown = display_name(name)
    key = name_key(shown)
    if not key:
        return ()
    keys = [stored_key(shown), *([stored_key(configured[key])] if key in configured else [])]
    by_key = await store.entities_by_key(owner, keys)
    found = [entity for one in keys for entity in by_key.get(one, ()) if type is None or entity.type is type]
    if not found:
        hits = await store.search_entities(owner, query_tokens(shown, limit=MAX_TOKENS), limit=limit * 2)
        found = [entity for entity in hits if type is None or entity.type is type]
    return await _whole(store, owner, unique(found)[:limit])


async def seeds(
    store: GraphStore, owner: OwnerId, question: str, configured: Mapping[str, str], *, limit: int
) -> tuple[Entity, ...]:
    """Entities that a question names, longest names first; the first person is the owner; a bare first name is
    everyone who bears it."""
    words = question_words(question)
    runs = spans(words)
    bearers = await store.entities_by_key(owner, {run.key for run in runs} | _configured_keys(configured))
    aliased = {stored_key(alias): bearers.get(stored_key(name), ()) for alias, name in configured.items()}
    named = taken(runs, {**{key: held for key, held in aliased.items() if held}, **bearers})
    found = [entity for _, entities in sorted(named, key=lambda n: n[0].start - n[0].end) for entity in entities]
    if is_first_person(words):
        you = await store.owner_entity(owner)
        found = [*([you] if you else []), *found]
    covered = {index for span, _ in named if span.end - span.start > 1 for index in range(span.start, span.end)}
    left = [word for index, word in enumerate(words) if index not in covered and word not in STOPWORDS]
    tokens = query_tokens(" ".join(left), limit=MAX_TOKENS) if left else []
    if tokens and len(found) < limit:
        hits = await store.search_entities(owner, tokens, limit=limit * 2)
        found += [entity for entity in hits if is_namesake(entity, frozenset(left))]
    return await _whole(store, owner, unique(found)[:limit])


async def entity(store: GraphStore, owner: OwnerId, entity_id: EntityId) -> Entity:
    """The entity with its whole group's aliases. Raises NotFound."""
    members = by_member(await store.group(owner, [entity_id]))
    if entity_id not in members:
        raise NotFound(f"No entity {entity_id}.", param="entity_id")
    return members[entity_id]


async def member_ids(store: GraphStore, owner: OwnerId, entity_id: EntityId) -> tuple[EntityId, ...]:
    """The ids of everyone in the entity's group. Raises NotFound."""
    members = await store.group(owner, [entity_id])
    if not members:
        raise NotFound(f"No entity {entity_id}.", param="entity_id")
    return tuple(member.id for member in members)


async def named(store: GraphStore, owner: OwnerId, facts: Sequence[Fact]) -> dict[EntityId, Entity]:
    """Every entity that these facts name, as its group."""
    ids = {end for fact in facts for end in ends(fact)}
    return by_member(await store.group(owner, ids)) if ids else {}


async def neighbours(
    store: GraphStore,
    owner: OwnerId,
    ids: Collection[EntityId],
    view: View,
    *,
    per_predicate: int,
    per_entity: int,
) -> Neighbourhood:
    """One hop around the groups of these entities, each fact once however many members it names."""
    members = await store.group(owner, ids) if ids else ()
    facts, truncated = await store.neighbours(
        owner, [member.id for member in members], view, per_predicate=per_predicate, per_entity=per_entity
    )
    entities = {**by_member(members), **await named(store, owner, facts)}
    groups = {id: entity.id for id, entity in entities.items()}
    return Neighbourhood(distinct(facts, groups), entities, truncated)


async def list_entities(
    store: GraphStore, owner: OwnerId, *, type: EntityType | None, cursor: str | None, limit: int
) -> Page[Entity]:
    """Groups, newest first."""
    page = await store.list_entities(owner, type=type, cursor=cursor, limit=limit)
    return Page(await _whole(store, owner, [entity.id for entity in page.data]), page.next_cursor)


async def paths(
    store: GraphStore, owner: OwnerId, start: EntityId, end: EntityId, view: View, *, max_depth: int
) -> tuple[tuple[Fact, ...], ...]:
    """The shortest chains of facts between two entities, a bounded number of facts read. Raises NotFound."""
    source = (await entity(store, owner, start)).id
    goal = (await entity(store, owner, end)).id
    if source == goal:
        return ()
    steps: dict[EntityId, list[tuple[EntityId, Fact]]] = defaultdict(list)
    depth = {source: 0}
    frontier, read = [source], set[FactId]()
    for level in range(1, min(max_depth, MAX_DEPTH) + 1):
        if not frontier or goal in depth or len(read) >= MAX_PATH_FACTS:
            break
        reached: list[EntityId] = []
        for at in range(0, len(frontier), FRONTIER_AT_ONCE):
            if len(read) >= MAX_PATH_FACTS:
                break
            here = frontier[at : at + FRONTIER_AT_ONCE]
            near = await neighbours(
                store, owner, here, view, per_predicate=PATH_PER_PREDICATE, per_entity=PATH_PER_ENTITY
            )
            reached += _walk(near, level, depth, steps)
            read |= {fact.id for fact in near.facts}
        frontier = reached
    return tuple(_chains(goal, source, steps))[:MAX_PATHS] if goal in depth else ()


def ends(fact: Fact) -> tuple[EntityId, ...]:
    """The entities that a fact names."""
    return (fact.subject_id,) if isinstance(fact.object, Literal) else (fact.subject_id, fact.object)


def _walk(
    near: Neighbourhood,
    level: int,
    depth: dict[EntityId, int],
    steps: dict[EntityId, list[tuple[EntityId, Fact]]],
) -> list[EntityId]:
    reached: list[EntityId] = []
    for fact in near.facts:
        if isinstance(fact.object, Literal):
            continue
        a, b = near.entities[fact.subject_id].id, near.entities[fact.object].id
        for here, there in ((a, b), (b, a)):
            if depth.get(here) == level - 1 and depth.get(there, level) == level:
                if there not in depth:
                    depth[there] = level
                    reached.append(there)
                if (here, fact) not in steps[there]:  # an edge within one level is met from both ends
                    steps[there].append((here, fact))
    return reached


def _chains(
    goal: EntityId, source: EntityId, steps: Mapping[EntityId, Sequence[tuple[EntityId, Fact]]]
) -> list[tuple[Fact, ...]]:
    """Chains from the source, at most MAX_PATHS, without recursion."""
    chains: list[tuple[Fact, ...]] = []
    waiting: list[tuple[EntityId, tuple[Fact, ...]]] = [(goal, ())]
    while waiting and len(chains) < MAX_PATHS:
        here, tail = waiting.pop()
        if here == source:
            chains.append(tail)
            continue
        waiting += [(before, (fact, *tail)) for before, fact in steps[here][:MAX_PATHS]]
    return chains


def _configured_keys(configured: Mapping[str, str]) -> set[str]:
    return {stored_key(name) for name in configured.values()}


async def _whole(store: GraphStore, owner: OwnerId, ids: Sequence[EntityId]) -> tuple[Entity, ...]:
    """These groups, in this order."""
    if not ids:
        return ()
    groups = by_group(await store.group(owner, ids))
    return tuple(groups[id] for id in ids if id in groups)
