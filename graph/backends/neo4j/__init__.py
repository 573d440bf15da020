"""The graph in Neo4j 5, through its async driver."""

from __future__ import annotations

from graph.backends.neo4j.connection import Connection
from graph.backends.neo4j.store import Neo4jStore
from graph.ports import GraphStore


def build(url: str, user: str | None, password: str | None) -> GraphStore:
    """A store for this URL (bolt://, neo4j:// and their +s forms), not connected yet."""
    return Neo4jStore(Connection.open(url, user, password))
