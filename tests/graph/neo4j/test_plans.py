"""No statement of the Neo4j backend walks the whole store: the planner answers each from an index."""

from __future__ import annotations

import neo4j
import pytest

from graph.backends.neo4j import changes, connection, entities, facts, listing, nearest, neighbours, search, vectors
from graph.ports import GraphStore

pytestmark = pytest.mark.neo4j

MODULES = (changes, connection, entities, facts, listing, nearest, neighbours, search, vectors)
STATEMENTS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": text
    for module in MODULES
    for name, text in vars(module).items()
    if name.isupper() and isinstance(text, str) and any(word in text for word in ("MATCH ", "MERGE ", "CALL db."))
}
#: Parts of statements, no statements.
PARTS = {"changes.COLUMNS", "entities.COLUMNS", "facts.COLUMNS", "listing.COLUMNS"}
SCANS = {"AllNodesScan", "NodeByLabelScan", "DirectedAllRelationshipsScan", "UndirectedAllRelationshipsScan"}


def operators(plan: dict[str, object]) -> set[str]:
    """Names of the operators of a plan."""
    children = plan.get("children") or []
    assert isinstance(children, list)
    name = str(plan["operatorType"]).partition("@")[0]
    return {name}.union(*(operators(child) for child in children))


def test_every_statement_is_looked_at() -> None:
    assert len(STATEMENTS.keys() - PARTS) >= 50
    assert {"entities.BY_ID", "facts.BY_ID", "facts.BY_KEY", "neighbours.AROUND"} <= STATEMENTS.keys()


@pytest.mark.parametrize("name", sorted(STATEMENTS.keys() - PARTS))
async def test_no_statement_scans_the_store(neo4j_store: GraphStore, neo4j_url: str, name: str) -> None:
    async with neo4j.AsyncGraphDatabase.driver(neo4j_url) as driver:
        _, summary, _ = await driver.execute_query(f"EXPLAIN {STATEMENTS[name]}")
    assert summary.plan is not None
    assert operators(summary.plan).isdisjoint(SCANS)
