"""Pages of facts in Neo4j, newest first, each filter by an index that has the order of the page where one can."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import LiteralString

from doso.ids import EntityId, FactId
from doso.records import Fact, Page
from graph.backends.neo4j import facts
from graph.backends.neo4j.connection import Statements
from graph.backends.neo4j.entities import distinct
from graph.backends.neo4j.rows import to_utc
from graph.backends.neo4j.schema import TOP
from graph.backends.neo4j.views import VISIBLE, parameters, stored_statuses
from graph.ports import View

_DATED: LiteralString = """
($valid_from IS NULL OR f.valid_from >= $valid_from) AND ($valid_until IS NULL OR f.valid_from < $valid_until)
"""
ALL: LiteralString = f"""
MATCH (f:Fact) USING INDEX f:Fact(owner, id)
WHERE f.owner = $owner AND f.id < $cursor AND {VISIBLE}
WITH f ORDER BY f.owner DESC, f.id DESC LIMIT $limit
RETURN collect(f.id) AS rows
"""
OF_PREDICATE: LiteralString = f"""
MATCH (f:Fact) USING INDEX f:Fact(owner, predicate, id)
WHERE f.owner = $owner AND f.predicate = $predicate AND f.id < $cursor AND {_DATED} AND {VISIBLE}
WITH f ORDER BY f.owner DESC, f.predicate DESC, f.id DESC LIMIT $limit
RETURN collect(f.id) AS rows
"""
DATED: LiteralString = f"""
MATCH (f:Fact) USING INDEX f:Fact(owner, valid_from)
WHERE f.owner = $owner AND f.valid_from >= $first AND f.valid_from <= $last
  AND f.id < $cursor AND {_DATED} AND {VISIBLE}
WITH f ORDER BY f.id DESC LIMIT $limit
RETURN collect(f.id) AS rows
"""
OF_ENTITIES: LiteralString = f"""
UNWIND $ids AS entity_id
CALL (entity_id) {{
  MATCH (f:Fact) USING INDEX f:Fact(owner, subject_id, id)
  WHERE f.owner = $owner AND f.subject_id = entity_id AND f.id < $cursor AND {_DATED} AND {VISIBLE}
  RETURN f.id AS id ORDER BY f.owner DESC, f.subject_id DESC, f.id DESC LIMIT $limit
UNION ALL
  MATCH (f:Fact) USING INDEX f:Fact(owner, object_id, id)
  WHERE f.owner = $owner AND f.object_id = entity_id AND f.id < $cursor AND {_DATED} AND {VISIBLE}
  RETURN f.id AS id ORDER BY f.owner DESC, f.object_id DESC, f.id DESC LIMIT $limit
}}
WITH DISTINCT id ORDER BY id DESC LIMIT $limit
RETURN collect(id) AS rows
"""
OF_ENTITIES_AND_PREDICATE: LiteralString = f"""
UNWIND $ids AS entity_id
UNWIND $stored AS status
CALL (entity_id, status) {{
  MATCH (f:Fact) USING INDEX f:Fact(owner, subject_id, predicate, status, id)
  WHERE f.owner = $owner AND f.subject_id = entity_id AND f.predicate = $predicate AND f.status = status
    AND f.id < $cursor AND {_DATED} AND {VISIBLE}
  RETURN f.id AS id
  ORDER BY f.owner DESC, f.subject_id DESC, f.predicate DESC, f.status DESC, f.id DESC LIMIT $limit
UNION ALL
  MATCH (f:Fact) USING INDEX f:Fact(owner, object_id, predicate, status, id)
  WHERE f.owner = $owner AND f.object_id = entity_id AND f.predicate = $predicate AND f.status = status
    AND f.id < $cursor AND {_DATED} AND {VISIBLE}
  RETURN f.id AS id
  ORDER BY f.owner DESC, f.object_id DESC, f.predicate DESC, f.status DESC, f.id DESC LIMIT $limit
}}
WITH DISTINCT id ORDER BY id DESC LIMIT $limit
RETURN collect(id) AS rows
"""

_FIRST = datetime.min.replace(tzinfo=UTC)
_LAST = datetime.max.replace(tzinfo=UTC)


async def listed(
    run: Statements,
    view: View,
    *,
    entity_ids: Collection[EntityId] | None,
    predicate: str | None,
    cursor: str | None,
    limit: int,
    valid_from: datetime | None,
    valid_until: datetime | None,
) -> Page[Fact]:
    """A page of facts; its cursor is the id of its last one."""
    if entity_ids is not None and not entity_ids:
        return Page(())
    rows = await run.collected(
        _statement(entity_ids, predicate, valid_from or valid_until),
        ids=distinct(entity_ids or ()),
        predicate=predicate,
        stored=stored_statuses(view),
        valid_from=to_utc(valid_from),
        valid_until=to_utc(valid_until),
        first=to_utc(valid_from) or _FIRST,
        last=to_utc(valid_until) or _LAST,
        cursor=cursor or TOP,
        limit=limit + 1,
        **parameters(view),
    )
    ids = [FactId(id) for id in rows[:limit]]
    read = await facts.by_id(run, ids)
    return Page(tuple(read[id] for id in ids if id in read), ids[-1] if len(rows) > limit and ids else None)


def _statement(entity_ids: object, predicate: str | None, date: datetime | None) -> LiteralString:
    if entity_ids is not None:
        return OF_ENTITIES if predicate is None else OF_ENTITIES_AND_PREDICATE
    if predicate is not None:
        return OF_PREDICATE
    return ALL if date is None else DATED
