"""Entities, their names and links in SQLite."""

# ruff: noqa: S608 - statements are joined from the constants below only; values are always parameters

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy.exc import IntegrityError

from doso.errors import Conflict
from doso.ids import DocumentId, EntityId
from doso.records import Entity, EntityType, Page
from graph.backends.sqlite import terms
from graph.backends.sqlite.rows import entity_from_row, row_from_entity
from graph.backends.sqlite.scope import Rows, Scope, listed
from graph.ports import Link

#: Without the hint SQLite walks all aliases of the owner, whose primary key also begins with it.
COLUMNS = """e.id, e.type, e.name, e.group_id, e.role, e.context, e.created_at,
  (SELECT json_group_array(json_array(a.key, json(a.given))) FROM aliases a
   INDEXED BY aliases_entity WHERE a.owner = e.owner AND a.entity_id = e.id)"""
BY_ID = f"SELECT {COLUMNS} FROM entities e WHERE e.owner = ? AND e.id IN (SELECT value FROM json_each(?)) ORDER BY e.id"
BY_ROLE = f"SELECT {COLUMNS} FROM entities e WHERE e.owner = ? AND e.role = 'owner'"
BY_GROUP = f"""
SELECT {COLUMNS} FROM entities e WHERE e.owner = ? AND e.group_id IN (
  SELECT m.group_id FROM entities m WHERE m.owner = ? AND m.id IN (SELECT value FROM json_each(?)))
ORDER BY e.id"""
BY_DOCUMENT = f"""
SELECT {COLUMNS} FROM alias_documents d JOIN entities e ON e.owner = d.owner AND e.id = d.entity_id
WHERE d.owner = ? AND d.document_id = ? ORDER BY e.id"""
KEY_OWNERS = "SELECT key, entity_id FROM aliases WHERE owner = ? AND key IN (SELECT value FROM json_each(?))"
BLOCK_OWNERS = """
SELECT asked.value, b.entity_id FROM json_each(?) AS asked CROSS JOIN blocks b
ON b.owner = ? AND b.block = asked.value AND b.entity_id IN (
  SELECT entity_id FROM blocks WHERE owner = ? AND block = asked.value ORDER BY entity_id LIMIT ?)
ORDER BY b.entity_id"""
LISTED = f"""
SELECT {COLUMNS} FROM entities e WHERE e.owner = ? AND e.id = e.group_id AND e.id < ? ORDER BY e.id DESC LIMIT ?"""
LISTED_OF_TYPE = f"""
SELECT {COLUMNS} FROM entities e WHERE e.owner = ? AND e.type = ? AND e.id = e.group_id AND e.id < ?
ORDER BY e.id DESC LIMIT ?"""
NUMBERS = "SELECT id, n FROM entities WHERE owner = ? AND id IN (SELECT value FROM json_each(?))"
PUT = """
INSERT INTO entities (owner, id, type, name, group_id, role, context, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (owner, id) DO UPDATE SET type = excluded.type, name = excluded.name, group_id = excluded.group_id,
  role = excluded.role, context = excluded.context, created_at = excluded.created_at"""
PUT_ALIAS = "INSERT INTO aliases (owner, key, type, context, entity_id, given) VALUES (?, ?, ?, ?, ?, ?)"
PUT_ALIAS_DOCUMENT = (
    "INSERT INTO alias_documents (owner, document_id, entity_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
)
PUT_BLOCK = "INSERT INTO blocks (owner, block, entity_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
PUT_TOKENS = """
INSERT INTO entity_search (rowid, tokens) VALUES ((SELECT n FROM entities WHERE owner = ? AND id = ?), ?)"""
TOKENS = "SELECT rowid, tokens FROM entity_search WHERE rowid IN (SELECT value FROM json_each(?))"
DELETE_TOKENS = "DELETE FROM entity_search WHERE rowid = ?"
DELETE_ALIASES = "DELETE FROM aliases WHERE owner = ? AND entity_id IN (SELECT value FROM json_each(?))"
DELETE_ALIAS_DOCUMENTS = "DELETE FROM alias_documents WHERE owner = ? AND entity_id IN (SELECT value FROM json_each(?))"
DELETE_BLOCKS = "DELETE FROM blocks WHERE owner = ? AND entity_id IN (SELECT value FROM json_each(?))"
DELETE_LINKS_A = "DELETE FROM links WHERE owner = ? AND a IN (SELECT value FROM json_each(?))"
DELETE_LINKS_B = "DELETE FROM links WHERE owner = ? AND b IN (SELECT value FROM json_each(?))"
DELETE = "DELETE FROM entities WHERE owner = ? AND id IN (SELECT value FROM json_each(?))"
COUNT = "UPDATE owners SET entities = entities + ? WHERE no = ?"
WITHOUT_FACTS = """
SELECT asked.value FROM json_each(?) AS asked
WHERE NOT EXISTS (SELECT 1 FROM facts WHERE owner = ? AND subject_id = asked.value)
  AND NOT EXISTS (SELECT 1 FROM facts WHERE owner = ? AND object_id = asked.value)"""
