"""The graph in one SQLite file: nothing to install, nothing to start."""

from __future__ import annotations

from doso.db.engine import open_database
from graph.backends.sqlite.store import SqliteGraphStore


def build(url: str, user: str | None = None, password: str | None = None) -> SqliteGraphStore:
    """A store over "sqlite:///path", not connected yet; SQLite knows no users."""
    return SqliteGraphStore(open_database(url))
