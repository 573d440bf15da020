"""Nearest passages by cosine: in process beside SQLite, in pgvector on PostgreSQL."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from sqlalchemy import text

from doso.db.connection import AsyncConnection
from doso.ids import OwnerId
from doso.llm.ports import Vectors
from doso.records.passages import PassageFilter
from doso.vectors import VectorIndex
from ingest.library.lexical import scope_size
from ingest.library.narrowing import is_open, narrowing
from ingest.library.rows import OWNED
from ingest.library.vector_rows import MAX_HNSW_DIMENSIONS, IndexRow, spelled

#: Indexes kept in memory at once; the least used goes.
MAX_LOADED = 32
#: Up to this many vectors in reach PostgreSQL compares them all; above, HNSW goes on until enough pass the filter.
EXACT_VECTORS = 10_000
#: Rows fetched at a time while an index is loaded.
LOADED_AT_ONCE = 5000
#: Below this an in-process search is not worth a worker thread.
INLINE_VECTORS = 4096

_CHANGED = text(
    "SELECT seq, is_listed, vector, change FROM passage_vectors WHERE index_id = :id AND change > :after "
    "ORDER BY change LIMIT :limit OFFSET :skip"
)
_KEYS = text("SELECT seq FROM passage_vectors WHERE index_id = :id")
_KEPT = "SELECT p.seq FROM passages p JOIN documents d ON d.id = p.document_id WHERE d.owner = :owner AND "
_BY_TIME = "p.owner = :owner"
_EXACT = (
    "WITH kept AS MATERIALIZED (SELECT v.seq, v.vector FROM passage_vectors v JOIN passages p ON p.seq = v.seq "
    "JOIN documents d ON d.id = p.document_id WHERE v.index_id = :id AND p.owner = :owner{where}) "
    "SELECT seq, 1 - (vector <=> CAST(CAST(:vector AS TEXT) AS vector)) FROM kept "
    "ORDER BY vector <=> CAST(CAST(:vector AS TEXT) AS vector), seq LIMIT :limit"
)
_ITERATIVE = (text("SET LOCAL hnsw.iterative_scan = strict_order"), text("SET LOCAL hnsw.max_scan_tuples = 200000"))
_NEAR = (
    "SELECT v.seq, 1 - (v.vector::vector({n}) <=> CAST(CAST(:vector AS TEXT) AS vector({n}))) FROM passage_vectors v "
    "JOIN passages p ON p.seq = v.seq JOIN documents d ON d.id = p.document_id "
    "WHERE v.dimensions = {n} AND v.index_id = :id AND v.owner = :owner{where} "
    "ORDER BY v.vector::vector({n}) <=> CAST(CAST(:vector AS TEXT) AS vector({n})) LIMIT :limit"
)

Hits = list[tuple[int, float]]


class VectorSearch(Protocol):
    """Finds the nearest vectors of one index."""

    async def nearest(
        self,
        connection: AsyncConnection,
        owner: OwnerId,
        index: IndexRow,
        vector: Vectors,
        filter: PassageFilter,
        *,
        limit: int,
    ) -> Hits:
        """(seq, cosine), best first."""
        ...


@dataclass(slots=True)
class _Loaded:
    """One index in memory: the document arm and what is asked for by source only, each with its keys."""

    listed: VectorIndex
    unlisted: VectorIndex
    keys: set[str] = field(default_factory=set)
    change: int = 0
    removals: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class InProcessVectors:
    """Indexes in memory, loaded when first asked for. The counters of the index row tell what another process wrote
    since, so each search sees every committed vector."""

    def __init__(self) -> None:
        self._loaded: OrderedDict[int, _Loaded] = OrderedDict()

    async def nearest(
        self,
        connection: AsyncConnection,
        owner: OwnerId,
        index: IndexRow,
        vector: Vectors,
        filter: PassageFilter,
        *,
        limit: int,
    ) -> Hits:
        """Exact over what a filter keeps."""
        loaded = await self._fresh(connection, index)
        if is_open(filter):
            return await _search(loaded.listed, vector, limit, None)
        kept = narrowing(filter)
        is_by_time = filter.chat_ids is None and filter.document_ids is None and bool(kept.values)
        query = text(_KEPT + (_BY_TIME if is_by_time else OWNED) + kept.sql).bindparams(*kept.lists)
        rows = await connection.execute(query, {"owner": owner, **kept.values})
        keep = {str(row[0]) for row in rows}
        hits = await _search(loaded.listed, vector, limit, keep)
        hits += await _search(loaded.unlisted, vector, limit, keep)
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))[:limit]

    async def _fresh(self, connection: AsyncConnection, index: IndexRow) -> _Loaded:
        loaded = self._loaded.get(index.id)
        if loaded is None:
            size = index.info.dimensions
            loaded = self._loaded[index.id] = _Loaded(VectorIndex(size), VectorIndex(size))
            while len(self._loaded) > MAX_LOADED:
                self._loaded.popitem(last=False)
        self._loaded.move_to_end(index.id)
        if (loaded.change, loaded.removals) == (index.change, index.removals):
            return loaded
        async with loaded.lock:
            if loaded.change < index.change:
                await self._load(connection, index, loaded)
            if loaded.removals < index.removals:
                await self._drop(connection, index, loaded)
        return loaded

    async def _load(self, connection: AsyncConnection, index: IndexRow, loaded: _Loaded) -> None:
        skip = 0
        while True:
            values = {"id": index.id, "after": loaded.change, "limit": LOADED_AT_ONCE, "skip": skip}
            rows = (await connection.execute(_CHANGED, values)).all()
            for is_listed, target, other in (
                (1, loaded.listed, loaded.unlisted),
                (0, loaded.unlisted, loaded.listed),
            ):
                chosen = [row for row in rows if row[1] == is_listed]
                if not chosen:
                    continue
                keys = [str(row[0]) for row in chosen]
                matrix = np.frombuffer(b"".join(row[2] for row in chosen), dtype="<f2")
                await asyncio.to_thread(target.add, keys, matrix.reshape(len(keys), -1).astype(np.float32))
                await asyncio.to_thread(other.remove, keys)  # the source of a document may have changed
                loaded.keys.update(keys)
            if len(rows) < LOADED_AT_ONCE:
                break
            skip += LOADED_AT_ONCE
        loaded.change = index.change

    async def _drop(self, connection: AsyncConnection, index: IndexRow, loaded: _Loaded) -> None:
        present = {str(row[0]) for row in await connection.execute(_KEYS, {"id": index.id})}
        gone = loaded.keys - present
        loaded.listed.remove(gone)
        loaded.unlisted.remove(gone)
        loaded.keys -= gone
        loaded.removals = index.removals


@dataclass(frozen=True, slots=True)
class PgVectors:
    """pgvector: exact where few vectors are in reach, HNSW beyond."""

    exact_vectors: int = EXACT_VECTORS

    async def nearest(
        self,
        connection: AsyncConnection,
        owner: OwnerId,
        index: IndexRow,
        vector: Vectors,
        filter: PassageFilter,
        *,
        limit: int,
    ) -> Hits:
        """Exact over named chats and documents and over small indexes."""
        kept = narrowing(filter)
        size = index.info.dimensions
        scope = await scope_size(connection, owner, filter)
        reach = index.embedded if scope is None else min(scope, index.embedded)
        query = _EXACT
        if reach > self.exact_vectors and size <= MAX_HNSW_DIMENSIONS:
            query = _NEAR
            for statement in _ITERATIVE:
                await connection.execute(statement)
        statement = text(query.format(n=int(size), where=kept.sql).replace("::vector", "\\:\\:vector"))
        values = {"id": index.id, "owner": owner, "vector": spelled(vector), "limit": limit, **kept.values}
        rows = await connection.execute(statement.bindparams(*kept.lists), values)
        return [(row[0], float(row[1])) for row in rows]


async def _search(index: VectorIndex, vector: Vectors, limit: int, keep: set[str] | None) -> Hits:
    if len(index) == 0:
        return []
    if len(index) > INLINE_VECTORS:
        found = await asyncio.to_thread(index.search, vector, limit=limit, keep=keep)
    else:
        found = index.search(vector, limit=limit, keep=keep)
    return [(int(key), score) for key, score in found]
