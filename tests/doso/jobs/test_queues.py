"""Job queues: one contract, in memory and durable on each engine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from doso.errors import Conflict, InvalidInput
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
