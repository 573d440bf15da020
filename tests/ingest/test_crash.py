"""kill -9 at any moment of an import, then the same import again: nothing lost, nothing twice."""

from __future__ import annotations

import multiprocessing
import random
from pathlib import Path

import pytest
from sqlalchemy import text

from doso.db.engine import Database, open_database
from doso.ids import OwnerId
from doso.records import OperationState
from ingest import registry
from ingest.library import SqlLibrary, open_library
from ingest.library.prepared import document_id_of
from tests.support.databases import empty_database
from tests.support.import_child import import_for, run_import

CYCLES = 20
MESSAGES = 450
#: The longest time that a child gets before it is killed; it is done in about this time.
LONGEST_S = 0.8


@pytest.fixture(autouse=True)
def lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The format "lines", for the imports of this process."""
    monkeypatch.setitem(registry.IMPORTERS, "lines", "tests.support.library:LinesImporter")


@pytest.mark.timeout(600)
async def test_an_import_killed_at_any_moment_and_repeated_equals_one_that_was_not(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'doso.db'}"
    await _cycles(url, tmp_path, CYCLES)


@pytest.mark.postgres
@pytest.mark.timeout(600)
async def test_so_it_does_on_postgres(fresh_postgres_url: str, tmp_path: Path) -> None:
    await _cycles(fresh_postgres_url, tmp_path, 2)


async def _cycles(url: str, home: Path, count: int) -> None:
    archive = home / "chat.lines"
    archive.write_text("\n".join(f"word{n} said by Ana about topic{n % 37}" for n in range(MESSAGES)))
    database = await empty_database(url)
    await database.aclose()
    await import_for(url, [OwnerId("whole")], archive, home)
    drawn = random.Random(11)
    killed = sum(_run(url, f"o{n}", archive, home, kill_after_s=drawn.uniform(0, LONGEST_S)) != 0 for n in range(count))
    assert killed > 0
    await import_for(url, [OwnerId(f"o{n}") for n in range(count)], archive, home)
    database = open_database(url)
    library = open_library(database)
    whole = await _state(library, database, "whole")
    assert whole[1] == (MESSAGES, MESSAGES, 0, 0)
    for n in range(count):
        assert await _state(library, database, f"o{n}") == whole
    if database.is_sqlite:
        async with database.read() as connection:
            assert (await connection.execute(text("PRAGMA integrity_check"))).scalar() == "ok"
    await database.aclose()


def _run(url: str, owner: str, archive: Path, home: Path, *, kill_after_s: float) -> int | None:
    """The exit code of one child; one that outlives its time is killed."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.support.import_child"])
    ready = context.Event()
    child = context.Process(target=run_import, args=(url, owner, str(archive), str(home), ready))
    child.start()
    assert ready.wait(60)
    child.join(kill_after_s)
    if child.is_alive():
        child.kill()
        child.join()
    return child.exitcode


async def _state(library: SqlLibrary, database: Database, name: str) -> tuple[object, ...]:
    """Everything of an owner that an import leaves, without what names the owner."""
    owner = OwnerId(name)
    passages = await library.passages_of(owner, document_id_of(owner, "thread://c1"))
    status = await library.index_status(owner)
    async with database.read() as connection:
        number = (await connection.execute(text("SELECT number FROM owners WHERE owner = :o"), {"o": owner})).scalar()
        rows = await connection.execute(text("SELECT term, passages FROM search_terms"))
        prefix = f"{number:x}."
        terms = {row[0].removeprefix(prefix): row[1] for row in rows if row[0].startswith(prefix)}
        queued = await connection.execute(text("SELECT COUNT(*) FROM embedding_queue WHERE owner = :o"), {"o": owner})
        last = await connection.execute(
            text("SELECT state FROM operations WHERE owner = :o ORDER BY created_at DESC LIMIT 1"), {"o": owner}
        )
        return (
            [(passage.ordinal, passage.text, passage.external_ids) for passage in passages],
            (status.passages, status.embedded, status.pending, status.failed),
            terms,
            queued.scalar(),
            OperationState(last.scalar_one()),
        )
