"""Settings that change while servers run: stored rows, read anew by each request on every replica."""

from __future__ import annotations

import zoneinfo
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

import msgspec
import sqlalchemy as sa

from doso.accounts import metadata
from doso.db.engine import Database
from doso.errors import InvalidInput
from doso.settings import Settings

MIN_PACK_TOKENS = 100
MAX_PACK_TOKENS = 32_000
MAX_LIMIT = 100

runtime_settings = sa.Table(
    "runtime_settings",
    metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),  # JSON
)


@dataclass(frozen=True, slots=True)
class Runtime:
    """The values a request works with. The environment gives the first ones, a stored row stands above it."""

    include_candidates: bool = False
    timezone: str = "UTC"
    max_tokens: int = 2_000
    limit: int = 20


class RuntimeStore:
    """Reads and writes the stored values."""

    def __init__(self, database: Database, settings: Settings) -> None:
        self._database = database
        self._seed = Runtime(include_candidates=settings.ask.include_candidates, timezone=settings.timezone)

    async def read(self) -> Runtime:
        """The values as of now."""
        async with self._database.read() as connection:
            rows = (await connection.execute(sa.select(runtime_settings))).all()
        known = asdict(self._seed)
        return replace(self._seed, **{row.name: msgspec.json.decode(row.value) for row in rows if row.name in known})

    async def change(self, values: Mapping[str, object]) -> Runtime:
        """Store values and return all; None goes back to the environment's. Raises InvalidInput naming the field."""
        for name, value in values.items():
            if value is not None:
                _check(name, value)
        async with self._database.write() as connection:
            for name, value in values.items():
                await connection.execute(runtime_settings.delete().where(runtime_settings.c.name == name))
                if value is not None:
                    row = {"name": name, "value": msgspec.json.encode(value).decode()}
                    await connection.execute(runtime_settings.insert().values(row))
        return await self.read()


def _check(name: str, value: object) -> None:
    match name, value:
        case "include_candidates", bool():
            return
        case "timezone", str():
            check_zone(value)
            return
        case "max_tokens", int() if not isinstance(value, bool) and MIN_PACK_TOKENS <= value <= MAX_PACK_TOKENS:
            return
        case "limit", int() if not isinstance(value, bool) and 1 <= value <= MAX_LIMIT:
            return
    raise InvalidInput(f"The setting {name!r} does not take this value.", param=name)


def check_zone(name: str) -> zoneinfo.ZoneInfo:
    """The zone of this IANA name. Raises InvalidInput."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput(f"{name[:60]!r} is not an IANA time zone.", param="timezone") from error
