"""What becomes of facts as they are told: binding, support, status, supersession, rejection."""

from __future__ import annotations

import asyncio

import pytest

from doso.errors import InvalidInput, RequestReused
from doso.ids import DocumentId
from doso.records import EntityType, Literal, Mention, Status, Trust
from graph.resolving import MAX_GIVERS
from tests.support.graph_records import NOW, at
from tests.support.graphs import IMPORT, ME, ORG, PLACE, USER, Told, draft_of, person

SOLO, TEGAL, BANDUNG = (Mention(name, PLACE) for name in ("Solo", "Tegal", "Bandung"))
PET = EntityType.PET


async def test_spellings_of_one_name_are_one_entity(told: Told) -> None:
    await told.say(person("Rina Hartono"), "colleague_of", ME)
    await told.say(person("rina hartono"), "works_as", "lead")
    await told.say(person("RINA  HARTONO"), "lives_in", BANDUNG)
    found = await told.graph.find_entities(told.owner, "Rina Hartono")
    assert [entity.name for entity in found] == ["Rina Hartono"]
    assert await told.facts("Rina Hartono", "lives_in") == ["Rina Hartono lives in Bandung"]


async def test_one_name_of_two_types_is_two_entities(told: Told) -> None:
    await told.say(ME, "travels_to", Mention("Jordan", PLACE))
    await told.say(person("Jordan"), "lives_with", ME)
    found = await told.graph.find_entities(told.owner, "Jordan")
    assert sorted(entity.type for entity in found) == ["PERSON", "PLACE"]


async def test_a_context_keeps_namesakes_apart(told: Told) -> None:
    await told.say(person("Ana"), "sister_of", ME)
    await told.say(person("Ana", context="accounting"), "lives_in", Mention("Surabaya", PLACE))
    found = await told.graph.find_entities(told.owner, "Ana", type=EntityType.PERSON)
    assert sorted(entity.context for entity in found) == ["", "accounting"]


async def test_the_same_fact_from_another_passage_adds_support(told: Told) -> None:
    first = await told.read("Tuti", "sells", "batik", document="d1")
    again = await told.read("Tuti", "sells", "Batik", document="d2")
    same = await told.read("tuti", "sells", "batik", document="d2")
    assert (first.outcome, again.outcome, same.outcome) == ("stored", "known", "known")
    assert first.fact and again.fact and again.fact.id == first.fact.id
    fact = await told.graph.fact(told.owner, first.fact.id)
    assert sorted(str(support.document_id) for support in fact.provenance) == ["d1", "d2"]
    assert (await told.graph.counts(told.owner)).facts == 1


async def test_repeated_triples_of_one_batch_are_one_fact(told: Told) -> None:
    draft = draft_of("Tuti", "sells", "batik", document="d1", status=Status.VERIFIED)
    stored = await told.graph.assert_facts(told.owner, [draft] * 300, IMPORT)
    assert {row.fact.id for row in stored if row.fact} == {stored[0].fact.id if stored[0].fact else None}
    assert (await told.graph.counts(told.owner)).facts == 1


async def test_a_candidate_counts_once_a_second_document_agrees(told: Told) -> None:
    await told.read("Nina", "likes", Mention("tea", EntityType.TOPIC), status=Status.CANDIDATE, document="d1")
    await told.read(
        "Nina", "likes", Mention("tea", EntityType.TOPIC), status=Status.CANDIDATE, document="d1", passage="d1-p2"
    )
    assert await told.facts("Nina") == []
    assert await told.facts("Nina", include_candidates=True) == ["Nina likes tea"]
    second = await told.read("Nina", "likes", Mention("tea", EntityType.TOPIC), status=Status.CANDIDATE, document="d2")
    assert second.fact and second.fact.status is Status.VERIFIED
    assert await told.facts("Nina") == ["Nina likes tea"]


