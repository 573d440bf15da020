"""Searching: by words and by vectors, the same on both engines, whatever is typed, within any filter."""

from __future__ import annotations

import math
import random
from datetime import timedelta

import pytest

from doso.db.engine import Database
from doso.errors import IndexMismatch
from doso.ids import OwnerId
from doso.llm.ports import EmbedderInfo
from doso.records import Source
from doso.records.passages import PassageFilter
from doso.text import query_tokens, search_tokens
from ingest.library import SqlLibrary, lexical, open_library
from ingest.library.vector_search import PgVectors
from tests.support.databases import empty_database
from tests.support.library import OWNER, START, WordEmbedder, message, note, thread

EVERYTHING = PassageFilter()
ODD = ["AND OR NOT", "NEAR(", '"', "*", "(", "a:b", "-ana", "C:\\notes\\bank", "@ana", "50%", "[a TO", "ana^", "{ana}"]


async def found(library: SqlLibrary, question: str, filter: PassageFilter = EVERYTHING) -> list[str]:
    """Texts found by words, best first."""
    hits = await library.search_lexical(OWNER, query_tokens(question, limit=20), filter, limit=10)
    return [hit.passage.text for hit in hits]


async def embed_all(library: SqlLibrary, embedder: WordEmbedder, owner: OwnerId = OWNER) -> None:
    """What the job does, without the job."""
    for index in await library.open_index(owner, embedder.info):
        waiting = await library.waiting(owner, index.state, after=0, limit=1000)
        vectors = await embedder.embed_passages([item.passage.text for item in waiting])
        await library.put_vectors(owner, index, {w.seq: w.passage.content_hash for w in waiting}, vectors)


async def nearest(library: SqlLibrary, question: str, filter: PassageFilter = EVERYTHING, limit: int = 10) -> list[str]:
    """Texts found by vector, best first."""
    embedder = WordEmbedder()
    hits = await library.search_vector(OWNER, embedder.vector(question), embedder.info, filter, limit=limit)
    return [hit.passage.text for hit in hits]


@pytest.mark.parametrize("question", ODD)
async def test_no_typed_text_is_a_query_language(library: SqlLibrary, question: str) -> None:
    await library.store(OWNER, note("ana keeps C:\\notes\\bank on O'Brien's disk", uri="note://1"))
    tokens = set(search_tokens("ana keeps C:\\notes\\bank on O'Brien's disk"))
    hits = await found(library, question)
    assert bool(hits) == bool(tokens & set(query_tokens(question, limit=20)))


async def test_scripts_without_blanks_and_marks_that_fold_are_found(library: SqlLibrary) -> None:
    stored = [
        "用户服务器部署在腾讯云国内节点。",
        "今日は成語しりとりをした。",
        "오늘 끝말잇기 게임을 했다.",
        "I love crème brûlée.",
        "أَنَا أَعِيشُ فِي جَاكَرْتَا",
    ]
    for n, text in enumerate(stored):
        await library.store(OWNER, note(text, uri=f"note://{n}"))
    asked = ["腾讯云", "しりとり", "끝말잇기", "creme brulee", "جاكرتا"]
    assert [(await found(library, question))[:1] for question in asked] == [[text] for text in stored]


async def test_rare_words_outweigh_common_ones_and_scores_are_positive(library: SqlLibrary) -> None:
    messages = [message(n, f"dinner at the usual place {n}") for n in range(30)]
    await library.store(OWNER, thread(*messages, message(50, "dinner with Mireille")))
    hits = await library.search_lexical(OWNER, query_tokens("dinner Mireille", limit=9), EVERYTHING, limit=5)
    assert hits[0].passage.text == "dinner with Mireille"
    assert all(hit.score > 0 for hit in hits)