LINKS = """
SELECT kind, a, b FROM links WHERE owner = ? AND a IN (SELECT value FROM json_each(?))
UNION SELECT kind, a, b FROM links WHERE owner = ? AND b IN (SELECT value FROM json_each(?))"""
PUT_LINK = "INSERT INTO links (owner, a, b, kind) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING"
DELETE_LINK = "DELETE FROM links WHERE owner = ? AND a = ? AND b = ? AND kind = ?"
MATCHING = """
SELECT e.id, s.tokens FROM entity_search s JOIN entities e ON e.n = s.rowid
WHERE entity_search MATCH ? ORDER BY s.rank LIMIT ?"""

#: Above every id: the cursor of a first page.
NEWEST = "~"
#: Names fetched for each one asked for, before those that hold most of the tokens are chosen.
CANDIDATES_PER_HIT = 8


async def by_id(scope: Scope, ids: Collection[EntityId]) -> dict[EntityId, Entity]:
    """The entities of these ids."""
    found = _records(scope, await scope.all(BY_ID, scope.no, listed(ids))) if ids else ()
    return {entity.id: entity for entity in found}


async def owner_entity(scope: Scope) -> Entity | None:
    """The entity that is the owner."""
    found = _records(scope, await scope.all(BY_ROLE, scope.no))
    return found[0] if found else None


async def group(scope: Scope, ids: Collection[EntityId]) -> tuple[Entity, ...]:
    """Every member of the groups of these entities."""
    if not ids:
        return ()
    return _records(scope, await scope.all(BY_GROUP, scope.no, scope.no, listed(ids)))


async def from_document(scope: Scope, document_id: DocumentId) -> tuple[Entity, ...]:
    """Entities that the document gave an alias."""
    return _records(scope, await scope.all(BY_DOCUMENT, scope.no, document_id))


async def by_key(scope: Scope, keys: Collection[str]) -> dict[str, tuple[Entity, ...]]:
    """Entities by alias key."""
    return await _arranged(scope, await scope.all(KEY_OWNERS, scope.no, listed(keys))) if keys else {}


async def by_block(scope: Scope, blocks: Collection[str], per_block: int) -> dict[str, tuple[Entity, ...]]:
    """The oldest entities of each block."""
    if not blocks:
        return {}
    return await _arranged(scope, await scope.all(BLOCK_OWNERS, listed(blocks), scope.no, scope.no, per_block))


async def page(scope: Scope, type: EntityType | None, cursor: str | None, limit: int) -> Page[Entity]:
    """Representatives, newest first."""
    before = cursor or NEWEST
    if type is None:
        rows = await scope.all(LISTED, scope.no, before, limit + 1)
    else:
        rows = await scope.all(LISTED_OF_TYPE, scope.no, type.value, before, limit + 1)
    found = {entity.id: entity for entity in _records(scope, rows[:limit])}
    data = tuple(found[row[0]] for row in rows[:limit])
    return Page(data, data[-1].id if len(rows) > limit else None)


async def search(scope: Scope, tokens: Sequence[str], limit: int) -> tuple[Entity, ...]:
    """Entities whose names hold most of the tokens, the shorter name first among equals."""
    query = await terms.query(scope, "entity", tokens)
    if query is None:
        return ()
    wanted = {f"o{scope.no}x{token[: terms.TOKEN_CHARS]}" for token in tokens}
    found: dict[str, set[str]] = {}
    for match in filter(None, (query.sharper, query.telling)):
        rows = await scope.all(MATCHING, match, limit * CANDIDATES_PER_HIT)
        found.update((id, set(held.split())) for id, held in rows)
    best = sorted(found, key=lambda id: (-len(found[id] & wanted), len(found[id]), id))[:limit]
    entities = await by_id(scope, [EntityId(id) for id in best])
    return tuple(entities[EntityId(id)] for id in best)


