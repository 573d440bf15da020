"""Entities in Neo4j: reading and writing them with their names, blocking keys, groups and links."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import LiteralString

from doso.errors import Conflict
from doso.ids import DocumentId, EntityId
from doso.records import Entity, EntityType, Page
from graph.backends.neo4j.connection import Statements
from graph.backends.neo4j.rows import Properties, entity_of, entity_properties, name_rows
from graph.backends.neo4j.schema import TOP
from graph.ports import Link

COLUMNS: LiteralString = """
e {
  .id, .type, .name, .group_id, .role, .context, created_at: toString(e.created_at),
  names: COLLECT { MATCH (e)<-[:NAMES]-(n:Name) RETURN n {.key, .spellings, .documents, .passages} ORDER BY n.place }
}
"""
BY_ID: LiteralString = f"""
UNWIND $ids AS id
MATCH (e:Entity {{owner: $owner, id: id}})
RETURN collect({COLUMNS}) AS rows
"""
BY_KEY: LiteralString = f"""
UNWIND $keys AS key
MATCH (n:Name) USING INDEX n:Name(owner, key) WHERE n.owner = $owner AND n.key = key
MATCH (e:Entity {{owner: $owner, id: n.entity_id}})
WITH DISTINCT key, e ORDER BY e.id
RETURN collect([key, {COLUMNS}]) AS rows
"""
BY_BLOCK: LiteralString = f"""
UNWIND $blocks AS block
CALL (block) {{
  MATCH (b:Block) USING INDEX b:Block(owner, block, entity_id)
  WHERE b.owner = $owner AND b.block = block AND b.entity_id < $top
  RETURN b.entity_id AS id ORDER BY b.owner, b.block, b.entity_id LIMIT $per_block
}}
MATCH (e:Entity {{owner: $owner, id: id}})
WITH block, e ORDER BY e.id
RETURN collect([block, {COLUMNS}]) AS rows
"""
FROM_DOCUMENT: LiteralString = f"""
MATCH (d:NamedIn) USING INDEX d:NamedIn(owner, document_id) WHERE d.owner = $owner AND d.document_id = $document_id
MATCH (e:Entity {{owner: $owner, id: d.entity_id}})
WITH e ORDER BY e.id
RETURN collect({COLUMNS}) AS rows
"""
GROUP: LiteralString = f"""
UNWIND $ids AS id
MATCH (one:Entity {{owner: $owner, id: id}})
WITH DISTINCT one.group_id AS group_id
MATCH (e:Entity) USING INDEX e:Entity(owner, group_id, id)
WHERE e.owner = $owner AND e.group_id = group_id AND e.id < $top
WITH e ORDER BY e.id
RETURN collect({COLUMNS}) AS rows
"""
OWNER_ENTITY: LiteralString = f"""
MATCH (e:Entity) USING INDEX e:Entity(owner, role) WHERE e.owner = $owner AND e.role = 'owner'
RETURN collect({COLUMNS}) AS rows
"""
LIST_ALL: LiteralString = f"""
MATCH (e:Entity) USING INDEX e:Entity(owner, id) WHERE e.owner = $owner AND e.id < $cursor AND e.group_id = e.id
WITH e ORDER BY e.owner DESC, e.id DESC LIMIT $limit
RETURN collect({COLUMNS}) AS rows
"""
LIST_TYPE: LiteralString = f"""
MATCH (e:Entity) USING INDEX e:Entity(owner, listed_as, id)
WHERE e.owner = $owner AND e.listed_as = $type AND e.id < $cursor
WITH e ORDER BY e.owner DESC, e.listed_as DESC, e.id DESC LIMIT $limit
RETURN collect({COLUMNS}) AS rows
"""
EXISTING: LiteralString = """
UNWIND $ids AS id MATCH (e:Entity {owner: $owner, id: id}) RETURN collect(id) AS rows
"""
PUT: LiteralString = """
UNWIND $rows AS row
MERGE (e:Entity {owner: $owner, id: row.id})
SET e += row.properties, e.created_at = datetime(row.properties.created_at)
"""
DROP_NAMES: LiteralString = """
UNWIND $rows AS row
MATCH (n:Name) WHERE n.owner = $owner AND n.entity_id = row.id AND NOT [n.key, n.type, n.context] IN row.keys
DETACH DELETE n
"""
DROP_NAMED_IN: LiteralString = """
UNWIND $rows AS row
MATCH (d:NamedIn) WHERE d.owner = $owner AND d.entity_id = row.id AND NOT d.document_id IN row.documents
DELETE d
"""
TAKEN_NAMES: LiteralString = """
UNWIND $rows AS row
MATCH (n:Name {owner: $owner, key: row.key, type: row.type, context: row.context})
WHERE n.entity_id <> row.entity_id
RETURN row.spellings[0] AS name, row.type AS type LIMIT 1
"""
PUT_NAMES: LiteralString = """
UNWIND $rows AS row
MATCH (e:Entity {owner: $owner, id: row.entity_id})
MERGE (n:Name {owner: $owner, key: row.key, type: row.type, context: row.context})
SET n += row
MERGE (n)-[:NAMES]->(e)
"""
PUT_NAMED_IN: LiteralString = """
UNWIND $rows AS row MERGE (:NamedIn {owner: $owner, document_id: row.document_id, entity_id: row.entity_id})
"""
PUT_BLOCKS: LiteralString = """
UNWIND $rows AS row MERGE (:Block {owner: $owner, block: row.block, entity_id: row.entity_id})
"""
DELETE_BESIDE: LiteralString = """
UNWIND $ids AS id
CALL (id) {
  MATCH (n:Name) WHERE n.owner = $owner AND n.entity_id = id DETACH DELETE n
}
CALL (id) {
  MATCH (n:NamedIn) WHERE n.owner = $owner AND n.entity_id = id DELETE n
}
CALL (id) {
  MATCH (n:Block) WHERE n.owner = $owner AND n.entity_id = id DELETE n
}
CALL (id) {
  MATCH (n:Hub {owner: $owner, entity_id: id}) DELETE n
}
"""
DELETE: LiteralString = "UNWIND $ids AS id MATCH (e:Entity {owner: $owner, id: id}) DETACH DELETE e"
WITHOUT_FACTS: LiteralString = """
UNWIND $ids AS id
MATCH (e:Entity {owner: $owner, id: id})
WHERE NOT EXISTS { MATCH (f:Fact) WHERE f.owner = $owner AND f.subject_id = id AND f.id < $top }
  AND NOT EXISTS { MATCH (f:Fact) WHERE f.owner = $owner AND f.object_id = id AND f.id < $top }
