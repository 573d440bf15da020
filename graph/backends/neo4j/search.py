"""Full-text search in Neo4j: a Lucene query built from tokens alone, scoped to an owner inside the index."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import LiteralString

from doso.ids import EntityId, FactId, OwnerId
from doso.records import Entity, FactHit
from graph.backends.neo4j import entities, facts
from graph.backends.neo4j.connection import Statements
from graph.backends.neo4j.rows import cut_tokens, scope_token
from graph.backends.neo4j.schema import ENTITY_SEARCH, FACT_SEARCH
from graph.backends.neo4j.views import VISIBLE, parameters
from graph.ports import View

QUERY_TOKENS = 32
#: Hits asked for beyond what is wanted, and how often the number grows when the view lets too few of them through.
FIRST_FETCH = 4
GROWTH = 8
ROUNDS = 4

FACTS: LiteralString = f"""
CALL db.index.fulltext.queryNodes($index, $query, {{limit: $fetch}}) YIELD node AS f, score
WITH f.id AS id, score, f.owner = $owner AND {VISIBLE} AS is_visible ORDER BY score DESC, id DESC
RETURN collect([id, score, is_visible]) AS rows
"""
ENTITIES: LiteralString = """
CALL db.index.fulltext.queryNodes($index, $query, {limit: $fetch}) YIELD node AS e, score
WHERE e.owner = $owner
RETURN collect([e.id, score, e.search]) AS rows
"""


async def search_facts(run: Statements, tokens: Sequence[str], view: View, limit: int) -> tuple[FactHit, ...]:
    """Facts that hold one of the tokens at least, best first."""
    statuses = sorted(status.value for status in view.statuses) if view.as_of is None else []
    query = lucene(run.owner, tokens, statuses)
    if query is None or limit < 1:
        return ()
    scores: dict[FactId, float] = {}
    fetch = limit * FIRST_FETCH
    for _ in range(ROUNDS):
        rows = await run.collected(FACTS, index=FACT_SEARCH, query=query, fetch=fetch, **parameters(view))
        scores = {FactId(id): score for id, score, is_visible in rows if is_visible}
        if len(scores) >= limit or len(rows) < fetch:
            break
        fetch *= GROWTH
    best = list(scores)[:limit]
    read = await facts.by_id(run, best)
    return tuple(FactHit(read[id], scores[id]) for id in best if id in read)


async def search_entities(run: Statements, tokens: Sequence[str], limit: int) -> tuple[Entity, ...]:
    """Entities whose names hold most of the tokens, best first."""
    query = lucene(run.owner, tokens, [])
    if query is None or limit < 1:
        return ()
    wanted = frozenset(cut_tokens(tokens))
    rows = await run.collected(ENTITIES, index=ENTITY_SEARCH, query=query, fetch=limit * FIRST_FETCH)
    ranked = sorted(rows, key=lambda row: (-len(wanted.intersection(row[2].split())), -row[1], row[0]))
    best = [EntityId(row[0]) for row in ranked[:limit]]
    read = await entities.by_id(run, best)
    return tuple(read[id] for id in best if id in read)


def lucene(owner: OwnerId, tokens: Sequence[str], statuses: Iterable[str]) -> str | None:
    """The query, or None when there is nothing to ask for.

    Owner and status are required but weigh nothing; every term stands in quotes, where only two signs have a meaning.
    """
    terms = cut_tokens(tokens)[:QUERY_TOKENS]
    if not terms:
        return None
    clauses = [f"+scope:{_quoted(scope_token(owner))}^0"]
    either = " ".join(_quoted(status) for status in statuses)
    if either:
        clauses.append(f"+scope:({either})^0")
    clauses.append(f"+search:({' '.join(_quoted(term) for term in terms)})")
    return " ".join(clauses)


def _quoted(term: str) -> str:
    escaped = term.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
