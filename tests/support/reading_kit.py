"""An intake that reads with rules and with a model, over a real graph; the model's server is a stub."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from doso.db.engine import Database
from doso.jobs.memory import MemoryQueue
from doso.records import Operation, Status
from graph.registry import open_graph_store
from graph.service import Graph
from ingest.extract.rules import RulesExtractor
from ingest.library import SqlLibrary, open_library
from ingest.operations import SqlOperations
from ingest.pipeline import Intake
from ingest.resting import Rests
from ingest.retries import Retries
from tests.support.library import OWNER, WordEmbedder
from tests.support.model_reading import ReadingBench, reading_bench


@dataclass
class ReadingKit:
    """An intake with a real graph and a model's server under the test's hand. `clock_s`: what the rests go by."""

    intake: Intake
    library: SqlLibrary
    graph: Graph
    jobs: MemoryQueue
    bench: ReadingBench
    clock_s: list[float]

    async def settled(self, operation: Operation) -> Operation:
        """The receipt when all jobs have ended."""
        await self.jobs.drain()
        assert self.jobs.failures == []
        return await self.intake.operations.get(OWNER, operation.id)

    async def sweep(self, operation: Operation) -> Operation:
        """The receipt after a look for unfinished work, when the model has rested."""
        self.clock_s[0] += 1_000
        await self.intake.resume()
        return await self.settled(operation)

    async def facts(self, *statuses: Status) -> list[str]:
        """The prose of all facts of these statuses, verified ones unless told otherwise; without since when."""
        view = self.graph.view(statuses=frozenset(statuses or {Status.VERIFIED}))
        return sorted(fact.text.split(" as of ")[0] for fact in (await self.graph.list_facts(OWNER, view)).data)

    async def state(self, operation: Operation) -> str:
        return (await self.library.document(OWNER, operation.document_ids[0])).state.value


@asynccontextmanager
async def reading_kit(database: Database, home: Path) -> AsyncIterator[ReadingKit]:
    """A started intake that waits for nothing."""
    store = open_graph_store(f"sqlite:///{home / 'graph.db'}")
    await store.prepare()
    graph, jobs, embedder, clock_s = Graph(store, {}), MemoryQueue(), WordEmbedder(), [0.0]

    async def pause(_seconds: float) -> None:
        return

    library = open_library(database, embedder=embedder.info)
    async with reading_bench() as bench:
        intake = Intake(
            library,
            SqlOperations(database),
            graph,
            [RulesExtractor()],
            embedder,
            jobs,
            home,
            retries=Retries(attempts=2, pause=pause),
            reader=bench.reader,
            rests=Rests(now_s=lambda: clock_s[0]),
        )
        await intake.start()
        await intake.started()
        yield ReadingKit(intake, library, graph, jobs, bench, clock_s)
        await intake.stop()
    await store.aclose()
