"""Reading with a model as the intake does it: after the rules, resting after faults, shown, retried, replaced."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from doso.db.engine import Database
from doso.errors import NotFound
from doso.ids import DocumentId
from doso.records import IngestState, OperationState, Source, Status, Trust
from ingest.library.rereading import Again
from tests.support.library import OWNER, message, note, thread
from tests.support.provider import failure, json_reply, text_stream
from tests.support.reading_kit import ReadingKit, reading_kit

DONE, FAILED, RUNNING = OperationState.DONE, OperationState.FAILED, OperationState.RUNNING
CELLO = ["Rina", "plays", "cello"]


@pytest.fixture
async def kit(database: Database, tmp_path: Path) -> AsyncIterator[ReadingKit]:
    """Over each relational engine."""
    async with reading_kit(database, tmp_path) as kit:
        yield kit


async def test_rules_state_and_the_model_adds_candidates(kit: ReadingKit) -> None:
    kit.bench.says({"facts": [CELLO, ["Nina", "lives_in", "Bogor"]]})
    done = await kit.settled(await kit.intake.store_document(OWNER, note("Nina lives in Bogor. Rina plays the cello.")))
    assert (done.state, done.facts, done.error) == (DONE, 2, None)
    assert await kit.facts() == ["Nina lives in Bogor"]
    assert await kit.facts(Status.CANDIDATE) == ["Rina plays cello"]
    assert await kit.state(done) == "indexed"


async def test_what_a_model_found_is_embedded_as_well(kit: ReadingKit) -> None:
    kit.bench.says({"facts": [CELLO]})
    await kit.settled(await kit.intake.store_document(OWNER, note("Rina plays the cello every evening.")))
    counts = await kit.graph.counts(OWNER)
    assert (counts.detail["candidates"], counts.detail["vectors:words"]) == (1, counts.facts)


async def test_without_a_model_rules_read_alone_and_all_is_done(kit: ReadingKit) -> None:
    kit.bench.is_configured = False
    done = await kit.settled(await kit.intake.store_document(OWNER, note("Nina lives in Bogor.")))
    assert (done.state, done.facts) == (DONE, 1)
    assert kit.bench.stub.requests == []


async def test_what_is_remembered_plainly_is_there_at_once_and_the_model_follows(kit: ReadingKit) -> None:
    kit.bench.says({"facts": [["me", "likes", "old maps"]]})
    receipt = await kit.intake.remember(OWNER, "I live in Solo. I collect old maps of Java.")
    assert await kit.facts() == ["You live in Solo"]
    done = await kit.settled(receipt)
    assert done.state is DONE
    assert await kit.facts() == ["You like old maps", "You live in Solo"]  # the owner's own word: no candidate


async def test_a_model_that_is_down_is_shown_and_rules_facts_are_kept(kit: ReadingKit) -> None:
    kit.bench.stub.respond = lambda _: failure(500)
    first = await kit.settled(await kit.intake.store_document(OWNER, note("Nina lives in Bogor.")))
    assert first.state is FAILED
    assert first.error is not None
    assert first.error.startswith("provider.unavailable: stored and searchable, but not read for facts yet")
    assert await kit.facts() == ["Nina lives in Bogor"]
    assert await kit.state(first) == "stored"


async def test_it_heals_by_itself_once_the_model_answers(kit: ReadingKit) -> None:
    kit.bench.stub.respond = lambda _: failure(500)
    receipt = await kit.settled(
        await kit.intake.store_document(OWNER, note("Nina lives in Bogor. Rina plays the cello."))
    )
    kit.bench.stub.respond = json_reply({"facts": [CELLO]})
    healed = await kit.sweep(receipt)
    assert (healed.state, healed.error, healed.facts) == (DONE, None, 2)
    assert await kit.facts(Status.CANDIDATE) == ["Rina plays cello"]


async def test_a_model_that_failed_rests_before_it_is_asked_again(kit: ReadingKit) -> None:
    kit.bench.stub.respond = lambda _: failure(401, code="invalid_api_key")
    await kit.settled(await kit.intake.store_document(OWNER, note("Nina lives in Bogor.")))
    asked = len(kit.bench.stub.chats)
    later = await kit.settled(await kit.intake.store_document(OWNER, note("Budi lives in Solo.", uri="note://2")))
    assert len(kit.bench.stub.chats) == asked
    assert later.state is FAILED
    assert later.error is not None and later.error.startswith("provider.refused")
    assert await kit.facts() == ["Budi lives in Solo", "Nina lives in Bogor"]


async def test_one_document_that_stays_unreadable_is_shown_and_stops_no_other(kit: ReadingKit) -> None:
    def respond(seen: object) -> object:
        prompt = seen.prompt  # type: ignore[attr-defined]
        return json_reply("no" if "Sinta" in prompt else {"facts": [CELLO]})(seen)  # type: ignore[arg-type]

    kit.bench.stub.respond = respond  # type: ignore[assignment]
    bad = await kit.intake.store_document(OWNER, note("Sinta lives in Bogor. What a day.", uri="note://bad"))
    good = await kit.intake.store_document(OWNER, note("Rina plays the cello.", uri="note://ok"))
    failed, fine = await kit.settled(bad), await kit.settled(good)
    assert (failed.state, failed.skipped[0].code) == (FAILED, "extraction_failed")
    assert failed.error is not None and failed.error.startswith("extraction_failed: provider.reply")
    assert (await kit.state(failed), await kit.state(fine), fine.state) == ("failed", "indexed", DONE)
    assert await kit.facts() == ["Sinta lives in Bogor"]

    kit.bench.stub.respond = json_reply({"facts": [["Sinta", "likes", "rain"]]})
    again = await kit.settled(await kit.intake.reextract(OWNER, Again(failed.document_ids[0])))
    assert (again.state, await kit.state(failed)) == (DONE, "indexed")


async def test_a_long_thread_is_read_in_parts_that_are_kept(kit: ReadingKit) -> None:
    messages = [message(n, f"Rina{n} plays the cello in the evening") for n in range(120)]
    answered: list[int] = []

    def respond(seen: object) -> object:
        answered.append(1)
        if len(answered) == 4:
            return failure(401)
        return json_reply({"facts": []})(seen)  # type: ignore[arg-type]

    kit.bench.stub.respond = respond  # type: ignore[assignment]
    receipt = await kit.settled(await kit.intake.store_thread(OWNER, thread(*messages)))
    assert receipt.state is FAILED
    before = len(kit.bench.stub.chats)
    healed = await kit.sweep(receipt)
    assert healed.state is DONE
    again = "".join(kit.bench.prompts[before:])
    assert "Rina0 plays" not in again  # read, paid for, done
    assert "Rina119 plays" in again


async def test_a_better_model_replaces_its_own_old_candidates_and_nothing_else(kit: ReadingKit) -> None:
    kit.bench.says({"facts": [CELLO, ["Rina", "likes", "rain"]]})
    text = "Nina lives in Bogor. Rina plays the cello when there is rain."
    receipt = await kit.settled(await kit.intake.store_document(OWNER, note(text)))
    assert await kit.facts(Status.CANDIDATE) == ["Rina likes rain", "Rina plays cello"]
    kit.bench.model = "better-2"
    kit.bench.says({"facts": [CELLO]})
    again = await kit.settled(await kit.intake.reextract(OWNER, Again(receipt.document_ids[0])))
    assert (again.kind, again.state, again.facts) == ("reextract", DONE, 0)
    assert await kit.facts(Status.CANDIDATE) == ["Rina plays cello"]
    assert await kit.facts() == ["Nina lives in Bogor"]
    (rina,) = await kit.graph.find_entities(OWNER, "Rina")
    page = await kit.graph.list_facts(OWNER, kit.graph.view(include_candidates=True), entity_id=rina.id)
    assert [support.extractor for fact in page.data for support in fact.provenance] == ["model:better-2"]


async def test_everything_can_be_read_anew(kit: ReadingKit) -> None:
    kit.bench.is_configured = False
    for place, text in enumerate(("Rina plays the cello.", "Dewi plays chess daily.")):
        await kit.settled(await kit.intake.store_document(OWNER, note(text, uri=f"note://{place}")))
    assert kit.bench.stub.requests == []
    kit.bench.is_configured = True
    kit.bench.stub.respond = json_reply({"facts": [CELLO, ["Dewi", "plays", "chess"]]})
    again = await kit.settled(await kit.intake.reextract(OWNER, Again()))
    assert (again.state, again.facts) == (DONE, 2)
    assert len(kit.bench.stub.chats) == 2


async def test_a_model_that_makes_nothing_of_anything_fails_a_few_documents_only(kit: ReadingKit) -> None:
    kit.bench.stub.respond = text_stream("I am a teapot.")
    receipts = [
        await kit.settled(await kit.intake.store_document(OWNER, note(f"Rina plays song {n} now.", uri=f"note://{n}")))
        for n in range(6)
    ]
    assert [await kit.state(receipt) for receipt in receipts] == ["failed"] * 3 + ["stored"] * 3
    assert all(receipt.state is FAILED for receipt in receipts)
    kit.bench.stub.respond = json_reply({"facts": []})
    assert (await kit.sweep(receipts[-1])).state is DONE
    assert [await kit.state(receipt) for receipt in receipts] == ["failed"] * 3 + ["indexed"] * 3
    again = await kit.settled(await kit.intake.reextract(OWNER, Again(state=IngestState.FAILED)))
    assert again.state is DONE
    assert [await kit.state(receipt) for receipt in receipts] == ["indexed"] * 6


async def test_an_unknown_document_cannot_be_read_anew(kit: ReadingKit) -> None:
    with pytest.raises(NotFound):
        await kit.intake.reextract(OWNER, Again(DocumentId("nobody's")))


async def test_one_request_id_reads_anew_once(kit: ReadingKit) -> None:
    receipt = await kit.settled(await kit.intake.store_document(OWNER, note("Rina plays the cello.")))
    first = await kit.intake.reextract(OWNER, Again(receipt.document_ids[0]), request_id="r1")
    await kit.settled(first)
    second = await kit.intake.reextract(OWNER, Again(receipt.document_ids[0]), request_id="r1")
    assert second.id == first.id
    assert len(kit.bench.stub.chats) == 2


async def test_an_edited_message_loses_what_the_model_read_in_it(kit: ReadingKit) -> None:
    kit.bench.says({"facts": [CELLO]})
    await kit.settled(await kit.intake.store_thread(OWNER, thread(message(1, "Rina plays the cello."))))
    kit.bench.says({"facts": [["Rina", "plays", "drums"]]})
    await kit.settled(await kit.intake.store_thread(OWNER, thread(message(1, "Rina plays the drums."))))
    assert await kit.facts(Status.CANDIDATE) == ["Rina plays drums"]


async def test_a_second_document_makes_it_count_a_forward_does_not(kit: ReadingKit) -> None:
    kit.bench.stub.respond = json_reply({"facts": [CELLO]})
    await kit.settled(await kit.intake.store_document(OWNER, note("Rina plays the cello.", uri="note://1")))
    await kit.settled(await kit.intake.store_document(OWNER, note("Fwd:\nRina plays the cello.", uri="note://2")))
    assert await kit.facts() == []
    text = "At the wedding Rina will again be the one who plays the cello."
    await kit.settled(await kit.intake.store_document(OWNER, note(text, uri="note://3")))
    assert await kit.facts() == ["Rina plays cello"]


async def test_a_web_page_never_replaces_what_the_owner_said_and_the_conflict_is_shown(kit: ReadingKit) -> None:
    await kit.settled(await kit.intake.remember(OWNER, "Rina lives in Solo."))
    kit.bench.stub.respond = json_reply({"facts": [["Rina", "lives_in", "Tegal"]]})
    for place, text in enumerate(("Rina, who lives in Tegal, sings.", "News: Rina of Tegal won a prize.")):
        page = note(text, uri=f"https://example.org/{place}", source=Source.FIRECRAWL)
        await kit.settled(await kit.intake.store_document(OWNER, page))
    assert await kit.facts() == ["Rina lives in Solo"]
    (rina,) = await kit.graph.find_entities(OWNER, "Rina")
    (conflict,) = (await kit.graph.wiki(OWNER, rina.id, kit.graph.view())).conflicts
    (rival,) = conflict.rivals
    assert (conflict.standing.trust, rival.text, rival.trust) == (Trust.USER, "Rina lives in Tegal", Trust.WEB)
    assert len(rival.provenance) == 2


async def test_a_document_deleted_while_it_is_read_leaves_nothing(kit: ReadingKit) -> None:
    receipt = await kit.intake.store_document(OWNER, note("Rina plays the cello every day."))
    kit.bench.stub.respond = json_reply({"facts": [CELLO]})
    await kit.intake.delete_document(OWNER, receipt.document_ids[0])
    await kit.jobs.drain()
    assert await kit.facts(*Status) == []
