"""Facts in Neo4j: reading and writing them with their provenance."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import LiteralString

from doso.ids import DocumentId, EntityId, FactId, PassageId
from doso.records import Fact, GraphCounts, Literal, Provenance, Status
from graph.backends.neo4j import vectors
from graph.backends.neo4j.connection import Statements
from graph.backends.neo4j.entities import distinct
from graph.backends.neo4j.rows import Properties, fact_of, fact_properties, provenance_row, support_id
from graph.backends.neo4j.schema import TOP

#: Rows of one statement: what a big batch costs the server at a time.
BATCH = 2_000

COLUMNS: LiteralString = """
f {
  .id, .key, .subject_id, .predicate, .object_id, .object_text, .object_kind, .status, .confidence, .trust,
  .superseded_by, .zone, .text, recorded_at: toString(f.recorded_at), verified_at: toString(f.verified_at),
  retired_at: toString(f.retired_at), valid_from: toString(f.valid_from), valid_until: toString(f.valid_until),
  provenance: COLLECT {
    MATCH (f)-[:SUPPORTED_BY]->(p:Provenance)
    RETURN p {
      .document_id, .passage_id, .source, .trust, .extractor, .author, .span_start, .span_end, .fingerprint,
      occurred_at: toString(p.occurred_at)
    } ORDER BY p.sequence
  }
}
"""
BY_ID: LiteralString = f"""
UNWIND $ids AS id
MATCH (f:Fact {{owner: $owner, id: id}})
RETURN collect({COLUMNS}) AS rows
"""
BY_KEY: LiteralString = f"""
UNWIND $keys AS key
MATCH (f:Fact) USING INDEX f:Fact(owner, key) WHERE f.owner = $owner AND f.key = key
WITH f ORDER BY f.id DESC
RETURN collect({COLUMNS}) AS rows
"""
OF_SUBJECT: LiteralString = f"""
UNWIND $ids AS entity_id
MATCH (f:Fact) USING INDEX f:Fact(owner, subject_id, id)
WHERE f.owner = $owner AND f.subject_id = entity_id AND f.id < $top AND f.retired_at IS NULL
WITH f ORDER BY f.id
RETURN collect({COLUMNS}) AS rows
"""
OF_OBJECT: LiteralString = f"""
UNWIND $ids AS entity_id
MATCH (f:Fact) USING INDEX f:Fact(owner, object_id, id)
WHERE f.owner = $owner AND f.object_id = entity_id AND f.id < $top AND f.retired_at IS NULL
WITH f ORDER BY f.id
RETURN collect({COLUMNS}) AS rows
"""
#: With predicates named, a hub costs only what it has of those.
OF_SUBJECT_AND_PREDICATE: LiteralString = f"""
UNWIND $ids AS entity_id UNWIND $predicates AS predicate UNWIND $statuses AS status
MATCH (f:Fact) USING INDEX f:Fact(owner, subject_id, predicate, status, id)
WHERE f.owner = $owner AND f.subject_id = entity_id AND f.predicate = predicate AND f.status = status AND f.id < $top
  AND f.retired_at IS NULL
WITH f ORDER BY f.id
RETURN collect({COLUMNS}) AS rows
"""
OF_OBJECT_AND_PREDICATE: LiteralString = f"""
UNWIND $ids AS entity_id UNWIND $predicates AS predicate UNWIND $statuses AS status
MATCH (f:Fact) USING INDEX f:Fact(owner, object_id, predicate, status, id)
WHERE f.owner = $owner AND f.object_id = entity_id AND f.predicate = predicate AND f.status = status AND f.id < $top
  AND f.retired_at IS NULL
WITH f ORDER BY f.id
RETURN collect({COLUMNS}) AS rows
"""
FROM_DOCUMENT: LiteralString = f"""
MATCH (s:Provenance) USING INDEX s:Provenance(owner, document_id)
WHERE s.owner = $owner AND s.document_id = $document_id
  AND ($passage_ids IS NULL OR s.passage_id IN $passage_ids)
WITH DISTINCT s.fact_id AS fact_id
MATCH (f:Fact {{owner: $owner, id: fact_id}})
WITH f ORDER BY f.id
RETURN collect({COLUMNS}) AS rows
"""
SUPERSEDED_BY: LiteralString = f"""
UNWIND $ids AS id
MATCH (f:Fact) USING INDEX f:Fact(owner, superseded_by) WHERE f.owner = $owner AND f.superseded_by = id
WITH f ORDER BY f.id
RETURN collect({COLUMNS}) AS rows
"""
BEFORE: LiteralString = """
UNWIND $ids AS id
MATCH (f:Fact {owner: $owner, id: id})
RETURN collect(f {.id, .text, .subject_id, .object_id}) AS rows
"""
PUT: LiteralString = """
UNWIND $rows AS row
MERGE (f:Fact {owner: $owner, id: row.id})
SET f += row.properties, f.recorded_at = datetime(row.properties.recorded_at),
    f.verified_at = datetime(row.properties.verified_at), f.retired_at = datetime(row.properties.retired_at),
    f.valid_from = datetime(row.properties.valid_from), f.valid_until = datetime(row.properties.valid_until)