async def test_a_persons_word_counts_at_once(told: Told) -> None:
    await told.read("Nina", "likes", "tea", status=Status.CANDIDATE, document="d1")
    await told.say("Nina", "likes", "tea")
    assert await told.facts("Nina") == ["Nina likes tea"]


async def test_a_new_value_of_a_single_valued_predicate_replaces_the_old(told: Told) -> None:
    old = await told.say(ME, "lives_in", SOLO, occurred_at=at("2026-01-01"))
    new = await told.say(ME, "lives_in", TEGAL, occurred_at=at("2026-01-02"))
    assert old.fact and new.fact
    assert new.superseded == (old.fact.id,)
    you = await told.graph.owner_entity(told.owner)
    assert you
    near = await told.graph.neighbours(told.owner, [you.id], told.graph.view())
    assert [fact.text for fact in near.facts] == ["You live in Tegal"]
    gone = await told.graph.fact(told.owner, old.fact.id)
    assert (gone.status, gone.retired_at, gone.superseded_by) == (Status.SUPERSEDED, NOW, new.fact.id)


async def test_many_valued_predicates_live_side_by_side(told: Told) -> None:
    await told.say(ME, "works_at", Mention("Grab", ORG))
    second = await told.say(ME, "works_at", Mention("Gojek", ORG))
    assert second.superseded == ()
    page = await told.graph.list_facts(told.owner, told.graph.view(), predicate="works_at")
    assert len(page.data) == 2


async def test_what_was_true_earlier_becomes_history(told: Told) -> None:
    now = await told.read("Ana", "lives_in", TEGAL, document="d2", occurred_at=at("2026-01-02"))
    was = await told.read("Ana", "lives_in", SOLO, document="d1", occurred_at=at("2025-01-01"))
    assert now.fact and was.fact
    assert (was.fact.status, was.fact.superseded_by) == (Status.SUPERSEDED, now.fact.id)
    assert await told.facts("Ana") == ["Ana lives in Tegal"]
    again = await told.read("Ana", "lives_in", SOLO, document="d3", occurred_at=at("2025-02-01"))
    assert again.outcome == "known"
    past = await told.graph.list_facts(told.owner, told.graph.view(statuses=[Status.SUPERSEDED]))
    assert [len(fact.provenance) for fact in past.data] == [2]


async def test_an_old_document_read_again_changes_nothing(told: Told) -> None:
    for _ in range(2):
        await told.read("Ana", "lives_in", SOLO, document="d1", occurred_at=at("2025-01-01"))
        await told.read("Ana", "lives_in", TEGAL, document="d2", occurred_at=at("2026-01-02"))
    await told.read("Ana", "lives_in", SOLO, document="d1")
    assert await told.facts("Ana") == ["Ana lives in Tegal"]
    past = await told.graph.list_facts(told.owner, told.graph.view(statuses=[Status.SUPERSEDED]))
    assert [fact.text for fact in past.data] == ["Ana lives in Solo"]


async def test_a_lower_tier_conflicts_and_never_replaces(told: Told) -> None:
    await told.say("Ana", "lives_in", SOLO, occurred_at=at("2025-01-01"))
    web = await told.read("Ana", "lives_in", TEGAL, trust=Trust.WEB, document="w1", occurred_at=at("2026-01-01"))
    twice = await told.read("Ana", "lives_in", TEGAL, trust=Trust.WEB, document="w2", occurred_at=at("2026-01-01"))
    assert (web.outcome, twice.outcome) == ("conflict", "conflict")
    assert "Solo" in web.why
    assert await told.facts("Ana") == ["Ana lives in Solo"]
    assert await told.facts("Ana", include_candidates=True) == ["Ana lives in Solo", "Ana lives in Tegal"]


async def test_ended_and_current_values_stand_beside_each_other(told: Told) -> None:
    await told.say(ME, "lives_in", SOLO, valid_from=at("2010-01-01"), valid_until=at("2012-12-31"))
    await told.say(ME, "lives_in", TEGAL)
    await told.say(ME, "lives_in", BANDUNG, valid_from=at("2005-01-01"), valid_until=at("2006-12-31"))
    page = await told.graph.list_facts(told.owner, told.graph.view(), predicate="lives_in")
    assert [fact.text for fact in page.data] == ["You live in Tegal"]
    every = await told.graph.list_facts(told.owner, told.graph.view(statuses=[Status.VERIFIED]), predicate="lives_in")
    assert len(every.data) == 3


