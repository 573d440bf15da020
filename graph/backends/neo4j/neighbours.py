"""The facts around an entity, newest first, at a cost of what is returned rather than of what a hub has."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import LiteralString

from doso.ids import EntityId, FactId
from doso.records import Fact
from graph.backends.neo4j import facts
from graph.backends.neo4j.connection import Statements
from graph.backends.neo4j.entities import distinct
from graph.backends.neo4j.schema import TOP
from graph.backends.neo4j.views import VISIBLE, parameters, stored_statuses
from graph.ports import View

#: For each predicate around an entity the index hands out the newest facts of each status, and stops at the bound.
#: (An index gives its order only when ORDER BY names all of its properties.)
AROUND: LiteralString = f"""
UNWIND $ids AS entity_id
MATCH (h:Hub {{owner: $owner, entity_id: entity_id}})
UNWIND h.out AS predicate
CALL (entity_id, predicate) {{
  UNWIND $stored AS status
  CALL (entity_id, predicate, status) {{
    MATCH (f:Fact) USING INDEX f:Fact(owner, subject_id, predicate, status, id)
    WHERE f.owner = $owner AND f.subject_id = entity_id AND f.predicate = predicate AND f.status = status
      AND f.id < $top AND {VISIBLE}
    RETURN f.id AS id
    ORDER BY f.owner DESC, f.subject_id DESC, f.predicate DESC, f.status DESC, f.id DESC LIMIT $bound
  }}
  RETURN id ORDER BY id DESC LIMIT $bound
}}
WITH entity_id, predicate, collect(id) AS ids
RETURN collect([entity_id, ids]) AS rows
UNION ALL
UNWIND $ids AS entity_id
MATCH (h:Hub {{owner: $owner, entity_id: entity_id}})
UNWIND h.in AS predicate
CALL (entity_id, predicate) {{
  UNWIND $stored AS status
  CALL (entity_id, predicate, status) {{
    MATCH (f:Fact) USING INDEX f:Fact(owner, object_id, predicate, status, id)
    WHERE f.owner = $owner AND f.object_id = entity_id AND f.predicate = predicate AND f.status = status
      AND f.id < $top AND {VISIBLE}
    RETURN f.id AS id
    ORDER BY f.owner DESC, f.object_id DESC, f.predicate DESC, f.status DESC, f.id DESC LIMIT $bound
  }}
  RETURN id ORDER BY id DESC LIMIT $bound
}}
WITH entity_id, predicate, collect(id) AS ids
RETURN collect([entity_id, ids]) AS rows
"""


async def around(
    run: Statements, ids: Collection[EntityId], view: View, per_predicate: int, per_entity: int
) -> tuple[tuple[Fact, ...], bool]:
    """Bounded facts in both directions of exactly these entities; True when a bound cut some off."""
    if not ids:
        return (), False
    found = await run.rows(
        AROUND, ids=distinct(ids), stored=stored_statuses(view), bound=per_predicate + 1, top=TOP, **parameters(view)
    )
    both_ways = [pair for row in found for pair in row["rows"]]
    chosen, is_cut = _bounded(both_ways, per_predicate, per_entity)
    read = await facts.by_id(run, chosen)
    return tuple(sorted(read.values(), key=lambda fact: fact.id, reverse=True)), is_cut


def _bounded(
    found: Iterable[tuple[EntityId, list[FactId]]], per_predicate: int, per_entity: int
) -> tuple[frozenset[FactId], bool]:
    """The newest of what was found: pairs of an entity and the ids of one predicate in one direction."""
    is_cut = False
    around_entity: dict[str, set[FactId]] = {}
    for entity_id, newest in found:
        is_cut = is_cut or len(newest) > per_predicate
        around_entity.setdefault(entity_id, set()).update(newest[:per_predicate])
    chosen: set[FactId] = set()
    for mine in around_entity.values():
        is_cut = is_cut or len(mine) > per_entity
        chosen.update(sorted(mine, reverse=True)[:per_entity])
    return frozenset(chosen), is_cut
