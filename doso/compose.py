"""Opens everything in order and closes it again: the only place that does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

from api.kit import Kit
from ask.kit import AskKit
from doso.accounts import Accounts
from doso.clock import system_clock
from doso.db.engine import open_database
from doso.db.migrate import upgrade
from doso.errors import DosoError, EmbedderUnavailable
from doso.jobs.dbos import open_queue
from doso.llm.ports import Embedder
from doso.llm.registry import open_embedder
from doso.plugins import load
from doso.runtime import RuntimeStore
from doso.settings import Settings
from doso.starting import BackgroundStart, StartingQueue
from doso.telemetry import log
from graph.aliases import alias_keys
from graph.registry import open_graph_store
from graph.service import Graph
from ingest.library import SqlLibrary, open_library
from ingest.operations import SqlOperations
from ingest.pipeline import Intake
from ingest.registry import EXTRACTORS

HOME_MODE = 0o700
MAX_OWNERS_LOOKED_AT = 20


@asynccontextmanager
async def open_kit(settings: Settings) -> AsyncIterator[Kit]:
    """Everything a server or a command works with. Raises Unavailable when a store does not answer."""
    async with AsyncExitStack() as stack:
        settings.home.mkdir(parents=True, exist_ok=True, mode=HOME_MODE)
        database = open_database(settings.database_url)
        stack.push_async_callback(database.aclose)
        await upgrade(database)
        store = open_graph_store(settings.graph_url, settings.graph_user, settings.graph_password)
        stack.push_async_callback(store.aclose)
        await store.prepare()
        graph = Graph(store, alias_keys(settings.entity_aliases), system_clock)
        embedder = open_embedder(settings.embed, settings.home)
        stack.push_async_callback(embedder.aclose)
        library = open_library(database, embedder=embedder.info)
        intake = Intake(
            library=library,
            operations=SqlOperations(database),
            graph=graph,
            extractors=[load(EXTRACTORS, "extractor", name)() for name in EXTRACTORS],
            embedder=embedder,
            jobs=StartingQueue(open_queue(settings.database_url, settings.home)),
            home=settings.home,
        )
        notes = await _mismatches(library)
        stack.push_async_callback(intake.stop)
        starting = BackgroundStart(intake.start, _tell)
        stack.push_async_callback(starting.finish)  # a start cut in half could not be stopped in good order
        await stack.enter_async_context(_warming(embedder))
        yield Kit(
            settings=settings,
            database=database,
            accounts=Accounts(database),
            runtime=RuntimeStore(database, settings),
            graph=graph,
            library=library,
            intake=intake,
            embedder=embedder,
            ask=AskKit(graph, library, embedder),
            clock=system_clock,
            notes=notes,
        )


def _tell(error: DosoError) -> None:
    log().error("jobs.not_started", code=error.code)


async def _mismatches(library: SqlLibrary) -> tuple[str, ...]:
    """What differs at the start between the stored vectors and the configured embedder; re-embedding follows."""
    found: dict[str, None] = {}
    for owner in (await library.unfinished_owners())[:MAX_OWNERS_LOOKED_AT]:
        found |= dict.fromkeys((await library.index_status(owner)).warnings)
    return tuple(found)


@asynccontextmanager
async def _warming(embedder: Embedder) -> AsyncIterator[None]:
    """The embedder reads its model while the first requests are already served."""
    task = asyncio.create_task(_warm(embedder))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _warm(embedder: Embedder) -> None:
    try:
        await embedder.embed_query("warm")
    except EmbedderUnavailable as error:
        log().warning("embedder.unavailable", code=error.code)
