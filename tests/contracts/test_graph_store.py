"""What every graph backend must do alike: storing, finding and scoping entities and facts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from doso.errors import Conflict, IndexMismatch
from doso.ids import ChangeId, DocumentId, EntityId, FactId, OwnerId, PassageId, new_id
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import Actor, Change, ChangeOp, Entity, EntityType, Fact, Literal, LiteralKind, Provenance, Status
from graph.ports import GraphStore, GraphTx, Link
from tests.support.graph_records import NOW, a_fact, a_provenance, a_view, an_alias, an_entity, at


def rows(values: object) -> Vectors:
    """These numbers as float32."""
    return np.array(values, dtype=np.float32)


SMALL = EmbedderInfo("small", 3, "1")
OTHER = EmbedderInfo("other", 4, "1")


async def put(
    store: GraphStore,
    owner: OwnerId,
    entities: Sequence[Entity] = (),
    facts: Sequence[Fact] = (),
    provenance: Sequence[tuple[FactId, Provenance]] = (),
) -> None:
    """Store these in one transaction."""

    async def work(tx: GraphTx) -> None:
        await tx.put_entities(entities)
        await tx.put_facts(facts)
        await tx.add_provenance(provenance)

    await store.transact(owner, work)


# -- transactions


async def test_prepare_may_be_repeated(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    await put(graph_store, owner, [ana])
    await graph_store.prepare()
    assert await graph_store.entities(owner, [ana.id]) == {ana.id: ana}


async def test_an_exception_rolls_back_everything(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    fact = a_fact(ana, "likes", Literal("tea"))

    async def work(tx: GraphTx) -> None:
        await tx.put_entities([ana])
        await tx.put_facts([fact])
        assert await tx.entities([ana.id]) == {ana.id: ana}
        raise KeyError("changed my mind")

    with pytest.raises(KeyError):
        await graph_store.transact(owner, work)
    assert await graph_store.entities(owner, [ana.id]) == {}
    assert await graph_store.facts(owner, [fact.id]) == {}
    assert (await graph_store.counts(owner)).entities == 0
    assert await graph_store.search_facts(owner, ["tea"], a_view(), limit=5) == ()


async def test_transact_returns_what_the_work_returns(graph_store: GraphStore, owner: OwnerId) -> None:
    async def work(tx: GraphTx) -> int:
        return 7

    assert await graph_store.transact(owner, work) == 7


async def test_writes_of_one_owner_never_overlap(graph_store: GraphStore, owner: OwnerId) -> None:
    counter = an_entity(owner, "0")
    await put(graph_store, owner, [counter])

    async def work(tx: GraphTx) -> None:
        held = (await tx.entities([counter.id]))[counter.id]
        await tx.owner_entity()
        await tx.put_entities([replace(held, name=str(int(held.name) + 1))])

    await asyncio.gather(*(graph_store.transact(owner, work) for _ in range(16)))
    assert (await graph_store.entities(owner, [counter.id]))[counter.id].name == "16"


async def test_check_passes_on_a_working_store(graph_store: GraphStore) -> None:
    await graph_store.check()


# -- entities


async def test_an_entity_comes_back_as_it_was_put(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(
        owner,
        "Ana 🐈‍⬛ Lucía",
        type=EntityType.PET,
        aliases=(an_alias("Ana 🐈‍⬛ Lucía"), an_alias("Ani", "d1", "p1"), an_alias("Ani", "d2", "p7")),
        context="accounting",
    )
    await put(graph_store, owner, [ana])
    read = (await graph_store.entities(owner, [ana.id]))[ana.id]
    assert replace(read, aliases=()) == replace(ana, aliases=())
    assert sorted(read.aliases, key=str) == sorted(ana.aliases, key=str)


async def test_putting_an_entity_again_replaces_its_aliases(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana", aliases=(an_alias("Ana"), an_alias("Ani", "d1")))
    await put(graph_store, owner, [ana])
    renamed = replace(ana, name="Anna", aliases=(an_alias("Anna"), an_alias("Ana")))
    await put(graph_store, owner, [renamed])
    found = await graph_store.entities_by_key(owner, ["anna", "ani", "ana"])
    assert set(found) == {"anna", "ana"}
    assert [entity.name for entity in found["ana"]] == ["Anna"]
    assert (await graph_store.counts(owner)).entities == 1


async def test_a_key_finds_every_type_and_context(graph_store: GraphStore, owner: OwnerId) -> None:
    person = an_entity(owner, "Jordan")
    place = an_entity(owner, "Jordan", type=EntityType.PLACE)
    colleague = an_entity(owner, "Jordan", context="accounting")
    await put(graph_store, owner, [person, place, colleague])
    found = await graph_store.entities_by_key(owner, ["jordan"])
    assert {entity.id for entity in found["jordan"]} == {person.id, place.id, colleague.id}


async def test_a_key_belongs_to_one_entity_of_a_type_and_context(graph_store: GraphStore, owner: OwnerId) -> None:
    first = an_entity(owner, "Ana", aliases=(an_alias("Ana"), an_alias("Ani")))
    await put(graph_store, owner, [first])
    with pytest.raises(Conflict):
        await put(graph_store, owner, [an_entity(owner, "Annie", aliases=(an_alias("Annie"), an_alias("Ani")))])
    assert await graph_store.entities_by_key(owner, ["annie"]) == {}
    await put(graph_store, OwnerId(f"{owner}-2"), [an_entity(OwnerId(f"{owner}-2"), "Ani")])


async def test_many_keys_are_looked_up_at_once(graph_store: GraphStore, owner: OwnerId) -> None:
    people = [an_entity(owner, f"Person {i}") for i in range(1500)]
    await put(graph_store, owner, people)
    found = await graph_store.entities_by_key(owner, [f"person {i}" for i in range(2000)])
    assert len(found) == 1500
    assert len(await graph_store.entities(owner, [p.id for p in people])) == 1500


async def test_blocks_find_the_oldest_of_each(graph_store: GraphStore, owner: OwnerId) -> None:
    people = [an_entity(owner, f"Tan {i}") for i in range(5)]

    async def work(tx: GraphTx) -> dict[str, tuple[Entity, ...]]:
        await tx.put_entities(people)
        await tx.put_blocks({person.id: ["tan", f"only-{i}"] for i, person in enumerate(people)})
        await tx.put_blocks({people[0].id: ["tan", "extra"]})
        return await tx.entities_by_block(["tan", "extra", "none"], per_block=3)

    found = await graph_store.transact(owner, work)
    assert {block: [e.id for e in es] for block, es in found.items()} == {
        "tan": [p.id for p in people[:3]],
        "extra": [people[0].id],
    }
    again = await graph_store.entities_by_block(owner, ["only-4"], per_block=3)
    assert [e.id for e in again["only-4"]] == [people[4].id]


async def test_a_group_holds_all_that_share_the_representative(graph_store: GraphStore, owner: OwnerId) -> None:
    bob = an_entity(owner, "Bob")
    robert = an_entity(owner, "Robert", group=bob.id)
    other = an_entity(owner, "Other")
    await put(graph_store, owner, [bob, robert, other])
    assert [e.id for e in await graph_store.group(owner, [robert.id])] == [bob.id, robert.id]
    assert [e.id for e in await graph_store.group(owner, [other.id, bob.id])] == [bob.id, robert.id, other.id]
    assert await graph_store.group(owner, [EntityId(new_id())]) == ()


async def test_the_owner_entity_is_found_by_its_role(graph_store: GraphStore, owner: OwnerId) -> None:
    assert await graph_store.owner_entity(owner) is None
    you = an_entity(owner, "You", role="owner")
    await put(graph_store, owner, [an_entity(owner, "Ana"), you])
    assert await graph_store.owner_entity(owner) == you
    assert await graph_store.owners() != ()
    assert owner in await graph_store.owners()


async def test_listing_entities_pages_through_representatives(graph_store: GraphStore, owner: OwnerId) -> None:
    people = [an_entity(owner, f"P{i}") for i in range(5)]
    place = an_entity(owner, "Solo", type=EntityType.PLACE)
    double = an_entity(owner, "P0 too", group=people[0].id)
    await put(graph_store, owner, [*people, place, double])
    first = await graph_store.list_entities(owner, type=None, cursor=None, limit=4)
    assert [e.name for e in first.data] == ["Solo", "P4", "P3", "P2"]
    second = await graph_store.list_entities(owner, type=None, cursor=first.next_cursor, limit=4)
    assert [e.name for e in second.data] == ["P1", "P0"]
    assert second.next_cursor is None
    places = await graph_store.list_entities(owner, type=EntityType.PLACE, cursor=None, limit=4)
    assert [e.name for e in places.data] == ["Solo"]


async def test_a_full_last_page_has_no_next(graph_store: GraphStore, owner: OwnerId) -> None:
    await put(graph_store, owner, [an_entity(owner, f"P{i}") for i in range(2)])
    page = await graph_store.list_entities(owner, type=None, cursor=None, limit=2)
    assert len(page.data) == 2
    assert page.next_cursor is None


async def test_names_are_searched_by_their_words(graph_store: GraphStore, owner: OwnerId) -> None:
    tolkien = an_entity(owner, "John Ronald Tolkien")
    ronald = an_entity(owner, "Ronald Weasley", aliases=(an_alias("Ronald Weasley"), an_alias("Crème 東京タワー")))
    await put(graph_store, owner, [tolkien, ronald])
    both = await graph_store.search_entities(owner, ["ronald", "tolkien"], limit=5)
    assert [e.id for e in both] == [tolkien.id, ronald.id]
    assert [e.id for e in await graph_store.search_entities(owner, ["creme"], limit=5)] == [ronald.id]
    assert [e.id for e in await graph_store.search_entities(owner, ["京タ"], limit=5)] == [ronald.id]
    assert await graph_store.search_entities(owner, [], limit=5) == ()
    assert await graph_store.search_entities(owner, ["*", "tolk", "AND"], limit=5) == ()


async def test_entities_from_a_document_are_those_it_named(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana", aliases=(an_alias("Ana"), an_alias("Ani", "d1", "p1"), an_alias("Ani", "d2")))
    bob = an_entity(owner, "Bob", aliases=(an_alias("Bob", "d2"),))
    await put(graph_store, owner, [ana, bob])

    async def named(document: str) -> list[str]:
        async def work(tx: GraphTx) -> tuple[Entity, ...]:
            return await tx.entities_from(DocumentId(document))

        return sorted(e.name for e in await graph_store.transact(owner, work))

    assert [await named(d) for d in ("d1", "d2", "d3")] == [["Ana"], ["Ana", "Bob"], []]


async def test_a_deleted_entity_leaves_nothing(graph_store: GraphStore, owner: OwnerId) -> None:
    ana, bob = an_entity(owner, "Ana"), an_entity(owner, "Bob")
    link = Link("distinguish", ana.id, bob.id)

    async def fill(tx: GraphTx) -> None:
        await tx.put_entities([ana, bob])
        await tx.put_blocks({ana.id: ["an"]})
        await tx.put_link(link)

    async def drop(tx: GraphTx) -> tuple[Link, ...]:
        await tx.delete_entities([ana.id])
        return await tx.links([bob.id])

    await graph_store.transact(owner, fill)
    assert await graph_store.transact(owner, drop) == ()
    assert await graph_store.entities_by_key(owner, ["ana"]) == {}
    assert await graph_store.entities_by_block(owner, ["an"], per_block=5) == {}
    assert await graph_store.search_entities(owner, ["ana"], limit=5) == ()
    assert (await graph_store.counts(owner)).entities == 1
    await put(graph_store, owner, [an_entity(owner, "Ana")])


async def test_links_are_an_edge_set(graph_store: GraphStore, owner: OwnerId) -> None:
    a, b, c = (an_entity(owner, name) for name in "abc")
    equate, distinguish = Link("equate", a.id, b.id), Link("distinguish", b.id, c.id)

    async def work(tx: GraphTx) -> list[set[Link]]:
        await tx.put_entities([a, b, c])
        for link in (equate, distinguish, equate):
            await tx.put_link(link)
        seen = [set(await tx.links([b.id])), set(await tx.links([a.id, b.id])), set(await tx.links([c.id]))]
        await tx.delete_link(equate)
        return [*seen, set(await tx.links([a.id, b.id, c.id]))]

    assert await graph_store.transact(owner, work) == [
        {equate, distinguish},
        {equate, distinguish},
        {distinguish},
        {distinguish},
    ]


# -- facts

VALUES = [
    Literal("12 euro"),
    Literal("42", LiteralKind.NUMBER),
    Literal("9223372036854775808", LiteralKind.JSON),
    Literal('[1,"a",null,{"x":[true]}]', LiteralKind.JSON),
    Literal("true", LiteralKind.BOOLEAN),
    Literal("1991-02-14", LiteralKind.DATE),
    Literal("苹果 👨‍👩‍👧‍👦 'quoted' \\ \"twice\" `tick` $dollar {brace}"),
    Literal("x" * 20_000),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: f"{value.kind}-{value.text[:10]}")
async def test_a_literal_comes_back_exactly(graph_store: GraphStore, owner: OwnerId, value: Literal) -> None:
    thing = an_entity(owner, "Thing")
    fact = a_fact(thing, "info", value)
    await put(graph_store, owner, [thing], [fact])
    assert await graph_store.facts(owner, [fact.id]) == {fact.id: fact}


async def test_a_fact_comes_back_with_every_field(graph_store: GraphStore, owner: OwnerId) -> None:
    ana, solo = an_entity(owner, "Ana"), an_entity(owner, "Solo", type=EntityType.PLACE)
    newer = a_fact(ana, "lives_in", solo)
    fact = replace(
        a_fact(ana, "lives_in", solo, status=Status.SUPERSEDED, retired_at=at("2026-02-01"), superseded_by=newer.id),
        confidence=0.25,
        recorded_at=at("2025-12-31").replace(microsecond=123456),
        valid_from=at("2019-12-31"),
        valid_until=at("2025-01-01"),
        provenance=(
            a_provenance("d1", "p1"),
            a_provenance(None),
            replace(a_provenance("d1", "p1", "statement"), fingerprint="ab12"),
        ),
    )
    await put(graph_store, owner, [ana, solo], [fact, newer], [(fact.id, p) for p in fact.provenance])
    read = (await graph_store.facts(owner, [fact.id]))[fact.id]
    assert replace(read, provenance=()) == replace(fact, provenance=())
    assert sorted(read.provenance, key=str) == sorted(fact.provenance, key=str)


async def test_the_same_support_twice_counts_once(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    fact = a_fact(ana, "likes", Literal("tea"))
    same = a_provenance("d1", "p1")
    direct = a_provenance(None)
    await put(graph_store, owner, [ana], [fact], [(fact.id, same), (fact.id, same), (fact.id, direct)])
    await put(graph_store, owner, provenance=[(fact.id, same), (fact.id, direct)])
    read = (await graph_store.facts(owner, [fact.id]))[fact.id]
    assert sorted(map(str, read.provenance)) == sorted(map(str, [same, direct]))


async def test_putting_a_fact_again_keeps_its_provenance(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    fact = a_fact(ana, "likes", Literal("tea"), text="Ana likes tea")
    await put(graph_store, owner, [ana], [fact], [(fact.id, a_provenance("d1"))])
    await put(graph_store, owner, facts=[replace(fact, text="Anna adores tea", confidence=0.5)])
    read = (await graph_store.facts(owner, [fact.id]))[fact.id]
    assert (read.text, read.confidence, len(read.provenance)) == ("Anna adores tea", 0.5, 1)
    assert await graph_store.search_facts(owner, ["like"], a_view(), limit=5) == ()
    assert len(await graph_store.search_facts(owner, ["ador"], a_view(), limit=5)) == 1
    assert (await graph_store.counts(owner)).facts == 1


async def test_a_key_gives_every_row_newest_first(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    old = a_fact(ana, "likes", Literal("tea"), key="k", status=Status.REJECTED, retired_at=NOW)
    new = a_fact(ana, "likes", Literal("tea"), key="k")
    await put(graph_store, owner, [ana], [old, new])

    async def work(tx: GraphTx) -> dict[str, tuple[Fact, ...]]:
        return await tx.facts_by_key(["k", "unknown"])

    assert await graph_store.transact(owner, work) == {"k": (new, old)}


async def test_facts_of_are_unretired_and_of_one_direction(graph_store: GraphStore, owner: OwnerId) -> None:
    ana, bob = an_entity(owner, "Ana"), an_entity(owner, "Bob")
    knows = a_fact(ana, "knows", bob)
    likes = a_fact(ana, "likes", Literal("tea"), status=Status.CANDIDATE, verified_at=None)
    gone = a_fact(ana, "likes", Literal("jam"), status=Status.SUPERSEDED, retired_at=NOW)
    back = a_fact(bob, "knows", ana)
    await put(graph_store, owner, [ana, bob], [knows, likes, gone, back])

    async def work(tx: GraphTx) -> list[tuple[FactId, ...]]:
        reads = [
            await tx.facts_of([ana.id]),
            await tx.facts_of([ana.id], ["likes"]),
            await tx.facts_of([ana.id], as_object=True),
            await tx.facts_of([ana.id, bob.id], ["knows"]),
            await tx.facts_of([]),
        ]
        return [tuple(fact.id for fact in read) for read in reads]

    assert await graph_store.transact(owner, work) == [
        (knows.id, likes.id),
        (likes.id,),
        (back.id,),
        (knows.id, back.id),
        (),
    ]


async def test_what_a_document_supports_can_be_found_and_dropped(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    one, two = a_fact(ana, "likes", Literal("tea")), a_fact(ana, "likes", Literal("jam"))
    rows = [(one.id, a_provenance("d1", "p1")), (one.id, a_provenance("d1", "p2")), (one.id, a_provenance("d2", "p3"))]
    await put(graph_store, owner, [ana], [one, two], [*rows, (two.id, a_provenance("d1", "p2"))])

    async def ids(tx: GraphTx, document: str) -> list[FactId]:
        return [fact.id for fact in await tx.facts_from(DocumentId(document))]

    async def work(tx: GraphTx) -> list[object]:
        before = await ids(tx, "d1")
        part = await tx.delete_provenance(DocumentId("d1"), passage_ids=[PassageId("p2")])
        middle = await ids(tx, "d1")
        rest = await tx.delete_provenance(DocumentId("d1"), passage_ids=None)
        return [before, part, middle, rest, await ids(tx, "d1"), await ids(tx, "d2")]

    assert await graph_store.transact(owner, work) == [[one.id, two.id], 2, [one.id], 1, [], [one.id]]


async def test_exactly_these_supports_are_dropped(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    one, two = a_fact(ana, "likes", Literal("tea")), a_fact(ana, "likes", Literal("rain"))
    rule, model, direct = a_provenance("d1", "p1"), a_provenance("d1", "p1", "model:a"), a_provenance(None)
    rows = [(one.id, rule), (one.id, model), (one.id, direct), (two.id, model)]
    await put(graph_store, owner, [ana], [one, two], rows)

    async def work(tx: GraphTx) -> None:
        await tx.drop_supports([])
        await tx.drop_supports([(one.id, model), (one.id, direct), (two.id, rule)])
        assert (await tx.facts([one.id]))[one.id].provenance == (rule,)

    await graph_store.transact(owner, work)
    left = await graph_store.facts(owner, [one.id, two.id])
    assert (left[one.id].provenance, left[two.id].provenance) == ((rule,), (model,))


async def test_facts_of_some_passages_of_a_document(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    one, two, three = (a_fact(ana, "likes", Literal(what)) for what in ("tea", "rain", "maps"))
    rows = [
        (one.id, a_provenance("d1", "p1")),
        (two.id, a_provenance("d1", "p2")),
        (three.id, a_provenance("d2", "p1")),
    ]
    await put(graph_store, owner, [ana], [one, two, three], [*rows, (one.id, a_provenance("d1", "p3"))])

    async def work(tx: GraphTx) -> list[list[FactId]]:
        asked: tuple[list[str] | None, ...] = (None, ["p1"], ["p3", "p2"], [])
        return [
            [
                fact.id
                for fact in await tx.facts_from(
                    DocumentId("d1"), passage_ids=None if ids is None else [PassageId(id) for id in ids]
                )
            ]
            for ids in asked
        ]

    assert await graph_store.transact(owner, work) == [[one.id, two.id], [one.id], [one.id, two.id], []]


async def test_deleted_facts_leave_nothing(graph_store: GraphStore, owner: OwnerId) -> None:
    ana, bob, cyd = (an_entity(owner, name) for name in ("Ana", "Bob", "Cyd"))
    fact, kept = a_fact(ana, "knows", bob, text="Ana knows Bob"), a_fact(bob, "likes", Literal("tea"))
    await put(graph_store, owner, [ana, bob, cyd], [fact, kept], [(fact.id, a_provenance("d1"))])
    await graph_store.put_fact_vectors(owner, SMALL, [fact.id], np.eye(3, dtype=np.float32)[:1])

    async def work(tx: GraphTx) -> frozenset[EntityId]:
        assert await tx.without_facts([ana.id, bob.id, cyd.id]) == {cyd.id}
        await tx.delete_facts([fact.id])
        return await tx.without_facts([ana.id, bob.id, cyd.id])

    assert await graph_store.transact(owner, work) == {ana.id, cyd.id}
    assert await graph_store.facts(owner, [fact.id]) == {}
    assert await graph_store.search_facts(owner, ["know"], a_view(), limit=5) == ()
    assert await graph_store.near_facts(owner, np.eye(3, dtype=np.float32)[0], SMALL, a_view(), limit=5) == ()
    assert (await graph_store.counts(owner)).facts == 1


async def test_what_a_fact_superseded_can_be_found(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    new = a_fact(ana, "age", Literal("35"))
    old = a_fact(ana, "age", Literal("34"), status=Status.SUPERSEDED, retired_at=NOW, superseded_by=new.id)
    await put(graph_store, owner, [ana], [new, old])

    async def work(tx: GraphTx) -> tuple[Fact, ...]:
        return await tx.facts_superseded_by([new.id])

    assert await graph_store.transact(owner, work) == (old,)


# -- views


def _one_of_each(ana: Entity) -> list[Fact]:
    candidate, rejected, superseded = Status.CANDIDATE, Status.REJECTED, Status.SUPERSEDED
    return [
        a_fact(ana, "p", Literal("plain fact")),
        a_fact(ana, "p", Literal("candidate fact"), status=candidate, verified_at=None),
        a_fact(ana, "p", Literal("late fact"), recorded_at=at("2026-01-01"), verified_at=at("2026-02-01")),
        a_fact(
            ana,
            "p",
            Literal("rejected fact"),
            status=rejected,
            recorded_at=at("2026-01-01"),
            verified_at=at("2026-01-01"),
            retired_at=at("2026-02-01"),
        ),
        a_fact(
            ana,
            "p",
            Literal("superseded candidate fact"),
            status=superseded,
            recorded_at=at("2026-01-01"),
            verified_at=None,
            retired_at=at("2026-02-01"),
        ),
        replace(
            a_fact(ana, "p", Literal("ended fact"), recorded_at=at("2026-01-01"), verified_at=at("2026-01-01")),
            valid_from=at("2025-01-01"),
            valid_until=at("2026-01-20"),
        ),
        a_fact(ana, "p", Literal("future fact"), valid_from=at("2027-01-01")),
    ]


VIEWS = [
    a_view(),
    a_view(Status.CANDIDATE),
    a_view(Status.VERIFIED, Status.CANDIDATE),
    a_view(Status.REJECTED),
    a_view(Status.SUPERSEDED, Status.REJECTED, Status.VERIFIED),
    a_view(is_current_only=False),
    a_view(as_of=at("2026-01-15")),
    a_view(Status.CANDIDATE, as_of=at("2026-01-15")),
    a_view(Status.VERIFIED, Status.CANDIDATE, as_of=at("2026-01-15")),
    a_view(as_of=at("2026-02-01")),
    a_view(as_of=at("2025-06-01")),
    a_view(as_of=at("2027-06-01")),
]


@pytest.mark.parametrize("index", range(len(VIEWS)))
async def test_every_read_sees_what_its_view_says(graph_store: GraphStore, owner: OwnerId, index: int) -> None:
    view = VIEWS[index]
    ana = an_entity(owner, "Ana")
    facts = _one_of_each(ana)
    await put(graph_store, owner, [ana], facts)
    await graph_store.put_fact_vectors(
        owner, SMALL, [fact.id for fact in facts], np.tile(rows([1, 0, 0]), (len(facts), 1))
    )
    expected = {fact.id for fact in facts if view.sees(fact)}
    near, _ = await graph_store.neighbours(owner, [ana.id], view, per_predicate=25, per_entity=200)
    listed = await graph_store.list_facts(owner, view, entity_ids=None, predicate=None, cursor=None, limit=50)
    found = await graph_store.search_facts(owner, ["fact"], view, limit=50)
    vectors = await graph_store.near_facts(owner, rows([1, 0, 0]), SMALL, view, limit=50)
    assert {fact.id for fact in near} == expected
    assert {fact.id for fact in listed.data} == expected
    assert {hit.fact.id for hit in found} == expected
    assert {hit.fact.id for hit in vectors} == expected


# -- neighbours


async def test_neighbours_go_both_ways_newest_first(graph_store: GraphStore, owner: OwnerId) -> None:
    ana, bob, solo = an_entity(owner, "Ana"), an_entity(owner, "Bob"), an_entity(owner, "Solo", type=EntityType.PLACE)
    knows, lives, other = a_fact(bob, "knows", ana), a_fact(ana, "lives_in", solo), a_fact(bob, "lives_in", solo)
    await put(graph_store, owner, [ana, bob, solo], [knows, lives, other], [(knows.id, a_provenance("d1"))])
    facts, truncated = await graph_store.neighbours(owner, [ana.id], a_view(), per_predicate=25, per_entity=200)
    assert [fact.id for fact in facts] == [lives.id, knows.id]
    assert facts[1].provenance == (a_provenance("d1"),)
    assert truncated is False
    both, _ = await graph_store.neighbours(owner, [ana.id, bob.id], a_view(), per_predicate=25, per_entity=200)
    assert [fact.id for fact in both] == [other.id, lives.id, knows.id]
    assert await graph_store.neighbours(owner, [], a_view(), per_predicate=5, per_entity=5) == ((), False)


async def test_a_hub_is_bounded_and_says_so(graph_store: GraphStore, owner: OwnerId) -> None:
    hub = an_entity(owner, "Microsoft 365", type=EntityType.PRODUCT)
    price = a_fact(hub, "price", Literal("12 euro"))
    teams = [an_entity(owner, f"Team {i}", type=EntityType.ORG) for i in range(60)]
    used = [a_fact(hub, "used_by", team) for team in teams]
    hosts = [a_fact(team, "hosted_on", hub) for team in teams]
    await put(graph_store, owner, [hub, *teams], [price, *used, *hosts])
    facts, truncated = await graph_store.neighbours(owner, [hub.id], a_view(), per_predicate=10, per_entity=200)
    assert truncated is True
    assert [f.id for f in facts] == [*(f.id for f in hosts[:-11:-1]), *(f.id for f in used[:-11:-1]), price.id]
    facts, truncated = await graph_store.neighbours(owner, [hub.id], a_view(), per_predicate=10, per_entity=15)
    assert truncated is True
    assert [f.id for f in facts] == [*(f.id for f in hosts[:-11:-1]), *(f.id for f in used[:-6:-1])]
    facts, truncated = await graph_store.neighbours(owner, [teams[0].id], a_view(), per_predicate=1, per_entity=2)
    assert {f.id for f in facts} == {used[0].id, hosts[0].id}
    assert truncated is False


async def test_a_bound_counts_only_what_the_view_sees(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    kept = a_fact(ana, "likes", Literal("tea"))
    gone = [a_fact(ana, "likes", Literal(f"x{i}"), status=Status.REJECTED, retired_at=NOW) for i in range(30)]
    await put(graph_store, owner, [ana], [kept, *gone])
    facts, truncated = await graph_store.neighbours(owner, [ana.id], a_view(), per_predicate=5, per_entity=5)
    assert ([f.id for f in facts], truncated) == ([kept.id], False)


# -- text


async def test_text_search_ranks_and_bounds(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    both = a_fact(ana, "p", Literal("a"), text="Ana loves crème brûlée")
    one = a_fact(ana, "p", Literal("b"), text="Ana loves walks, long ones on the beach")
    none = a_fact(ana, "p", Literal("c"), text="Rex is a beagle")
    await put(graph_store, owner, [ana], [both, one, none])
    hits = await graph_store.search_facts(owner, ["love", "creme", "brule", "brulee"], a_view(), limit=5)
    assert [hit.fact.id for hit in hits] == [both.id, one.id]
    assert hits[0].score > hits[1].score
    assert len(await graph_store.search_facts(owner, ["ana", "beagl"], a_view(), limit=2)) == 2


async def test_unspaced_scripts_are_found_by_parts(graph_store: GraphStore, owner: OwnerId) -> None:
    thing = an_entity(owner, "服务器")
    fact = a_fact(thing, "p", Literal("x"), text="用户服务器部署在腾讯云国内节点。")
    await put(graph_store, owner, [thing], [fact])
    hits = await graph_store.search_facts(owner, ["腾讯", "讯云"], a_view(), limit=5)
    assert [hit.fact.id for hit in hits] == [fact.id]


HOSTILE = ["AND", "OR", "NOT", "NEAR(", '"', "*", "(", "a:b", "-ana", "C:\\notes", "50%", "[a TO", "/re", "\\", "ana^"]


async def test_query_syntax_is_plain_text(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    await put(graph_store, owner, [ana], [a_fact(ana, "p", Literal("x"), text="Ana and not or near")])
    for token in HOSTILE:
        await graph_store.search_facts(owner, [token], a_view(), limit=5)
        await graph_store.search_entities(owner, [token], limit=5)
    assert await graph_store.search_facts(owner, ["*"], a_view(), limit=5) == ()
    assert await graph_store.search_facts(owner, [], a_view(), limit=5) == ()
    assert len(await graph_store.search_facts(owner, [*HOSTILE, "ana"], a_view(), limit=5)) == 1


# -- lists


async def test_facts_are_listed_newest_first_in_pages(graph_store: GraphStore, owner: OwnerId) -> None:
    ana, bob = an_entity(owner, "Ana"), an_entity(owner, "Bob")
    facts = [a_fact(ana, "likes", Literal(f"x{i}"), valid_from=at(f"2026-01-0{i + 1}")) for i in range(5)]
    knows = a_fact(bob, "knows", ana)
    await put(graph_store, owner, [ana, bob], [*facts, knows], [(knows.id, a_provenance("d1"))])

    async def ids(**filters: object) -> list[FactId]:
        wanted: dict[str, object] = {"entity_ids": None, "predicate": None, "cursor": None, "limit": 50, **filters}
        page = await graph_store.list_facts(owner, a_view(), **wanted)  # type: ignore[arg-type]
        return [fact.id for fact in page.data]

    newest = [fact.id for fact in [knows, *reversed(facts)]]
    first = await graph_store.list_facts(owner, a_view(), entity_ids=None, predicate=None, cursor=None, limit=4)
    assert [fact.id for fact in first.data] == newest[:4]
    assert await ids(cursor=first.next_cursor, limit=4) == newest[4:]
    assert await ids(entity_ids=[ana.id]) == newest
    assert await ids(entity_ids=[bob.id]) == [knows.id]
    assert await ids(entity_ids=[]) == []
    assert await ids(entity_ids=[ana.id], predicate="knows") == [knows.id]
    assert await ids(valid_from=at("2026-01-02"), valid_until=at("2026-01-04")) == [facts[2].id, facts[1].id]


# -- change log and receipts


def a_change(owner: OwnerId, target: str) -> Change:
    """A change with everything filled in."""
    return Change(
        id=ChangeId(new_id()),
        owner=owner,
        op=ChangeOp.RETRACT,
        at=NOW,
        actor=Actor("user", "wrong person", DocumentId("d1")),
        summary="Took back: Ana likes tea.",
        target_id=target,
        before='{"a":"ü"}',
        after="{}",
    )


async def test_the_change_log_keeps_everything(graph_store: GraphStore, owner: OwnerId) -> None:
    changes = [a_change(owner, target) for target in ("f1", "f2", "f1")]

    async def work(tx: GraphTx) -> Change | None:
        await tx.append_changes(changes)
        await tx.mark_undone(changes[0].id, changes[2].id)
        await tx.scrub_changes(["f2"])
        return await tx.change(changes[0].id)

    undone = replace(changes[0], undone_by=changes[2].id)
    scrubbed = replace(changes[1], summary="", before="", after="", actor=replace(changes[1].actor, reason=""))
    assert await graph_store.transact(owner, work) == undone
    page = await graph_store.list_changes(owner, target_id=None, cursor=None, limit=2)
    assert page.data == (changes[2], scrubbed)
    rest = await graph_store.list_changes(owner, target_id=None, cursor=page.next_cursor, limit=2)
    assert (rest.data, rest.next_cursor) == ((undone,), None)
    of_target = await graph_store.list_changes(owner, target_id="f1", cursor=None, limit=9)
    assert of_target.data == (changes[2], undone)


async def test_a_receipt_lives_and_dies_with_its_transaction(graph_store: GraphStore, owner: OwnerId) -> None:
    async def done(tx: GraphTx) -> None:
        await tx.put_receipt("r1", "digest", '{"answer":1}')

    async def failed(tx: GraphTx) -> None:
        await tx.put_receipt("r2", "digest", "{}")
        raise KeyError("no")

    async def read(tx: GraphTx) -> list[tuple[str, str] | None]:
        return [await tx.receipt("r1"), await tx.receipt("r2")]

    await graph_store.transact(owner, done)
    with pytest.raises(KeyError):
        await graph_store.transact(owner, failed)
    assert await graph_store.transact(owner, read) == [("digest", '{"answer":1}'), None]
    assert await graph_store.transact(OwnerId(f"{owner}-2"), read) == [None, None]


# -- vectors


async def test_the_nearest_facts_come_first(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    facts = [a_fact(ana, "p", Literal(name)) for name in "abc"]
    await put(graph_store, owner, [ana], facts)
    assert await graph_store.near_facts(owner, rows([1, 0, 0]), SMALL, a_view(), limit=2) == ()
    waiting = await graph_store.facts_without_vectors(owner, SMALL, limit=9)
    assert [fact.id for fact in waiting] == [fact.id for fact in facts]
    vectors = rows([[1, 0, 0], [0, 1, 0], [0.6, 0.8, 0]])
    await graph_store.put_fact_vectors(owner, SMALL, [fact.id for fact in facts], vectors)
    hits = await graph_store.near_facts(owner, rows([0, 1, 0]), SMALL, a_view(), limit=2)
    assert [hit.fact.id for hit in hits] == [facts[1].id, facts[2].id]
    assert await graph_store.facts_without_vectors(owner, SMALL, limit=9) == ()
    await graph_store.put_fact_vectors(owner, SMALL, [facts[0].id], rows([[0, 1, 0]]))
    hits = await graph_store.near_facts(owner, rows([0, 1, 0]), SMALL, a_view(), limit=2)
    assert {hit.fact.id for hit in hits} == {facts[0].id, facts[1].id}


async def test_a_changed_text_waits_for_a_new_vector(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    fact = a_fact(ana, "p", Literal("a"), text="old")
    await put(graph_store, owner, [ana], [fact])
    await graph_store.put_fact_vectors(owner, SMALL, [fact.id], rows([[1, 0, 0]]))
    await put(graph_store, owner, facts=[replace(fact, confidence=0.5)])
    assert await graph_store.facts_without_vectors(owner, SMALL, limit=9) == ()
    await put(graph_store, owner, facts=[replace(fact, text="new")])
    assert [f.text for f in await graph_store.facts_without_vectors(owner, SMALL, limit=9)] == ["new"]
    assert await graph_store.near_facts(owner, rows([1, 0, 0]), SMALL, a_view(), limit=2) == ()


async def test_vectors_of_two_models_never_mix(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    fact = a_fact(ana, "p", Literal("a"))
    await put(graph_store, owner, [ana], [fact])
    with pytest.raises(IndexMismatch):
        await graph_store.put_fact_vectors(owner, SMALL, [fact.id], rows([[1, 0, 0, 0]]))
    await graph_store.put_fact_vectors(owner, SMALL, [fact.id], rows([[1, 0, 0]]))
    with pytest.raises(IndexMismatch, match=r"small.*3.*other.*4|other.*4.*small.*3"):
        await graph_store.near_facts(owner, rows([1, 0, 0, 0]), OTHER, a_view(), limit=2)
    assert len(await graph_store.facts_without_vectors(owner, OTHER, limit=9)) == 1
    await graph_store.put_fact_vectors(owner, OTHER, [fact.id], rows([[1, 0, 0, 0]]))
    assert len(await graph_store.near_facts(owner, rows([1, 0, 0, 0]), OTHER, a_view(), limit=2)) == 1
    assert len(await graph_store.near_facts(owner, rows([1, 0, 0]), SMALL, a_view(), limit=2)) == 1
    await graph_store.drop_other_vectors(owner, OTHER)
    with pytest.raises(IndexMismatch):
        await graph_store.near_facts(owner, rows([1, 0, 0]), SMALL, a_view(), limit=2)
    assert (await graph_store.counts(owner)).detail["vectors:other"] == 1


async def test_counts_follow_every_write(graph_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    sure = a_fact(ana, "p", Literal("a"))
    maybe = a_fact(ana, "p", Literal("b"), status=Status.CANDIDATE, verified_at=None)
    await put(graph_store, owner, [ana], [sure, maybe])
    counts = await graph_store.counts(owner)
    assert (counts.entities, counts.facts, counts.detail.get("candidates", 0)) == (1, 2, 1)
    await put(graph_store, owner, facts=[replace(sure, status=Status.REJECTED, retired_at=NOW)])
    counts = await graph_store.counts(owner)
    assert (counts.facts, counts.detail.get("candidates", 0)) == (1, 1)


# -- scope


async def test_another_owner_sees_and_changes_nothing(graph_store: GraphStore, owner: OwnerId) -> None:
    stranger = OwnerId(f"{owner}-stranger")
    ana, bob = an_entity(owner, "Ana"), an_entity(owner, "Bob")
    fact = a_fact(ana, "knows", bob, key="k", text="Ana knows Bob")
    link, change = Link("equate", ana.id, bob.id), a_change(owner, fact.id)
    await put(graph_store, owner, [ana, bob], [fact], [(fact.id, a_provenance("d1"))])
    await graph_store.put_fact_vectors(owner, SMALL, [fact.id], rows([[1, 0, 0]]))

    async def fill(tx: GraphTx) -> None:
        await tx.put_blocks({ana.id: ["an"]})
        await tx.put_link(link)
        await tx.append_changes([change])

    async def pry(tx: GraphTx) -> list[object]:
        await tx.delete_facts([fact.id])
        await tx.delete_entities([ana.id])
        await tx.delete_provenance(DocumentId("d1"), passage_ids=None)
        await tx.delete_link(link)
        await tx.scrub_changes([fact.id])
        await tx.mark_undone(change.id, ChangeId("x"))
        return [
            await tx.entities([ana.id]),
            await tx.entities_by_key(["ana"]),
            await tx.entities_by_block(["an"], per_block=3),
            await tx.entities_from(DocumentId("d1")),
            await tx.group([ana.id]),
            await tx.facts([fact.id]),
            await tx.facts_by_key(["k"]),
            await tx.facts_of([ana.id]),
            await tx.facts_of([bob.id], as_object=True),
            await tx.facts_from(DocumentId("d1")),
            await tx.links([ana.id]),
            await tx.change(change.id),
            await graph_store.entities(stranger, [ana.id]),
            await graph_store.entities_by_key(stranger, ["ana"]),
            await graph_store.entities_by_block(stranger, ["an"], per_block=3),
            await graph_store.group(stranger, [ana.id]),
            await graph_store.search_entities(stranger, ["ana"], limit=3),
            await graph_store.search_facts(stranger, ["know"], a_view(), limit=3),
            await graph_store.near_facts(stranger, rows([1, 0, 0]), SMALL, a_view(), limit=3),
            await graph_store.facts(stranger, [fact.id]),
            (await graph_store.neighbours(stranger, [ana.id], a_view(), per_predicate=3, per_entity=3))[0],
            (await graph_store.list_entities(stranger, type=None, cursor=None, limit=3)).data,
            (
                await graph_store.list_facts(
                    stranger, a_view(), entity_ids=[ana.id], predicate=None, cursor=None, limit=3
                )
            ).data,
            (await graph_store.list_changes(stranger, target_id=None, cursor=None, limit=3)).data,
            await graph_store.facts_without_vectors(stranger, SMALL, limit=3),
        ]

    await graph_store.transact(owner, fill)
    assert not any(await graph_store.transact(stranger, pry))
    await graph_store.put_fact_vectors(stranger, SMALL, [fact.id], rows([[0, 1, 0]]))
    hits = await graph_store.near_facts(owner, rows([1, 0, 0]), SMALL, a_view(), limit=3)
    assert [(hit.fact.id, round(hit.score, 3) > 0) for hit in hits] == [(fact.id, True)]
    assert (await graph_store.facts(owner, [fact.id]))[fact.id].provenance == (a_provenance("d1"),)
    page = await graph_store.list_changes(owner, target_id=None, cursor=None, limit=3)
    assert page.data == (change,)
