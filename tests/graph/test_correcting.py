"""What a person may change in the graph, and how every change is taken back."""

from __future__ import annotations

import pytest

from doso.errors import AmbiguousTarget, Conflict, InvalidInput, NotFound, RequestReused
from doso.ids import ChangeId, DocumentId, new_id
from doso.records import Change, ChangeOp, EntityType, Literal, Mention, Status
from graph.corrections import Distinguish, EntityRef, Equate, Rename, Replace, Retract, Split
from tests.support.graph_records import NOW, at
from tests.support.graphs import ME, ORG, PLACE, USER, Told, person

GRAB, SOLO, TEGAL = Mention("Grab", ORG), Mention("Solo", PLACE), Mention("Tegal", PLACE)


def ref(name: str) -> EntityRef:
    """An entity by name."""
    return EntityRef(name=name)


async def correct(told: Told, *corrections: object, **more: object) -> tuple[Change, ...]:
    """Carry corrections out as the owner."""
    return await told.graph.correct(told.owner, corrections, USER, **more)  # type: ignore[arg-type]


async def current(told: Told, predicate: str | None = None) -> list[str]:
    """The prose of everything that holds now, sorted."""
    page = await told.graph.list_facts(told.owner, told.graph.view(), predicate=predicate, limit=100)
    return sorted(fact.text for fact in page.data)


# -- retract and replace


async def test_what_ended_stays_as_history(told: Told) -> None:
    await told.say(ME, "works_at", GRAB)
    (change,) = await correct(told, Retract(subject=ref("me"), predicate="works_at", object=ref("Grab"), why="ended"))
    assert await current(told) == []
    ended = await told.graph.list_facts(told.owner, told.graph.view(statuses=[Status.VERIFIED]))
    assert [(fact.status, fact.valid_until, fact.retired_at) for fact in ended.data] == [(Status.VERIFIED, NOW, None)]
    assert (change.op, change.actor.reason) == (ChangeOp.RETRACT, "because I say so")


async def test_an_end_may_be_dated(told: Told) -> None:
    stored = await told.say(ME, "works_at", GRAB)
    assert stored.fact
    await correct(told, Retract(fact_id=stored.fact.id, why="ended", valid_until="2025-12-31"))
    assert (await told.graph.fact(told.owner, stored.fact.id)).valid_until == at("2025-12-31")
    with pytest.raises(InvalidInput):
        await correct(told, Retract(fact_id=stored.fact.id, why="ended", valid_until="last year"))
    with pytest.raises(InvalidInput):
        await correct(told, Retract(fact_id=stored.fact.id, why="boring"))


async def test_what_was_wrong_is_rejected_and_kept_out(told: Told) -> None:
    await told.read(ME, "works_at", GRAB, document="d1")
    await correct(told, Retract(subject=ref("I"), predicate="works at", object=ref("grab"), reason="never did"))
    assert (await told.read(ME, "works_at", GRAB, document="d2")).outcome == "rejected"
    assert await current(told) == []


async def test_a_wrong_value_gives_the_earlier_one_back(told: Told) -> None:
    await told.say(ME, "lives_in", SOLO)
    await told.say(ME, "lives_in", TEGAL)
    await correct(told, Retract(subject=ref("me"), predicate="lives_in", object=ref("Tegal")))
    assert await current(told) == ["You live in Solo"]


async def test_what_is_forgotten_no_read_shows(told: Told) -> None:
    await told.say("Ana", "likes", "tea")
    told.later()
    await correct(told, Retract(subject=ref("Ana"), why="forget"))
    assert await current(told) == []
    assert await told.facts("Ana", as_of=NOW) == []


async def test_everything_on_an_entity_goes_in_both_directions(told: Told) -> None:
    await told.say("Tom", "likes", "tea")
    await told.say("Ana", "knows", person("Tom"))
    await told.say("Ana", "likes", "jam")
    await correct(told, Retract(subject=ref("Tom"), why="forget"))
    assert await current(told) == ["Ana likes jam"]


async def test_inverse_and_symmetric_facts_are_found_from_either_side(told: Told) -> None:
    await told.say(person("Bram"), "reports_to", person("Ingrid"))
    await told.say(person("Kenji"), "friend_of", person("Mei"))
    await told.say(person("Ingrid"), "reports_to", person("Olga"))
    await correct(told, Retract(subject=ref("Ingrid"), predicate="manages"))
    await correct(told, Retract(subject=ref("Mei"), predicate="friend_of", object=ref("Kenji")))
    assert await current(told) == ["Ingrid reports to Olga"]


