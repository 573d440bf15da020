"""The facts nearest to a vector: exact for small owners, by the shared index with over-fetching for large ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import LiteralString

from doso.errors import IndexMismatch
from doso.ids import FactId
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
WITH f.id AS id, vector.similarity.cosine(v[$embedder], $vector) AS score ORDER BY score DESC, id DESC LIMIT $fetch
RETURN collect([id, score, true]) AS rows
"""
#: The index holds rounded vectors: it finds, the stored vector ranks.
BY_INDEX: LiteralString = f"""
CALL db.index.vector.queryNodes($embedder, $fetch, $vector) YIELD node AS v
OPTIONAL MATCH (f:Fact {{owner: $owner, id: v.fact_id}}) WHERE v.owner = $owner
WITH f.id AS id, vector.similarity.cosine(v[$embedder], $vector) AS score, f IS NOT NULL AND {VISIBLE} AS is_visible
ORDER BY score DESC, id DESC
RETURN collect([id, score, is_visible]) AS rows
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
    read = await facts.by_id(run, [id for id, _ in rows])
    # Neo4j maps the cosine from [-1, 1] onto [0, 1].
    return tuple(FactHit(read[id], 2 * score - 1) for id, score in rows if id in read)


async def _nearest(
    run: Statements, mine: vectors.VectorSet, vector: list[float], view: View, limit: int
) -> list[tuple[FactId, float]]:
    asked = {"embedder": mine.key, "vector": vector, "top": TOP, **parameters(view)}
    if mine.count <= EXACT_COUNT:
        return _visible(await run.collected(EXACT, fetch=limit, **asked))
    fetch = limit * FIRST_FETCH
    seen: list[tuple[FactId, float]] = []
    for _ in range(ROUNDS):
        rows = await run.collected(BY_INDEX, fetch=fetch, **asked)
        seen = _visible(rows)[:limit]
        if len(seen) == limit or len(rows) < fetch:
            return seen
        fetch *= GROWTH
    if mine.count <= LAST_RESORT_COUNT:
        return _visible(await run.collected(EXACT, fetch=limit, **asked))
    return seen


def _visible(rows: Iterable[tuple[FactId, float, bool]]) -> list[tuple[FactId, float]]:
    return [(id, score) for id, score, is_visible in rows if is_visible]
