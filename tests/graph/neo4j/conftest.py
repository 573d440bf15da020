"""A prepared Neo4j store on the real server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from graph.ports import GraphStore
from graph.registry import open_graph_store
from tests.support.graph_stores import owner

__all__ = ["neo4j_store", "owner"]


@pytest.fixture
async def neo4j_store(neo4j_url: str) -> AsyncIterator[GraphStore]:
    """A store of its own connections."""
    store = open_graph_store(neo4j_url)
    await store.prepare()
    yield store
    await store.aclose()
