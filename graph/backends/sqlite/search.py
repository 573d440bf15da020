"""Finding facts in SQLite: by hop, by words, by vector."""

# ruff: noqa: S608 - statements are joined from the constants below only; values are always parameters

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from doso.ids import EntityId, FactId
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import Fact, FactHit
from graph.backends.sqlite import facts, terms
from graph.backends.sqlite.scope import Rows, Scope, listed
from graph.backends.sqlite.vectors import VectorCache
from graph.backends.sqlite.views import seen
from graph.ports import View

#: Predicates of one request that are walked at most, over all of its entities.
MAX_PREDICATES = 2_000
#: How many more than asked the vector arm looks at, widened until the view has seen enough or all were looked at.
WIDENINGS = (4, 32, 256)

#: Jumps from predicate to predicate over the index, then takes the newest few of each: a hub costs what it returns.
HOPS = """
WITH RECURSIVE pairs (entity, predicate) AS (
  SELECT value, (SELECT min(predicate) FROM facts WHERE owner = ? AND {side} = value) FROM json_each(?)
  UNION ALL
  SELECT entity, (SELECT min(predicate) FROM facts
    WHERE owner = ? AND {side} = pairs.entity AND predicate > pairs.predicate)
  FROM pairs WHERE predicate IS NOT NULL LIMIT ?)
SELECT pairs.entity, pairs.predicate, h.id FROM pairs CROSS JOIN facts h ON h.n IN (
  SELECT f.n FROM facts f WHERE f.owner = ? AND f.{side} = pairs.entity AND f.predicate = pairs.predicate
    AND {seen} ORDER BY f.id DESC LIMIT ?)
WHERE pairs.predicate IS NOT NULL"""
SUBJECT, OBJECT = "subject_id", "object_id"

MATCHING = f"""
SELECT {facts.COLUMNS}, s.rank FROM fact_search s CROSS JOIN facts f ON f.n = s.rowid
WHERE fact_search MATCH ? AND {{seen}} ORDER BY s.rank, f.id DESC LIMIT ?"""
MATCHING_NEWEST = f"""
SELECT {facts.COLUMNS}, 0.0 FROM fact_search s CROSS JOIN facts f ON f.n = s.rowid
WHERE fact_search MATCH ? AND {{seen}} ORDER BY s.rowid DESC LIMIT ?"""
SEEN_OF = f"""
SELECT {facts.COLUMNS} FROM facts f WHERE f.owner = ? AND f.id IN (SELECT value FROM json_each(?)) AND {{seen}}"""


async def neighbours(
    scope: Scope, ids: Collection[EntityId], view: View, per_predicate: int, per_entity: int
) -> tuple[tuple[Fact, ...], bool]:
    """One hop in both directions, bounded per predicate and per entity."""
    if not ids:
        return (), False
    kept: dict[str, set[str]] = defaultdict(set)
    truncated = False
    for side in (SUBJECT, OBJECT):
        per_pair: dict[tuple[str, str], list[str]] = defaultdict(list)
        for entity, predicate, id in await _hops(scope, ids, view, side, per_predicate + 1):
            per_pair[entity, predicate].append(id)
        for (entity, _), found in per_pair.items():
            truncated = truncated or len(found) > per_predicate
            kept[entity].update(sorted(found, reverse=True)[:per_predicate])
    truncated = truncated or any(len(found) > per_entity for found in kept.values())
    chosen = {id for found in kept.values() for id in sorted(found, reverse=True)[:per_entity]}
    held = await facts.by_id(scope, [FactId(id) for id in chosen])
    return tuple(sorted(held.values(), key=lambda fact: fact.id, reverse=True)), truncated


async def by_words(scope: Scope, tokens: Sequence[str], view: View, limit: int) -> tuple[FactHit, ...]:
    """Facts whose prose holds these tokens, by BM25."""
    query = await terms.query(scope, "fact", tokens)
    if query is None:
        return ()
    condition, values = seen(view)
    found: dict[str, tuple[float, tuple[object, ...]]] = {}
    for match in filter(None, (query.sharper, query.telling)):
        statement = MATCHING if query.is_ranked else MATCHING_NEWEST
        for row in await scope.all(statement.format(seen=condition), match, *values, limit):
            score = -float(row[-1])
            if row[0] not in found or found[row[0]][0] < score:
                found[row[0]] = (score, tuple(row[:-1]))
    best = sorted(found.values(), key=lambda hit: (hit[0], str(hit[1][0])), reverse=True)[:limit]
    records = await facts.supported(scope, [row for _, row in best])
    return tuple(FactHit(fact, score) for fact, (score, _) in zip(records, best, strict=True))


async def by_vector(
    scope: Scope, cache: VectorCache, vector: Vectors, info: EmbedderInfo, view: View, *, limit: int
) -> tuple[FactHit, ...]:
    """Facts nearest to the vector that the view sees."""
    condition, values = seen(view)
    rows: Rows = ()
    scores: dict[str, float] = {}
    for widening in WIDENINGS:
        near = await cache.nearest(scope, vector, info, limit * widening)
        scores = dict(near)
        if not scores:
            return ()
        rows = await scope.all(SEEN_OF.format(seen=condition), scope.no, listed(scores), *values)
        if len(rows) >= limit or len(near) < limit * widening:
            break
    best = sorted(rows, key=lambda row: (-scores[row[0]], row[0]))[:limit]
    return tuple(FactHit(fact, scores[fact.id]) for fact in await facts.supported(scope, best))


async def _hops(scope: Scope, ids: Collection[EntityId], view: View, side: str, limit: int) -> Rows:
    condition, values = seen(view)
    statement = HOPS.format(side=side, seen=condition)
    return await scope.all(statement, scope.no, listed(ids), scope.no, MAX_PREDICATES, scope.no, *values, limit)
