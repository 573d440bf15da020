"""The queue that starts when there is time for it: what waits, what hastens it, what a failed start tells."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from doso.errors import Unavailable
from doso.jobs.memory import MemoryQueue
from doso.starting import StartingQueue


class _Failing(MemoryQueue):
    """A queue whose first start fails."""

    failures_left = 1

    async def start(self) -> None:
        if self.failures_left:
            self.failures_left -= 1
            raise Unavailable("The job queue can't be opened.")
        await super().start()


def _trouble(queue: StartingQueue) -> str | None:
    return queue.trouble


async def _never() -> None:
    await asyncio.Event().wait()


async def _at_once() -> None:
    """Nothing is more pressing."""


async def test_a_job_hastens_the_start() -> None:
    done: list[Mapping[str, str]] = []

    async def handler(payload: Mapping[str, str]) -> None:
        done.append(payload)

    queue = StartingQueue(MemoryQueue(), _never)
    queue.register("note", handler)
    starting = asyncio.create_task(queue.start())
    await queue.enqueue("note", {"a": "1"}, key="k")
    await queue.drain()
    await starting
    assert done == [{"a": "1"}]
    await queue.stop()


async def test_a_failed_start_is_told_until_a_later_one_succeeds() -> None:
    queue = StartingQueue(_Failing(), _at_once)
    assert _trouble(queue) is None
    with pytest.raises(Unavailable):
        await queue.start()
    assert _trouble(queue) == "Background jobs do not run: The job queue can't be opened."
    with pytest.raises(Unavailable, match="can't be opened"):
        await queue.enqueue("note", {}, key="k")
    await queue.start()
    assert _trouble(queue) is None
    await queue.stop()


async def test_stopping_waits_for_a_start_under_way() -> None:
    order: list[str] = []
    go_on = asyncio.Event()

    class Slow(MemoryQueue):
        async def start(self) -> None:
            await go_on.wait()
            order.append("started")

        async def stop(self) -> None:
            order.append("stopped")

    queue = StartingQueue(Slow(), _at_once)
    starting = asyncio.create_task(queue.start())
    while queue._launch is None:
        await asyncio.sleep(0)
    starting.cancel()
    stopping = asyncio.create_task(queue.stop())
    await asyncio.sleep(0)
    go_on.set()
    await stopping
    assert order == ["started", "stopped"]
