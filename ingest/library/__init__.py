"""Documents and passages: stored, searched, removed."""

from __future__ import annotations

from collections.abc import Callable

from doso.clock import Clock, system_clock
from doso.db.engine import Database
from doso.llm.ports import EmbedderInfo
from ingest.library.library import SqlLibrary
from ingest.library.vector_search import InProcessVectors, PgVectors


def open_library(
    database: Database,
    *,
    embedder: EmbedderInfo | Callable[[], EmbedderInfo | None] | None = None,
    clock: Clock = system_clock,
) -> SqlLibrary:
    """The library of a migrated database. `embedder`: the configured one (or how to learn which it is), for
    the status and the sweep."""
    vectors = InProcessVectors() if database.is_sqlite else PgVectors()
    return SqlLibrary(database, vectors, embedder if callable(embedder) else lambda: embedder, clock)


__all__ = ["SqlLibrary", "open_library"]
