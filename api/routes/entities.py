"""Entities and the graph around them: find, read, walk."""

from typing import Annotated

from litestar import get
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from api.kit import Kit
from api.naming import entities_meant, entities_of
from api.schemas.admin import OwnerOut
from api.schemas.common import (
    DEFAULT_PAGE,
    Cursor,
    Limit,
    PageOut,
    QueryText,
    after,
    to_id,
    to_moment,
    to_page,
    visible,
)
from api.schemas.graph import EntityOut, NeighboursOut, PathsOut, to_entity, to_fact, to_neighbours
from api.schemas.wiki import WikiOut, to_wiki
from doso.accounts import Caller
from doso.ids import EntityId
from doso.records import Entity, Fact, Neighbourhood
from graph.ports import View
from graph.predicates import parse_type

MAX_DEPTH = 3
MAX_EDGES = 500
PER_PREDICATE = 25
MAX_PATH_DEPTH = 8
MAX_FRONTIER = 50

Depth = Annotated[int, QueryParameter(ge=1, le=MAX_DEPTH)]


@get("/v1/entities")
async def list_entities(
    *,
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    name: QueryText = None,
    type: Annotated[str | None, QueryParameter(max_length=60)] = None,
    cursor: Cursor = None,
    limit: Limit = None,
) -> PageOut[EntityOut]:
    """Entities of a name, or all of them page by page; of one type when `type` is given."""
    kind = None if type is None else parse_type(type)
    if name is not None:
        text = visible(name, param="name")
        found = await kit.graph.find_entities(caller.owner, text, type=kind, limit=limit or DEFAULT_PAGE)
        return PageOut([to_entity(entity) for entity in found], None)
    page = await kit.graph.store.list_entities(
        caller.owner, type=kind, cursor=after(cursor), limit=limit or DEFAULT_PAGE
    )
    return to_page(page, to_entity)


@get("/v1/entities/{entity_id:str}")
async def read_entity(entity_id: FromPath[str], kit: NamedDependency[Kit], caller: NamedDependency[Caller]) -> WikiOut:
    """The page of an entity: its facts by predicate, what it was before, the documents it rests on."""
    return to_wiki(await kit.graph.wiki(caller.owner, EntityId(to_id(entity_id)), await _view(kit, None)))


@get("/v1/entities/{entity_id:str}/neighbors")
async def entity_neighbours(
    *,
    entity_id: FromPath[str],
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    depth: Depth = 1,
    as_of: Annotated[str | None, QueryParameter(max_length=64)] = None,
) -> NeighboursOut:
    """The facts around an entity, bounded per hub."""
    entity = await kit.graph.entity(caller.owner, EntityId(to_id(entity_id)))
    return to_neighbours(await walk(kit, caller, [entity], await _view(kit, as_of), depth))


@get("/v1/graph/neighbours")
async def graph_neighbours(
    *,
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    entity: Annotated[str, QueryParameter(min_length=1, max_length=500)],
    depth: Depth = 1,
    as_of: Annotated[str | None, QueryParameter(max_length=64)] = None,
) -> NeighboursOut:
    """The same by an entity's name."""
    start = await entities_meant(kit.graph, caller.owner, entity, param="entity")
    return to_neighbours(await walk(kit, caller, start[:1], await _view(kit, as_of), depth))


@get("/v1/graph/paths")
async def graph_paths(
    *,
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    start: Annotated[str, QueryParameter(name="from", min_length=1, max_length=500)],
    end: Annotated[str, QueryParameter(name="to", min_length=1, max_length=500)],
    max_depth: Annotated[int, QueryParameter(ge=1, le=MAX_PATH_DEPTH)] = 4,
    as_of: Annotated[str | None, QueryParameter(max_length=64)] = None,
) -> PathsOut:
    """Shortest chains of facts between two entities."""
    view = await _view(kit, as_of)
    first = (await entities_meant(kit.graph, caller.owner, start, param="from"))[0]
    last = (await entities_meant(kit.graph, caller.owner, end, param="to"))[0]
    paths = await kit.graph.paths(caller.owner, first.id, last.id, view, max_depth=max_depth)
    entities = await entities_of(kit.graph, caller.owner, (fact for path in paths for fact in path))
    return PathsOut([[to_fact(fact, entities) for fact in path] for path in paths])


@get("/v1/owner")
async def owner(kit: NamedDependency[Kit], caller: NamedDependency[Caller]) -> OwnerOut:
    """Whether the memory knows whose it is."""
    entity = await kit.graph.owner_entity(caller.owner)
    is_named = entity is not None and bool(await _own_name(kit, caller, entity))
    return OwnerOut(entity is not None, is_named, entity.name if entity is not None and is_named else None)


async def walk(
    kit: Kit, caller: Caller, start: tuple[Entity, ...] | list[Entity], view: View, depth: int
) -> Neighbourhood:
    """Facts within `depth` hops, nearest first, at most MAX_EDGES of them."""
    facts: dict[str, Fact] = {}
    entities: dict[EntityId, Entity] = {entity.id: entity for entity in start}
    frontier, is_cut = set(entities), False
    for _ in range(depth):
        around = await kit.graph.neighbours(
            caller.owner, frontier, view, per_predicate=PER_PREDICATE, per_entity=MAX_EDGES
        )
        facts |= {fact.id: fact for fact in around.facts}
        fresh = set(around.entities) - set(entities)
        entities |= around.entities
        is_cut |= around.truncated or len(facts) > MAX_EDGES or len(fresh) > MAX_FRONTIER
        frontier = set(sorted(fresh)[:MAX_FRONTIER])
        if not frontier or len(facts) >= MAX_EDGES:
            break
    kept = tuple(facts.values())[:MAX_EDGES]
    named = await entities_of(kit.graph, caller.owner, kept) | {entity.id: entity for entity in start}
    return Neighbourhood(kept, named, is_cut)


async def _view(kit: Kit, as_of: str | None) -> View:
    runtime = await kit.runtime.read()
    moment = to_moment(as_of, zone=runtime.timezone, param="as_of")
    return kit.graph.view(include_candidates=runtime.include_candidates, as_of=moment)


async def _own_name(kit: Kit, caller: Caller, entity: Entity) -> str:
    page = await kit.graph.list_facts(caller.owner, kit.graph.view(), entity_id=entity.id, predicate="named", limit=1)
    return page.data[0].text if page.data else ""
