"""One import in a process of its own, to be killed at any moment."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from multiprocessing.synchronize import Event
from pathlib import Path

from doso.db.engine import open_database
from doso.db.migrate import upgrade
from doso.ids import OwnerId
from doso.jobs.memory import MemoryQueue
from ingest import registry
from ingest.library import open_library
from ingest.operations import SqlOperations
from ingest.pipeline import Intake
from ingest.ports import ImportOptions
from tests.support.library import StandGraph, WordEmbedder


def run_import(url: str, owner: str, archive: str, home: str, ready: Event) -> None:
    """Import the archive for this owner, embed it, exit. `ready` is set when it begins."""
    registry.IMPORTERS["lines"] = "tests.support.library:LinesImporter"  # the process is the import's own
    asyncio.run(import_for(url, [OwnerId(owner)], Path(archive), Path(home), ready))


async def import_for(
    url: str, owners: Sequence[OwnerId], archive: Path, home: Path, ready: Event | None = None
) -> None:
    """Import the archive for these owners, one after the other, to the end of their jobs. "lines" must be known."""
    database = open_database(url)
    await upgrade(database)
    embedder, jobs = WordEmbedder(), MemoryQueue()
    library, operations = open_library(database, embedder=embedder.info), SqlOperations(database)
    intake = Intake(library, operations, StandGraph().as_graph(), [], embedder, jobs, home)
    await intake.start()
    await intake.started()
    if ready is not None:
        ready.set()
    for owner in owners:
        await intake.import_path(owner, archive, ImportOptions(), format="lines")
        await jobs.drain()
    await intake.stop()
    await database.aclose()
