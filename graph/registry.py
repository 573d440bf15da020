"""Graph backends by name, and the choice of one by URL."""

from __future__ import annotations

from collections.abc import Mapping

from doso.errors import InvalidInput
from doso.plugins import load
from graph.ports import GraphStore

#: Each entry builds a store: build(url, user, password) -> GraphStore.
BACKENDS: Mapping[str, str] = {
    "sqlite": "graph.backends.sqlite:build",
    "neo4j": "graph.backends.neo4j:build",
}

#: URL schemes and the backend that speaks them.
SCHEMES: Mapping[str, str] = {
    "sqlite": "sqlite",
    "neo4j": "neo4j",
    "neo4j+s": "neo4j",
    "neo4j+ssc": "neo4j",
    "bolt": "neo4j",
    "bolt+s": "neo4j",
    "bolt+ssc": "neo4j",
}


def open_graph_store(url: str, user: str | None = None, password: str | None = None) -> GraphStore:
    """The store that speaks this URL, not connected yet. Raises InvalidInput naming the schemes that are known."""
    scheme = url.partition(":")[0].lower()
    if scheme not in SCHEMES:
        raise InvalidInput(f"Unknown graph URL {scheme!r}; known: {', '.join(sorted(SCHEMES))}.", param="graph_url")
    store: GraphStore = load(BACKENDS, "graph backend", SCHEMES[scheme])(url, user, password)
    return store