async def test_nothing_to_retract_is_an_error(told: Told) -> None:
    await told.say("Ana", "likes", "tea")
    for missing in (
        Retract(subject=ref("Ana"), predicate="works_at", why="ended"),
        Retract(subject=ref("Nobody")),
        Retract(fact_id=new_id()),  # type: ignore[arg-type]
    ):
        with pytest.raises(NotFound):
            await correct(told, missing)


async def test_a_replacement_rejects_the_old_and_asserts_the_new(told: Told) -> None:
    await told.read(person("Rex"), "breed", "beagle", document="d1")
    old = Retract(subject=ref("Rex"), predicate="breed", object=Literal("beagle"))
    changes = await correct(told, Replace(old, person("Rex"), "breed", Literal("boxer"), reason="looked again"))
    assert await current(told) == ["Rex's breed is boxer"]
    assert {change.op for change in changes} == {ChangeOp.RETRACT, ChangeOp.ASSERT}
    assert {change.actor.reason for change in changes} == {"looked again"}
    assert (await told.read(person("Rex"), "breed", "beagle", document="d2")).outcome == "rejected"


# -- equate, split, distinguish, rename


async def test_an_equate_joins_and_a_split_parts_again(told: Told) -> None:
    await told.read(person("Bob Tan"), "likes", "jazz", document="d1")
    await told.read(person("Robert Tan"), "likes", "golf", document="d2")
    assert await correct(told, Equate(ref("Bob Tan"), ref("Robert Tan"))) == ()  # the rule had joined them already
    for name in ("Bob Tan", "Robert Tan"):
        (one,) = await told.graph.find_entities(told.owner, name)
        assert sorted(alias.name for alias in one.aliases) == ["Bob Tan", "Robert Tan"]
        assert len(await told.facts(name)) == 2
    assert len((await told.graph.list_entities(told.owner)).data) == 1
    await correct(told, Split(ref("Bob Tan"), ref("Robert Tan")))
    assert await told.facts("Bob Tan") == ["Bob Tan likes jazz"]
    assert await told.facts("Robert Tan") == ["Robert Tan likes golf"]
    assert len((await told.graph.list_entities(told.owner)).data) == 2


async def test_equating_twice_and_undoing_leaves_two(told: Told) -> None:
    for name in ("Ana Torres", "Mia Prieto", "Olga Weiss"):
        await told.say(person(name), "likes", f"the songs of {name}")
    (first,) = await correct(told, Equate(ref("Ana Torres"), ref("Mia Prieto")))
    assert await correct(told, Equate(ref("Mia Prieto"), ref("Ana Torres"))) == ()
    await correct(told, Equate(ref("Mia Prieto"), ref("Olga Weiss")))
    assert len(await told.facts("Ana Torres")) == 3
    await told.graph.undo(told.owner, first.id, USER)
    assert (len(await told.facts("Ana Torres")), len(await told.facts("Olga Weiss"))) == (1, 2)


async def test_a_merge_by_rule_is_logged_and_can_be_undone(told: Told) -> None:
    await told.read(person("Bob Tan"), "likes", "jazz", document="d1")
    await told.read(person("Robert Tan"), "likes", "golf", document="d2")
    log = (await told.graph.list_changes(told.owner)).data
    merge = next(change for change in log if change.op is ChangeOp.EQUATE)
    assert (merge.actor.who, "Bob Tan" in merge.summary) == ("rule", True)
    await told.graph.undo(told.owner, merge.id, USER)
    await told.read(person("Robert Tan"), "likes", "tea", document="d3")
    assert await told.facts("Robert Tan") == ["Robert Tan likes golf", "Robert Tan likes tea"]
    assert await told.facts("Bob Tan") == ["Bob Tan likes jazz"]


async def test_a_group_outlives_the_document_of_its_oldest_name(told: Told) -> None:
    await told.read(person("Bob Tan"), "likes", "jazz", document="d1")
    await told.read(person("Robert Tan"), "likes", "golf", document="d2")
    await told.read(person("R. Tan"), "likes", "tea", document="d3")
    await told.graph.forget_document(told.owner, DocumentId("d1"))
    (one,) = await told.graph.find_entities(told.owner, "Robert Tan")
    assert one.id == one.group_id
    assert await told.graph.find_entities(told.owner, "Bob Tan") in ((), (one,))
    assert "jazz" not in str(await told.facts("Robert Tan"))


