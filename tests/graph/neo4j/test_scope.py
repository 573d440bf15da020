"""Owners who share a Neo4j can't crowd each other out of its indexes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from doso.errors import Conflict, IndexMismatch
from doso.ids import OwnerId, new_id
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import Entity, Fact, Literal
from graph.backends.neo4j import nearest
from graph.backends.neo4j.search import lucene
from graph.ports import GraphStore, GraphTx
from tests.support.graph_records import NOW, a_fact, a_view, an_entity

pytestmark = pytest.mark.neo4j


async def put(store: GraphStore, owner: OwnerId, entities: list[Entity], facts: list[Fact]) -> None:
    async def work(tx: GraphTx) -> None:
        await tx.put_entities(entities)
        await tx.put_facts(facts)

    await store.transact(owner, work)


async def test_text_of_a_large_owner_hides_nothing_of_a_small_one(neo4j_store: GraphStore, owner: OwnerId) -> None:
    large = OwnerId(f"{owner}-large")
    crowd = an_entity(large, "Crowd")
    await put(neo4j_store, large, [crowd], [a_fact(crowd, "likes", Literal("zebrafinch")) for _ in range(300)])
    ana = an_entity(owner, "Ana Zebrafinch")
    mine = a_fact(ana, "likes", Literal("seven"), text="A long sentence that names the zebrafinch only by the way")
    await put(neo4j_store, owner, [ana], [mine])
    hits = await neo4j_store.search_facts(owner, ["zebrafinch"], a_view(), limit=2)
    assert [hit.fact.id for hit in hits] == [mine.id]
    assert await neo4j_store.search_entities(owner, ["zebrafinch"], limit=2) == (ana,)


async def test_what_a_view_hides_does_not_use_up_the_hits(neo4j_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    ended = [replace(a_fact(ana, "likes", Literal("tea")), valid_until=NOW) for _ in range(100)]
    kept = a_fact(ana, "likes", Literal("x"), text="a very long sentence about many things, one of which is tea")
    await put(neo4j_store, owner, [ana], [*ended, kept])
    hits = await neo4j_store.search_facts(owner, ["tea"], a_view(), limit=2)
    assert [hit.fact.id for hit in hits] == [kept.id]


@pytest.mark.parametrize("exact_count", [0, 2_000], ids=["index", "exact"])
async def test_vectors_of_a_large_owner_hide_nothing_of_a_small_one(
    neo4j_store: GraphStore, owner: OwnerId, exact_count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nearest, "EXACT_COUNT", exact_count)
    info = EmbedderInfo(f"model-{new_id()}", 4, "1")
    large = OwnerId(f"{owner}-large")
    crowd, ana = an_entity(large, "Crowd"), an_entity(owner, "Ana")
    many = [a_fact(crowd, "p", Literal(str(i))) for i in range(400)]
    near, far = a_fact(ana, "p", Literal("near")), a_fact(ana, "p", Literal("far"))
    await put(neo4j_store, large, [crowd], many)
    await put(neo4j_store, owner, [ana], [near, far])
    question: Vectors = np.array([1, 0, 0, 0], dtype=np.float32)
    await neo4j_store.put_fact_vectors(large, info, [fact.id for fact in many], np.tile(question, (400, 1)))
    mine: Vectors = np.array([[0.8, 0.6, 0, 0], [0, 0, 1, 0]], dtype=np.float32)
    await neo4j_store.put_fact_vectors(owner, info, [near.id, far.id], mine)
    hits = await neo4j_store.near_facts(owner, question, info, a_view(), limit=2)
    assert [(hit.fact.id, round(hit.score, 3)) for hit in hits] == [(near.id, 0.8), (far.id, 0.0)]


async def test_a_vector_without_direction_is_near_to_nothing(neo4j_store: GraphStore, owner: OwnerId) -> None:
    info = EmbedderInfo("model", 4, "1")
    ana = an_entity(owner, "Ana")
    fact = a_fact(ana, "p", Literal("x"))
    await put(neo4j_store, owner, [ana], [fact])
    zero: Vectors = np.zeros(4, dtype=np.float32)
    await neo4j_store.put_fact_vectors(owner, info, [fact.id], zero[None, :])
    assert await neo4j_store.facts_without_vectors(owner, info, limit=5) == ()
    assert await neo4j_store.near_facts(owner, zero, info, a_view(), limit=5) == ()
    assert await neo4j_store.near_facts(owner, zero + 1, info, a_view(), limit=5) == ()


async def test_a_vector_that_is_no_number_is_refused(neo4j_store: GraphStore, owner: OwnerId) -> None:
    ana = an_entity(owner, "Ana")
    fact = a_fact(ana, "p", Literal("x"))
    await put(neo4j_store, owner, [ana], [fact])
    bad: Vectors = np.array([[1, np.nan, 0, 0]], dtype=np.float32)
    with pytest.raises(IndexMismatch, match="no finite number"):
        await neo4j_store.put_fact_vectors(owner, EmbedderInfo("model", 4, "1"), [fact.id], bad)


async def test_facts_that_wait_for_vectors_are_found_however_they_came_to_wait(
    neo4j_store: GraphStore, owner: OwnerId
) -> None:
    info = EmbedderInfo("model", 4, "1")
    ana = an_entity(owner, "Ana")
    facts = [a_fact(ana, "p", Literal(str(i))) for i in range(6)]
    retired = replace(facts[1], retired_at=NOW)
    await put(neo4j_store, owner, [ana], [facts[0], retired, *facts[2:]])
    rows: Vectors = np.ones((1, 4), dtype=np.float32)
    waiting: list[list[str]] = []
    for _ in range(5):
        found = await neo4j_store.facts_without_vectors(owner, info, limit=2)
        waiting.append([fact.id for fact in found])
        for fact in found[:1]:
            await neo4j_store.put_fact_vectors(owner, info, [fact.id], rows)
    ids = [fact.id for fact in (facts[0], *facts[2:])]
    assert waiting == [ids[0:2], ids[1:3], ids[2:4], ids[3:5], ids[4:5]]
    await put(neo4j_store, owner, [], [facts[1]])  # it is back
    assert [f.id for f in await neo4j_store.facts_without_vectors(owner, info, limit=2)] == [facts[1].id]


async def test_a_name_that_belongs_to_another_is_a_conflict(neo4j_store: GraphStore, owner: OwnerId) -> None:
    await put(neo4j_store, owner, [an_entity(owner, "Ana")], [])
    with pytest.raises(Conflict, match="Ana"):
        await put(neo4j_store, owner, [an_entity(owner, "Ana")], [])
    with pytest.raises(Conflict, match="bob"):
        await put(neo4j_store, owner, [an_entity(owner, "Bob"), an_entity(owner, "Bob")], [])


def test_a_query_is_made_of_quoted_terms_only() -> None:
    owner = OwnerId("f2c59d63-a7a7-45e6-8000-0000000000aa")
    query = lucene(owner, ['a"b', "c\\", "AND", "two words", "", "AND"], ["verified"])
    assert query is not None
    scope, _, rest = query.partition(" ")
    assert scope.startswith('+scope:"o')
    assert owner not in scope
    assert rest == '+scope:("verified")^0 +search:("a\\"b" "c\\\\" "AND")'
    assert lucene(owner, ["", " "], []) is None
