"""Whether Neo4j answers the statements behind a read from an index: its own plan says so."""

from __future__ import annotations

import neo4j

from graph.backends.neo4j import entities, facts, listing, neighbours
from tests.cases.model import Outcome
from tests.cases.scene import Scene, must
from tests.graph.neo4j.test_plans import PARTS, STATEMENTS, operators

#: The modules whose statements a read of an entity runs.
_OF_A_READ = frozenset(module.__name__.rpartition(".")[2] for module in (entities, facts, listing, neighbours))


def plan_has_no(scene: Scene, _outcome: Outcome, value: list[str]) -> None:
    """The planner is asked with the data of the case in place: it plans by what the store holds."""
    must(scene.world.graph_url, "no Neo4j to ask for its plans")
    names = sorted(name for name in STATEMENTS.keys() - PARTS if name.partition(".")[0] in _OF_A_READ)
    with neo4j.GraphDatabase.driver(scene.world.graph_url) as driver:
        for name in names:
            plan = driver.execute_query(f"EXPLAIN {STATEMENTS[name]}").summary.plan
            must(plan is not None, f"no plan for {name}")
            scans = operators(plan or {}) & set(value)
            must(not scans, f"{name} is answered by {sorted(scans)}")
