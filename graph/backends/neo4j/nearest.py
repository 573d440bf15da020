"""The facts nearest to a vector: exact for small owners, by the shared index with over-fetching for large ones."""

from __future__ import annotations

from typing import LiteralString

import neo4j

from doso.errors import IndexMismatch
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import FactHit
from graph.backends.neo4j import facts, vectors
from graph.backends.neo4j.connection import Statements
from graph.backends.neo4j.schema import TOP, embedder_key
from graph.backends.neo4j.views import VISIBLE, parameters
from graph.ports import View

#: Up to this many vectors an owner's own are compared one by one, so no other owner can crowd them out of the index.
EXACT_COUNT = 2_000
#: The same as a last resort, when the index had too few of this owner's near the question.
LAST_RESORT_COUNT = 50_000
FIRST_FETCH = 8
GROWTH = 6
ROUNDS = 3

EXACT: LiteralString = f"""
MATCH (v:FactVector) WHERE v.owner = $owner AND v.embedder = $embedder AND v.fact_id < $top AND v[$embedder] IS NOT NULL
MATCH (f:Fact {{owner: $owner, id: v.fact_id}}) WHERE {VISIBLE}
WITH f.id AS id, vector.similarity.cosine(v[$embedder], $vector) AS score
RETURN id, score, true AS is_visible ORDER BY score DESC, id DESC LIMIT $fetch
"""
BY_INDEX: LiteralString = f"""
CALL db.index.vector.queryNodes($embedder, $fetch, $vector) YIELD node AS v, score
OPTIONAL MATCH (f:Fact {{owner: $owner, id: v.fact_id}}) WHERE v.owner = $owner
RETURN f.id AS id, score, f IS NOT NULL AND {VISIBLE} AS is_visible ORDER BY score DESC, id DESC
"""


async def near_facts(
    run: Statements, vector: Vectors, info: EmbedderInfo, view: View, limit: int
) -> tuple[FactHit, ...]:
    """Nearest facts by cosine. Raises IndexMismatch when the owner's vectors are of other embedders only."""
    held = await vectors.sets(run)
    mine = next((found for found in held if found.key == embedder_key(info)), None)
    if mine is None and held:
        other = held[0].info
        raise IndexMismatch(
            f"The facts are embedded with {other.model} ({other.dimensions} dimensions), the question with {info.model}"
            f" ({info.dimensions} dimensions); run `doso reembed`."
        )
    if vector.shape != (info.dimensions,):
        raise IndexMismatch(f"A vector of shape {vector.shape}; {info.model} has {info.dimensions} dimensions.")
    if mine is None or limit < 1 or not vector.any():
        return ()
    rows = await _nearest(run, mine, vector.tolist(), view, limit)
    read = await facts.by_id(run, [row["id"] for row in rows])
    # Neo4j maps the cosine from [-1, 1] onto [0, 1].
    return tuple(FactHit(read[row["id"]], 2 * row["score"] - 1) for row in rows if row["id"] in read)


async def _nearest(
    run: Statements, mine: vectors.VectorSet, vector: list[float], view: View, limit: int
) -> list[neo4j.Record]:
    asked = {"embedder": mine.key, "vector": vector, "top": TOP, **parameters(view)}
    if mine.count <= EXACT_COUNT:
        return await run.rows(EXACT, fetch=limit, **asked)
    fetch = limit * FIRST_FETCH
    seen: list[neo4j.Record] = []
    for _ in range(ROUNDS):
        rows = await run.rows(BY_INDEX, fetch=fetch, **asked)
        seen = [row for row in rows if row["is_visible"]][:limit]
        if len(seen) == limit or len(rows) < fetch:
            return seen
        fetch *= GROWTH
    if mine.count <= LAST_RESORT_COUNT:
        return await run.rows(EXACT, fetch=limit, **asked)
    return seen
