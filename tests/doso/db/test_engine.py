"""The database: what counts as a fault of the far end, and how tables come to be."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from doso.db.engine import open_database
from doso.db.migrate import head, upgrade
from doso.errors import Unavailable


async def test_a_wrong_statement_is_no_outage(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'a.db'}")
    with pytest.raises(DBAPIError):
        async with database.read() as connection:
            await connection.execute(text("SELECT * FROM nowhere"))
    await database.aclose()


@pytest.mark.postgres
async def test_a_wrong_statement_is_no_outage_on_postgres_either(postgres_url: str) -> None:
    database = open_database(postgres_url)
    with pytest.raises(DBAPIError):
        async with database.read() as connection:
            await connection.execute(text("SELECT * FROM nowhere"))
    await database.aclose()


async def test_a_lock_that_does_not_end_is_an_outage(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    database = open_database(f"sqlite:///{path}")
    async with database.write() as connection:
        await connection.execute(text("CREATE TABLE t (n INTEGER)"))
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    async with database.read() as connection:
        await connection.execute(text("PRAGMA busy_timeout = 1"))
        await connection.execute(text("SELECT * FROM t"))
    with pytest.raises(Unavailable) as caught:
        async with database.read() as connection:
            await connection.execute(text("PRAGMA busy_timeout = 1"))
            await connection.execute(text("INSERT INTO t VALUES (1)"))
    assert caught.value.retry_after_s
    holder.close()
    await database.aclose()


async def test_a_read_only_file_is_an_outage(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    database = open_database(f"sqlite:///{path}")
    async with database.write() as connection:
        await connection.execute(text("CREATE TABLE t (n INTEGER)"))
    with pytest.raises(Unavailable):
        async with database.read() as connection:
            await connection.execute(text("PRAGMA query_only = ON"))
            await connection.execute(text("INSERT INTO t VALUES (1)"))
    await database.aclose()


async def test_a_full_disk_is_an_outage(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'a.db'}")
    with pytest.raises(Unavailable):
        async with database.write() as connection:
            await connection.execute(text("CREATE TABLE t (b BLOB)"))
            await connection.execute(text("PRAGMA max_page_count = 4"))
            await connection.execute(text("INSERT INTO t VALUES (zeroblob(1000000))"))
    await database.aclose()


async def test_a_file_that_is_no_database_is_an_outage(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"this is no database at all, however long it may be" * 100)
    database = open_database(f"sqlite:///{path}")
    with pytest.raises(Unavailable):
        async with database.read() as connection:
            await connection.execute(text("SELECT 1 FROM sqlite_master"))
    await database.aclose()


async def test_a_server_that_is_not_there_is_an_outage() -> None:
    database = open_database("postgresql://nobody@127.0.0.1:1/none")
    with pytest.raises(Unavailable):
        async with database.read() as connection:
            await connection.execute(text("SELECT 1"))
    await database.aclose()


async def test_tables_are_made_once_and_the_version_is_the_newest_step(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'a.db'}")
    await upgrade(database)
    await upgrade(database)
    async with database.read() as connection:
        assert (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalar_one() == head()
    await database.aclose()


async def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'a.db'}")
    await upgrade(database)
    async with database.write() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(Unavailable, match="newer Doso"):
        await upgrade(database)
    await database.aclose()
