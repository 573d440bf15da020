"""Finding entities, seeding questions, walking the graph, reading a page."""

from __future__ import annotations

import numpy as np
import pytest

from doso.errors import NotFound
from doso.ids import EntityId, OwnerId, new_id
from doso.records import Entity, EntityType, Literal, Mention, Status
from graph.corrections import EntityRef, Equate, Retract
from tests.support.graph_records import NOW, at
from tests.support.graphs import IMPORT, ME, ORG, PLACE, USER, Told, draft_of, person

PRODUCT, TOPIC = EntityType.PRODUCT, EntityType.TOPIC


async def seeded(told: Told, question: str) -> list[str]:
    """The names of the entities that a question seeds, sorted."""
    return sorted(entity.name for entity in await told.graph.seeds(told.owner, question, limit=8))


async def id_of(told: Told, name: str) -> EntityId:
    """The one entity of a name."""
    (one,) = await told.graph.find_entities(told.owner, name)
    return one.id


# -- seeds


async def test_a_question_seeds_the_longest_names_it_holds(told: Told) -> None:
    await told.say(Mention("Bank of America", ORG), "located_in", Mention("America", PLACE))
    await told.say(person("Ana Torres"), "likes", "tea")
    assert await seeded(told, "Did Ana Torres's card from the bank of america work?") == [
        "Ana Torres",
        "Bank of America",
    ]
    assert await seeded(told, "What is the weather?") == []
    assert await seeded(told, "") == []


async def test_the_first_person_seeds_the_owner(told: Told) -> None:
    await told.say(ME, "named", "Mara Lindqvist")
    for question in ("What's my name?", "where do I live", "Siapa nama saya?", "apa yang aku suka", "I'm who?"):
        assert await seeded(told, question) == ["Mara Lindqvist"], question
    assert await seeded(told, "Mara Lindqvist") == ["Mara Lindqvist"]


async def test_a_bare_first_name_seeds_everyone_who_bears_it(told: Told) -> None:
    await told.say(person("Alex Wong"), "likes", "tea")
    await told.say(person("Alex Wirawan"), "likes", "jam")
    await told.say(person("Alexandra Berg"), "likes", "jazz")
    assert await seeded(told, "When did Alex call?") == ["Alex Wirawan", "Alex Wong"]


async def test_names_of_every_script_seed(told: Told) -> None:
    for name in ("苹果", "Мария Иванова", "김민수", "Søren Kjær", "أحمد"):
        await told.say(person(name), "likes", "tea")
    assert await seeded(told, "我什么时候买了苹果？") == ["苹果"]
    assert await seeded(told, "Где живёт мария иванова?") == ["Мария Иванова"]
    assert await seeded(told, "soren kjaer?") == ["Søren Kjær"]
    assert await seeded(told, "김민수는 어디에 살아?") == ["김민수"]


async def test_configured_aliases_find_and_seed(told: Told) -> None:
    told.aliases = {"Big Blue": "IBM"}
    await told.say(Mention("IBM", ORG), "sells", "mainframes")
    stored = await told.say(Mention("Big Blue", ORG), "sells", "chips")
    assert stored.fact
    assert (await told.graph.entity(told.owner, stored.fact.subject_id)).name == "IBM"
    assert await seeded(told, "What does Big Blue sell?") == ["IBM"]
    assert [entity.name for entity in await told.graph.find_entities(told.owner, "big blue")] == ["IBM"]


async def test_an_equated_name_seeds_its_group_once(told: Told) -> None:
    await told.say(person("Мария Иванова"), "likes", "tea")
    await told.say(person("Rima Ozola"), "likes", "jam")
    equate = Equate(EntityRef(name="Мария Иванова"), EntityRef(name="Rima Ozola"))
    await told.graph.correct(told.owner, [equate], USER)
    assert await seeded(told, "Does Rima Ozola know Мария Иванова?") == ["Мария Иванова"]


async def test_query_syntax_in_a_question_is_text(told: Told) -> None:
    await told.say(Mention("O'Brien's pub", PLACE), "located_in", Mention("Cork", PLACE))
    for question in ("AND OR NOT", "NEAR(", '"', "*", "(", "a:b", "-ana", "C:\\notes\\bank", "[a TO", "/re", "ana^"):
        await told.graph.seeds(told.owner, question, limit=5)
        await told.graph.search_facts(told.owner, question, told.graph.view(), limit=5)
        await told.graph.find_entities(told.owner, question)
    assert await seeded(told, "is O'Brien's pub open?") == ["O'Brien's pub"]


# -- finding


async def test_a_name_is_found_by_its_words(told: Told) -> None:
    await told.say(person("Elizabeth Stone"), "likes", "tea")
    await told.say(Mention("Stone", TOPIC), "is_a", "material")
    assert (await told.graph.find_entities(told.owner, "stone elizabeth"))[0].name == "Elizabeth Stone"
    assert [e.type for e in await told.graph.find_entities(told.owner, "STONE")] == [TOPIC]
    assert await told.graph.find_entities(told.owner, "Stone", type=PLACE) == ()
    assert await told.graph.find_entities(told.owner, " ") == ()