RETURN collect(id) AS rows
"""
LINKS: LiteralString = """
UNWIND $ids AS id
MATCH (:Entity {owner: $owner, id: id})-[l:LINKED]-()
RETURN DISTINCT l.kind AS kind, startNode(l).id AS a, endNode(l).id AS b ORDER BY kind, a, b
"""
PUT_LINK: LiteralString = """
MATCH (a:Entity {owner: $owner, id: $a}), (b:Entity {owner: $owner, id: $b}) MERGE (a)-[:LINKED {kind: $kind}]->(b)
"""
DELETE_LINK: LiteralString = """
MATCH (:Entity {owner: $owner, id: $a})-[l:LINKED {kind: $kind}]->(:Entity {owner: $owner, id: $b}) DELETE l
"""


async def by_id(run: Statements, ids: Collection[EntityId]) -> dict[EntityId, Entity]:
    """Entities by id; unknown ones are absent."""
    found = [entity_of(run.owner, row) for row in await run.collected(BY_ID, ids=distinct(ids))] if ids else []
    return {entity.id: entity for entity in found}


async def by_key(run: Statements, keys: Collection[str]) -> dict[str, tuple[Entity, ...]]:
    """Entities by alias key."""
    if not keys:
        return {}
    found: dict[str, list[Entity]] = {}
    for key, row in await run.collected(BY_KEY, keys=distinct(keys)):
        found.setdefault(key, []).append(entity_of(run.owner, row))
    return {key: tuple(entities) for key, entities in found.items()}


async def by_block(run: Statements, blocks: Collection[str], per_block: int) -> dict[str, tuple[Entity, ...]]:
    """The oldest entities by blocking key."""
    if not blocks:
        return {}
    found: dict[str, list[Entity]] = {}
    for block, row in await run.collected(BY_BLOCK, blocks=distinct(blocks), per_block=per_block, top=TOP):
        found.setdefault(block, []).append(entity_of(run.owner, row))
    return {block: tuple(entities) for block, entities in found.items()}


async def from_document(run: Statements, document_id: DocumentId) -> tuple[Entity, ...]:
    """Entities with an alias that this document gave."""
    return tuple(entity_of(run.owner, row) for row in await run.collected(FROM_DOCUMENT, document_id=document_id))


async def group(run: Statements, ids: Collection[EntityId]) -> tuple[Entity, ...]:
    """All members of the groups of these entities."""
    if not ids:
        return ()
    return tuple(entity_of(run.owner, row) for row in await run.collected(GROUP, ids=distinct(ids), top=TOP))


async def owner_entity(run: Statements) -> Entity | None:
    """The entity whose role is "owner"."""
    rows = await run.collected(OWNER_ENTITY)
    return entity_of(run.owner, rows[0]) if rows else None


async def listed(run: Statements, type: EntityType | None, cursor: str | None, limit: int) -> Page[Entity]:
    """A page of representatives, newest first."""
    bounds: Properties = {"cursor": cursor or TOP, "limit": limit + 1}
    rows = await (run.collected(LIST_TYPE, type=type.value, **bounds) if type else run.collected(LIST_ALL, **bounds))
    page = tuple(entity_of(run.owner, row) for row in rows[:limit])
    return Page(page, page[-1].id if len(rows) > limit and page else None)


async def put(run: Statements, entities: Sequence[Entity]) -> None:
    """Insert or replace entities. Raises Conflict when a key of one belongs to another entity."""
    if not entities:
        return
    entities = list({entity.id: entity for entity in entities}.values())
    existing = frozenset(await run.collected(EXISTING, ids=[entity.id for entity in entities]))
    await run.rows(PUT, rows=[{"id": e.id, "properties": entity_properties(e)} for e in entities])
    names = {entity.id: name_rows(entity) for entity in entities}
    documents = {e.id: distinct(alias.document_id for alias in e.aliases if alias.document_id) for e in entities}
    stale = [
        {
            "id": entity.id,
            "keys": [[name["key"], name["type"], name["context"]] for name in names[entity.id]],
            "documents": documents[entity.id],
        }
        for entity in entities
        if entity.id in existing
    ]
    if stale:
        await run.rows(DROP_NAMES, rows=stale)
        await run.rows(DROP_NAMED_IN, rows=stale)
    await _put_names(run, [name for rows in names.values() for name in rows])
    named_in = [{"document_id": d, "entity_id": id} for id, given in documents.items() for d in given]
    if named_in:
        await run.rows(PUT_NAMED_IN, rows=named_in)


async def _put_names(run: Statements, names: list[Properties]) -> None:
    if not names:
        return
    bearers: dict[object, object] = {}
    for name in names:
        if bearers.setdefault((name["key"], name["type"], name["context"]), name["entity_id"]) != name["entity_id"]:
            raise Conflict(f"Two entities of type {name['type']} can't both be named {name['key']!r}.")
    taken = await run.rows(TAKEN_NAMES, rows=names)
    if taken:
        raise Conflict(f"{taken[0]['name']!r} already names another {taken[0]['type']}.")
    await run.rows(PUT_NAMES, rows=names)


async def put_blocks(run: Statements, blocks: Mapping[EntityId, Collection[str]]) -> None:
    """Add blocking keys to entities."""
    rows = [{"entity_id": id, "block": block} for id, added in blocks.items() for block in distinct(added)]
    if rows:
        await run.rows(PUT_BLOCKS, rows=rows)


async def delete(run: Statements, ids: Collection[EntityId]) -> None:
    """Remove entities with all that belongs to them alone."""
    if not ids:
        return
    await run.rows(DELETE_BESIDE, ids=distinct(ids))
    await run.rows(DELETE, ids=distinct(ids))


async def without_facts(run: Statements, ids: Collection[EntityId]) -> frozenset[EntityId]:
    """Those that no fact names."""
    if not ids:
        return frozenset()
    return frozenset(EntityId(id) for id in await run.collected(WITHOUT_FACTS, ids=distinct(ids), top=TOP))


async def links(run: Statements, ids: Collection[EntityId]) -> tuple[Link, ...]:
    """Links at these entities."""
    if not ids:
        return ()
    return tuple(Link(row["kind"], row["a"], row["b"]) for row in await run.rows(LINKS, ids=distinct(ids)))


async def put_link(run: Statements, link: Link) -> None:
    """Draw a link."""
    await run.rows(PUT_LINK, kind=link.kind, a=link.a, b=link.b)


async def delete_link(run: Statements, link: Link) -> None:
    """Take a link back."""
    await run.rows(DELETE_LINK, kind=link.kind, a=link.a, b=link.b)


def distinct(values: Iterable[str]) -> list[str]:
    """Values once each, in order, as a list that the driver takes."""
    return list(dict.fromkeys(values))
