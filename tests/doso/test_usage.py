"""Usage is written beside the requests, for its owner, and a database that fails loses none of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from doso.db.connection import AsyncConnection
from doso.db.engine import Database, open_database
from doso.db.migrate import upgrade
from doso.errors import Unavailable
from doso.ids import OwnerId, new_id
from doso.llm.chat import Profile, TokenUsage
from doso.llm.ports import Outcome, UsageEvent
from doso.usage import UsageStore

ANA, BUDI = OwnerId("ana"), OwnerId("budi")
NOON = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)


def event(**changes: object) -> UsageEvent:
    made = UsageEvent(
        id=new_id(),
        owner=ANA,
        at=NOON,
        profile=Profile.DRAFT_FAST,
        provider="one",
        model="m",
        outcome=Outcome.OK,
        usage=TokenUsage(100, 20, 10, 5),
        micro_usd=700,
        price_version="2026-11-30",
        ttft_ms=30,
        duration_ms=900,
    )
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    url = f"sqlite:///{tmp_path / 'doso.db'}"
    if request.param == "postgres":
        url = request.getfixturevalue("fresh_postgres_url")
    opened = open_database(url)
    await upgrade(opened)
    yield opened
    await opened.aclose()


async def test_an_event_comes_back_as_it_was(database: Database) -> None:
    store = UsageStore(database)
    failed = event(
        at=NOON + timedelta(milliseconds=1),
        outcome=Outcome.FAILED,
        usage=TokenUsage(is_exact=False),
        micro_usd=None,
        price_version=None,
        ttft_ms=None,
        code="provider.timeout",
        is_fallback=True,
    )
    first = event()
    store.record(first)
    store.record(failed)
    assert await store.events(ANA) == (failed, first)


async def test_owners_see_their_own(database: Database) -> None:
    store = UsageStore(database)
    store.record(event())
    store.record(event(owner=BUDI))
    assert [one.owner for one in await store.events(BUDI)] == [BUDI]
    assert await store.events(OwnerId("nobody")) == ()


async def test_totals_count_what_has_no_price(database: Database) -> None:
    store = UsageStore(database)
    store.record(event(at=NOON - timedelta(days=1)))
    store.record(event())
    store.record(event(micro_usd=None, usage=TokenUsage(1, 2, 3, 4, is_exact=False)))
    totals = await store.totals(ANA, since=NOON)
    assert (totals.calls_count, totals.micro_usd, totals.unpriced_count) == (2, 700, 1)
    assert totals.usage == TokenUsage(101, 22, 13, 9, is_exact=False)
    nothing = await store.totals(BUDI, since=NOON)
    assert (nothing.calls_count, nothing.micro_usd, nothing.usage) == (0, 0, TokenUsage())


async def test_an_event_that_is_written_twice_is_there_once(database: Database) -> None:
    store, twice = UsageStore(database), event()
    for _ in range(2):
        store.record(twice)
        await store.flush()
    assert await store.events(ANA) == (twice,)


async def test_what_was_recorded_is_written_when_the_store_closes(database: Database) -> None:
    async with UsageStore(database).running() as store:
        for _ in range(1_200):
            store.record(event())
    assert (await UsageStore(database).totals(ANA, since=NOON)).calls_count == 1_200


class Failing(Database):
    """A database that does not answer at first."""

    fails = True

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        if self.fails:
            raise Unavailable("The database does not answer.")
        async with super().write() as connection:
            yield connection


async def test_a_database_that_fails_loses_nothing_and_stops_nobody(tmp_path: Path) -> None:
    opened = open_database(f"sqlite:///{tmp_path / 'doso.db'}")
    await upgrade(opened)
    failing = Failing(opened._readers, opened._writer)
    store = UsageStore(failing)
    store.record(event())
    with pytest.raises(Unavailable):
        await store.flush()
    failing.fails = False
    store.record(event())
    assert len(await store.events(ANA)) == 2
    await opened.aclose()