async def test_direction_marks_are_no_part_of_a_name(told: Told) -> None:
    await told.say(person("\u200eRania\u200f"), "friend_of", ME)
    (one,) = await told.graph.find_entities(told.owner, "Rania")
    assert one.name == "Rania"


async def test_unknown_and_foreign_ids_are_alike(told: Told) -> None:
    await told.say("Ana", "likes", "tea")
    ana = await id_of(told, "Ana")
    stranger = OwnerId(f"{told.owner}-2")
    for owner, id in ((told.owner, EntityId(new_id())), (stranger, ana)):
        with pytest.raises(NotFound):
            await told.graph.entity(owner, id)
        with pytest.raises(NotFound):
            await told.graph.wiki(owner, id, told.graph.view())
        with pytest.raises(NotFound):
            await told.graph.list_facts(owner, told.graph.view(), entity_id=id)
        assert (await told.graph.neighbours(owner, [id], told.graph.view())).facts == ()


# -- time


async def test_the_past_reads_as_it_was_known_then(told: Told) -> None:
    await told.say(ME, "lives_in", Mention("Solo", PLACE))
    told.later(10)
    await told.say(ME, "lives_in", Mention("Tegal", PLACE))
    await told.say(ME, "likes", "tea")
    you = await told.graph.owner_entity(told.owner)
    assert you

    async def then(moment: object) -> list[str]:
        view = told.graph.view(as_of=moment)  # type: ignore[arg-type]
        return sorted(fact.text for fact in (await told.graph.neighbours(told.owner, [you.id], view)).facts)

    assert await then(at("2026-03-15")) == ["You live in Solo"]
    assert await then(at("2026-03-22")) == ["You like tea", "You live in Tegal"]
    assert await then(at("2020-01-01")) == []


# -- walking


async def test_a_hub_answers_within_its_bounds(told: Told) -> None:
    hub = Mention("Microsoft 365", PRODUCT)
    drafts = [
        draft_of(Mention(f"Team {i}", ORG), "uses", hub, document="d", status=Status.VERIFIED) for i in range(300)
    ]
    await told.graph.assert_facts(told.owner, drafts, IMPORT)
    await told.say(hub, "price", "12 euro")
    near = await told.graph.neighbours(
        told.owner, [await id_of(told, "Microsoft 365")], told.graph.view(), per_predicate=25, per_entity=200
    )
    assert (len(near.facts), near.truncated) == (26, True)
    assert "Microsoft 365 costs 12 euro" in {fact.text for fact in near.facts}
    assert {end for fact in near.facts for end in (fact.subject_id,)} <= set(near.entities)


async def test_paths_are_the_shortest_chains(told: Told) -> None:
    for a, b in (("Ana", "Bo"), ("Bo", "Cyd"), ("Ana", "Dag"), ("Dag", "Cyd"), ("Cyd", "Eva"), ("Zoe", "Yan")):
        await told.say(person(a), "knows", person(b))
    ids = {name: await id_of(told, name) for name in ("Ana", "Eva", "Zoe", "Cyd")}
    view = told.graph.view()
    chains = await told.graph.paths(told.owner, ids["Ana"], ids["Eva"], view, max_depth=8)
    assert sorted(tuple(fact.text for fact in chain) for chain in chains) == [
        ("Ana knows Bo", "Bo knows Cyd", "Cyd knows Eva"),
        ("Ana knows Dag", "Dag knows Cyd", "Cyd knows Eva"),
    ] or all(len(chain) == 3 for chain in chains)
    assert await told.graph.paths(told.owner, ids["Ana"], ids["Zoe"], view, max_depth=8) == ()
    assert await told.graph.paths(told.owner, ids["Ana"], ids["Eva"], view, max_depth=2) == ()
    assert await told.graph.paths(told.owner, ids["Ana"], ids["Ana"], view, max_depth=2) == ()


async def test_a_dense_graph_is_walked_within_bounds(told: Told) -> None:
    drafts = [
        draft_of(person(f"Person{i}"), "knows", person(f"Person{(i * j) % 60}"), document="d", status=Status.VERIFIED)
        for i in range(60)
        for j in range(2, 12)
    ]
    await told.graph.assert_facts(told.owner, drafts, IMPORT)
    start, end = await id_of(told, "Person1"), await id_of(told, "Person59")
    chains = await told.graph.paths(told.owner, start, end, told.graph.view(), max_depth=8)
    assert 1 <= len(chains) <= 10
    assert len({len(chain) for chain in chains}) == 1


