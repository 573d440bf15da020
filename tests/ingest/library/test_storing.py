"""Storing: what is searchable on return, what an edit changes, what a deletion leaves."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from doso.db.engine import Database
from doso.errors import NotFound
from doso.ids import DocumentId, OwnerId
from doso.records import DocumentKind, Participant, Source
from doso.records.passages import PassageFilter
from doso.text import query_tokens
from ingest.library import SqlLibrary
from tests.support.databases import row_counts
from tests.support.library import OWNER, message, note, thread

EVERYTHING = PassageFilter()


async def found(library: SqlLibrary, question: str, filter: PassageFilter = EVERYTHING) -> list[str]:
    """Texts found by words, best first."""
    hits = await library.search_lexical(OWNER, query_tokens(question, limit=20), filter, limit=10)
    return [hit.passage.text for hit in hits]


async def texts(library: SqlLibrary, document_id: DocumentId | None) -> list[str]:
    """The passages of a document in order."""
    assert document_id is not None
    return [passage.text for passage in await library.passages_of(OWNER, document_id)]


async def test_a_stored_text_is_found_by_its_words_and_by_its_title(library: SqlLibrary) -> None:
    result = await library.store(OWNER, note("The bank opens at nine.", title="Opening hours of Mandiri"))
    assert (result.outcome, result.stored_count) == ("stored", 1)
    assert await found(library, "when does the bank open") == ["The bank opens at nine."]
    assert await found(library, "Mandiri") == ["The bank opens at nine."]


async def test_the_text_counts_more_than_the_title(library: SqlLibrary) -> None:
    await library.store(OWNER, note("Nothing of it here, only weather.", uri="note://a", title="Durian"))
    await library.store(OWNER, note("The durian was ripe, only weather.", uri="note://b", title="Market"))
    assert (await found(library, "durian"))[0] == "The durian was ripe, only weather."


async def test_passages_are_exact_stretches_of_the_text(library: SqlLibrary) -> None:
    text = "A sentence about the garden of Ana. " * 120
    result = await library.store(OWNER, note(text))
    assert result.document_id is not None
    stored = await library.text_of(OWNER, result.document_id)
    passages = await library.passages_of(OWNER, result.document_id)
    assert len(passages) > 3
    assert all(stored[passage.start : passage.end] == passage.text for passage in passages)


async def test_the_same_document_again_changes_nothing(library: SqlLibrary, database: Database) -> None:
    documents = [note("Nina likes tea."), thread(message(1, "hi"), message(2, "hi there"))]
    await library.store_batch(OWNER, documents)
    before = await row_counts(database)
    results = await library.store_batch(OWNER, documents)
    assert [(result.outcome, result.stored_count, result.unchanged_count) for result in results] == [
        ("unchanged", 0, 1),
        ("unchanged", 0, 2),
    ]
    assert await row_counts(database) == before


async def test_an_edit_is_searchable_and_the_old_words_are_gone(library: SqlLibrary) -> None:
    await library.store(OWNER, note("Nina lives in Bogor."))
    assert (await library.store(OWNER, note("Nina lives in Malang."))).outcome == "updated"
    assert await found(library, "Bogor") == []
    assert await found(library, "Malang") == ["Nina lives in Malang."]


async def test_text_that_stays_keeps_its_passage_wherever_it_moves(library: SqlLibrary) -> None:
    tail = "The second paragraph stays as it is for good. " * 20
    head = "The first one is about to change quite a lot. " * 20
    other = "In its place stands a longer opening of another kind. " * 18
    first = await library.store(OWNER, note(f"{head.strip()}\n\n{tail.strip()}"))
    assert first.document_id is not None
    before = {p.text: p.id for p in await library.passages_of(OWNER, first.document_id)}
    await library.store(OWNER, note(f"{other.strip()}\n\n{tail.strip()}"))
    after = {p.text: p.id for p in await library.passages_of(OWNER, first.document_id)}
    kept = before.keys() & after.keys()
    assert kept
    assert all(before[text] == after[text] for text in kept)


async def test_a_new_title_finds_the_passages_of_a_text(library: SqlLibrary) -> None:
    await library.store(OWNER, note("Plain words.", title="Alpha"))
    await library.store(OWNER, note("Plain words.", title="Omega"))
    assert await found(library, "Alpha") == []
    assert await found(library, "Omega") == ["Plain words."]


async def test_a_thread_has_a_passage_per_message_with_speaker_time_and_id(library: SqlLibrary) -> None:
    result = await library.store(OWNER, thread(message(1, "See you at the station", author="Budi")))
    assert result.document_id is not None
    (passage,) = await library.passages_of(OWNER, result.document_id)
    assert (passage.author, passage.chat_id, passage.external_ids) == ("Budi", "c1", ("m1",))
    assert passage.occurred_at == message(1, "").sent_at
    assert (passage.title, passage.source, passage.start, passage.end) == ("Family", Source.WHATSAPP, 0, 22)


async def test_a_long_message_is_cut_and_keeps_its_id(library: SqlLibrary) -> None:
    long = "We walked all day along the coast. " * 60
    result = await library.store(OWNER, thread(message(1, long), message(2, "ok")))
    assert result.document_id is not None
    passages = await library.passages_of(OWNER, result.document_id)
    assert [passage.external_ids for passage in passages[:-1]] == [("m1",)] * (len(passages) - 1)
    assert all(long[passage.start : passage.end] == passage.text for passage in passages[:-1])


async def test_messages_that_come_later_are_appended_and_late_ones_take_their_place(library: SqlLibrary) -> None:
    first = await library.store(OWNER, thread(message(1, "one"), message(2, "two"), message(4, "four")))
    again = await library.store(OWNER, thread(message(4, "four"), message(5, "five"), message(3, "three")))
    assert (again.outcome, again.stored_count, again.unchanged_count) == ("updated", 2, 1)
    assert await texts(library, first.document_id) == ["one", "two", "three", "four", "five"]


async def test_an_edited_message_updates_and_keeps_its_place(library: SqlLibrary) -> None:
    first = await library.store(OWNER, thread(message(1, "one"), message(2, "two"), message(3, "three")))
    edited = await library.store(OWNER, thread(message(2, "zwei " * 400)))
    assert edited.stored_count == 1
    await library.store(OWNER, thread(message(2, "dos")))
    assert await texts(library, first.document_id) == ["one", "dos", "three"]
    assert await found(library, "two") == []


async def test_a_message_emptied_later_leaves_the_thread(library: SqlLibrary) -> None:
    first = await library.store(OWNER, thread(message(1, "one"), message(2, "two")))
    await library.store(OWNER, thread(message(2, "")))
    assert await texts(library, first.document_id) == ["one"]


async def test_messages_without_text_or_with_a_repeated_id_are_named(library: SqlLibrary) -> None:
    result = await library.store(OWNER, thread(message(1, "one"), message(2, " \n"), message(1, "uno")))
    assert [(item.ref, item.code) for item in result.skipped] == [("m1", "duplicate"), ("m2", "no_text")]
    assert await texts(library, result.document_id) == ["uno"]


async def test_messages_without_a_time_stay_where_they_came(library: SqlLibrary) -> None:
    untimed = replace(message(9, "no time"), sent_at=None)
    result = await library.store(OWNER, thread(message(1, "one"), untimed, message(2, "two")))
    assert await texts(library, result.document_id) == ["one", "no time", "two"]


async def test_neighbours_come_in_order_with_the_passage_itself(library: SqlLibrary) -> None:
    result = await library.store(OWNER, thread(*(message(n, f"word{n}") for n in range(6))))
    assert result.document_id is not None
    third, last = [p for p in await library.passages_of(OWNER, result.document_id) if p.text in ("word2", "word5")]
    around = await library.neighbours(OWNER, [third.id, last.id], before=1, after=2)
    assert [p.text for p in around[third.id]] == ["word1", "word2", "word3", "word4"]
    assert [p.text for p in around[last.id]] == ["word4", "word5"]


async def test_blank_documents_are_refused_with_the_reason(library: SqlLibrary) -> None:
    result = await library.store(OWNER, note("\u200b \n\t"))
    assert (result.outcome, result.document_id) == ("skipped", None)
    assert result.skipped[0].code == "no_text"


async def test_what_no_store_can_hold_is_cleaned_away(library: SqlLibrary) -> None:
    result = await library.store(OWNER, note("bad \x00 here \ud800 and a\u202eb 👩‍👩‍👧", title="t\x00"))
    assert await texts(library, result.document_id) == ["bad  here  and a\u202eb 👩‍👩‍👧"]


async def test_deleting_leaves_no_row_of_a_document(library: SqlLibrary, database: Database) -> None:
    await library.store(OWNER, note("Kept words stay.", uri="note://kept"))
    before = await row_counts(database)
    gone = await library.store_batch(OWNER, [thread(message(1, "one two"), chat_id="x"), note("Kept words go.")])
    await library.store(OWNER, thread(message(1, "one three"), chat_id="x"))
    for result in gone:
        assert result.document_id is not None
        await library.begin_delete(OWNER, result.document_id)
        assert await found(library, "one words") == ["Kept words stay."] or result is gone[0]
        with pytest.raises(NotFound):
            await library.document(OWNER, result.document_id)
        await library.finish_delete(OWNER, result.document_id)
    assert await row_counts(database) == before
    assert (await library.index_status(OWNER)).passages == 1


async def test_another_owner_sees_nothing(library: SqlLibrary) -> None:
    other = OwnerId("bo")
    result = await library.store(OWNER, thread(message(1, "the vault code is 4417")))
    assert result.document_id is not None
    (passage,) = await library.passages_of(OWNER, result.document_id)
    assert await library.search_lexical(other, ["vault", "code"], EVERYTHING, limit=5) == ()
    assert await library.passages(other, [passage.id]) == {}
    assert await library.neighbours(other, [passage.id], before=1, after=1) == {}
    assert await library.passages_of(other, result.document_id) == ()
    for read in (library.document, library.text_of, library.incoming_of, library.begin_delete):
        with pytest.raises(NotFound):
            await read(other, result.document_id)


async def test_the_same_uri_of_two_owners_is_two_documents(library: SqlLibrary) -> None:
    mine = await library.store(OWNER, note("mine"))
    theirs = await library.store(OwnerId("bo"), note("theirs"))
    assert mine.document_id != theirs.document_id
    assert await texts(library, mine.document_id) == ["mine"]


async def test_a_document_comes_back_as_it_came(library: SqlLibrary) -> None:
    mail = replace(
        note("See you.", uri="mail://1", title="Lunch", source=Source.GMAIL),
        kind=DocumentKind.MAIL,
        participants=(Participant("Ana", "ana@example.com", "from"),),
        zone="Asia/Jakarta",
        in_reply_to="0@x",
    )
    chat = thread(message(1, "one"), message(2, "two"))
    for incoming in (mail, chat):
        result = await library.store(OWNER, incoming)
        assert result.document_id is not None
        assert await library.incoming_of(OWNER, result.document_id) == incoming


async def test_documents_are_listed_newest_first_in_pages(library: SqlLibrary) -> None:
    for n in range(5):
        await library.store(OWNER, note(f"Text {n}", uri=f"note://{n}", title=str(n)))
    await library.store(OWNER, note("A file", uri="file://1", source=Source.FILE))
    seen, cursor = [], None
    while True:
        page = await library.list_documents(OWNER, source=Source.NOTE, cursor=cursor, limit=2)
        seen += [document.title for document in page.data]
        cursor = page.next_cursor
        if cursor is None:
            break
    assert seen == ["4", "3", "2", "1", "0"]


async def test_eight_writers_and_eight_readers_get_on_together(library: SqlLibrary) -> None:
    async def write(n: int) -> None:
        for k in range(4):
            await library.store(OWNER, note(f"I like item{n}x{k}", uri=f"note://{n}/{k}"))

    async def read() -> None:
        for _ in range(8):
            await found(library, "like item")
            await library.index_status(OWNER)

    await asyncio.gather(*(write(n) for n in range(8)), *(read() for _ in range(8)))
    assert (await library.index_status(OWNER)).passages == 32


async def test_sixteen_writers_of_one_thread_lose_and_double_nothing(library: SqlLibrary) -> None:
    await asyncio.gather(
        *(library.store(OWNER, thread(*(message(n + k, f"word{n + k}") for k in range(3)))) for n in range(16))
    )
    (document,) = (await library.list_documents(OWNER, source=None, cursor=None, limit=9)).data
    assert await texts(library, document.id) == [f"word{n}" for n in range(18)]
    assert document.passages_count == 18


async def test_a_thread_keeps_who_took_part_over_its_batches_and_the_same_again_changes_nothing(
    library: SqlLibrary,
) -> None:
    ana, bo = Participant("Ana", role="author"), Participant("Bo", role="author")
    batches = [
        replace(thread(message(1, "one")), participants=(ana,)),
        replace(thread(message(2, "two")), participants=(bo,)),
    ]
    first = [await library.store(OWNER, batch) for batch in batches]
    assert first[0].document_id is not None
    stored = await library.incoming_of(OWNER, first[0].document_id)
    assert stored.participants == (ana, bo)
    work = await library.stored_work(OWNER)
    again = [await library.store(OWNER, batch) for batch in batches]
    assert [result.outcome for result in again] == ["unchanged", "unchanged"]
    assert await library.stored_work(OWNER) == work
