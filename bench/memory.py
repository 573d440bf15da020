"""A filled memory for measuring: facts and talk of a synthetic world, embedded, kept on disk between runs."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

from ask.kit import AskKit
from bench.figures import Bar
from bench.remembered import RememberingEmbedder, StandInEmbedder
from bench.synthetic import World
from doso.accounts import LOCAL_CALLER
from doso.db.engine import open_database
from doso.db.migrate import upgrade
from doso.llm.embedders.onnx import open_folder
from doso.llm.models import pull
from doso.llm.ports import Embedder
from doso.records import Actor
from graph.registry import open_graph_store
from graph.service import Graph
from ingest.embedding import Embedding
from ingest.library import SqlLibrary, open_library
from ingest.operations import SqlOperations
from tools.neo4j_server import running_neo4j

CACHE = Path(__file__).parents[1] / ".cache"
OWNER = LOCAL_CALLER.owner
FACTS_AT_ONCE = 500
NEO4J_HEAP_MB = 1500


@dataclass(frozen=True, slots=True)
class Memory:
    """An open memory. `home` and `graph_url` open it again in a server."""

    home: Path
    graph_url: str
    graph: Graph
    library: SqlLibrary
    embedder: Embedder

    @property
    def kit(self) -> AskKit:
        """What a question is asked with."""
        return AskKit(self.graph, self.library, self.embedder)


@contextlib.contextmanager
def graph_url(backend: str, home: Path) -> Iterator[str]:
    """Where the graph of this home is; a server of its own runs meanwhile where the backend needs one."""
    if backend == "sqlite":
        yield f"sqlite:///{home / 'graph.db'}"
        return
    with running_neo4j(home / "neo4j", heap_mb=NEO4J_HEAP_MB) as server:
        yield server.url


@contextlib.asynccontextmanager
async def open_memory(home: Path, url: str, world: World, *, vectors: str = "real") -> AsyncIterator[Memory]:
    """The memory of this home, filled with the world unless it is already. `vectors`: "real" or "stand-in"."""
    model = open_folder(pull(CACHE))
    embedder: Embedder = (
        RememberingEmbedder(model, CACHE / "bench", world.facts_count * 11 // 10)
        if vectors == "real"
        else StandInEmbedder(model)
    )
    database = open_database(f"sqlite:///{home / 'doso.db'}")
    store = open_graph_store(url)
    try:
        await upgrade(database)
        await store.prepare()
        library = open_library(database, embedder=embedder.info)
        memory = Memory(home, url, Graph(store, {}), library, embedder)
        if not is_filled(home):
            await _fill(memory, world)
            await Embedding(library, SqlOperations(database), memory.graph, embedder).run(OWNER)
            _mark_filled(home)
        yield memory
    finally:
        await store.aclose()
        await database.aclose()
        await embedder.aclose()


def is_filled(home: Path) -> bool:
    """Whether an earlier run filled this memory to the end."""
    return (home / "filled").exists()


def _mark_filled(home: Path) -> None:
    (home / "filled").touch()


async def _fill(memory: Memory, world: World) -> None:
    bar, started = Bar("asserted", world.facts_count), time.monotonic()
    drafts = list(world.drafts())
    for start in range(0, len(drafts), FACTS_AT_ONCE):
        batch = drafts[start : start + FACTS_AT_ONCE]
        await memory.graph.assert_facts(OWNER, batch, Actor("api", "bench"), request_id=f"bench-{start}")
        bar.add(len(batch))
    print(f"  {len(drafts):,} facts asserted in {time.monotonic() - started:.0f} s", flush=True)
    started = time.monotonic()
    for thread in world.threads(world.facts_count // 10):
        await memory.library.store(OWNER, thread)
    print(f"  {world.facts_count // 10:,} messages stored in {time.monotonic() - started:.0f} s", flush=True)
