"""Settings that change while servers run: stored rows, read anew by each request on every replica."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace

import msgspec
import sqlalchemy as sa

from doso.accounts import metadata
from doso.db.connection import AsyncConnection
from doso.db.engine import Database
from doso.db.glance import Rows
from doso.runtime_values import KEPT, Runtime, accepted, check_keys_stay_home, check_zone, seed_of
from doso.settings import Settings

runtime_settings = sa.Table(
    "runtime_settings",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),  # JSON
)
_ALL = "SELECT name, value FROM runtime_settings"
_NAMES = frozenset(field.name for field in fields(Runtime))


class RuntimeStore:
    """Reads and writes the stored values."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._seed = seed_of(settings)

    async def read(self) -> Runtime:
        """The values as of now."""
        return self._with(await self._database.glance(_ALL))

    async def change(self, values: Mapping[str, object]) -> Runtime:
        """Store values and return all; None goes back to the environment's, the masked form of a secret leaves that as
        it is. Raises InvalidInput naming the field, and then nothing has changed."""
        async with self._database.write() as connection:
            before = await self._values(connection)
            given = {
                name: None if value is None and name in _NAMES else accepted(name, value, before)
                for name, value in values.items()
            }
            for name, value in given.items():
                if value is KEPT:
                    continue
                await connection.execute(runtime_settings.delete().where(runtime_settings.c.name == name))
                if value is not None:
                    row = {"name": name, "value": msgspec.json.encode(value).decode()}
                    await connection.execute(runtime_settings.insert().values(row))
            after = await self._values(connection)
            check_keys_stay_home(given, self._seed, before, after)
        return after

    async def _values(self, connection: AsyncConnection) -> Runtime:
        return self._with([tuple(row) for row in (await connection.execute(sa.text(_ALL))).all()])

    def _with(self, rows: Rows) -> Runtime:
        if not rows:
            return self._seed
        return replace(self._seed, **{name: msgspec.json.decode(value) for name, value in rows if name in _NAMES})


__all__ = ["Runtime", "RuntimeStore", "check_zone", "runtime_settings"]
