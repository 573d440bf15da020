"""SQLite with one trip per statement: snapshots, rollbacks and cancelled callers are as they were."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from sqlalchemy import text

from doso.db.connection import AsyncConnection
from doso.db.engine import Database, open_database
from doso.db.sqlite_driver import SqliteConnection

COUNT = text("SELECT count(*) FROM t")
#: Some hundred milliseconds of work that can't be cut short from outside.
LONG = text("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300000) SELECT max(i) FROM n")


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = open_database(f"sqlite:///{tmp_path / 'a.db'}")
    async with database.write() as connection:
        await connection.exec_driver_sql("CREATE TABLE t (n INTEGER PRIMARY KEY)")
    yield database
    await database.aclose()


async def _add(database: Database, n: int) -> None:
    async with database.write() as connection:
        await connection.execute(text("INSERT INTO t VALUES (:n)"), {"n": n})


async def test_a_reader_sees_one_snapshot_from_its_first_statement_on(database: Database) -> None:
    async with database.read() as connection:
        assert await connection.scalar(COUNT) == 0
        await _add(database, 1)
        assert await connection.scalar(COUNT) == 0
    async with database.read() as connection:
        assert await connection.scalar(COUNT) == 1


async def test_what_fails_is_rolled_back_whole(database: Database) -> None:
    with pytest.raises(ValueError, match="no"):
        async with database.write() as connection:
            await connection.execute(text("INSERT INTO t VALUES (1)"))
            raise ValueError("no")
    async with database.read() as connection:
        assert await connection.scalar(COUNT) == 0


async def test_a_cancelled_reader_leaves_no_old_snapshot_behind(database: Database) -> None:
    async def look() -> None:
        async with database.read() as connection:
            await connection.scalar(LONG)

    for n in range(20):  # more than there are readers, so that each connection is used again
        looking = asyncio.create_task(look())
        await asyncio.sleep(0)
        looking.cancel()
        await asyncio.wait([looking])
        await _add(database, n)
        async with database.read() as connection:
            assert await connection.scalar(COUNT) == n + 1
    assert database.in_use_count == 0


async def _wait(_: AsyncConnection) -> None:
    await asyncio.Event().wait()


async def _write_much(connection: AsyncConnection) -> None:
    await connection.exec_driver_sql("INSERT INTO t VALUES (?)", [(n,) for n in range(200_000)])


@pytest.mark.parametrize("held_up", [_wait, _write_much], ids=["between statements", "within a statement"])
async def test_a_cancelled_writer_leaves_nothing_and_holds_no_lock(
    database: Database, held_up: Callable[[AsyncConnection], Awaitable[None]]
) -> None:
    is_writing = asyncio.Event()

    async def write() -> None:
        async with database.write() as connection:
            await connection.execute(text("INSERT INTO t VALUES (1)"))
            is_writing.set()
            await held_up(connection)

    writing = asyncio.create_task(write())
    await is_writing.wait()
    writing.cancel()
    await asyncio.wait([writing])
    await _add(database, 2)
    async with database.read() as connection:
        assert (await connection.execute(text("SELECT n FROM t"))).scalars().all() == [2]


async def test_a_long_writing_transaction_gives_others_their_turn(database: Database) -> None:
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    async with database.write() as connection:
        await connection.execute(text("INSERT INTO t VALUES (1)"))
        before = turns
        for _ in range(4):
            await connection.scalar(LONG)
        assert turns > before
    counting.cancel()


async def test_many_rows_and_returned_rows(database: Database) -> None:
    async with database.write() as connection:
        await connection.exec_driver_sql("INSERT INTO t VALUES (?)", [(1,), (2,), (3,)])
        gone = await connection.execute(text("DELETE FROM t WHERE n > 1 RETURNING n"))
        assert sorted(gone.scalars()) == [2, 3]
        changed = await connection.execute(text("UPDATE t SET n = 9"))
        assert changed.rowcount == 1


async def test_connections_are_set_up_before_their_first_statement(database: Database, tmp_path: Path) -> None:
    async with database.read() as connection:
        assert await connection.scalar(text("PRAGMA foreign_keys")) == 1
        assert await connection.scalar(text("PRAGMA synchronous")) == 2
    other = sqlite3.connect(tmp_path / "a.db")
    assert other.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    other.close()


async def test_a_close_that_was_given_up_for_a_forced_stop_comes_to_its_end(tmp_path: Path) -> None:
    connection = await SqliteConnection(str(tmp_path / "a.db"))
    closing = asyncio.create_task(connection.close())
    await asyncio.sleep(0)
    connection.stop()
    async with asyncio.timeout(10):
        await closing
