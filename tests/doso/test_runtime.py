"""Runtime settings: seeded by the environment, changed by rows, the same for every replica."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from doso.db.engine import Database, open_database
from doso.db.migrate import upgrade
from doso.errors import InvalidInput
from doso.runtime import Runtime, RuntimeStore
from doso.settings import Settings


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = open_database(f"sqlite:///{tmp_path / 'doso.db'}")
    await upgrade(database)
    yield database
    await database.aclose()


def store(database: Database, tmp_path: Path, **env: str) -> RuntimeStore:
    return RuntimeStore(database, Settings.from_env({"DOSO_HOME": str(tmp_path), **env}))


async def test_the_environment_gives_the_first_values(database: Database, tmp_path: Path) -> None:
    env = {"ASK_INCLUDE_CANDIDATES": "true", "DOSO_TIMEZONE": "Asia/Jakarta"}
    assert await store(database, tmp_path, **env).read() == Runtime(True, "Asia/Jakarta")


async def test_a_change_holds_for_every_replica_at_once_and_null_takes_it_back(
    database: Database, tmp_path: Path
) -> None:
    one, other = store(database, tmp_path), store(database, tmp_path)
    await one.change({"max_tokens": 500, "timezone": "Europe/Berlin"})
    assert await other.read() == Runtime(timezone="Europe/Berlin", max_tokens=500)
    await one.change({"timezone": None})
    assert await other.read() == Runtime(max_tokens=500)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("timezone", "Mars/Olympus"),
        ("timezone", "../etc"),
        ("timezone", "a\x00b"),
        ("max_tokens", 99),
        ("max_tokens", 32_001),
        ("max_tokens", True),
        ("limit", 0),
        ("limit", True),
        ("include_candidates", 1),
        ("other", 1),
    ],
)
async def test_a_wrong_value_changes_nothing(database: Database, tmp_path: Path, name: str, value: object) -> None:
    runtime = store(database, tmp_path)
    with pytest.raises(InvalidInput) as caught:
        await runtime.change({"limit": 7, name: value} if name != "limit" else {name: value})
    assert caught.value.param == name
    assert await runtime.read() == Runtime()