async def test_a_group_gives_one_value_way_to_another(told: Told) -> None:
    await told.say(person("Bob Tan"), "lives_in", SOLO)
    await told.say(person("Robert Chen"), "likes", "jazz")
    await correct(told, Equate(ref("Bob Tan"), ref("Robert Chen")))
    await told.say(person("Robert Chen"), "lives_in", TEGAL)
    again = await told.say(person("Bob Tan"), "likes", "jazz")
    assert again.outcome == "known"
    assert len(await current(told)) == 2
    assert await current(told, "lives_in") == ["Bob Tan lives in Tegal"]


async def test_an_unknown_name_becomes_the_known_entitys_other_name(told: Told) -> None:
    await told.say(Mention("IBM", ORG), "sells", "mainframes")
    await correct(told, Equate(ref("Big Blue"), ref("IBM")))
    (one,) = await told.graph.find_entities(told.owner, "Big Blue")
    assert sorted(alias.name for alias in one.aliases) == ["Big Blue", "IBM"]
    with pytest.raises(NotFound):
        await correct(told, Equate(ref("Nobody"), ref("Nothing")))


async def test_two_types_are_never_one(told: Told) -> None:
    await told.say(ME, "travels_to", Mention("Jordan", PLACE))
    await told.say(person("Jordana"), "likes", "tea")
    with pytest.raises(Conflict):
        await correct(told, Equate(ref("Jordan"), ref("Jordana")))


async def test_an_ambiguous_name_changes_nothing_and_names_the_choices(told: Told) -> None:
    await told.say(person("Ana", context="sister"), "likes", "tea")
    await told.say(person("Ana", context="accounting"), "likes", "tea")
    before = (await told.graph.list_changes(told.owner)).data
    with pytest.raises(AmbiguousTarget, match=r"sister.*accounting|accounting.*sister"):
        await correct(told, Rename(ref("Ana"), "Anna"), Retract(subject=ref("Ana")))
    assert (await told.graph.list_changes(told.owner)).data == before


async def test_distinguish_takes_an_equate_back_and_parts_shared_names(told: Told) -> None:
    await told.say(person("Mark Oduya"), "likes", "tea")
    await told.say(person("Grace Oduya"), "likes", "jam")
    await correct(told, Equate(ref("Mark Oduya"), ref("Grace Oduya")))
    await correct(told, Distinguish(ref("Mark Oduya"), ref("Grace Oduya")))
    assert await told.facts("Mark Oduya") == ["Mark Oduya likes tea"]
    await correct(told, Rename(ref("Mark Oduya"), "Marcus Oduya"))
    (change,) = await correct(told, Distinguish(ref("Marcus Oduya"), ref("Mark Oduya")))
    assert len((await told.graph.list_entities(told.owner)).data) == 3
    await told.graph.undo(told.owner, change.id, USER)
    (one,) = await told.graph.find_entities(told.owner, "Mark Oduya")
    assert (one.name, len(one.aliases)) == ("Marcus Oduya", 2)


async def test_a_rename_keeps_the_old_name_and_respells_the_facts(told: Told) -> None:
    await told.say(person("Catarina"), "likes", "tea")
    await told.say(person("Ana Torres"), "knows", person("Catarina"))
    (change,) = await correct(told, Rename(ref("Catarina"), "Katarina Novak"))
    assert await current(told) == ["Ana Torres knows Katarina Novak", "Katarina Novak likes tea"]
    (one,) = await told.graph.find_entities(told.owner, "catarina")
    assert (one.name, sorted(alias.name for alias in one.aliases)) == ("Katarina Novak", ["Catarina", "Katarina Novak"])
    hits = await told.graph.search_facts(told.owner, "Novak", told.graph.view(), limit=5)
    assert len(hits) == 2
    await told.graph.undo(told.owner, change.id, USER)
    assert await current(told) == ["Ana Torres knows Catarina", "Catarina likes tea"]
    assert await told.graph.find_entities(told.owner, "Novak") == ()


async def test_a_taken_name_is_no_new_name(told: Told) -> None:
    await told.say(person("Ana Torres"), "knows", person("Ana Prieto"))
    with pytest.raises(Conflict):
        await correct(told, Rename(ref("Ana Torres"), "ana prieto"))
    with pytest.raises(InvalidInput):
        await correct(told, Rename(ref("Ana Torres"), "\u200e "))


# -- dry run, receipts, undo


