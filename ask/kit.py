"""Everything a question needs, opened elsewhere and handed down."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from ask.ports import PassageSearch
from doso.clock import Clock, system_clock
from doso.llm.ports import Embedder
from graph.service import Graph

#: Retrievals at work at once, whatever asks for them: each takes the processor, and streams wait for models meanwhile.
MAX_RETRIEVALS = 4
#: How long a question waits for vectors that are still being read after the start.
WARM_WITHIN_S = 0.7


@dataclass(frozen=True, slots=True)
class Warmth:
    """Whether searching by meaning is as quick as it will be."""

    within_s: float = WARM_WITHIN_S
    _done: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    def full(cls) -> Warmth:
        """Nothing to wait for."""
        warmth = cls()
        warmth.reached()
        return warmth

    def reached(self) -> None:
        """From now on no question waits."""
        self._done.set()

    async def comes_in_time(self) -> bool:
        """Wait for it, but not for long."""
        if self._done.is_set():
            return True
        try:
            async with asyncio.timeout(self.within_s):
                await self._done.wait()
        except TimeoutError:
            return False
        return True

    async def wait(self) -> None:
        """Wait for it however long it takes."""
        await self._done.wait()


@dataclass(frozen=True, slots=True)
class AskKit:
    """The memory to ask and the means to search it; `embedder` is None where there is none."""

    graph: Graph
    passages: PassageSearch
    embedder: Embedder | None
    clock: Clock = system_clock
    warmth: Warmth = field(default_factory=Warmth.full)
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_RETRIEVALS))
