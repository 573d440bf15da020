"""What the owner says in words changes the graph: told, corrected, withdrawn, forgotten."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from doso.db.engine import Database
from doso.ids import OwnerId
from doso.jobs.memory import MemoryQueue
from doso.records import Literal, Operation, Status
from graph.aliases import alias_keys
from graph.ports import View
from graph.registry import open_graph_store
from graph.service import Graph
from ingest.extract.rules import build
from ingest.library import open_library
from ingest.operations import SqlOperations
from ingest.pipeline import Intake
from ingest.retries import Retries
from tests.support.library import WordEmbedder

OWNER = OwnerId("o")
AT = datetime(2026, 5, 20, 10, tzinfo=UTC)


@pytest.fixture
async def intake(database: Database, tmp_path: Path) -> AsyncIterator[Intake]:
    """An intake with the extractor that needs no model and a real graph."""
    store = open_graph_store(f"sqlite:///{tmp_path / 'graph.db'}")
    await store.prepare()
    graph = Graph(store, alias_keys({}), lambda: AT)
    embedder = WordEmbedder()
    library, operations = open_library(database, embedder=embedder.info), SqlOperations(database)
    jobs, retries = MemoryQueue(), Retries(attempts=1)
    intake = Intake(library, operations, graph, [build()], embedder, jobs, tmp_path, retries=retries)
    await intake.start()
    yield intake
    await intake.stop()
    await store.aclose()


async def say(intake: Intake, text: str, request_id: str | None = None) -> Operation:
    return await intake.remember(OWNER, text, occurred_at=AT, zone="Europe/Brussels", request_id=request_id)


async def facts(intake: Intake) -> set[tuple[str, str, str]]:
    """What holds now, by the names of the entities."""
    graph = intake.graph
    page = await graph.list_facts(OWNER, View(now=AT), limit=200)
    named = await graph.named_in(OWNER, page.data)
    return {
        (
            named[fact.subject_id].name,
            fact.predicate,
            fact.object.text if isinstance(fact.object, Literal) else named[fact.object].name,
        )
        for fact in page.data
        if fact.status is Status.VERIFIED
    }


ME = "me"


@pytest.mark.parametrize(
    ("said", "wanted", "gone"),
    [
        (["I work at Orbis Pharma.", "I no longer work at Orbis Pharma."], [], [("works_at", "Orbis Pharma")]),
        (["I live in Porto.", "No, I live in Lisbon, not Porto."], [("lives_in", "Lisbon")], [("lives_in", "Porto")]),
        (["I drive a Seat.", "Correction: I drive a Skoda, not a Seat."], [("drives", "Skoda")], [("drives", "Seat")]),
        (["I'm allergic to kiwi.", "Forget that I'm allergic to kiwi."], [], [("allergic_to", "kiwi")]),
        (["My email is a@example.org.", "Please delete my email address."], [], [("email", "a@example.org")]),
        (["My sister's name is Ana.", "That's wrong: Ana is my cousin."], [], [("sister_of", "me")]),
        (["I live in Rome.", "I used to live in Oslo."], [("lives_in", "Rome")], [("lives_in", "Oslo")]),
        (["I live in Rome.", "If I lived in Oslo I'd ski."], [("lives_in", "Rome")], [("lives_in", "Oslo")]),
    ],
)
async def test_words_correct_what_words_told(
    intake: Intake, said: list[str], wanted: list[tuple[str, str]], gone: list[tuple[str, str]]
) -> None:
    for text in said:
        await say(intake, text)
    mine = {(predicate, object) for _, predicate, object in await facts(intake)}
    assert set(wanted) <= mine
    assert not set(gone) & mine


async def test_two_names_become_one_and_come_apart_again(intake: Intake) -> None:
    await say(intake, "Bob Tan is my neighbour.")
    await say(intake, "Robert Tanaka lives in Oslo.")
    await say(intake, "Bob Tan and Robert Tanaka are the same person.")
    people = [one for one in (await intake.graph.find_entities(OWNER, "Bob Tan")) if one.role is None]
    assert len({one.group_id for one in people}) == 1
    found = await intake.graph.find_entities(OWNER, "Robert Tanaka")
    assert {one.group_id for one in found} == {one.group_id for one in people}


async def test_a_name_is_spelled_right_in_words(intake: Intake) -> None:
    await say(intake, "Kristen lives in Bern.")
    await say(intake, "It's Kirsten, not Kristen.")
    assert ("Kirsten", "lives_in", "Bern") in await facts(intake)


async def test_a_correction_of_nothing_on_file_changes_nothing_and_fails_nothing(intake: Intake) -> None:
    operation = await say(intake, "I sold the Vespa.")
    assert (operation.skipped, await facts(intake)) == ((), set())


async def test_the_same_request_corrects_once(intake: Intake) -> None:
    await say(intake, "I work at Orbis Pharma.")
    first = await say(intake, "I no longer work at Orbis Pharma.", request_id="r")
    changes = (await intake.graph.list_changes(OWNER, limit=50)).data
    again = await say(intake, "I no longer work at Orbis Pharma.", request_id="r")
    assert (again.id, (await intake.graph.list_changes(OWNER, limit=50)).data) == (first.id, changes)