async def test_a_page_groups_what_is_known(told: Told) -> None:
    await told.read(
        person("Ana Torres"), "lives_in", Mention("Solo", PLACE), document="d1", occurred_at=at("2025-01-01")
    )
    await told.read(person("Ana Torres"), "lives_in", Mention("Tegal", PLACE), document="d2", occurred_at=NOW)
    await told.read(person("Ana Torres"), "likes", "tea", document="d2")
    await told.read(person("Ana Torres"), "likes", "jam", document="d2")
    await told.read(person("Bo"), "knows", person("Ana Torres"), document="d1")
    page = await told.graph.wiki(told.owner, await id_of(told, "Ana Torres"), told.graph.view())
    assert page.entity.name == "Ana Torres"
    assert {(relation.predicate, relation.is_inverse): len(relation.facts) for relation in page.relations} == {
        ("lives_in", False): 1,
        ("likes", False): 2,
        ("knows", True): 1,
    }
    assert [fact.text for fact in page.history] == ["Ana Torres lives in Solo"] or len(page.history) == 1
    assert [(source.document_id, source.facts_count) for source in page.sources] == [("d2", 3), ("d1", 1)]
    assert (page.facts_count, page.truncated) == (4, False)


async def test_facts_are_listed_by_entity_predicate_and_time(told: Told) -> None:
    await told.say(ME, "travels_to", Mention("Vienna", PLACE), valid_from=at("2026-03-20"))
    await told.say(ME, "travels_to", Mention("Oslo", PLACE), valid_from=at("2026-05-02"))
    await told.say("Ana", "likes", "tea")
    view = told.graph.view()
    spring = await told.graph.list_facts(told.owner, view, valid_from=at("2026-03-01"), valid_until=at("2026-04-01"))
    assert [fact.valid_from for fact in spring.data] == [at("2026-03-20")]
    vienna = await told.graph.list_facts(told.owner, view, entity_id=await id_of(told, "Vienna"))
    assert len(vienna.data) == 1
    assert (await told.graph.list_facts(told.owner, view, predicate="likes", limit=1)).next_cursor is None


async def test_candidates_are_seen_when_asked_for(told: Told) -> None:
    stored = await told.read("Ana", "likes", "tea", status=Status.CANDIDATE, document="d1")
    assert stored.fact
    assert await told.graph.search_facts(told.owner, "tea", told.graph.view(), limit=5) == ()
    seen = told.graph.view(include_candidates=True)
    hits = await told.graph.search_facts(told.owner, "Who likes tea?", seen, limit=5)
    assert [hit.fact.id for hit in hits] == [stored.fact.id]


# -- vectors


class Spelled:
    """An embedder whose vectors mirror three words."""

    def __init__(self, model: str, dimensions: int) -> None:
        from doso.llm.ports import EmbedderInfo

        self.info = EmbedderInfo(model, dimensions, "1")

    async def embed_passages(self, texts: list[str]) -> np.ndarray:
        return np.stack([await self.embed_query(text) for text in texts])

    async def embed_query(self, text: str) -> np.ndarray:
        row = np.zeros(self.info.dimensions, dtype=np.float32)
        for place, word in enumerate(("tea", "jam", "jazz")):
            row[place] = 1.0 if word in text else 0.01
        return row / np.linalg.norm(row)

    async def aclose(self) -> None:
        return None


async def test_facts_are_embedded_and_found_by_meaning(told: Told) -> None:
    for thing in ("tea", "jam", "jazz"):
        await told.say("Ana", "likes", thing)
    small, large = Spelled("small", 3), Spelled("large", 5)
    assert await told.graph.embed_missing(told.owner, small, batch=2) == 3  # type: ignore[arg-type]
    assert await told.graph.embed_missing(told.owner, small, batch=2) == 0  # type: ignore[arg-type]
    vector = await small.embed_query("jam")
    (hit,) = await told.graph.near_facts(told.owner, vector, small, told.graph.view(), limit=1)  # type: ignore[arg-type]
    assert hit.fact.text == "Ana likes jam"
    retract = Retract(subject=EntityRef(name="Ana"), predicate="likes", object=Literal("jam"))
    await told.graph.correct(told.owner, [retract], USER)
    (hit,) = await told.graph.near_facts(told.owner, vector, small, told.graph.view(), limit=1)  # type: ignore[arg-type]
    assert hit.fact.text != "Ana likes jam"
    assert await told.graph.embed_missing(told.owner, large) == 2  # type: ignore[arg-type]
    assert set((await told.graph.counts(told.owner)).detail) >= {"vectors:large"}
    assert "vectors:small" not in (await told.graph.counts(told.owner)).detail


async def test_entities_are_listed_in_pages(told: Told) -> None:
    await told.graph.bind(told.owner, [person(f"Person {name}") for name in ("Alpha", "Beta", "Gamma")])
    first = await told.graph.list_entities(told.owner, limit=2)
    rest = await told.graph.list_entities(told.owner, cursor=first.next_cursor, limit=2)
    names = [entity.name for entity in (*first.data, *rest.data)]
    assert names == ["Person Gamma", "Person Beta", "Person Alpha"]
    assert all(isinstance(entity, Entity) and entity.aliases for entity in first.data)