async def test_a_dry_run_plans_and_changes_nothing(told: Told) -> None:
    await told.say(ME, "works_at", GRAB)
    before = (await told.graph.list_changes(told.owner)).data
    planned = await correct(told, Retract(subject=ref("me"), predicate="works_at"), dry_run=True)
    assert [change.op for change in planned] == [ChangeOp.RETRACT]
    assert "Grab" in planned[0].summary
    assert await current(told) == ["You work at Grab"]
    assert (await told.graph.list_changes(told.owner)).data == before


async def test_corrections_count_all_or_none(told: Told) -> None:
    await told.say(ME, "works_at", GRAB)
    with pytest.raises(NotFound):
        await correct(told, Retract(subject=ref("me"), predicate="works_at"), Retract(subject=ref("Nobody")))
    assert await current(told) == ["You work at Grab"]


async def test_a_repeated_request_is_answered_as_the_first_time(told: Told) -> None:
    await told.say(ME, "works_at", GRAB)
    op = Retract(subject=ref("me"), predicate="works_at")
    first = await correct(told, op, request_id="r1")
    assert await correct(told, op, request_id="r1") == first
    with pytest.raises(RequestReused):
        await correct(told, Retract(subject=ref("me")), request_id="r1")


async def test_every_kind_of_change_can_be_undone(told: Told) -> None:
    await told.say(ME, "lives_in", SOLO)
    await told.say(ME, "lives_in", TEGAL)
    log = (await told.graph.list_changes(told.owner)).data
    replaced = next(change for change in log if change.op is ChangeOp.SUPERSEDE)
    undone = await told.graph.undo(told.owner, replaced.id, USER)
    assert await current(told) == ["You live in Solo"]
    (retracted,) = await correct(told, Retract(subject=ref("me"), predicate="lives_in", why="forget"))
    assert await current(told) == []
    await told.graph.undo(told.owner, retracted.id, USER)
    assert await current(told) == ["You live in Solo"]
    asserted = next(change for change in log if change.op is ChangeOp.ASSERT and "Solo" in change.summary)
    await told.graph.undo(told.owner, asserted.id, USER)
    assert await current(told) == []
    for final in (undone.id, replaced.id):
        with pytest.raises(Conflict):
            await told.graph.undo(told.owner, final, USER)
    with pytest.raises(NotFound):
        await told.graph.undo(told.owner, ChangeId(new_id()), USER)


async def test_undoing_an_assertion_gives_back_what_it_replaced(told: Told) -> None:
    await told.say(ME, "lives_in", SOLO)
    new = await told.say(ME, "lives_in", TEGAL)
    assert new.fact
    (made, *_) = await told.graph.history(told.owner, new.fact.id)
    await told.graph.undo(told.owner, made.id, USER)
    assert await current(told) == ["You live in Solo"]


async def test_what_has_moved_on_is_not_undone(told: Told) -> None:
    stored = await told.say(ME, "works_at", GRAB)
    assert stored.fact
    (made,) = await told.graph.history(told.owner, stored.fact.id)
    (ended,) = await correct(told, Retract(fact_id=stored.fact.id, why="ended"))
    with pytest.raises(Conflict, match="since"):
        await told.graph.undo(told.owner, made.id, USER)
    await told.graph.undo(told.owner, ended.id, USER)
    await told.graph.undo(told.owner, made.id, USER)
    assert await current(told) == []


async def test_undoing_a_name_makes_the_owner_you_again(told: Told) -> None:
    stored = await told.say(ME, "named", "Mara Lindqvist")
    assert stored.fact
    (made,) = await told.graph.history(told.owner, stored.fact.id)
    await told.graph.undo(told.owner, made.id, USER)
    you = await told.graph.owner_entity(told.owner)
    assert you and (you.name, you.aliases) == ("You", ())


# -- forgetting


async def test_forgetting_a_document_takes_what_only_it_supported(told: Told) -> None:
    await told.read(person("Ana Torres"), "likes", "tea", document="d1")
    await told.read(person("Ana Torres"), "likes", "jam", document="d1")
    await told.read(person("Ana Torres"), "likes", "jam", document="d2")
    await told.read(person("Bob"), "works_at", GRAB, document="d1")
    receipt = await told.graph.forget_document(told.owner, DocumentId("d1"))
    assert (receipt.facts_count, receipt.entities_count, receipt.provenance_count) == (2, 2, 3)
    assert await current(told) == ["Ana Torres likes jam"]
    assert await told.graph.find_entities(told.owner, "Bob") == ()
    assert await told.graph.search_facts(told.owner, "tea", told.graph.view(), limit=5) == ()
    log = (await told.graph.list_changes(told.owner, limit=100)).data
    assert not any("tea" in f"{change.summary}{change.before}{change.after}" for change in log)
    assert not any("Bob" in f"{change.summary}{change.before}{change.after}" for change in log)
    assert (await told.graph.forget_document(told.owner, DocumentId("d1"))).facts_count == 0