async def test_a_fact_told_again_after_its_end_is_a_new_row(told: Told) -> None:
    first = await told.say(ME, "works_at", Mention("Grab", ORG), valid_until=at("2020-01-01"))
    again = await told.say(ME, "works_at", Mention("Grab", ORG), valid_from=at("2024-01-01"))
    assert first.fact and again.fact and first.fact.id != again.fact.id
    page = await told.graph.list_facts(told.owner, told.graph.view(), predicate="works_at")
    assert [fact.id for fact in page.data] == [again.fact.id]


async def test_occasions_of_different_days_are_different_facts(told: Told) -> None:
    vienna = Mention("Vienna", PLACE)
    await told.say(ME, "travels_to", vienna, valid_from=at("2026-03-20"))
    await told.say(ME, "travels_to", vienna, valid_from=at("2026-06-01"))
    again = await told.say(ME, "travels_to", vienna, valid_from=at("2026-06-01"))
    assert again.outcome == "known"
    page = await told.graph.list_facts(told.owner, told.graph.view(), predicate="travels_to")
    assert len(page.data) == 2


async def test_symmetric_and_inverse_facts_are_stored_once(told: Told) -> None:
    await told.say(person("Kenji"), "friend_of", person("Mei"))
    mirror = await told.say(person("Mei"), "friend_of", person("Kenji"))
    await told.say(person("Bram"), "reports_to", person("Ingrid"))
    turned = await told.say(person("Ingrid"), "manages", person("Bram"))
    assert (mirror.outcome, turned.outcome) == ("known", "known")
    assert (await told.graph.counts(told.owner)).facts == 2
    assert await told.facts("Ingrid") == await told.facts("Bram") != []


async def test_a_symmetric_single_value_gives_way_from_either_side(told: Told) -> None:
    await told.say(person("Sofie"), "married_to", person("Bram"))
    await told.say(person("Hugo"), "married_to", person("Sofie"))
    page = await told.graph.list_facts(told.owner, told.graph.view(), predicate="married_to")
    assert [fact.text for fact in page.data] == ["Hugo is married to Sofie"]


async def test_a_negated_predicate_rejects_and_is_remembered(told: Told) -> None:
    grab = Mention("Grab", ORG)
    await told.read(ME, "works_at", grab, document="d1")
    no = await told.say(ME, "does_not_work_at", grab)
    assert no.fact and no.fact.status is Status.REJECTED
    again = await told.read(ME, "works_at", grab, document="d2")
    assert again.outcome == "rejected"
    assert (await told.graph.counts(told.owner)).facts == 0
    back = await told.say(ME, "works_at", grab)
    assert back.outcome == "stored"
    assert (await told.graph.counts(told.owner)).facts == 1


async def test_a_rejection_of_what_was_never_said_keeps_it_out(told: Told) -> None:
    await told.say("Ana", "does_not_work_at", Mention("Grab", ORG))
    assert (await told.read("Ana", "works_at", Mention("Grab", ORG), document="d1")).outcome == "rejected"


async def test_a_lower_tier_cannot_reject_what_a_person_said(told: Told) -> None:
    await told.say(ME, "works_at", Mention("Grab", ORG))
    no = await told.read(ME, "not_works_at", Mention("Grab", ORG), document="d1")
    assert no.outcome == "conflict"
    assert (await told.graph.counts(told.owner)).facts == 1


