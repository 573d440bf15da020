"""Work of one ask side by side: who leaves ends it all, and what fails is told, not thrown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from ask.events import AskEvent
from doso.errors import DosoError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """What an arm brought; `error` where it failed, `is_late` where it was not there in time."""

    value: T | None = None
    error: DosoError | None = None
    is_late: bool = False


async def outcome_of(work: Coroutine[Any, Any, T], end: float) -> Outcome[T]:
    """The work's outcome until this moment of the loop's clock; a late one is cancelled."""
    try:
        async with asyncio.timeout_at(end):
            return Outcome(await work)
    except TimeoutError:
        return Outcome(is_late=True)
    except DosoError as error:
        return Outcome(error=error)


class Progress:
    """What arms tell while they work, in the order in which they tell it."""

    def __init__(self) -> None:
        self._told: asyncio.Queue[AskEvent] = asyncio.Queue()

    def tell(self, event: AskEvent) -> None:
        self._told.put_nowait(event)

    async def until_done(self, tasks: Sequence[asyncio.Task[Any]]) -> AsyncGenerator[AskEvent, None]:
        """What is told until all tasks are done."""
        done: asyncio.Future[Any] = asyncio.gather(*tasks, return_exceptions=True)
        try:
            while not done.done() or not self._told.empty():
                telling: asyncio.Future[Any] = asyncio.ensure_future(self._told.get())
                try:
                    await asyncio.wait([done, telling], return_when=asyncio.FIRST_COMPLETED)
                    if telling.done():
                        yield telling.result()
                finally:
                    telling.cancel()
        finally:
            done.cancel()


@asynccontextmanager
async def side_by_side(*works: Coroutine[Any, Any, Any]) -> AsyncIterator[tuple[asyncio.Task[Any], ...]]:
    """The works as tasks, all ended when the block is left, however that is."""
    tasks = tuple(asyncio.create_task(work) for work in works)
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
