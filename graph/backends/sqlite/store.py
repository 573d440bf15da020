"""The SQLite graph store: the port's reads, each in one snapshot, and its write transactions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import TypeVar

from doso.db.engine import Database
from doso.ids import EntityId, FactId, OwnerId
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import Change, Entity, EntityType, Fact, FactHit, GraphCounts, Page
from graph.backends.sqlite import changes, entities, facts, search, vectors
from graph.backends.sqlite.scope import NOBODY, Scope, reading, writing
from graph.backends.sqlite.tables import ADDED, SCHEMA
from graph.backends.sqlite.transaction import SqliteTx
from graph.ports import GraphTx, View

T = TypeVar("T")

COUNTS = "SELECT entities, facts, candidates FROM owners WHERE no = ?"
OWNERS = "SELECT id FROM owners ORDER BY no"
CHECK = "SELECT 1"


class SqliteGraphStore:
    """A graph in a SQLite file of its own."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._vectors = vectors.VectorCache()
        self._numbers: dict[OwnerId, int] = {}  # of owners that are committed

    async def prepare(self) -> None:
        async with self._database.write() as connection:
            for statement in SCHEMA:
                await connection.exec_driver_sql(statement)
            for table, column, type in ADDED:
                held = (await connection.exec_driver_sql(f"PRAGMA table_info({table})")).fetchall()
                if column not in {row[1] for row in held}:
                    await connection.exec_driver_sql(f"ALTER TABLE {table} ADD COLUMN {column} {type}")

    async def transact(self, owner: OwnerId, work: Callable[[GraphTx], Awaitable[T]]) -> T:
        async with self._database.write() as connection:
            number = self._numbers.get(owner)
            scope = await writing(connection, owner) if number is None else Scope(connection, owner, number)
            done = await work(SqliteTx(scope))
        self._numbers[owner] = scope.no
        return done

    async def entities(self, owner: OwnerId, ids: Collection[EntityId]) -> dict[EntityId, Entity]:
        async with self._reading(owner) as scope:
            return await entities.by_id(scope, ids)

    async def entities_by_key(self, owner: OwnerId, keys: Collection[str]) -> dict[str, tuple[Entity, ...]]:
        async with self._reading(owner) as scope:
            return await entities.by_key(scope, keys)

    async def entities_by_block(
        self, owner: OwnerId, blocks: Collection[str], *, per_block: int
    ) -> dict[str, tuple[Entity, ...]]:
        async with self._reading(owner) as scope:
            return await entities.by_block(scope, blocks, per_block)

    async def group(self, owner: OwnerId, ids: Collection[EntityId]) -> tuple[Entity, ...]:
        async with self._reading(owner) as scope:
            return await entities.group(scope, ids)

    async def search_entities(self, owner: OwnerId, tokens: Sequence[str], *, limit: int) -> tuple[Entity, ...]:
        async with self._reading(owner) as scope:
            return await entities.search(scope, tokens, limit)

    async def list_entities(
        self, owner: OwnerId, *, type: EntityType | None, cursor: str | None, limit: int
    ) -> Page[Entity]:
        async with self._reading(owner) as scope:
            return await entities.page(scope, type, cursor, limit)

    async def owner_entity(self, owner: OwnerId) -> Entity | None:
        async with self._reading(owner) as scope:
            return await entities.owner_entity(scope)

    async def neighbours(
        self, owner: OwnerId, ids: Collection[EntityId], view: View, *, per_predicate: int, per_entity: int
    ) -> tuple[tuple[Fact, ...], bool]:
        async with self._reading(owner) as scope:
            return await search.neighbours(scope, ids, view, per_predicate, per_entity)

    async def search_facts(
        self, owner: OwnerId, tokens: Sequence[str], view: View, *, limit: int
    ) -> tuple[FactHit, ...]:
        async with self._reading(owner) as scope:
            return await search.by_words(scope, tokens, view, limit)

    async def near_facts(
        self, owner: OwnerId, vector: Vectors, info: EmbedderInfo, view: View, *, limit: int
    ) -> tuple[FactHit, ...]:
        async with self._reading(owner) as scope:
            return await search.by_vector(scope, self._vectors, vector, info, view, limit=limit)

    async def facts(self, owner: OwnerId, ids: Collection[FactId]) -> dict[FactId, Fact]:
        async with self._reading(owner) as scope:
            return await facts.by_id(scope, ids)

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
        async with self._reading(owner) as scope:
            return await facts.page(
                scope,
                view,
                entity_ids=entity_ids,
                predicate=predicate,
                cursor=cursor,
                limit=limit,
                valid_from=valid_from,
                valid_until=valid_until,
            )

    async def list_changes(
        self, owner: OwnerId, *, target_id: str | None, cursor: str | None, limit: int
    ) -> Page[Change]:
        async with self._reading(owner) as scope:
            return await changes.page(scope, target_id, cursor, limit)

    async def facts_without_vectors(self, owner: OwnerId, info: EmbedderInfo, *, limit: int) -> tuple[Fact, ...]:
        async with self._reading(owner) as scope:
            found = await facts.by_id(scope, await vectors.missing(scope, info, limit))
            return tuple(found.values())

    async def put_fact_vectors(self, owner: OwnerId, info: EmbedderInfo, ids: Sequence[FactId], rows: Vectors) -> None:
        async with self._database.write() as connection:
            await vectors.put_vectors(await writing(connection, owner), info, ids, rows)

    async def drop_other_vectors(self, owner: OwnerId, keep: EmbedderInfo) -> None:
        async with self._database.write() as connection:
            await vectors.drop_others(await writing(connection, owner), keep)

    async def counts(self, owner: OwnerId) -> GraphCounts:
        async with self._reading(owner) as scope:
            row = await scope.one(COUNTS, scope.no) or (0, 0, 0)
            return GraphCounts(row[0], row[1], {"candidates": row[2], **await vectors.counts(scope)})

    async def owners(self) -> tuple[OwnerId, ...]:
        async with self._database.read() as connection:
            rows = (await connection.exec_driver_sql(OWNERS)).fetchall()
            return tuple(OwnerId(row[0]) for row in rows)

    async def check(self) -> None:
        async with self._database.read() as connection:
            await connection.exec_driver_sql(CHECK)

    async def aclose(self) -> None:
        await self._database.aclose()

    @asynccontextmanager
    async def _reading(self, owner: OwnerId) -> AsyncIterator[Scope]:
        async with self._database.read() as connection:
            number = self._numbers.get(owner)
            scope = await reading(connection, owner) if number is None else Scope(connection, owner, number)
            if scope.no != NOBODY:
                self._numbers[owner] = scope.no
            yield scope
