"""Entities by what a caller says, and the entities that facts name."""

from collections.abc import Iterable

from api.schemas.common import is_id, visible
from api.schemas.graph import ends_of
from doso.errors import NotFound
from doso.ids import EntityId, OwnerId
from doso.records import Entity, Fact
from graph.service import Graph

MAX_NAMED = 20


async def entities_of(graph: Graph, owner: OwnerId, facts: Iterable[Fact]) -> dict[EntityId, Entity]:
    """Every entity that these facts name, by id."""
    ids = {entity_id for fact in facts for entity_id in ends_of(fact)}
    return await graph.store.entities(owner, ids) if ids else {}


async def entities_meant(graph: Graph, owner: OwnerId, text: str, *, param: str) -> tuple[Entity, ...]:
    """The entities of an id or a name, best first. Raises NotFound when there is none."""
    if is_id(text):
        return (await graph.entity(owner, EntityId(text.lower())),)
    found = await graph.find_entities(owner, visible(text, param=param), limit=MAX_NAMED)
    if not found:
        raise NotFound("There is no entity of this name.", param=param)
    return found
