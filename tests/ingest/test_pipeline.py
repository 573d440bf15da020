"""The intake: receipts, idempotent requests, embedding and extraction by jobs, failures shown, nothing left behind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from doso.db.engine import Database
from doso.errors import InvalidInput, NotFound, RequestReused, Unavailable
from doso.ids import digest
from doso.jobs.memory import MemoryQueue
from doso.records import Incoming, Operation, OperationState, Skipped
from doso.records.passages import PassageFilter
from ingest import archives, registry
from ingest.pipeline import ImportProgress
from ingest.ports import ImportOptions, Progress
from tests.ingest.conftest import Kit, make_kit
from tests.support.databases import row_counts
from tests.support.library import OWNER, START, LinesImporter, WordEmbedder, message, note, thread

DONE, FAILED, RUNNING = OperationState.DONE, OperationState.FAILED, OperationState.RUNNING


async def settled(kit: Kit, operation: Operation) -> Operation:
    """The receipt when all jobs have ended."""
    await kit.jobs.drain()
    assert kit.jobs.failures == []
    return await kit.operations.get(OWNER, operation.id)


async def test_a_document_is_searchable_before_and_embedded_and_read_after(kit: Kit) -> None:
    operation = await kit.intake.store_document(OWNER, note("Nina lives in Bogor."))
    assert (operation.state, operation.stored) == (RUNNING, 1)
    hits = await kit.library.search_lexical(OWNER, ["bogor"], PassageFilter(), limit=5)
    assert [hit.passage.text for hit in hits] == ["Nina lives in Bogor."]
    done = await settled(kit, operation)
    assert (done.state, done.facts, done.tokens) == (DONE, 1, 5)
    status = await kit.library.index_status(OWNER)
    assert (status.passages, status.embedded, status.pending, status.ready) == (1, 1, 0, True)
    assert kit.graph.said() == {"Nina lives in Bogor"}
    assert (await kit.library.document(OWNER, done.document_ids[0])).state.value == "indexed"


async def test_an_edit_embeds_only_what_changed_and_replaces_its_facts(kit: Kit) -> None:
    first = thread(message(1, "Nina lives in Bogor."), message(2, "Budi lives in Solo."))
    await settled(kit, await kit.intake.store_thread(OWNER, first))
    kit.embedder.embedded.clear()
    edit = thread(message(1, "Nina lives in Malang."), message(2, "Budi lives in Solo."))
    done = await settled(kit, await kit.intake.store_thread(OWNER, edit))
    assert (done.stored, done.unchanged) == (1, 1)
    assert kit.embedder.embedded == ["Bo: Nina lives in Malang."]
    assert kit.graph.said() == {"Nina lives in Malang", "Budi lives in Solo"}


async def test_the_same_again_is_done_at_once_and_embeds_nothing(kit: Kit) -> None:
    await settled(kit, await kit.intake.store_document(OWNER, note("Nina lives in Bogor.")))
    kit.embedder.embedded.clear()
    again = await kit.intake.store_document(OWNER, note("Nina lives in Bogor."))
    assert (again.state, again.stored, again.unchanged) == (DONE, 0, 1)
    await kit.jobs.drain()
    assert kit.embedder.embedded == []


async def test_one_request_id_has_one_effect_and_one_receipt(kit: Kit, database: Database) -> None:
    asked = [kit.intake.store_document(OWNER, note("Once."), request_id="r1") for _ in range(8)]
    receipts = await asyncio.gather(*asked)
    assert len({receipt.id for receipt in receipts}) == 1
    assert (await settled(kit, receipts[0])).stored == 1
    assert (await row_counts(database))["operations"] == 1
    with pytest.raises(RequestReused):
        await kit.intake.store_document(OWNER, note("Twice."), request_id="r1")


async def test_a_request_that_was_cut_off_before_it_stored_is_done_when_repeated(kit: Kit) -> None:
    body = digest(f"Ana lives in Solo.\x1f{START.isoformat()}\x1f{None}")
    await kit.operations.begin(OWNER, "remember", request_id="r1", body_digest=body)
    repeated = await kit.intake.remember(OWNER, "Ana lives in Solo.", occurred_at=START, request_id="r1")
    assert (await settled(kit, repeated)).stored == 1


async def test_what_is_remembered_is_a_fact_when_the_receipt_comes(kit: Kit) -> None:
    operation = await kit.intake.remember(OWNER, "Ana lives in Solo.", occurred_at=START, zone="Asia/Jakarta")
    assert kit.graph.said() == {"Ana lives in Solo"}
    (document_id,) = operation.document_ids
    stored = await kit.library.incoming_of(OWNER, document_id)
    assert (stored.is_owner, stored.source.value, stored.occurred_at, stored.zone) == (
        True,
        "chat",
        START,
        "Asia/Jakarta",
    )
    assert (await settled(kit, operation)).facts == 1
    assert await kit.library.search_lexical(OWNER, ["solo"], PassageFilter(), limit=5) == ()


async def test_nothing_to_remember_is_refused(kit: Kit) -> None:
    with pytest.raises(InvalidInput):
        await kit.intake.remember(OWNER, " \u200b ")


async def test_a_blank_document_fails_with_its_reason_and_stops_no_other(kit: Kit) -> None:
    blank = await kit.intake.store_document(OWNER, note("  \n\n\t ", uri="note://blank"))
    good = await kit.intake.store_document(OWNER, note("Nina lives in Bogor.", uri="note://ok"))
    assert (blank.state, blank.error) == (FAILED, "import.no_text: It holds no text.")
    assert (await settled(kit, good)).state is DONE


async def test_a_document_that_cannot_be_read_is_shown_and_stops_no_other(kit: Kit) -> None:
    bad = await kit.intake.store_document(OWNER, note("this will explode", uri="note://bad"))
    good = await kit.intake.store_document(OWNER, note("Nina lives in Bogor.", uri="note://ok"))
    failed = await settled(kit, bad)
    assert (failed.state, failed.skipped[0].code) == (FAILED, "extraction_failed")
    assert (await kit.library.document(OWNER, failed.document_ids[0])).state.value == "failed"
    assert (await settled(kit, good)).state is DONE
    assert kit.graph.said() == {"Nina lives in Bogor"}


async def test_a_text_that_the_embedder_refuses_is_counted_and_stops_no_other(kit: Kit) -> None:
    kit.embedder.refuses = lambda text: "poison" in text
    messages = [message(n, "poison" if n == 3 else f"word{n}") for n in range(6)]
    done = await settled(kit, await kit.intake.store_thread(OWNER, thread(*messages)))
    status = await kit.library.index_status(OWNER)
    assert (status.embedded, status.failed, status.pending) == (5, 1, 0)
    assert any("could not be embedded" in warning for warning in status.warnings)
    assert done.state is DONE
    hits = await kit.library.search_lexical(OWNER, ["poison"], PassageFilter(), limit=5)
    assert len(hits) == 1


async def test_an_embedder_that_is_down_is_shown_and_made_up_for_without_a_request(kit: Kit) -> None:
    kit.embedder.is_down = True
    done = await settled(kit, await kit.intake.store_document(OWNER, note("Nina lives in Bogor.")))
    assert (done.state, done.error, len(done.notes)) == (DONE, None, 1)
    assert "embedder.unavailable" in done.notes[0]
    status = await kit.library.index_status(OWNER)
    assert (status.pending, status.failed) == (1, 0)
    assert "held up" in status.warnings[0]
    assert kit.pauses == [0.5, 1.0]
    assert kit.graph.said() == {"Nina lives in Bogor"}
    kit.embedder.is_down = False
    await kit.intake.resume()
    await kit.jobs.drain()
    status = await kit.library.index_status(OWNER)
    assert (status.embedded, status.pending, status.warnings) == (1, 0, ())
    assert (await kit.operations.get(OWNER, done.id)).notes == ()


async def test_a_model_that_is_down_is_made_up_for_without_a_request(kit: Kit) -> None:
    kit.extractor.is_down = True
    failed = await settled(kit, await kit.intake.store_document(OWNER, note("Nina lives in Bogor.")))
    assert failed.state is FAILED
    assert "not read for facts yet" in (failed.error or "")
    kit.extractor.is_down = False
    await kit.intake.resume()
    await kit.jobs.drain()
    assert kit.graph.said() == {"Nina lives in Bogor"}
    healed = await kit.operations.get(OWNER, failed.id)
    assert (healed.state, healed.error, healed.facts) == (DONE, None, 1)


async def test_model_and_embedder_down_heal_one_after_the_other(kit: Kit) -> None:
    kit.extractor.is_down = kit.embedder.is_down = True
    failed = await settled(kit, await kit.intake.store_document(OWNER, note("Nina lives in Bogor.")))
    assert failed.state is FAILED
    kit.extractor.is_down = False
    await kit.intake.resume()
    await kit.jobs.drain()
    read = await kit.operations.get(OWNER, failed.id)
    assert (read.state, read.error, len(read.notes)) == (DONE, None, 1)
    kit.embedder.is_down = False
    await kit.intake.resume()
    await kit.jobs.drain()
    assert (await kit.operations.get(OWNER, failed.id)).notes == ()


async def test_a_reembedding_that_is_held_up_is_not_called_done_until_it_is(kit: Kit) -> None:
    await settled(kit, await kit.intake.store_document(OWNER, note("Nina lives in Bogor.")))
    kit.embedder.is_down = True
    held_up = await settled(kit, await kit.intake.reembed(OWNER))
    assert held_up.state is FAILED
    kit.embedder.is_down = False
    await kit.intake.resume()
    await kit.jobs.drain()
    assert (await kit.operations.get(OWNER, held_up.id)).state is DONE


async def test_a_document_that_failed_stays_failed_when_the_embedder_heals(kit: Kit) -> None:
    kit.embedder.is_down = True
    failed = await settled(kit, await kit.intake.store_document(OWNER, note("this will explode")))
    kit.embedder.is_down = False
    await kit.intake.resume()
    await kit.jobs.drain()
    after = await kit.operations.get(OWNER, failed.id)
    assert (after.state, after.skipped[0].code, after.notes) == (FAILED, "extraction_failed", ())


async def test_a_write_cut_off_before_it_stored_fails_with_its_reason_and_frees_its_request_id(
    kit: Kit, database: Database
) -> None:
    begun, _ = await kit.operations.begin(OWNER, "document", request_id="r1", body_digest="x")
    async with database.write() as connection:
        await connection.execute(text("UPDATE operations SET updated_at = 0"))
    await kit.intake.resume()
    ended = await kit.operations.get(OWNER, begun.id)
    assert (ended.state, (ended.error or "").split(":")[0]) == (FAILED, "operation.interrupted")
    again = await kit.intake.store_document(OWNER, note("Nina lives in Bogor."), request_id="r1")
    assert (await settled(kit, again)).state is DONE


async def test_a_store_that_fails_leaves_no_request_id_behind(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    async def cut_off(*_: object) -> object:
        raise Unavailable("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("ingest.library.writing.Writer.store", cut_off)
        with pytest.raises(Unavailable):
            await kit.intake.store_document(OWNER, note("Once."), request_id="r1")
    assert (await settled(kit, await kit.intake.store_document(OWNER, note("Once."), request_id="r1"))).stored == 1


async def test_a_failure_shown_in_a_receipt_keeps_what_was_counted_meanwhile(kit: Kit) -> None:
    begun, _ = await kit.operations.begin(OWNER, "import", request_id=None, body_digest="x")
    failure = Skipped("note://1", "extraction_failed", "why")

    async def count(n: int) -> None:
        await kit.library.store(OWNER, note(f"word{n}", uri=f"note://{n}"), operation_id=None)
        await kit.library.store_batch(OWNER, [note(f"other{n}", uri=f"note://o{n}")], operation_id=begun.id)

    failing = [kit.operations.add_failure(OWNER, begun.id, failure, is_whole=False) for _ in range(8)]
    await asyncio.gather(*(count(n) for n in range(8)), *failing)
    counted = await kit.operations.get(OWNER, begun.id)
    assert (counted.stored, counted.skipped_count, len(counted.skipped)) == (8, 8, 8)


async def test_many_writes_before_the_first_job_begins_queue_one(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    queued = list[str]()

    async def note_it(_self: object, name: str, _payload: Mapping[str, str], *, key: str) -> None:
        queued.append(name)

    with monkeypatch.context() as patch:
        patch.setattr(MemoryQueue, "enqueue", note_it)
        for n in range(5):
            await kit.intake.store_document(OWNER, note(f"word{n}", uri=f"note://{n}"))
    assert queued == ["index"]
    await kit.intake.resume()
    await kit.jobs.drain()
    assert (await kit.library.index_status(OWNER)).embedded == 5


async def test_a_queue_that_takes_nothing_fails_no_write(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*_: object, **__: object) -> None:
        raise Unavailable("the queue is down")

    with monkeypatch.context() as patch:
        patch.setattr(MemoryQueue, "enqueue", refuse)
        stored = await kit.intake.store_document(OWNER, note("Nina lives in Bogor."))
    assert (stored.state, stored.stored) == (RUNNING, 1)
    await kit.intake.resume()
    assert (await settled(kit, stored)).state is DONE


async def test_deleting_leaves_nothing_in_either_store(kit: Kit, database: Database) -> None:
    before = await row_counts(database)
    stored = await kit.intake.store_thread(OWNER, thread(message(1, "Nina lives in Bogor."), message(2, "ok")))
    (document_id,) = (await settled(kit, stored)).document_ids
    gone = await settled(kit, await kit.intake.delete_document(OWNER, document_id))
    assert gone.state is DONE
    assert kit.graph.said() == set()
    after = await row_counts(database)
    kept = {"owners": 1, "vector_indexes": 1, "operations": 2}
    assert after == {**before, **kept}
    with pytest.raises(NotFound):
        await kit.intake.delete_document(OWNER, document_id)


async def test_a_deletion_that_the_graph_holds_up_is_out_of_sight_and_finished_later(kit: Kit) -> None:
    stored = await kit.intake.store_document(OWNER, note("Nina lives in Bogor."))
    (document_id,) = (await settled(kit, stored)).document_ids
    kit.graph.is_down = True
    waiting = await kit.intake.delete_document(OWNER, document_id)
    assert waiting.state not in (DONE, FAILED)
    assert await kit.library.search_lexical(OWNER, ["bogor"], PassageFilter(), limit=5) == ()
    await kit.jobs.drain()
    kit.graph.is_down = False
    await kit.intake.resume()
    await kit.jobs.drain()
    assert (await kit.operations.get(OWNER, waiting.id)).state is DONE
    assert kit.graph.said() == set()


async def test_a_document_may_come_back_while_its_deletion_is_unfinished(kit: Kit) -> None:
    stored = await kit.intake.store_document(OWNER, note("Nina lives in Bogor."))
    (document_id,) = (await settled(kit, stored)).document_ids
    await kit.library.begin_delete(OWNER, document_id)
    again = await settled(kit, await kit.intake.store_document(OWNER, note("Nina lives in Solo.")))
    assert (again.state, again.stored) == (DONE, 1)
    assert kit.graph.said() == {"Nina lives in Solo"}


async def test_reembedding_builds_beside_and_cuts_over(kit: Kit, database: Database) -> None:
    await settled(kit, await kit.intake.store_thread(OWNER, thread(*(message(n, f"word{n}") for n in range(5)))))
    kit.embedder.embedded.clear()
    done = await settled(kit, await kit.intake.reembed(OWNER))
    assert done.state is DONE
    assert len(kit.embedder.embedded) == 5
    counts = await row_counts(database)
    assert (counts["vector_indexes"], counts["passage_vectors"], counts["embedding_queue"]) == (1, 5, 0)


async def test_another_embedder_gets_an_index_of_its_own_by_itself(
    kit: Kit, database: Database, tmp_path: Path
) -> None:
    await settled(kit, await kit.intake.store_document(OWNER, note("I live in Solo.")))
    await kit.intake.stop()
    other = make_kit(database, tmp_path, embedder=WordEmbedder(dimensions=32, model="other"))
    await other.intake.start()
    await other.intake.started()
    await other.jobs.drain()
    status = await other.library.index_status(OWNER)
    assert (status.model, status.dimensions, status.embedded, status.warnings) == ("other", 32, 1, ())
    hits = await other.library.search_vector(
        OWNER, other.embedder.vector("Solo"), other.embedder.info, PassageFilter(), limit=3
    )
    assert [hit.passage.text for hit in hits] == ["I live in Solo."]
    await other.intake.stop()


async def test_batches_are_bounded(kit: Kit) -> None:
    await settled(kit, await kit.intake.store_thread(OWNER, thread(*(message(n, f"word{n}") for n in range(150)))))
    assert kit.embedder.batches == [64, 64, 22]


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """The format "lines"."""
    monkeypatch.setattr(registry, "importer", lambda _name: LinesImporter())


@pytest.mark.usefixtures("lines")
async def test_an_import_counts_what_it_stored_and_skipped_and_tells_how_far_it_is(kit: Kit, tmp_path: Path) -> None:
    path = tmp_path / "chat.lines"
    path.write_text("\n".join("-" if n % 50 == 7 else f"word{n}" for n in range(450)))
    seen: list[ImportProgress] = []
    first = await kit.intake.import_path(OWNER, path, ImportOptions(), format="lines", on_progress=seen.append)
    assert [progress.read for progress in seen] == [Progress(190, 450), Progress(390, 450), Progress(450, 450)]
    assert [progress.stored + progress.skipped for progress in seen] == [200, 400, 450]
    done = await settled(kit, first)
    assert (done.state, done.stored, done.skipped_count) == (DONE, 441, 9)
    assert done.skipped[0] == Skipped("line 7", "placeholder", "nothing said")
    again = await settled(kit, await kit.intake.import_path(OWNER, path, ImportOptions(), format="lines"))
    assert (again.state, again.stored, again.unchanged, again.skipped_count) == (DONE, 0, 441, 9)


@pytest.mark.usefixtures("lines")
async def test_an_upload_is_imported_by_a_job_and_removed(kit: Kit, tmp_path: Path) -> None:
    staged = kit.intake.staging_path("../../etc/chat.lines")
    assert staged.parent.parent == tmp_path / "staging"
    staged.write_text("Nina lives in Bogor.\nok")
    queued = await kit.intake.import_upload(
        OWNER, staged, ImportOptions(title="T"), filename="chat.lines", format="lines"
    )
    done = await settled(kit, queued)
    assert (done.state, done.stored, done.facts) == (DONE, 2, 1)
    assert list((tmp_path / "staging").iterdir()) == []


@pytest.mark.usefixtures("lines")
async def test_an_upload_without_text_fails_with_the_reason(kit: Kit) -> None:
    staged = kit.intake.staging_path("empty.lines")
    staged.write_text("")
    queued = await kit.intake.import_upload(OWNER, staged, ImportOptions(), filename="empty.lines", format="lines")
    done = await settled(kit, queued)
    assert (done.state, done.error) == (FAILED, "import.no_text: The file holds no text.")
    assert not staged.exists()


@pytest.mark.usefixtures("lines")
async def test_an_interrupted_upload_goes_on_and_counts_each_message_once(
    kit: Kit, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    staged = kit.intake.staging_path("chat.lines")
    staged.write_text("\n".join(f"word{n}" for n in range(450)))
    whole = kit.library.store_batch
    stored = 0

    async def cut_off(*arguments: object, **named: object) -> object:
        nonlocal stored
        stored += 1
        if stored == 2:
            raise asyncio.CancelledError
        return await whole(*arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(type(kit.library), "store_batch", lambda _self, *a, **k: cut_off(*a, **k))
    queued = await kit.intake.import_upload(OWNER, staged, ImportOptions(), filename="chat.lines", format="lines")
    await kit.jobs.drain()
    assert (await kit.operations.get(OWNER, queued.id)).stored == 200
    monkeypatch.undo()
    monkeypatch.setattr(registry, "importer", lambda _name: LinesImporter())
    after = make_kit(database, tmp_path)
    await after.intake.start()
    await after.intake.started()
    done = await settled(after, queued)
    await after.intake.stop()
    assert (done.state, done.stored, done.unchanged) == (DONE, 450, 0)


async def test_a_thread_larger_than_a_batch_is_cut(tmp_path: Path) -> None:
    class OneThread(LinesImporter):
        def read(self, path: Path, options: ImportOptions) -> Iterator[Incoming | Skipped | Progress]:
            yield replace(thread(*(message(n, "x") for n in range(450))))

    sizes = [
        [len(document.messages) for document in batch.documents]
        async for batch in archives.batches(OneThread(), tmp_path, ImportOptions())
    ]
    assert sizes == [[200], [200], [50]]
