"""Brings a database to the tables that this version of Doso needs."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, inspect, text

from doso.db.connection import AsyncConnection
from doso.db.engine import Database
from doso.errors import Unavailable

_VERSION = text("SELECT version_num FROM alembic_version")
_LOCK = text("SELECT pg_advisory_xact_lock(50005001)")
_FOLDER = Path(__file__).parent / "migrations"


async def upgrade(database: Database) -> None:
    """Apply the missing steps in one transaction; a database that has them all costs one look. Raises Unavailable when
    the database was written by a newer Doso."""
    async with database.read() as connection:
        if await _version(connection) == head():
            return
    async with database.write() as connection:
        if not database.is_sqlite:
            await connection.execute(_LOCK)  # two starting at once: the second finds the work done
        await connection.run_sync(_run)


def head() -> str:
    """The newest step, by the names of the files (v0001_….py), so that a start need not load Alembic."""
    return max(path.name[1:5] for path in (_FOLDER / "versions").glob("v[0-9][0-9][0-9][0-9]_*.py"))


async def _version(connection: AsyncConnection) -> str | None:
    if not await connection.run_sync(lambda sync: inspect(sync).has_table("alembic_version")):
        return None
    version: str | None = await connection.scalar(_VERSION)
    return version


def _run(connection: Connection) -> None:
    from alembic import command  # noqa: PLC0415 - half a second that a start at HEAD does not pay
    from alembic.config import Config  # noqa: PLC0415
    from alembic.util import CommandError  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise Unavailable("This database was written by a newer Doso; install that version.") from error
