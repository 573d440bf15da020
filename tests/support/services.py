"""The real Neo4j and PostgreSQL of a test run: one of each per checkout, shared by all test processes at work."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools import neo4j_server, postgres_server
from tools.service import ServiceMissingError, Users, cache_folder, locked


@contextlib.contextmanager
def shared_neo4j(cache: Path | None = None) -> Iterator[str]:
    """The Bolt URL of the Neo4j of this checkout.

    The first process that needs it starts it with an empty store, the last one stops it (DOSO_KEEP_SERVICES=1 leaves
    it running). Tests that share it keep apart by owner. Raises ServiceMissingError.
    """
    base = (cache or cache_folder()) / "tests"
    home, lock, users = base / "neo4j", base / "neo4j.lock", Users(base / "neo4j.users")
    with locked(lock):
        if neo4j_server.find(home) is None:
            shutil.rmtree(home, ignore_errors=True)
        server = neo4j_server.start(home, 0, cache=cache)
        use = users.enter()
    try:
        yield server.url
    finally:
        with locked(lock):
            users.leave(use)
            if not users.is_used() and not os.environ.get("DOSO_KEEP_SERVICES"):
                neo4j_server.stop(home)


@contextlib.contextmanager
def shared_postgres(cache: Path | None = None) -> Iterator[postgres_server.PostgresServer]:
    """The PostgreSQL of this checkout; it stops with the last process that uses it. Raises ServiceMissingError."""
    base = (cache or cache_folder()) / "tests"
    base.mkdir(parents=True, exist_ok=True)
    yield postgres_server.start(base / "postgres", cleanup_mode="stop")


def missing(error: ServiceMissingError) -> None:
    """Skip on a person's machine, saying why; fail where CI is set, since there nothing may be left out."""
    if os.environ.get("CI", "").lower() in ("1", "true", "yes"):
        pytest.fail(str(error))
    pytest.skip(str(error))