async def test_each_filter_narrows_both_searches(library: SqlLibrary) -> None:
    await library.store(OWNER, thread(message(1, "rain in Solo"), message(2, "rain in Bogor"), chat_id="a"))
    await library.store(OWNER, thread(message(1, "rain in Malang"), chat_id="b", source=Source.TELEGRAM))
    noted = await library.store(OWNER, note("rain on paper"))
    await library.store(OWNER, note("rain in a chat", uri="chat://1", source=Source.CHAT))
    await embed_all(library, WordEmbedder())
    assert noted.document_id is not None
    cases = [
        (EVERYTHING, {"rain in Solo", "rain in Bogor", "rain in Malang", "rain on paper"}),
        (PassageFilter(chat_ids=("a",)), {"rain in Solo", "rain in Bogor"}),
        (PassageFilter(chat_ids=("a", "b")), {"rain in Solo", "rain in Bogor", "rain in Malang"}),
        (PassageFilter(chat_ids=()), set()),
        (PassageFilter(chat_ids=("none",)), set()),
        (PassageFilter(document_ids=(noted.document_id,)), {"rain on paper"}),
        (PassageFilter(sources=frozenset({Source.TELEGRAM})), {"rain in Malang"}),
        (PassageFilter(sources=frozenset({Source.CHAT, Source.NOTE})), {"rain in a chat", "rain on paper"}),
        (PassageFilter(chat_ids=("a",), since=START + timedelta(minutes=2)), {"rain in Bogor"}),
        (
            PassageFilter(since=START + timedelta(minutes=1), until=START + timedelta(minutes=2)),
            {"rain in Solo", "rain in Malang"},
        ),
    ]
    for filter, expected in cases:
        assert set(await found(library, "rain", filter)) == expected, filter
        assert set(await nearest(library, "rain", filter)) == expected, filter


async def test_vectors_find_the_nearest_and_only_the_owners(library: SqlLibrary) -> None:
    await library.store(OWNER, thread(*(message(n, f"word{n} word{n + 1}") for n in range(40))))
    await library.store(OwnerId("bo"), note("word7 word8"))
    await embed_all(library, WordEmbedder())
    await embed_all(library, WordEmbedder(), OwnerId("bo"))
    assert (await nearest(library, "word7 word8", limit=1)) == ["word7 word8"]
    assert len(await nearest(library, "word7 word8", limit=100)) == 40


async def test_an_edit_or_deletion_is_seen_by_another_process(library: SqlLibrary, database: Database) -> None:
    other = open_library(database)
    embedder = WordEmbedder()
    stored = await library.store(OWNER, thread(message(1, "apples"), message(2, "pears"), message(3, "plums")))
    await embed_all(library, embedder)
    assert set(await nearest(other, "apples")) == {"apples", "pears", "plums"}
    await library.store(OWNER, thread(message(1, "oranges")))
    assert set(await nearest(other, "apples")) == {"pears", "plums"}
    await embed_all(library, embedder)
    assert (await nearest(other, "oranges"))[0] == "oranges"
    assert stored.document_id is not None
    await library.begin_delete(OWNER, stored.document_id)
    assert await nearest(other, "oranges") == []


async def test_vectors_of_another_embedder_are_never_compared(database: Database) -> None:
    configured = EmbedderInfo("other", 3, "1")
    library = open_library(database, embedder=configured)
    await library.store(OWNER, note("peanuts"))
    await embed_all(library, WordEmbedder())
    with pytest.raises(IndexMismatch, match=r"words \(64 dimensions.*other \(3 dimensions"):
        await library.search_vector(OWNER, WordEmbedder(dimensions=3).vector("x"), configured, EVERYTHING, limit=5)
    status = await library.index_status(OWNER)
    assert (status.model, status.dimensions) == ("words", 64)
    assert "words (64 dimensions" in status.warnings[0]
    assert "other (3 dimensions" in status.warnings[0]
    assert await found(library, "peanuts") == ["peanuts"]
    assert await library.unfinished_owners() == (OWNER,)


