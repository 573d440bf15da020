"""Opens everything in order and closes it again: the only place that does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import cast

from api.kit import Kit
from api.observing import Observers
from ask.kit import AskKit, Warmth
from ask.warming import warm, warm_drafting
from doso.accounts import LOCAL_CALLER, Accounts
from doso.clock import system_clock
from doso.db.engine import Database, open_database
from doso.db.migrate import upgrade
from doso.errors import DosoError
from doso.foreground import Foreground
from doso.ids import OwnerId
from doso.jobs.dbos import open_queue
from doso.jobs.told import ToldQueue
from doso.llm.chat import Profile
from doso.llm.chosen import ChosenEmbedder
from doso.llm.config import parse_models
from doso.llm.ports import Models
from doso.llm.runtime import ModelRuntime
from doso.otel import open_exporter
from doso.outgoing import Outgoing
from doso.plugins import load
from doso.records import FactDraft, Incoming, Passage
from doso.runtime import RuntimeStore
from doso.settings import Settings
from doso.starting import StartingQueue
from doso.telemetry import log
from doso.usage import UsageStore
from doso.workflow_events import open_workflow
from graph.aliases import alias_keys
from graph.ports import GraphStore
from graph.registry import open_graph_store
from graph.service import Graph
from ingest.library import open_library
from ingest.live.tools import LiveTools
from ingest.operations import SqlOperations
from ingest.pipeline import Intake
from ingest.ports import MODEL_FAMILY, Extractor, Reader
from ingest.registry import EXTRACTORS
from ingest.resting import Rests

HOME_MODE = 0o700
#: Left to questions after everything is warm, before the job queue takes the processor.
QUIET_S = 1.0


@asynccontextmanager
async def open_kit(
    settings: Settings, outgoing: Outgoing | None = None, *, foreground: Foreground | None = None
) -> AsyncIterator[Kit]:
    """Everything a server or a command works with; `outgoing` opens what texts name, work in the background makes room
    for `foreground`. Raises Unavailable when a store does not answer."""
    async with AsyncExitStack() as stack:
        settings.home.mkdir(parents=True, exist_ok=True, mode=HOME_MODE)
        database, store = await _open_stores(settings, stack)
        runtime = RuntimeStore(database, settings)
        embedder = await _open_embedder(settings, runtime)
        stack.push_async_callback(embedder.aclose)
        graph = Graph(store, alias_keys(settings.entity_aliases), system_clock)
        library = open_library(database, embedder=lambda: embedder.known_info)
        usage = await stack.enter_async_context(UsageStore(database).running())
        models = ModelRuntime(usage)
        stack.push_async_callback(models.aclose)
        events = await stack.enter_async_context(open_workflow(database))
        warmth = Warmth()
        queue = StartingQueue(open_queue(settings.database_url, settings.home), lambda: _quiet(warmth))

        rests = Rests()
        intake = Intake(
            library=library,
            operations=SqlOperations(database),
            graph=graph,
            extractors=[_LaterExtractor(name) for name in EXTRACTORS],
            embedder=embedder,
            jobs=ToldQueue(queue, events),
            home=settings.home,
            foreground=foreground or Foreground(),
            reader=_LaterReader(models, runtime, rests),
            rests=rests,
        )
        ask = AskKit(graph, library, embedder.choose((await runtime.read()).embed_provider), warmth=warmth)
        await stack.enter_async_context(_warming(ask, models, runtime))
        traces = await stack.enter_async_context(open_exporter(settings.otlp_endpoint))
        observers = Observers(events, traces=traces)
        stack.push_async_callback(intake.stop)
        await intake.start()
        yield Kit(
            settings=settings,
            database=database,
            accounts=Accounts(database),
            runtime=runtime,
            graph=graph,
            library=library,
            intake=intake,
            embedder=embedder,
            models=models,
            usage=usage,
            ask=ask,
            live=LiveTools(intake, outgoing or Outgoing()),
            clock=system_clock,
            observers=observers,
            events=events,
            notes=lambda: tuple(filter(None, (queue.trouble, embedder.trouble))),
        )


async def _open_embedder(settings: Settings, runtime: RuntimeStore) -> ChosenEmbedder:
    """The embedder by the settings. Raises InvalidInput where the environment asks for one that can't be opened; one
    that a stored setting asks for is missed and told of, for only a running server can be told another."""

    async def provider() -> str:
        return (await runtime.read()).embed_provider

    embedder = ChosenEmbedder(settings.embed, settings.home, provider)
    chosen = await provider()
    if chosen == settings.embed.provider:
        await embedder.check(chosen)
    embedder.choose(chosen)
    return embedder


async def _open_stores(settings: Settings, stack: AsyncExitStack) -> tuple[Database, GraphStore]:
    """Both databases with the tables and indexes of this version; the stack closes them."""
    database = open_database(settings.database_url)
    stack.push_async_callback(database.aclose)
    store = open_graph_store(settings.graph_url, settings.graph_user, settings.graph_password)
    stack.push_async_callback(store.aclose)
    await upgrade(database)
    await store.prepare()
    return database, store


async def _quiet(warmth: Warmth) -> None:
    """Return when the first questions have had their turn."""
    await warmth.wait()
    await asyncio.sleep(QUIET_S)


@asynccontextmanager
async def _warming(ask: AskKit, models: ModelRuntime, runtime: RuntimeStore) -> AsyncIterator[None]:
    """The model and the vectors are read while the first requests are already served."""
    task = asyncio.create_task(_warm(ask, models, runtime))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _warm(ask: AskKit, models: ModelRuntime, runtime: RuntimeStore) -> None:
    try:
        owners = dict.fromkeys((LOCAL_CALLER.owner, *await ask.graph.store.owners()))
        await warm(ask, tuple(owners))
    except DosoError as error:
        log().warning("warm_up.failed", code=error.code)
    finally:
        ask.warmth.reached()
    await warm_drafting()
    try:
        await models.warm(parse_models((await runtime.read()).models))
    except DosoError as error:
        log().warning("warm_up.failed", code=error.code)


@dataclass(slots=True)
class _LaterExtractor:
    """An extractor whose module is loaded with the first document: its rules take a third of a second to compile."""

    name: str
    _extractor: Extractor | None = None

    async def extract(self, owner: OwnerId, document: Incoming, passages: Sequence[Passage]) -> Sequence[FactDraft]:
        if self._extractor is None:
            self._extractor = await asyncio.to_thread(
                lambda: cast(Extractor, load(EXTRACTORS, "extractor", self.name)())
            )
        return await self._extractor.extract(owner, document, passages)


@dataclass(slots=True)
class _LaterReader:
    """The reader that asks a model, loaded with the first passage that one is configured for."""

    models: ModelRuntime
    runtime: RuntimeStore
    rests: Rests
    family: str = MODEL_FAMILY
    _reader: Reader | None = None

    async def models_of(self, owner: OwnerId) -> Models:
        configured = (await self.runtime.read()).models
        self.rests.see(owner, configured)
        return self.models.bind(owner, parse_models(configured))

    async def serves(self, owner: OwnerId) -> bool:
        return (await self.models_of(owner)).ability(Profile.EXTRACT) is not None

    async def read(
        self, owner: OwnerId, document: Incoming, passages: Sequence[Passage], certain: Sequence[FactDraft]
    ) -> Sequence[FactDraft]:
        if self._reader is None:
            self._reader = await asyncio.to_thread(self._open)
        return await self._reader.read(owner, document, passages, certain)

    def _open(self) -> Reader:
        from ingest.extract.model.extractor import ModelReader  # noqa: PLC0415 - its rules take long to compile

        return ModelReader(self.models_of)
