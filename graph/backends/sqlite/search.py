"""Finding facts in SQLite: by hop, by words, by vector."""

# ruff: noqa: S608 - statements are joined from the constants below only; values are always parameters

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from doso.ids import EntityId
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import Fact, FactHit
from graph.backends.sqlite import facts, terms
from graph.backends.sqlite.scope import Rows, Scope, listed
from graph.backends.sqlite.vectors import VectorCache
from graph.backends.sqlite.views import seen
from graph.ports import View

#: Predicates of one request that are walked at most, over all of its entities.
MAX_PREDICATES = 2_000
#: How many times what was asked for a search looks at, widened until the view has seen enough of it.
WIDENINGS = (4, 32, 256)

#: Jumps from predicate to predicate over the index, then takes the newest few of each: a hub costs what it returns.
PAIRS = """
{name} (entity, predicate) AS (
  SELECT value, (SELECT min(predicate) FROM facts WHERE owner = ? AND {side} = value) FROM json_each(?)
  UNION ALL
  SELECT entity, (SELECT min(predicate) FROM facts
    WHERE owner = ? AND {side} = {name}.entity AND predicate > {name}.predicate)
  FROM {name} WHERE predicate IS NOT NULL LIMIT ?)"""
NEWEST_OF = f"""
SELECT {{name}}.entity, '{{side}}', {facts.COLUMNS.replace("{", "{{").replace("}", "}}")}
FROM {{name}} CROSS JOIN facts f ON f.n IN (
  SELECT f.n FROM facts f WHERE f.owner = ? AND f.{{side}} = {{name}}.entity AND f.predicate = {{name}}.predicate
    AND {{seen}} ORDER BY f.id DESC LIMIT ?)
WHERE {{name}}.predicate IS NOT NULL"""
SIDES = {"as_subject": "subject_id", "as_object": "object_id"}

#: The best of the index first, then what the view sees of them: ranking is cheap, fetching every match is not.
MATCHING = f"""
SELECT {facts.COLUMNS}, s.score FROM (
  SELECT rowid AS n, rank AS score FROM fact_search WHERE fact_search MATCH ? ORDER BY rank LIMIT ?) s
CROSS JOIN facts f ON f.n = s.n WHERE {{seen}} ORDER BY s.score, f.id DESC LIMIT ?"""
MATCHING_NEWEST = f"""
SELECT {facts.COLUMNS}, 0.0 FROM (
  SELECT rowid AS n FROM fact_search WHERE fact_search MATCH ? ORDER BY rowid DESC LIMIT ?) s
CROSS JOIN facts f ON f.n = s.n WHERE {{seen}} ORDER BY f.id DESC LIMIT ?"""
SEEN_OF = f"""
SELECT {facts.COLUMNS} FROM facts f WHERE f.owner = ? AND f.id IN (SELECT value FROM json_each(?)) AND {{seen}}"""


async def neighbours(
    scope: Scope, ids: Collection[EntityId], view: View, per_predicate: int, per_entity: int
) -> tuple[tuple[Fact, ...], bool]:
    """One hop in both directions, bounded per predicate and per entity."""
    if not ids:
        return (), False
    rows = await _hops(scope, ids, view, per_predicate + 1)
    per_pair: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    held: dict[str, tuple[object, ...]] = {}
    for entity, side, *row in rows:
        per_pair[entity, side, row[3]].append(row[0])
        held[row[0]] = tuple(row)
    kept: dict[str, set[str]] = defaultdict(set)
    for (entity, _, _), found in per_pair.items():
        kept[entity].update(sorted(found, reverse=True)[:per_predicate])
    truncated = any(len(found) > per_predicate for found in per_pair.values())
    truncated = truncated or any(len(found) > per_entity for found in kept.values())
    chosen = {id for found in kept.values() for id in sorted(found, reverse=True)[:per_entity]}
    return facts.records(scope, [held[id] for id in sorted(chosen, reverse=True)]), truncated


async def by_words(scope: Scope, tokens: Sequence[str], view: View, limit: int) -> tuple[FactHit, ...]:
    """Facts whose prose holds these tokens, by BM25."""
    query = await terms.query(scope, "fact", tokens)
    if query is None:
        return ()
    condition, values = seen(view)
    statement = (MATCHING if query.is_ranked else MATCHING_NEWEST).format(seen=condition)
    found: dict[str, tuple[float, tuple[object, ...]]] = {}
    for match in filter(None, (query.sharper, query.telling)):
        rows: Rows = ()
        for widening in WIDENINGS:
            rows = await scope.all(statement, match, limit * widening, *values, limit)
            if len(rows) >= limit or limit * widening >= query.rows_count:
                break
        for row in rows:
            score = -float(row[-1]) if query.is_ranked else float(match is query.sharper)
            if row[0] not in found or found[row[0]][0] < score:
                found[row[0]] = (score, tuple(row[:-1]))
        if len(found) >= limit and match is query.sharper:
            break
    best = sorted(found.values(), key=lambda hit: (hit[0], str(hit[1][0])), reverse=True)[:limit]
    records = facts.records(scope, [row for _, row in best])
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
    return tuple(FactHit(fact, scores[fact.id]) for fact in facts.records(scope, best))


async def _hops(scope: Scope, ids: Collection[EntityId], view: View, limit: int) -> Rows:
    """Rows of (entity, side, fact columns), both directions in one statement."""
    condition, values = seen(view)
    pairs = ",".join(PAIRS.format(name=name, side=side) for name, side in SIDES.items())
    takes = " UNION ALL ".join(NEWEST_OF.format(name=name, side=side, seen=condition) for name, side in SIDES.items())
    walked = (scope.no, listed(ids), scope.no, MAX_PREDICATES)
    taken = (scope.no, *values, limit)
    return await scope.all(f"WITH RECURSIVE{pairs}{takes}", *walked, *walked, *taken, *taken)
