"""Fixtures: a library and an intake on each relational engine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from doso.db.engine import Database
from doso.jobs.memory import MemoryQueue
from ingest.library import SqlLibrary, open_library
from ingest.operations import SqlOperations
from ingest.pipeline import Intake
from ingest.retries import Retries
from tests.support.databases import empty_database
from tests.support.library import LivesInExtractor, StandGraph, WordEmbedder


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database on each engine."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'doso.db'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    """Migrated and empty."""
    database = await empty_database(database_url)
    yield database
    await database.aclose()


@pytest.fixture
def library(database: Database) -> SqlLibrary:
    """A library without a configured embedder."""
    return open_library(database)


@dataclass
class Kit:
    """An intake with its stands."""

    intake: Intake
    library: SqlLibrary
    operations: SqlOperations
    graph: StandGraph
    embedder: WordEmbedder
    extractor: LivesInExtractor
    jobs: MemoryQueue
    pauses: list[float]


def make_kit(
    database: Database, home: Path, *, embedder: WordEmbedder | None = None, graph: StandGraph | None = None
) -> Kit:
    """An intake that waits for nothing: retries only note how long they would pause."""
    embedder = embedder or WordEmbedder()
    graph = graph or StandGraph()
    extractor, jobs, pauses = LivesInExtractor(), MemoryQueue(), list[float]()

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    library, operations = open_library(database, embedder=embedder.info), SqlOperations(database)
    retries = Retries(attempts=3, pause=pause, jitter=lambda: 1.0)
    intake = Intake(library, operations, graph.as_graph(), [extractor], embedder, jobs, home, retries=retries)
    return Kit(intake, library, operations, graph, embedder, extractor, jobs, pauses)


@pytest.fixture
async def kit(database: Database, tmp_path: Path) -> AsyncIterator[Kit]:
    """A started intake."""
    kit = make_kit(database, tmp_path)
    await kit.intake.start()
    await kit.intake.started()
    yield kit
    await kit.intake.stop()