async def test_the_owner_is_you_until_a_fact_names_them(told: Told) -> None:
    await told.say(ME, "likes", "tea")
    you = await told.graph.owner_entity(told.owner)
    assert you and (you.name, you.role, you.aliases) == ("You", "owner", ())
    await told.say(person("I"), "named", "Mara Lindqvist")
    you = await told.graph.owner_entity(told.owner)
    assert you and you.name == "Mara Lindqvist"
    found = await told.graph.find_entities(told.owner, "mara lindqvist")
    assert [entity.id for entity in found] == [you.id]
    await told.read(person("Mara Lindqvist"), "likes", "jazz", document="d1")
    near = await told.graph.neighbours(told.owner, [you.id], told.graph.view())
    assert {fact.text for fact in near.facts} == {
        "You like tea",
        "You like jazz",
        "Your name is Mara Lindqvist",
    }


async def test_a_name_that_the_owner_goes_by_in_an_archive_means_them(told: Told) -> None:
    await told.read(person("Mara Lindqvist", role="owner"), "likes", "tea", document="d1")
    await told.read(person("mara", role="owner"), "likes", "jam", document="d1")
    await told.read(person("Mara Lindqvist"), "likes", "jazz", document="d2")
    await told.read(person("Mara"), "likes", "figs", document="d2")
    you = await told.graph.owner_entity(told.owner)
    assert you and [alias.name for alias in you.aliases] == ["Mara Lindqvist"]
    near = await told.graph.neighbours(told.owner, [you.id], told.graph.view())
    assert {fact.text for fact in near.facts} == {"You like tea", "You like jam", "You like jazz"}


async def test_what_says_nothing_is_skipped_and_says_why(told: Told) -> None:
    drafts = [
        draft_of(" \u200e ", "likes", "tea"),
        draft_of("Ana", "likes", " \n"),
        draft_of("Ana", "…", "tea"),
        draft_of("Ana", "knows", person("ana")),
        draft_of("Ana", "likes", "tea\x00 and \ud800jam", status=Status.VERIFIED),
    ]
    stored = await told.graph.assert_facts(told.owner, drafts, IMPORT)
    assert [row.outcome for row in stored] == ["skipped"] * 4 + ["stored"]
    assert all(row.why for row in stored[:4])
    assert await told.facts("Ana") == ["Ana likes tea and jam"]


async def test_a_blank_name_is_refused_when_bound(told: Told) -> None:
    with pytest.raises(InvalidInput):
        await told.graph.bind(told.owner, [person(" ")])
    assert (await told.graph.counts(told.owner)).entities == 0


async def test_a_request_id_is_answered_as_the_first_time(told: Told) -> None:
    drafts = [draft_of("Ana", "likes", "tea", document="d1", status=Status.VERIFIED), draft_of("", "likes", "x")]
    first = await told.graph.assert_facts(told.owner, drafts, USER, request_id="r1")
    again = await told.graph.assert_facts(told.owner, drafts, USER, request_id="r1")
    assert again == first
    assert len((await told.graph.list_changes(told.owner)).data) == 1
    with pytest.raises(RequestReused):
        await told.graph.assert_facts(told.owner, drafts[:1], USER, request_id="r1")


async def test_many_writers_of_one_new_entity_make_one(told: Told) -> None:
    for round in range(3):
        name = f"Vantera {round}"
        drafts = [draft_of(Mention(name, ORG), "sells", f"thing {i}", document=f"d{i}") for i in range(16)]
        stored = await asyncio.gather(*(told.graph.assert_facts(told.owner, [d], IMPORT) for d in drafts))
        assert [row[0].outcome for row in stored] == ["stored"] * 16
        found = await told.graph.find_entities(told.owner, name)
        assert len(found) == 1
        near = await told.graph.neighbours(told.owner, [found[0].id], told.graph.view(include_candidates=True))
        assert len(near.facts) == 16


async def test_parallel_triples_in_opposite_order_do_not_deadlock(told: Told) -> None:
    a, b, c = (person(name) for name in ("Alpha", "Beta", "Gamma"))
    batches = [[(a, b), (b, c)], [(c, b), (b, a)], [(b, a), (c, b)], [(a, b), (b, c)]]
    await asyncio.gather(
        *(
            told.graph.assert_facts(told.owner, [draft_of(s, "knows", o, document="d") for s, o in batch], IMPORT)
            for batch in batches
        )
    )
    counts = await told.graph.counts(told.owner)
    assert (counts.entities, counts.facts) == (3, 2)


