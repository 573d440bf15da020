"""Vectors of facts in Neo4j: stored per embedder, counted per owner, dropped with what they stood for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import LiteralString

import numpy as np

from doso.errors import IndexMismatch
from doso.ids import FactId
from doso.llm.ports import EmbedderInfo, Vectors
from graph.backends.neo4j.connection import Statements
from graph.backends.neo4j.schema import TOP, embedder_key

#: Vectors that one transaction of a cut-over removes.
DROP_BATCH = 5_000

SETS: LiteralString = """
MATCH (s:VectorSet) WHERE s.owner = $owner AND s.embedder >= ''
RETURN s.embedder AS embedder, s.model AS model, s.dimensions AS dimensions, s.version AS version, s.count AS count
ORDER BY embedder
"""
#: `done_to`: every unretired fact with a smaller id has its vector, so that the search for those without begins there.
WITHOUT: LiteralString = """
OPTIONAL MATCH (s:VectorSet {owner: $owner, embedder: $embedder})
WITH coalesce(s.done_to, '') AS done_to
MATCH (f:Fact) USING INDEX f:Fact(owner, id)
WHERE f.owner = $owner AND f.id >= done_to AND f.retired_at IS NULL
  AND NOT EXISTS { (f)-[:EMBEDDED_AS]->(:FactVector {embedder: $embedder}) }
