"""Workflow events between processes: in order, each owner their own, from where a follower left off, bounded."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, aclosing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from doso import workflow_events
from doso.db.engine import Database, open_database
from doso.db.migrate import upgrade
from doso.errors import Busy
from doso.ids import OwnerId
from doso.workflow import MAX_WAITING
from doso.workflow_events import MAX_FOLLOWERS, WorkflowEvents, open_workflow

ANA, BO = OwnerId("ana"), OwnerId("bo")
WITHIN_S = 20


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def database(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    url = f"sqlite:///{tmp_path / 'doso.db'}"
    if request.param == "postgres":
        url = request.getfixturevalue("fresh_postgres_url")
    database = open_database(url)
    await upgrade(database)
    yield database
    await database.aclose()


async def taken(
    events: WorkflowEvents, owner: OwnerId, count: int, *, after: int | None, conversation_id: str | None = None
) -> list[tuple[str, str]]:
    """The first so many events of a follower."""
    found: list[tuple[str, str]] = []
    async with aclosing(events.follow(owner, after=after, conversation_id=conversation_id)) as following:
        async for numbered in following:
            found.append((numbered.event.name, numbered.event.work_id))
            if len(found) == count:
                break
    return found


async def test_what_is_told_comes_back_as_it_was(database: Database) -> None:
    now = datetime(2026, 3, 11, 10, 0, 0, 123_000, UTC)
    events = WorkflowEvents(database, lambda: now)
    events.tell(ANA, "ask.started", "a-1", conversation_id="c-1", effort="fast", items=3, ms=1.5, is_live=False)
    await events.flush()
    (numbered,) = await events.read(ANA, after=0)
    event = numbered.event
    assert (event.owner, event.name, event.at, event.work_id, event.conversation_id) == (
        ANA,
        "ask.started",
        now,
        "a-1",
        "c-1",
    )
    assert event.fields == {"effort": "fast", "items": 3, "ms": 1.5, "is_live": False}


async def test_an_owner_sees_only_their_own_from_the_number_on(database: Database) -> None:
    events = WorkflowEvents(database)
    for place in range(3):
        events.tell(ANA, "ask.started", f"a-{place}", conversation_id=f"c-{place % 2}")
        events.tell(BO, "ask.started", f"b-{place}", conversation_id="c-0")
    await events.flush()
    found = await events.read(ANA, after=0)
    assert [numbered.event.work_id for numbered in found] == ["a-0", "a-1", "a-2"]
    rest = await events.read(ANA, after=found[0].number)
    assert [numbered.event.work_id for numbered in rest] == ["a-1", "a-2"]
    of_one = await events.read(ANA, after=0, conversation_id="c-0")
    assert [numbered.event.work_id for numbered in of_one] == ["a-0", "a-2"]


async def test_a_follower_hears_of_another_process(database: Database) -> None:
    async with AsyncExitStack() as stack:
        here = await stack.enter_async_context(open_workflow(database))
        there = await stack.enter_async_context(open_workflow(database))
        task = asyncio.create_task(taken(here, ANA, 2, after=None))
        while not here._bells:
            await asyncio.sleep(0)
        there.tell(BO, "ask.started", "b-1")
        there.tell(ANA, "ask.started", "a-1")
        await there.flush()
        here.tell(ANA, "ask.finished", "a-1")
        async with asyncio.timeout(WITHIN_S):
            assert await task == [("ask.started", "a-1"), ("ask.finished", "a-1")]


async def test_a_follower_goes_on_where_it_was(database: Database) -> None:
    async with open_workflow(database) as events:
        for place in range(5):
            events.tell(ANA, "ask.started", f"a-{place}")
        await events.flush()
        third = (await events.read(ANA, after=0))[2].number
        assert await taken(events, ANA, 2, after=third) == [("ask.started", "a-3"), ("ask.started", "a-4")]


async def test_a_number_that_is_not_there_yet_is_as_good_as_none(database: Database) -> None:
    async with open_workflow(database) as events:
        events.tell(ANA, "ask.started", "a-0")
        await events.flush()
        task = asyncio.create_task(taken(events, ANA, 1, after=10**12))
        while not events._bells:
            await asyncio.sleep(0)
        await events.newest()
        events.tell(ANA, "ask.started", "a-1")
        async with asyncio.timeout(WITHIN_S):
            assert await task == [("ask.started", "a-1")]


async def test_what_waits_at_the_end_is_still_written(database: Database) -> None:
    async with open_workflow(database) as events:
        events.tell(ANA, "ask.started", "a-1")
    assert [numbered.event.work_id for numbered in await events.read(ANA, after=0)] == ["a-1"]


async def test_old_events_and_those_over_the_count_go(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workflow_events, "PRUNE_EVERY", 10)
    monkeypatch.setattr(workflow_events, "KEEP_COUNT", 7)
    now = datetime(2026, 3, 11, tzinfo=UTC)
    events = WorkflowEvents(database, lambda: now)
    for place in range(9):
        events.tell(ANA, "ask.started", f"old-{place}")
    await events.flush()
    now += timedelta(days=1, seconds=1)
    events.tell(ANA, "ask.started", "new")
    await events.flush()
    assert [numbered.event.work_id for numbered in await events.read(ANA, after=0)] == ["new"]
    for place in range(10):
        events.tell(ANA, "ask.started", f"a-{place}")
    await events.flush()
    assert len(await events.read(ANA, after=0)) == 7
    assert await events.oldest() == await events.newest() - 6


async def test_more_than_may_wait_are_left_out(database: Database) -> None:
    events = WorkflowEvents(database)
    for place in range(MAX_WAITING + 5):
        events.tell(ANA, "ask.started", str(place))
    await events.flush()
    async with database.read() as connection:
        assert await connection.scalar(text("SELECT COUNT(*) FROM workflow_events")) == MAX_WAITING


async def test_an_owner_follows_a_bounded_number_of_streams(database: Database) -> None:
    events = WorkflowEvents(database)
    following = [asyncio.create_task(taken(events, ANA, 1, after=None)) for _ in range(MAX_FOLLOWERS)]
    while len(events._bells.get(ANA, ())) < MAX_FOLLOWERS:
        await asyncio.sleep(0)
    with pytest.raises(Busy):
        events.check_room(ANA)
    events.check_room(BO)
    for task in following:
        task.cancel()
    await asyncio.wait(following)
    events.check_room(ANA)


async def test_a_database_that_does_not_answer_costs_only_the_events(database: Database, tmp_path: Path) -> None:
    missing = open_database(f"sqlite:///{tmp_path / 'other.db'}")
    try:
        events = WorkflowEvents(missing)
        events.tell(ANA, "ask.started", "a-1")
        await upgrade(missing)
        async with missing.write() as connection:
            await connection.execute(text("PRAGMA query_only = ON"))
        async with open_workflow(missing) as opened:
            opened.tell(ANA, "ask.started", "a-2")
        assert await events.read(ANA, after=0) == []
    finally:
        await missing.aclose()
