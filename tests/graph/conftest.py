"""Graph stores of every backend for the tests of this folder, and a graph over each."""

import pytest

from doso.ids import OwnerId
from graph.ports import GraphStore
from tests.support.graph_stores import graph_store, owner
from tests.support.graphs import Told

__all__ = ["graph_store", "owner", "told"]


@pytest.fixture
def told(graph_store: GraphStore, owner: OwnerId) -> Told:
    """A graph that the test tells things."""
    return Told(graph_store, owner)
