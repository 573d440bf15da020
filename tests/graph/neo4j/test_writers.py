"""Many writers of one owner, of several processes, neither deadlock nor store a thing twice."""

from __future__ import annotations

import asyncio

import pytest

from doso.ids import FactId, OwnerId, stable_id
from doso.records import Entity
from graph.ports import GraphStore, GraphTx
from graph.registry import open_graph_store
from tests.support.graph_records import a_fact, a_provenance, a_view, an_entity

pytestmark = pytest.mark.neo4j

ORDERS = [[("C", "B"), ("B", "A")], [("A", "B"), ("B", "C")]] * 4


async def test_writers_in_opposite_order_end_with_each_fact_once(
    neo4j_store: GraphStore, neo4j_url: str, owner: OwnerId
) -> None:
    """Two stores share no lock in memory, as two processes would not: only the database keeps them apart."""
    other_store = open_graph_store(neo4j_url)

    async def bound(tx: GraphTx, name: str) -> Entity:
        held = await tx.entities_by_key([name.lower()])
        if held:
            return held[name.lower()][0]
        entity = an_entity(owner, name)
        await tx.put_entities([entity])
        return entity

    async def write(store: GraphStore, pairs: list[tuple[str, str]]) -> None:
        async def work(tx: GraphTx) -> None:
            for subject_name, object_name in pairs:
                subject, object = await bound(tx, subject_name), await bound(tx, object_name)
                key = stable_id(subject.id, "knows", object.id)
                held = await tx.facts_by_key([key])
                fact = held[key][0] if held else a_fact(subject, "knows", object, key=key)
                await tx.put_facts([fact])
                await tx.add_provenance([(FactId(fact.id), a_provenance("d1", "p1"))])

        await store.transact(owner, work)

    stores = [neo4j_store, other_store]
    await asyncio.gather(*(write(stores[i % 2], pairs) for i, pairs in enumerate([*ORDERS, *ORDERS])))
    await other_store.aclose()
    page = await neo4j_store.list_facts(owner, a_view(), entity_ids=None, predicate=None, cursor=None, limit=50)
    assert len({(fact.subject_id, fact.object) for fact in page.data}) == 4
    assert len(page.data) == 4
    assert [len(fact.provenance) for fact in page.data] == [1] * 4
    assert (await neo4j_store.counts(owner)).entities == 3
