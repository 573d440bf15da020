"""The graph store over Neo4j."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import datetime
from functools import partial
from typing import LiteralString, TypeVar

from doso.ids import EntityId, FactId, OwnerId
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import Change, Entity, EntityType, Fact, FactHit, GraphCounts, Page
from graph.backends.neo4j import changes, entities, facts, listing, nearest, neighbours, schema, search
from graph.backends.neo4j import vectors as vector_sets
from graph.backends.neo4j.connection import Connection, Statements
from graph.backends.neo4j.transaction import Neo4jTx
from graph.ports import GraphTx, View

T = TypeVar("T")

#: Who has an entity: an owner whose writes all failed or were forgotten has none.
OWNERS: LiteralString = """
MATCH (o:Owner) WHERE EXISTS { MATCH (e:Entity) WHERE e.owner = o.id AND e.id < $top } RETURN o.id AS id ORDER BY id
"""
PING: LiteralString = "RETURN 1 AS one"


class Neo4jStore:
    """The port's GraphStore. Reads and writes are bounded in time; `Connection` says how."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._indexed: set[str] = set()  # embedders whose vector index is known to be there

    async def prepare(self) -> None:
        there = {row["name"] for row in await self._connection.ask(schema.NAMES)}
        missing = [statement for name, statement in schema.statements().items() if name not in there]
        for statement in missing:
            await self._connection.define(statement)
        await self._connection.define(schema.AWAIT_INDEXES)

    async def transact(self, owner: OwnerId, work: Callable[[GraphTx], Awaitable[T]]) -> T:
        async def unit(run: Statements) -> T:
            return await work(Neo4jTx(run))

        return await self._connection.write(owner, unit)

    async def entities(self, owner: OwnerId, ids: Collection[EntityId]) -> dict[EntityId, Entity]:
        return await self._connection.read(owner, partial(entities.by_id, ids=ids))

    async def entities_by_key(self, owner: OwnerId, keys: Collection[str]) -> dict[str, tuple[Entity, ...]]:
        return await self._connection.read(owner, partial(entities.by_key, keys=keys))

    async def entities_by_block(
        self, owner: OwnerId, blocks: Collection[str], *, per_block: int
    ) -> dict[str, tuple[Entity, ...]]:
        return await self._connection.read(owner, partial(entities.by_block, blocks=blocks, per_block=per_block))

    async def group(self, owner: OwnerId, ids: Collection[EntityId]) -> tuple[Entity, ...]:
        return await self._connection.read(owner, partial(entities.group, ids=ids))

    async def search_entities(self, owner: OwnerId, tokens: Sequence[str], *, limit: int) -> tuple[Entity, ...]:
        return await self._connection.read(owner, partial(search.search_entities, tokens=tokens, limit=limit))

    async def list_entities(
        self, owner: OwnerId, *, type: EntityType | None, cursor: str | None, limit: int
    ) -> Page[Entity]:
        return await self._connection.read(owner, partial(entities.listed, type=type, cursor=cursor, limit=limit))

    async def owner_entity(self, owner: OwnerId) -> Entity | None:
        return await self._connection.read(owner, entities.owner_entity)

    async def neighbours(
        self, owner: OwnerId, ids: Collection[EntityId], view: View, *, per_predicate: int, per_entity: int
    ) -> tuple[tuple[Fact, ...], bool]:
        work = partial(neighbours.around, ids=ids, view=view, per_predicate=per_predicate, per_entity=per_entity)
        return await self._connection.read(owner, work)

    async def search_facts(
        self, owner: OwnerId, tokens: Sequence[str], view: View, *, limit: int
    ) -> tuple[FactHit, ...]:
        return await self._connection.read(owner, partial(search.search_facts, tokens=tokens, view=view, limit=limit))

    async def near_facts(
        self, owner: OwnerId, vector: Vectors, info: EmbedderInfo, view: View, *, limit: int
    ) -> tuple[FactHit, ...]:
        work = partial(nearest.near_facts, vector=vector, info=info, view=view, limit=limit)
        return await self._connection.read(owner, work)

    async def facts(self, owner: OwnerId, ids: Collection[FactId]) -> dict[FactId, Fact]:
        return await self._connection.read(owner, partial(facts.by_id, ids=ids))

    async def list_facts(
        self,
        owner: OwnerId,
        view: View,
        *,
        entity_ids: Collection[EntityId] | None,
        predicate: str | None,
        cursor: str | None,
        limit: int,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
    ) -> Page[Fact]:
        work = partial(
            listing.listed,
            view=view,
            entity_ids=entity_ids,
            predicate=predicate,
            cursor=cursor,
            limit=limit,
            valid_from=valid_from,
            valid_until=valid_until,
        )
        return await self._connection.read(owner, work)

    async def list_changes(
        self, owner: OwnerId, *, target_id: str | None, cursor: str | None, limit: int
    ) -> Page[Change]:
        work = partial(changes.listed, target_id=target_id, cursor=cursor, limit=limit)
        return await self._connection.read(owner, work)

    async def facts_without_vectors(self, owner: OwnerId, info: EmbedderInfo, *, limit: int) -> tuple[Fact, ...]:
        async def work(run: Statements) -> tuple[Fact, ...]:
            ids = await vector_sets.without(run, info, limit)
            read = await facts.by_id(run, ids)
            return tuple(read[id] for id in ids if id in read)

        return await self._connection.read(owner, work)

    async def put_fact_vectors(self, owner: OwnerId, info: EmbedderInfo, ids: Sequence[FactId], rows: Vectors) -> None:
        checked = vector_sets.checked(info, ids, rows)
        if len(checked) == 0:
            return
        await self._index(info)
        await self._connection.write(owner, partial(vector_sets.put, info=info, ids=ids, rows=checked))

    async def drop_other_vectors(self, owner: OwnerId, keep: EmbedderInfo) -> None:
        for held in await self._connection.read(owner, vector_sets.sets):
            if held.key != schema.embedder_key(keep):
                while await self._connection.write(owner, partial(vector_sets.drop_some, key=held.key)):
                    pass  # each round removes a full batch, so the loop ends with the vectors

    async def counts(self, owner: OwnerId) -> GraphCounts:
        return await self._connection.read(owner, facts.counts)

    async def owners(self) -> tuple[OwnerId, ...]:
        return tuple(OwnerId(row["id"]) for row in await self._connection.ask(OWNERS, {"top": schema.TOP}))

    async def check(self) -> None:
        await self._connection.ask(PING)

    async def aclose(self) -> None:
        await self._connection.aclose()

    async def _index(self, info: EmbedderInfo) -> None:
        """Make the vector index of an embedder, unless it is there; in a transaction of its own, before the data."""
        key = schema.embedder_key(info)
        if key in self._indexed:
            return
        await self._connection.define(schema.vector_index(info))
        await self._connection.define(schema.AWAIT_INDEXES)
        self._indexed.add(key)