async def test_forgetting_some_passages_keeps_the_rest(told: Told) -> None:
    await told.read("Ana", "likes", "tea", document="d1", passage="p1")
    await told.read("Ana", "likes", "jam", document="d1", passage="p2")
    receipt = await told.graph.forget_document(told.owner, DocumentId("d1"), passage_ids=["p1"])  # type: ignore[list-item]
    assert receipt.facts_count == 1
    assert await current(told) == ["Ana likes jam"]


async def test_what_a_forgotten_fact_replaced_stands_again(told: Told) -> None:
    await told.read("Ana", "lives_in", SOLO, document="d1", occurred_at=at("2025-01-01"))
    await told.read("Ana", "lives_in", TEGAL, document="d2", occurred_at=at("2026-01-01"))
    await told.graph.forget_document(told.owner, DocumentId("d2"))
    assert await current(told) == ["Ana lives in Solo"]


async def test_a_forgotten_name_makes_the_owner_you_again(told: Told) -> None:
    await told.say(ME, "named", "Mara Lindqvist", document="chat1")
    await told.say(ME, "likes", "tea", document="chat2")
    await told.graph.forget_document(told.owner, DocumentId("chat1"))
    you = await told.graph.owner_entity(told.owner)
    assert you and (you.name, you.aliases) == ("You", ())
    assert await current(told) == ["You like tea"]


async def test_spellings_go_with_the_document_that_used_them(told: Told) -> None:
    await told.read(person("Amelia Waller"), "likes", "tea", document="d1")
    await told.read(person("Dr. Amelia Waller"), "likes", "jam", document="d2")
    (one,) = await told.graph.find_entities(told.owner, "Amelia Waller")
    assert {alias.name for alias in one.aliases} == {"Amelia Waller", "Dr. Amelia Waller"}
    receipt = await told.graph.forget_document(told.owner, DocumentId("d2"))
    assert (receipt.aliases_count, receipt.facts_count) == (1, 1)
    (one,) = await told.graph.find_entities(told.owner, "Amelia Waller")
    assert {alias.name for alias in one.aliases} == {"Amelia Waller"}


async def test_a_person_who_was_told_apart_is_not_forgotten(told: Told) -> None:
    await told.read(person("Ana Torres"), "likes", "tea", document="d1")
    await told.read(person("Ana Torrez"), "likes", "jam", document="d2")
    await correct(told, Distinguish(ref("Ana Torres"), ref("Ana Torrez")))
    await told.graph.forget_document(told.owner, DocumentId("d1"))
    await told.read(person("Ana Torres"), "likes", "tea", document="d3")
    assert await told.facts("Ana Torrez") == ["Ana Torrez likes jam"]
    assert await told.facts("Ana Torres") == ["Ana Torres likes tea"]


async def test_another_owner_can_correct_nothing(told: Told) -> None:
    stored = await told.say("Ana", "likes", "tea")
    assert stored.fact
    (made,) = await told.graph.history(told.owner, stored.fact.id)
    stranger = Told(told.store, type(told.owner)(f"{told.owner}-2"))
    for attempt in (Retract(fact_id=stored.fact.id), Retract(subject=EntityRef(id=stored.fact.subject_id))):
        with pytest.raises(NotFound):
            await correct(stranger, attempt)
    with pytest.raises(NotFound):
        await stranger.graph.undo(stranger.owner, made.id, USER)
    await stranger.graph.forget_document(stranger.owner, DocumentId("d1"))
    assert await current(told) == ["Ana likes tea"]


async def test_entities_are_typed_once(told: Told) -> None:
    await told.say(Mention("Kopi Tuku ", ORG), "located_in", Mention("Jakarta", PLACE))
    await told.say(Mention("Kopi  Tuku", ORG), "sells", "coffee")
    (one,) = await told.graph.find_entities(told.owner, "Kopi Tuku")
    assert (one.name, one.type) == ("Kopi Tuku", EntityType.ORG)
    assert len(await told.facts("Kopi Tuku")) == 2
