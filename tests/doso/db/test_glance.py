"""Looking at a row on the spot: what is committed is seen at once, and whatever goes wrong takes the long way."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text

from doso.db.engine import Database, open_database
from doso.errors import Unavailable

NUMBERS = "SELECT n FROM t WHERE n > :least ORDER BY n"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    url = f"sqlite:///{tmp_path / 'a b%20.db'}"
    if request.param == "postgres":
        url = request.getfixturevalue("fresh_postgres_url")
    database = open_database(url)
    async with database.write() as connection:
        await connection.execute(text("CREATE TABLE t (n INTEGER)"))
    yield database
    await database.aclose()


async def add(database: Database, number: int) -> None:
    async with database.write() as connection:
        await connection.execute(text("INSERT INTO t VALUES (:n)"), {"n": number})


async def test_what_is_committed_is_seen_at_once_and_nothing_else(database: Database) -> None:
    for number in range(3):
        await add(database, number)
        assert await database.glance(NUMBERS, {"least": -1}) == [(seen,) for seen in range(number + 1)]
    async with database.write() as connection:
        await connection.execute(text("INSERT INTO t VALUES (9)"))
        assert await database.glance(NUMBERS, {"least": 1}) == [(2,)]
    assert await database.glance(NUMBERS, {"least": 1}) == [(2,), (9,)]


async def test_it_goes_on_after_the_database_was_closed(database: Database) -> None:
    await database.glance(NUMBERS, {"least": 0})
    await database.aclose()
    await add(database, 1)
    assert await database.glance(NUMBERS, {"least": 0}) == [(1,)]


async def test_a_file_that_can_not_be_read_is_an_outage_and_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "gone" / "a.db"
    database = open_database(f"sqlite:///{path}")
    path.parent.rmdir()
    with pytest.raises(Unavailable):
        await database.glance("SELECT 1 FROM t", {})
    assert not path.exists()
    await database.aclose()


async def test_a_lock_takes_the_long_way_and_is_waited_for_there(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    database = open_database(f"sqlite:///{path}")
    async with database.write() as connection:
        await connection.execute(text("CREATE TABLE t (n INTEGER)"))
    await database.aclose()
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("PRAGMA locking_mode=EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    holder.execute("INSERT INTO t VALUES (1)")
    assert database._glance is not None
    assert database._glance.rows("SELECT n FROM t", {}) is None
    holder.execute("COMMIT")
    holder.close()
    assert await database.glance("SELECT n FROM t", {}) == [(1,)]
    await database.aclose()
