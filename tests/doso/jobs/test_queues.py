"""Job queues: one contract, in memory and durable on each engine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from doso.errors import Conflict, InvalidInput
from doso.jobs import dbos, memory
from doso.jobs.dbos import open_queue
from doso.jobs.memory import MemoryQueue
from doso.jobs.ports import JobQueue

MakeQueue = Callable[[], JobQueue]


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def make_queue(request: pytest.FixtureRequest, tmp_path: Path) -> MakeQueue:
    """Opens the queue of one kind; the same storage each time."""
    if request.param == "memory":
        return MemoryQueue
    url = "sqlite:///unused" if request.param == "sqlite" else request.getfixturevalue("fresh_postgres_url")
    return lambda: open_queue(url, tmp_path)


async def test_jobs_run_in_the_loop_of_the_process_once_per_key(make_queue: MakeQueue) -> None:
    queue, ran, loops = make_queue(), list[str](), set[asyncio.AbstractEventLoop]()

    async def handle(payload: Mapping[str, str]) -> None:
        loops.add(asyncio.get_running_loop())
        ran.append(payload["n"])

    queue.register("count", handle)
    await queue.enqueue("count", {"n": "early"}, key="k0")
    await queue.start()
    for n in range(6):
        await queue.enqueue("count", {"n": str(n % 3)}, key=f"k{n % 3 + 1}")
    await queue.drain()
    await queue.stop()
    assert sorted(ran) == ["0", "1", "2", "early"]
    assert loops == {asyncio.get_running_loop()}


async def test_a_job_that_fails_stops_no_other(make_queue: MakeQueue) -> None:
    queue, ran = make_queue(), list[str]()

    async def handle(payload: Mapping[str, str]) -> None:
        if payload["n"] == "bad":
            raise InvalidInput("bad")
        ran.append(payload["n"])

    queue.register("count", handle)
    await queue.start()
    await queue.enqueue("count", {"n": "bad"}, key="bad")
    await queue.enqueue("count", {"n": "good"}, key="good")
    await queue.drain()
    await queue.stop()
    assert ran == ["good"]


async def test_a_handler_that_comes_late_is_refused(make_queue: MakeQueue) -> None:
    queue = make_queue()

    async def handle(_: Mapping[str, str]) -> None:
        """Nothing to do."""

    queue.register("a", handle)
    await queue.start()
    with pytest.raises(Conflict):
        queue.register("b", handle)
    await queue.stop()


async def test_worker_threads_go_on_after_the_queue_stops(make_queue: MakeQueue) -> None:
    queue = make_queue()
    await queue.start()
    await queue.stop()
    assert await asyncio.to_thread(lambda: 7) == 7


@pytest.mark.parametrize("engine", ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
async def test_ended_jobs_are_bounded_by_number_and_by_age(
    engine: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = "sqlite:///unused" if engine == "sqlite" else request.getfixturevalue("fresh_postgres_url")
    queue = open_queue(url, tmp_path)
    assert isinstance(queue, dbos.DbosQueue)
    ran = list[str]()

    async def handle(payload: Mapping[str, str]) -> None:
        ran.append(payload["n"])

    queue.register("count", handle)
    await queue.start()
    for n in range(6):
        await queue.enqueue("count", {"n": str(n)}, key=f"k{n}")
    await queue.drain()
    assert await queue.prune() == 0
    monkeypatch.setattr(dbos, "KEPT_ENDED", 4)
    assert await queue.prune() == 2
    monkeypatch.setattr(dbos, "KEPT_S", -60.0)
    assert await queue.prune() == 4
    await queue.stop()
    assert sorted(ran) == list("012345")


async def test_a_second_process_on_one_home_has_a_queue_of_its_own(tmp_path: Path) -> None:
    first = open_queue("sqlite:///unused", tmp_path)
    second = open_queue("sqlite:///unused", tmp_path)
    assert (type(first), type(second)) == (dbos.DbosQueue, MemoryQueue)
    await first.stop()
    third = open_queue("sqlite:///unused", tmp_path)
    assert type(third) is dbos.DbosQueue
    await third.stop()


async def test_a_memory_queue_remembers_a_bounded_number_of_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "MAX_KEYS", 3)
    queue = MemoryQueue()

    async def handle(_: Mapping[str, str]) -> None:
        """Nothing to do."""

    queue.register("count", handle)
    await queue.start()
    for n in range(10):
        await queue.enqueue("count", {}, key=str(n))
    await queue.drain()
    assert len(queue._keys) == 3