"""
CUT_ENDS: LiteralString = """
UNWIND $ids AS id
MATCH (f:Fact {owner: $owner, id: id})-[r:SUBJECT_OF|OBJECT]-(:Entity)
DELETE r
"""
JOIN_SUBJECTS: LiteralString = """
UNWIND $rows AS row
MATCH (f:Fact {owner: $owner, id: row.id})
MATCH (e:Entity {owner: $owner, id: row.properties.subject_id})
CREATE (e)-[:SUBJECT_OF]->(f)
"""
JOIN_OBJECTS: LiteralString = """
UNWIND $rows AS row
WITH row WHERE row.properties.object_id IS NOT NULL
MATCH (f:Fact {owner: $owner, id: row.id})
MATCH (e:Entity {owner: $owner, id: row.properties.object_id})
CREATE (f)-[:OBJECT]->(e)
"""
PUT_HUBS: LiteralString = """
UNWIND $rows AS row
MERGE (h:Hub {owner: $owner, entity_id: row.entity_id})
SET h.out = coalesce(h.out, []) + [p IN row.out WHERE NOT p IN coalesce(h.out, [])],
    h.in = coalesce(h.in, []) + [p IN row.in WHERE NOT p IN coalesce(h.in, [])]
"""
ADD_PROVENANCE: LiteralString = """
UNWIND $rows AS row
MATCH (f:Fact {owner: $owner, id: row.fact_id})
MERGE (p:Provenance {owner: $owner, id: row.id})
ON CREATE SET p += row.properties, p.occurred_at = datetime(row.properties.occurred_at), p.is_new = true
WITH f, p WHERE p.is_new
REMOVE p.is_new
CREATE (f)-[:SUPPORTED_BY]->(p)
"""
DELETE_PROVENANCE: LiteralString = """
MATCH (p:Provenance) USING INDEX p:Provenance(owner, document_id)
WHERE p.owner = $owner AND p.document_id = $document_id
  AND ($passage_ids IS NULL OR p.passage_id IN $passage_ids)
