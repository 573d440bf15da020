"""Groups of entities that `equate` links join: who speaks for a group, and what a change of links makes of it."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from doso.errors import InvalidInput
from doso.ids import EntityId
from doso.records import Alias, Entity
from graph.ports import GraphTx, Link

EQUATE, DISTINGUISH = "equate", "distinguish"
#: Drawn by the rule that took a near spelling for the same bearer: joins like an equate, keeps nobody alive.
ALIKE = "alike"
JOINING = frozenset({EQUATE, ALIKE})
#: Entities that one group may join.
MAX_GROUP = 1_000
PLACEHOLDER_NAME = "You"


def link_between(kind: str, a: EntityId, b: EntityId) -> Link:
    """A link with its ends in order."""
    return Link(kind, min(a, b), max(a, b))


def merged(members: Sequence[Entity]) -> Entity:
    """A group as one entity: its representative with everyone's aliases, one for each key."""
    first = next((member for member in members if member.id == member.group_id), members[0])
    aliases: dict[str, Alias] = {}
    for member in (first, *members):
        for alias in member.aliases:
            aliases.setdefault(alias.key, alias)
    owner = next((member for member in members if member.role), None)
    name = first.name
    if owner is not None and name == PLACEHOLDER_NAME:
        name = next((member.name for member in members if member.name != PLACEHOLDER_NAME), name)
    return replace(first, name=name, aliases=tuple(aliases.values()), role=owner.role if owner else first.role)


def by_group(members: Iterable[Entity]) -> dict[EntityId, Entity]:
    """Each group as one entity, under its representative's id, in the order of the members."""
    groups: dict[EntityId, list[Entity]] = defaultdict(list)
    for member in members:
        groups[member.group_id].append(member)
    return {id: merged(found) for id, found in groups.items()}


def by_member(members: Iterable[Entity]) -> dict[EntityId, Entity]:
    """The group's one entity under the id of every member."""
    members = tuple(members)
    groups = by_group(members)
    return {member.id: groups[member.group_id] for member in members}


async def regroup(tx: GraphTx, touched: Collection[EntityId]) -> frozenset[EntityId]:
    """Give every entity that links join with a touched one its group anew: the oldest of them speaks for all.

    Returns those whose group changed: their facts are to be respelled (graph.wording).
    """
    members = {member.id: member for member in await tx.group(touched)}
    members.update(await tx.entities(touched))
    edges = await _joining_edges(tx, set(members))
    reached = set(members) | set(edges)
    members.update(await tx.entities(reached - set(members)))
    changed = []
    for component in _components(members, edges):
        speaker = min(component)
        changed += [replace(members[id], group_id=speaker) for id in component if members[id].group_id != speaker]
    if changed:
        await tx.put_entities(changed)
    return frozenset(entity.id for entity in changed)


async def path(tx: GraphTx, a: EntityId, b: EntityId) -> tuple[Link, ...]:
    """The links that join a and b, () when none do."""
    edges = await _joining_edges(tx, {a})
    came_from: dict[EntityId, EntityId] = {a: a}
    waiting = deque([a])
    while waiting and b not in came_from:
        here = waiting.popleft()
        for there in sorted(edges.get(here, ())):
            if there not in came_from:
                came_from[there] = here
                waiting.append(there)
    steps = []
    while b in came_from and b != a:
        steps.append((came_from[b], b))
        b = came_from[b]
    ends = {end for step in steps for end in step}
    drawn = [link for link in await tx.links(ends) if link.kind in JOINING] if ends else []
    return tuple(link for step in steps for link in drawn if {link.a, link.b} == set(step))


async def _joining_edges(tx: GraphTx, start: set[EntityId]) -> Mapping[EntityId, set[EntityId]]:
    edges: dict[EntityId, set[EntityId]] = defaultdict(set)
    seen: set[EntityId] = set()
    waiting = set(start)
    while waiting:
        seen |= waiting
        if len(seen) > len(start) + MAX_GROUP:
            raise InvalidInput(f"A group may join {MAX_GROUP} entities.", param="op")
        for link in await tx.links(waiting):
            if link.kind in JOINING:
                edges[link.a].add(link.b)
                edges[link.b].add(link.a)
        waiting = set(edges) - seen
    return edges


def _components(members: Mapping[EntityId, Entity], edges: Mapping[EntityId, set[EntityId]]) -> list[set[EntityId]]:
    left, components = set(members), []
    while left:
        component, waiting = set(), [left.pop()]
        while waiting:
            here = waiting.pop()
            component.add(here)
            waiting += [there for there in edges.get(here, ()) if there not in component]
        left -= component
        components.append(component)
    return components
