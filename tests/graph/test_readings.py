"""What a model reads: candidates, promoted by a second source, replaced by a better reading, never over a person."""

from __future__ import annotations

from collections.abc import Sequence

from doso.ids import DocumentId, PassageId
from doso.records import Actor, EntityType, FactDraft, Mention, Status, StoredFact, Trust
from graph.forgetting import Reading
from tests.support.graphs import ME, ORG, PLACE, Told, draft_of, texts

SOLO, TEGAL = Mention("Solo", PLACE), Mention("Tegal", PLACE)
TEA, RAIN = Mention("tea", EntityType.TOPIC), Mention("rain", EntityType.TOPIC)
CANDIDATES = frozenset({Status.CANDIDATE})


def read_by(
    model: str, *triples: tuple[str, str, Mention], document: str = "d1", passage: str = "p1"
) -> list[FactDraft]:
    return [
        draft_of(*triple, document=document, passage=passage, extractor=f"model:{model}", status=Status.CANDIDATE)
        for triple in triples
    ]


async def take(
    told: Told, drafts: Sequence[FactDraft], *, document: str = "d1", passages: Sequence[str] = ("p1",)
) -> tuple[StoredFact, ...]:
    ids = frozenset(PassageId(passage) for passage in passages)
    return await told.graph.assert_reading(
        told.owner, Reading(DocumentId(document), ids, "model:", Actor("extractor:model")), drafts
    )


async def candidates(told: Told) -> list[str]:
    page = await told.graph.list_facts(told.owner, told.graph.view(statuses=CANDIDATES))
    return sorted(texts(page.data))


async def test_what_a_model_reads_is_a_candidate(told: Told) -> None:
    (stored,) = await take(told, read_by("a", ("Nina", "likes", TEA)))
    assert stored.fact and (stored.outcome, stored.fact.status) == ("stored", Status.CANDIDATE)
    assert await told.facts("Nina") == []


async def test_a_better_reading_replaces_the_candidates_of_the_one_before(told: Told) -> None:
    first = await take(told, read_by("a", ("Nina", "likes", TEA), ("Nina", "likes", RAIN), ("Budi", "likes", RAIN)))
    second = await take(told, read_by("b", ("Nina", "likes", TEA), ("Nina", "lives_in", SOLO)))
    assert await candidates(told) == ["Nina likes tea", "Nina lives in Solo"]
    assert first[0].fact and second[0].fact and first[0].fact.id == second[0].fact.id  # what both say stays the row
    kept = await told.graph.fact(told.owner, first[0].fact.id)
    assert [support.extractor for support in kept.provenance] == ["model:b"]
    assert await told.graph.find_entities(told.owner, "Budi") == ()


async def test_the_same_reading_again_changes_nothing(told: Told) -> None:
    drafts = read_by("a", ("Nina", "likes", TEA))
    await take(told, drafts)
    before = await told.graph.list_changes(told.owner)
    (again,) = await take(told, drafts)
    assert again.outcome == "known"
    assert await told.graph.list_changes(told.owner) == before


async def test_a_reading_that_finds_nothing_clears_its_own_old_candidates(told: Told) -> None:
    await take(told, read_by("a", ("Nina", "likes", TEA)))
    await take(told, [])
    assert await candidates(told) == []


async def test_a_new_reading_leaves_everything_else(told: Told) -> None:
    await told.read("Nina", "likes", Mention("maps", EntityType.TOPIC), document="d1", passage="p1")  # a rule
    await told.read("Nina", "likes", RAIN, document="d1", passage="p1", status=Status.CANDIDATE)  # no model's
    await take(told, read_by("a", ("Nina", "likes", TEA), passage="p2"), passages=["p2"])  # another passage
    await take(
        told, read_by("a", ("Nina", "drives", Mention("Honda", EntityType.PRODUCT)), document="d2"), document="d2"
    )
    counted = read_by("a", ("Nina", "works_at", Mention("Gojek", ORG)))
    await take(told, counted)
    await take(told, read_by("a", ("Nina", "works_at", Mention("Gojek", ORG)), document="d3"), document="d3")
    await take(told, [])
    assert await candidates(told) == ["Nina drives Honda", "Nina likes rain", "Nina likes tea"]
    assert await told.facts("Nina") == ["Nina likes maps", "Nina works at Gojek"]


