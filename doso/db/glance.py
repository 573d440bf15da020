"""A look at a row or two of SQLite on the spot: what a trip to a thread and back would cost fifty times more."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Rows = list[tuple[Any, ...]]


class SqliteGlance:
    """A connection of its own that only reads, outside of any transaction, and never waits for anybody."""

    def __init__(self, path: str) -> None:
        self._uri = f"{Path(path).absolute().as_uri()}?mode=rw"
        self._connection: sqlite3.Connection | None = None

    def rows(self, sql: str, values: Mapping[str, object]) -> Rows | None:
        """The rows; None when they can't be had at once, whatever the reason, for the long way to find out."""
        try:
            return self._opened().execute(sql, values).fetchall()
        except sqlite3.Error:
            self.close()
            return None

    def close(self) -> None:
        """Close; a later look opens anew."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            # any thread: tests and commands open and close in others than they read in, one at a time
            connection = sqlite3.connect(self._uri, uri=True, timeout=0, isolation_level=None, check_same_thread=False)
            connection.execute("PRAGMA query_only=ON")
            self._connection = connection
        return self._connection