async def test_pruned_search_scores_as_all_of_bm25_does(library: SqlLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    """Words that every other passage holds list nothing, and yet the best hits are those of the whole computation."""
    monkeypatch.setattr(lexical, "LISTED_ROWS", 60)
    drawn = random.Random(3)
    vocabulary = [f"w{n:x}" for n in range(400)]
    weights = [1 / (n + 2) for n in range(400)]
    texts = list(
        dict.fromkeys(" ".join(drawn.choices(vocabulary, weights, k=drawn.randint(5, 20))) for _ in range(400))
    )
    await library.store(OWNER, thread(*(message(n, text) for n, text in enumerate(texts))))
    same = total = 0
    for _ in range(30):
        question = drawn.choices(vocabulary, weights, k=2) + drawn.choices(vocabulary[100:], k=2)
        hits = await library.search_lexical(OWNER, list(dict.fromkeys(question)), EVERYTHING, limit=5)
        best = sorted((bm25(text, question, texts) for text in texts), reverse=True)[:5]
        same += sum(any(math.isclose(hit.score, score) for score in best) for hit in hits)
        total += len([score for score in best if score > 0])
    assert same / total > 0.85


def bm25(text: str, question: list[str], texts: list[str]) -> float:
    """The score by the book, over everything."""
    split = [other.split() for other in texts]
    mean = sum(map(len, split)) / len(split)
    words = text.split()
    score = 0.0
    for token in dict.fromkeys(question):
        count, frequency = words.count(token), sum(token in other for other in split)
        if count:
            weight = math.log(1 + (len(texts) - frequency + 0.5) / (frequency + 0.5))
            score += weight * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(words) / mean))
    return score


async def test_a_document_whose_source_changes_changes_its_arm(library: SqlLibrary) -> None:
    chats = PassageFilter(sources=frozenset({Source.CHAT}))
    said = [message(1, "rain in Solo"), message(2, "rain in Bogor")]
    await library.store(OWNER, thread(*said))
    await library.store(OWNER, note("rain on paper"))
    await embed_all(library, WordEmbedder())
    assert sorted(await nearest(library, "rain")) == ["rain in Bogor", "rain in Solo", "rain on paper"]
    await library.store(OWNER, thread(*said, source=Source.CHAT))
    await library.store(OWNER, note("rain on paper", source=Source.CHAT))
    assert await nearest(library, "rain") == []
    assert sorted(await nearest(library, "rain", chats)) == ["rain in Bogor", "rain in Solo", "rain on paper"]
    await library.store(OWNER, thread(*said))
    assert sorted(await nearest(library, "rain")) == ["rain in Bogor", "rain in Solo"]
    assert await nearest(library, "rain", chats) == ["rain on paper"]


@pytest.mark.postgres
async def test_beyond_the_exact_bound_the_index_of_postgres_finds_the_same(fresh_postgres_url: str) -> None:
    database = await empty_database(fresh_postgres_url)
    exact = open_library(database)
    by_index = SqlLibrary(database, PgVectors(exact_vectors=10))
    words = ["rain", "boat", "lunch", "train", "paper", "music"]
    said = [message(n, f"{words[n % 6]} {words[n // 6 % 6]} number{n}") for n in range(300)]
    await exact.store(OWNER, thread(*said, chat_id="a"))
    await exact.store(OWNER, thread(*(message(n, f"rain elsewhere {n}") for n in range(40)), chat_id="b"))
    await exact.store(OwnerId("bo"), thread(*said, chat_id="a"))
    for owner in (OWNER, OwnerId("bo")):
        await embed_all(exact, WordEmbedder(), owner)
    embedder = WordEmbedder()
    for filter in (EVERYTHING, PassageFilter(chat_ids=("b",)), PassageFilter(since=START + timedelta(minutes=250))):
        vector = embedder.vector("rain boat")
        wanted = await exact.search_vector(OWNER, vector, embedder.info, filter, limit=5)
        got = await by_index.search_vector(OWNER, vector, embedder.info, filter, limit=5)
        assert [round(hit.score, 4) for hit in got] == [round(hit.score, 4) for hit in wanted]
        assert {hit.passage.owner for hit in got} == {OWNER}
    nothing = PassageFilter(chat_ids=())
    assert await by_index.search_vector(OWNER, embedder.vector("rain"), embedder.info, nothing, limit=5) == ()
    await database.aclose()