async def test_a_candidate_that_a_person_rejected_does_not_come_back(told: Told) -> None:
    await take(told, read_by("a", ("Nina", "likes", TEA)))
    await told.say("Nina", "does_not_like", TEA)
    (again,) = await take(told, read_by("b", ("Nina", "likes", TEA)))
    assert again.outcome == "rejected"
    assert await candidates(told) == []


async def test_a_second_independent_document_makes_it_count(told: Told) -> None:
    await take(told, read_by("a", ("Nina", "likes", TEA)))
    (second,) = await take(told, read_by("a", ("Nina", "likes", TEA), document="d2"), document="d2")
    assert second.fact and second.fact.status is Status.VERIFIED


async def test_a_forward_of_the_same_words_is_no_second_source(told: Told) -> None:
    for document in ("d1", "d2", "d3"):
        await told.read(
            "Nina", "likes", TEA, status=Status.CANDIDATE, document=document, extractor="model:a", fingerprint="same"
        )
    assert await told.facts("Nina") == []
    await told.read("Nina", "likes", TEA, status=Status.CANDIDATE, document="d4", fingerprint="other")
    assert await told.facts("Nina") == ["Nina likes tea"]


async def test_what_was_only_inferred_is_no_second_source(told: Told) -> None:
    for document in ("d1", "d2"):
        await told.read("Nina", "likes", TEA, trust=Trust.INFERRED, status=Status.CANDIDATE, document=document)
    assert await told.facts("Nina") == []
    await told.read("Nina", "likes", TEA, status=Status.CANDIDATE, document="d3")
    assert await told.facts("Nina") == []
    await told.read("Nina", "likes", TEA, status=Status.CANDIDATE, document="d4")
    assert await told.facts("Nina") == ["Nina likes tea"]


async def test_a_persons_word_makes_a_candidate_count(told: Told) -> None:
    await take(told, read_by("a", ("Nina", "likes", TEA)))
    await told.say("Nina", "likes", TEA)
    await take(told, [])
    assert await told.facts("Nina") == ["Nina likes tea"]


async def test_two_web_pages_never_replace_what_a_person_said(told: Told) -> None:
    said = await told.say("Nina", "lives_in", SOLO)
    for document in ("w1", "w2"):
        last = await told.read("Nina", "lives_in", TEGAL, trust=Trust.WEB, status=Status.CANDIDATE, document=document)
    assert said.fact and last.fact
    assert (last.outcome, last.fact.status) == ("conflict", Status.CANDIDATE)
    assert await told.facts("Nina") == ["Nina lives in Solo"]


async def test_a_guess_takes_back_nothing_that_counts(told: Told) -> None:
    await told.read("Nina", "likes", TEA, document="d1")
    denied = await told.read("Nina", "does_not_like", TEA, document="d2", status=Status.CANDIDATE)
    assert denied.outcome == "conflict"
    assert await told.facts("Nina") == ["Nina likes tea"]


async def test_a_page_shows_what_contradicts_it(told: Told) -> None:
    await told.say("Nina", "lives_in", SOLO)
    await told.read("Nina", "lives_in", TEGAL, status=Status.CANDIDATE, document="d1")
    await told.read("Nina", "likes", TEA, status=Status.CANDIDATE, document="d1")
    (nina,) = await told.graph.find_entities(told.owner, "Nina")
    page = await told.graph.wiki(told.owner, nina.id, told.graph.view())
    assert [(one.standing.text, texts(one.rivals)) for one in page.conflicts] == [
        ("Nina lives in Solo", ["Nina lives in Tegal"])
    ]


async def test_a_page_without_contradictions_shows_none(told: Told) -> None:
    await told.say(ME, "lives_in", SOLO)
    await told.read(ME, "lives_in", SOLO, status=Status.CANDIDATE, document="d1")
    (you,) = [await told.graph.owner_entity(told.owner)]
    assert you is not None
    assert (await told.graph.wiki(told.owner, you.id, told.graph.view())).conflicts == ()


async def test_a_contradiction_is_seen_from_either_end_of_a_symmetric_predicate(told: Told) -> None:
    await told.say("Nina", "married_to", Mention("Budi", EntityType.PERSON))
    await told.read("Rudi", "married_to", Mention("Nina", EntityType.PERSON), status=Status.CANDIDATE, document="d1")
    (nina,) = await told.graph.find_entities(told.owner, "Nina")
    page = await told.graph.wiki(told.owner, nina.id, told.graph.view())
    assert [(one.standing.text, texts(one.rivals)) for one in page.conflicts] == [
        ("Nina is married to Budi", ["Rudi is married to Nina"])
    ]
