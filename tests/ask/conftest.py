"""The real stores behind what is asked."""

from tests.support.asking import asked
from tests.support.graph_stores import graph_store, owner

__all__ = ["asked", "graph_store", "owner"]