async def put(scope: Scope, entities: Sequence[Entity]) -> None:
    """Insert or replace entities and their aliases. Raises Conflict when a key belongs to another entity."""
    last = {entity.id: entity for entity in entities}
    if not last:
        return
    known = await scope.all(NUMBERS, scope.no, listed(last))
    if known:
        await _forget_names(scope, [row[0] for row in known], [row[1] for row in known])
    await scope.many(PUT, [row_from_entity(scope.no, entity) for entity in last.values()])
    try:
        await scope.many(PUT_ALIAS, [row for entity in last.values() for row in _alias_rows(scope.no, entity)])
    except IntegrityError as error:
        raise Conflict("A name already belongs to another entity of its type.", param="name") from error
    await scope.many(PUT_ALIAS_DOCUMENT, [row for entity in last.values() for row in _document_rows(scope.no, entity)])
    tokens = {
        entity.id: terms.indexed(scope, dict.fromkeys(alias.name for alias in entity.aliases))
        for entity in last.values()
    }
    await scope.many(PUT_TOKENS, [(scope.no, id, held) for id, held in tokens.items()])
    await terms.count_terms(scope, "entity", tokens.values())
    if len(last) > len(known):
        await scope.run(COUNT, len(last) - len(known), scope.no)


async def put_blocks(scope: Scope, blocks: Mapping[EntityId, Collection[str]]) -> None:
    """Add blocking keys."""
    await scope.many(PUT_BLOCK, [(scope.no, block, id) for id, keys in blocks.items() for block in keys])


async def delete(scope: Scope, ids: Collection[EntityId]) -> None:
    """Remove entities with all that hangs on them."""
    known = await scope.all(NUMBERS, scope.no, listed(ids)) if ids else ()
    if not known:
        return
    gone = listed(row[0] for row in known)
    await _forget_names(scope, [row[0] for row in known], [row[1] for row in known])
    for statement in (DELETE_BLOCKS, DELETE_LINKS_A, DELETE_LINKS_B, DELETE):
        await scope.run(statement, scope.no, gone)
    await scope.run(COUNT, -len(known), scope.no)


async def without_facts(scope: Scope, ids: Collection[EntityId]) -> frozenset[EntityId]:
    """Those that no fact names."""
    rows = await scope.all(WITHOUT_FACTS, listed(ids), scope.no, scope.no) if ids else ()
    return frozenset(EntityId(row[0]) for row in rows)


async def links(scope: Scope, ids: Collection[EntityId]) -> tuple[Link, ...]:
    """Links that touch these entities."""
    if not ids:
        return ()
    asked = listed(ids)
    rows = await scope.all(LINKS, scope.no, asked, scope.no, asked)
    return tuple(Link(kind, EntityId(a), EntityId(b)) for kind, a, b in rows)


async def put_link(scope: Scope, link: Link) -> None:
    """Draw a link; one that is there changes nothing."""
    await scope.run(PUT_LINK, scope.no, link.a, link.b, link.kind)


async def delete_link(scope: Scope, link: Link) -> None:
    """Take a link away."""
    await scope.run(DELETE_LINK, scope.no, link.a, link.b, link.kind)


async def _forget_names(scope: Scope, ids: Sequence[str], numbers: Sequence[int]) -> None:
    held = await scope.all(TOKENS, json.dumps(numbers))
    await terms.count_terms(scope, "entity", (), (row[1] for row in held))
    await scope.many(DELETE_TOKENS, [(row[0],) for row in held])
    gone = listed(ids)
    await scope.run(DELETE_ALIASES, scope.no, gone)
    await scope.run(DELETE_ALIAS_DOCUMENTS, scope.no, gone)


def _alias_rows(no: int, entity: Entity) -> Iterable[tuple[object, ...]]:
    given: dict[str, list[list[str | None]]] = defaultdict(list)
    for alias in dict.fromkeys(entity.aliases):
        given[alias.key].append([alias.name, alias.document_id, alias.passage_id])
    for key, places in given.items():
        yield (no, key, entity.type.value, entity.context, entity.id, json.dumps(places, ensure_ascii=False))


def _document_rows(no: int, entity: Entity) -> Iterable[tuple[object, ...]]:
    for document_id in {alias.document_id for alias in entity.aliases if alias.document_id}:
        yield (no, document_id, entity.id)


def _records(scope: Scope, rows: Rows) -> tuple[Entity, ...]:
    return tuple(entity_from_row(scope.owner, row) for row in rows)


async def _arranged(scope: Scope, pairs: Rows) -> dict[str, tuple[Entity, ...]]:
    """Entities under the key they were found by, oldest first."""
    found = await by_id(scope, {EntityId(row[1]) for row in pairs})
    arranged: dict[str, list[Entity]] = defaultdict(list)
    for key, id in sorted((row[0], row[1]) for row in pairs):
        arranged[key].append(found[EntityId(id)])
    return {key: tuple(entities) for key, entities in arranged.items()}