DETACH DELETE p
RETURN count(*) AS n
"""
DROP_SUPPORTS: LiteralString = """
UNWIND $ids AS id
MATCH (p:Provenance {owner: $owner, id: id})
DETACH DELETE p
"""
DELETE_SUPPORTS: LiteralString = """
UNWIND $ids AS id
MATCH (:Fact {owner: $owner, id: id})-[:SUPPORTED_BY]->(p:Provenance)
DETACH DELETE p
"""
DELETE: LiteralString = "UNWIND $ids AS id MATCH (f:Fact {owner: $owner, id: id}) DETACH DELETE f"
COUNT_ENTITIES: LiteralString = "MATCH (e:Entity) WHERE e.owner = $owner AND e.id < $top RETURN count(*) AS n"
COUNT_FACTS: LiteralString = """
UNWIND $statuses AS status
CALL (status) { MATCH (f:Fact) WHERE f.owner = $owner AND f.status = status RETURN count(*) AS n }
RETURN status, n
"""

_UNRETIRED = [Status.CANDIDATE.value, Status.VERIFIED.value]


async def by_id(run: Statements, ids: Collection[FactId]) -> dict[FactId, Fact]:
    """Facts by id; unknown ones are absent."""
    found = await _facts(run, BY_ID, ids=distinct(ids)) if ids else ()
    return {fact.id: fact for fact in found}


async def by_key(run: Statements, keys: Collection[str]) -> dict[str, tuple[Fact, ...]]:
    """Facts by key, newest first."""
    found: dict[str, tuple[Fact, ...]] = {}
    for fact in await _facts(run, BY_KEY, keys=distinct(keys)) if keys else ():
        found[fact.key] = (*found.get(fact.key, ()), fact)
    return found


async def of(
    run: Statements, entity_ids: Collection[EntityId], predicates: Collection[str] | None, *, as_object: bool
) -> tuple[Fact, ...]:
    """Unretired facts at these entities, oldest first."""
    if not entity_ids or (predicates is not None and not predicates):
        return ()
    ids = distinct(entity_ids)
    if predicates is None:
        return await _facts(run, OF_OBJECT if as_object else OF_SUBJECT, ids=ids, top=TOP)
    statement = OF_OBJECT_AND_PREDICATE if as_object else OF_SUBJECT_AND_PREDICATE
    return await _facts(run, statement, ids=ids, predicates=distinct(predicates), statuses=_UNRETIRED, top=TOP)


async def from_document(
    run: Statements, document_id: DocumentId, passage_ids: Collection[PassageId] | None
) -> tuple[Fact, ...]:
    """Facts that this document, or these passages of it, support, oldest first."""
    wanted = None if passage_ids is None else distinct(passage_ids)
    return await _facts(run, FROM_DOCUMENT, document_id=document_id, passage_ids=wanted)


async def superseded_by(run: Statements, ids: Collection[FactId]) -> tuple[Fact, ...]:
    """Facts that these superseded."""
    return await _facts(run, SUPERSEDED_BY, ids=distinct(ids)) if ids else ()


async def _facts(run: Statements, statement: LiteralString, **params: object) -> tuple[Fact, ...]:
    return tuple(fact_of(run.owner, row) for row in await run.collected(statement, **params))


async def put(run: Statements, facts: Sequence[Fact]) -> None:
    """Insert or replace facts, never touching provenance."""
    latest = list({fact.id: fact for fact in facts}.values())
    for start in range(0, len(latest), BATCH):
        await _put_batch(run, latest[start : start + BATCH])


async def _put_batch(run: Statements, facts: Sequence[Fact]) -> None:
    before = {row["id"]: row for row in await run.collected(BEFORE, ids=[fact.id for fact in facts])}
    rows: list[Properties] = [{"id": fact.id, "properties": fact_properties(fact)} for fact in facts]
    await run.rows(PUT, rows=rows)
    moved, joined, reworded = [], [], []
    for fact, row in zip(facts, rows, strict=True):
        old = before.get(fact.id)
        if old is not None and old["text"] != fact.text:
            reworded.append(fact.id)
        if old is None or (old["subject_id"], old["object_id"]) != (fact.subject_id, _object_id(fact)):
            joined.append(row)
            if old is not None:
                moved.append(fact.id)
    if moved:
        await run.rows(CUT_ENDS, ids=moved)
    if joined:
        ends = [{"id": row["id"], "properties": _ends(row["properties"])} for row in joined]
        await run.rows(JOIN_SUBJECTS, rows=ends)
        await run.rows(JOIN_OBJECTS, rows=ends)
    await run.rows(PUT_HUBS, rows=_hubs(facts))
    await vectors.drop(run, reworded)
    await vectors.expect(run, min(fact.id for fact in facts))


def _object_id(fact: Fact) -> str | None:
    return None if isinstance(fact.object, Literal) else fact.object


def _ends(properties: object) -> Properties:
    assert isinstance(properties, dict)
    return {"subject_id": properties["subject_id"], "object_id": properties["object_id"]}


def _hubs(facts: Iterable[Fact]) -> list[Properties]:
    """Which predicates go out of and come into each entity."""
    around: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for fact in facts:
        around.setdefault(fact.subject_id, ({}, {}))[0][fact.predicate] = None
        object_id = _object_id(fact)
        if object_id is not None:
            around.setdefault(object_id, ({}, {}))[1][fact.predicate] = None
    return [{"entity_id": id, "out": list(out), "in": list(into)} for id, (out, into) in around.items()]


async def add_provenance(run: Statements, rows: Sequence[tuple[FactId, Provenance]]) -> None:
    """Add supports; one that is there changes nothing."""
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        made = [provenance_row(fact_id, support, run.next_sequence()) for fact_id, support in batch]
        await run.rows(ADD_PROVENANCE, rows=list({row["id"]: row for row in reversed(made)}.values())[::-1])


async def delete_provenance(run: Statements, document_id: DocumentId, passage_ids: Collection[PassageId] | None) -> int:
    """Drop what a document supports; returns how many rows."""
    wanted = None if passage_ids is None else distinct(passage_ids)
    return int((await run.rows(DELETE_PROVENANCE, document_id=document_id, passage_ids=wanted))[0]["n"])


async def drop_supports(run: Statements, rows: Sequence[tuple[FactId, Provenance]]) -> None:
    """Drop exactly these supports."""
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        await run.rows(DROP_SUPPORTS, ids=[support_id(fact_id, support) for fact_id, support in batch])


async def delete(run: Statements, ids: Collection[FactId]) -> None:
    """Remove facts with provenance and vectors."""
    doomed = distinct(ids)
    for start in range(0, len(doomed), BATCH):
        batch = doomed[start : start + BATCH]
        await vectors.drop(run, batch)
        await run.rows(DELETE_SUPPORTS, ids=batch)
        await run.rows(DELETE, ids=batch)


async def counts(run: Statements) -> GraphCounts:
    """How much there is."""
    entities = int((await run.rows(COUNT_ENTITIES, top=TOP))[0]["n"])
    by_status = {row["status"]: int(row["n"]) for row in await run.rows(COUNT_FACTS, statuses=_UNRETIRED)}
    detail = {"candidates": by_status[Status.CANDIDATE.value]}
    for found in await vectors.sets(run):
        detail[f"vectors:{found.info.model}"] = found.count
    return GraphCounts(entities=entities, facts=sum(by_status.values()), detail=detail)
