"""Graph stores of every backend for the tests of this folder."""

from tests.support.graph_stores import graph_store, owner

__all__ = ["graph_store", "owner"]