async def test_literals_of_every_kind_come_back(told: Told) -> None:
    from graph.values import from_literal, to_literal

    values = [[1, "a"], [None], [{"x": 1}], 9223372036854775808, -9223372036854775809, 0.1, True, {"a": {"b": [1]}}]
    for value in values:
        row = await told.say(Mention("S", EntityType.TOPIC), "p", to_literal(value))  # type: ignore[arg-type]
        assert row.fact and isinstance(row.fact.object, Literal)
        read = await told.graph.fact(told.owner, row.fact.id)
        assert isinstance(read.object, Literal)
        assert from_literal(read.object) == value
    assert (await told.graph.counts(told.owner)).facts == len(values)


async def test_a_person_is_shown_without_the_title_they_were_first_met_with(told: Told) -> None:
    await told.read(person("Pak Budi Santoso"), "neighbour_of", ME, document="d1")
    await told.read(person("Budi Santoso"), "likes", "cats", document="d2")
    await told.read(person("Bapak Budi A. Santoso"), "likes", "tea", document="d3")
    (found,) = await told.graph.find_entities(told.owner, "Budi Santoso")
    assert found.name == "Budi Santoso"
    assert {alias.name for alias in found.aliases} >= {"Pak Budi Santoso", "Budi Santoso"}
    assert await told.facts("Budi Santoso", "likes") == ["Budi Santoso likes cats", "Budi Santoso likes tea"]


async def test_titles_of_two_people_keep_them_apart_although_neither_is_shown(told: Told) -> None:
    await told.read(person("Mr. Alex Stone"), "likes", "tea", document="d1")
    await told.read(person("Mrs. Alex Stone"), "likes", "jam", document="d2")
    await told.read(person("Alex Stone"), "likes", "rye", document="d3")
    assert await told.facts("Mr. Alex Stone", "likes") == ["Alex Stone likes tea"]
    assert await told.facts("Mrs. Alex Stone", "likes") == ["Alex Stone likes jam"]


async def test_the_spelling_a_name_came_from_stays_as_long_as_its_bearer(told: Told) -> None:
    await told.read(person("Ibu Ratna Dewi"), "likes", "tea", document="d1")
    await told.read(person("Ibu Ratna Dewi"), "likes", "jam", document="d2")
    await told.graph.forget_document(told.owner, DocumentId("d1"))
    (found,) = await told.graph.find_entities(told.owner, "Ibu Ratna Dewi")
    assert (found.name, [alias.name for alias in found.aliases]) == ("Ratna Dewi", ["Ibu Ratna Dewi"])


async def test_many_passages_that_give_one_spelling_do_not_make_its_bearer_heavy(told: Told) -> None:
    await told.read(person("Amelia Waller"), "likes", "tea", document="d0")
    for i in range(MAX_GIVERS + 10):
        await told.read(person("Dr. Amelia Waller"), "likes", "tea", document=f"e{i}")
    (found,) = await told.graph.find_entities(told.owner, "Amelia Waller")
    assert len([alias for alias in found.aliases if alias.name == "Dr. Amelia Waller"]) <= MAX_GIVERS


async def test_like_names_in_numbers_stay_apart(told: Told) -> None:
    hub, count = Mention("Microsoft 365", EntityType.PRODUCT), 300
    drafts = [draft_of(hub, "used_by", Mention(f"Team {i}", ORG), status=Status.VERIFIED) for i in range(count)]
    await told.graph.assert_facts(told.owner, drafts[:150], IMPORT)
    await told.graph.assert_facts(told.owner, drafts[150:], IMPORT)
    found = await told.graph.counts(told.owner)
    assert (found.entities, found.facts) == (count + 1, count)