WITH f ORDER BY f.owner, f.id LIMIT $limit
RETURN collect(f.id) AS rows
"""
HELD: LiteralString = """
UNWIND $ids AS id
MATCH (v:FactVector {owner: $owner, embedder: $embedder, fact_id: id})
RETURN count(v) AS n
"""
PUT: LiteralString = """
UNWIND $rows AS row
MATCH (f:Fact {owner: $owner, id: row.id})
MERGE (v:FactVector {owner: $owner, embedder: $embedder, fact_id: row.id})
MERGE (f)-[:EMBEDDED_AS]->(v)
RETURN count(v) AS n
"""
FILL: LiteralString = """
UNWIND $rows AS row
MATCH (v:FactVector {owner: $owner, embedder: $embedder, fact_id: row.id})
CALL db.create.setNodeVectorProperty(v, $embedder, row.vector)
RETURN count(v) AS n
"""
EMPTY: LiteralString = """
UNWIND $ids AS id
MATCH (v:FactVector {owner: $owner, embedder: $embedder, fact_id: id})
SET v = {owner: $owner, embedder: $embedder, fact_id: id}
"""
COUNT_IN: LiteralString = """
MERGE (s:VectorSet {owner: $owner, embedder: $embedder})
ON CREATE SET s.model = $model, s.dimensions = $dimensions, s.version = $version, s.count = 0, s.done_to = ''
SET s.count = s.count + $added
WITH s
CALL (s) {
  MATCH (f:Fact) USING INDEX f:Fact(owner, id)
  WHERE f.owner = $owner AND f.id >= s.done_to AND f.retired_at IS NULL
    AND NOT EXISTS { (f)-[:EMBEDDED_AS]->(:FactVector {embedder: $embedder}) }
  RETURN f.id AS id ORDER BY f.owner, f.id LIMIT 1
UNION ALL
  RETURN $top AS id
}
WITH s, min(id) AS done_to
SET s.done_to = done_to
"""
EXPECT: LiteralString = """
MATCH (s:VectorSet) WHERE s.owner = $owner AND s.embedder >= '' AND s.done_to > $id
SET s.done_to = $id
"""
DROP_OF_FACTS: LiteralString = """
UNWIND $ids AS id
MATCH (:Fact {owner: $owner, id: id})-[:EMBEDDED_AS]->(v:FactVector)
WITH v, v.embedder AS embedder
DETACH DELETE v
WITH embedder, count(*) AS n
MATCH (s:VectorSet {owner: $owner, embedder: embedder})
SET s.count = s.count - n
"""
DROP_OF_EMBEDDER: LiteralString = """
MATCH (v:FactVector) WHERE v.owner = $owner AND v.embedder = $embedder AND v.fact_id < $top
WITH v LIMIT $limit
DETACH DELETE v
RETURN count(*) AS n
"""
COUNT_OUT: LiteralString = """
MATCH (s:VectorSet {owner: $owner, embedder: $embedder}) SET s.count = s.count - $n
"""
DROP_SET: LiteralString = "MATCH (s:VectorSet {owner: $owner, embedder: $embedder}) DELETE s"


@dataclass(frozen=True, slots=True)
class VectorSet:
    """How many vectors of one embedder an owner has; `key` names index and property."""

    key: str
    info: EmbedderInfo
    count: int


async def sets(run: Statements) -> tuple[VectorSet, ...]:
    """The sets of an owner that hold anything."""
    return tuple(
        VectorSet(row["embedder"], EmbedderInfo(row["model"], row["dimensions"], row["version"]), row["count"])
        for row in await run.rows(SETS)
        if row["count"] > 0
    )


async def without(run: Statements, info: EmbedderInfo, limit: int) -> list[FactId]:
    """Ids of unretired facts without a vector of this embedder, oldest first."""
    return [FactId(id) for id in await run.collected(WITHOUT, embedder=embedder_key(info), limit=limit)]


def checked(info: EmbedderInfo, ids: Sequence[FactId], vectors: Vectors) -> Vectors:
    """The vectors as one finite row per fact. Raises IndexMismatch: Neo4j itself would take any size and leave it out
    of the index without a word."""
    rows = np.atleast_2d(np.asarray(vectors, dtype=np.float32))
    if len(ids) == 0:
        return rows[:0]
    if rows.shape != (len(ids), info.dimensions):
        raise IndexMismatch(
            f"Vectors of shape {rows.shape} for {len(ids)} facts; {info.model} has {info.dimensions} dimensions."
        )
    if not np.isfinite(rows).all():
        raise IndexMismatch(f"{info.model} gave a vector that holds no finite number.")
    return rows


async def put(run: Statements, info: EmbedderInfo, ids: Sequence[FactId], rows: Vectors) -> None:
    """Store checked vectors; facts that are gone are left out. A vector of length zero has no direction: the fact
    counts as embedded and is near to nothing."""
    latest = dict(zip(ids, rows, strict=True))
    key = embedder_key(info)
    held = int((await run.rows(HELD, embedder=key, ids=list(latest)))[0]["n"])
    found = int((await run.rows(PUT, embedder=key, rows=[{"id": id} for id in latest]))[0]["n"])
    filled = [{"id": id, "vector": row.tolist()} for id, row in latest.items() if row.any()]
    empty = [id for id, row in latest.items() if not row.any()]
    if filled:
        await run.rows(FILL, embedder=key, rows=filled)
    if empty:
        await run.rows(EMPTY, embedder=key, ids=empty)
    if found:
        await run.rows(
            COUNT_IN,
            embedder=key,
            model=info.model,
            dimensions=info.dimensions,
            version=info.version,
            added=found - held,
            top=TOP,
        )


async def expect(run: Statements, fact_id: FactId) -> None:
    """Say that this fact, or a later one, may lack a vector."""
    await run.rows(EXPECT, id=fact_id)


async def drop(run: Statements, fact_ids: Collection[FactId] | Collection[str]) -> None:
    """Remove the vectors of these facts."""
    if fact_ids:
        await run.rows(DROP_OF_FACTS, ids=list(fact_ids))


async def drop_some(run: Statements, key: str) -> bool:
    """Remove one batch of an embedder's vectors, its set after the last; True when more are left."""
    gone = int((await run.rows(DROP_OF_EMBEDDER, embedder=key, limit=DROP_BATCH, top=TOP))[0]["n"])
    if gone == DROP_BATCH:
        await run.rows(COUNT_OUT, embedder=key, n=gone)
        return True
    await run.rows(DROP_SET, embedder=key)
    return False
