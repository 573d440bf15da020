"""An open graph store of every backend; tests share the Neo4j server and keep apart by a fresh owner each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from doso.ids import OwnerId, new_id
from graph.ports import GraphStore
from graph.registry import open_graph_store


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=pytest.mark.neo4j)])
async def graph_store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[GraphStore]:
    """A prepared store; `neo4j_url` is the session's real server."""
    url = f"sqlite:///{tmp_path / 'graph.db'}" if request.param == "sqlite" else request.getfixturevalue("neo4j_url")
    store = open_graph_store(url)
    await store.prepare()
    yield store
    await store.aclose()


@pytest.fixture
def owner() -> OwnerId:
    """An owner that no other test uses."""
    return OwnerId(f"owner-{new_id()}")
