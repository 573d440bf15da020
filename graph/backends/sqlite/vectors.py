"""Vectors of facts in SQLite, and the in-process index over them that is kept in step by a change number."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from doso.errors import IndexMismatch
from doso.ids import FactId
from doso.llm.ports import EmbedderInfo, Vectors
from doso.vectors import VectorIndex
from graph.backends.sqlite.scope import Scope, listed

EMBEDDER_NO = "SELECT no FROM embedders WHERE model = ? AND dimensions = ? AND version = ?"
ADD_EMBEDDER = "INSERT INTO embedders (model, dimensions, version) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
STATE = "SELECT seq, rows_count FROM vector_state WHERE owner = ? AND embedder = ?"
SAVE_STATE = """
INSERT INTO vector_state (owner, embedder, seq, rows_count) VALUES (?, ?, ?, ?)
ON CONFLICT (owner, embedder) DO UPDATE SET seq = excluded.seq, rows_count = excluded.rows_count"""
OTHERS = """
SELECT e.model, e.dimensions FROM vector_state s JOIN embedders e ON e.no = s.embedder
WHERE s.owner = ? AND s.embedder <> ? AND s.rows_count > 0"""
COUNTS = """
SELECT e.model, sum(s.rows_count) FROM vector_state s JOIN embedders e ON e.no = s.embedder
WHERE s.owner = ? AND s.rows_count > 0 GROUP BY e.model"""
KNOWN_FACTS = "SELECT id FROM facts WHERE owner = ? AND id IN (SELECT value FROM json_each(?))"
PUT = """
INSERT INTO fact_vectors (owner, embedder, fact_id, seq, vector) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (owner, embedder, fact_id) DO UPDATE SET seq = excluded.seq, vector = excluded.vector"""
MARK_FACT = "UPDATE facts SET embedder = ? WHERE owner = ? AND id = ?"
UNMARK_FACTS = "UPDATE facts SET embedder = NULL WHERE owner = ? AND id IN (SELECT value FROM json_each(?))"
HOLDERS = """
SELECT embedder, fact_id FROM fact_vectors
WHERE owner = ? AND fact_id IN (SELECT value FROM json_each(?)) AND embedder = ? AND vector IS NOT NULL"""
EMBEDDERS_OF = "SELECT embedder, seq, rows_count FROM vector_state WHERE owner = ?"
CHANGED = """
SELECT fact_id, vector, seq FROM fact_vectors WHERE owner = ? AND embedder = ? AND seq > ? ORDER BY seq LIMIT ?"""
DROP_VECTORS = """
UPDATE fact_vectors SET vector = NULL, seq = ? WHERE owner = ? AND embedder = ? AND vector IS NOT NULL"""
MISSING_FIRST = """
SELECT id FROM facts WHERE owner = ? AND embedder IS NULL AND retired_at IS NULL ORDER BY id LIMIT ?"""
MISSING_REST = """
SELECT f.id FROM facts f WHERE f.owner = ? AND f.embedder <> ? AND f.retired_at IS NULL AND NOT EXISTS (
  SELECT 1 FROM fact_vectors v
  WHERE v.owner = f.owner AND v.embedder = ? AND v.fact_id = f.id AND v.vector IS NOT NULL)
ORDER BY f.id LIMIT ?"""

#: Vectors read at once when an index is filled.
LOAD_ROWS = 20_000
#: No embedder has this number.
UNKNOWN = 0


@dataclass(slots=True)
class _Held:
    """An index in memory and the change number it has seen."""

    index: VectorIndex
    seq: int = 0
    filling: asyncio.Lock = field(default_factory=asyncio.Lock)


class VectorCache:
    """The indexes of this process, one per owner and embedder, filled on first use."""

    def __init__(self) -> None:
        self._held: dict[tuple[int, int], _Held] = {}

    async def nearest(self, scope: Scope, vector: Vectors, info: EmbedderInfo, limit: int) -> list[tuple[str, float]]:
        """Fact ids by cosine. Raises IndexMismatch when only vectors of other embedders are there."""
        embedder = await _embedder_no(scope, info)
        state = await scope.one(STATE, scope.no, embedder)
        seq, count = state or (0, 0)
        if not count:
            await _refuse_mismatch(scope, embedder, info)
            return []
        held = self._held.setdefault((scope.no, embedder), _Held(VectorIndex(info.dimensions)))
        async with held.filling:
            if held.seq < seq:
                await _fill(scope, embedder, held)
        return await asyncio.to_thread(held.index.search, vector, limit=limit)


async def missing(scope: Scope, info: EmbedderInfo, limit: int) -> list[FactId]:
    """Unretired facts without a vector of this embedder, oldest first."""
    embedder = await _embedder_no(scope, info)
    rows = list(await scope.all(MISSING_FIRST, scope.no, limit))
    rows += await scope.all(MISSING_REST, scope.no, embedder, embedder, limit)
    return sorted(FactId(row[0]) for row in rows)[:limit]


async def put_vectors(scope: Scope, info: EmbedderInfo, ids: Sequence[FactId], vectors: Vectors) -> None:
    """Store vectors of facts that are still there."""
    if vectors.ndim != 2 or vectors.shape != (len(ids), info.dimensions):
        size = vectors.shape[-1] if vectors.ndim else 0
        raise IndexMismatch(
            f"{len(ids)} vectors of {info.model} have {info.dimensions} dimensions, not {size}; nothing was stored."
        )
    await scope.run(ADD_EMBEDDER, info.model, info.dimensions, info.version)
    embedder = await _embedder_no(scope, info)
    known = {row[0] for row in await scope.all(KNOWN_FACTS, scope.no, listed(ids))}
    rows = {id: row for id, row in zip(ids, vectors.astype(np.float32), strict=True) if id in known}
    if not rows:
        return
    seq, count = await scope.one(STATE, scope.no, embedder) or (0, 0)
    held = await scope.all(HOLDERS, scope.no, listed(rows), embedder)
    await scope.many(PUT, [(scope.no, embedder, id, seq + 1, row.tobytes()) for id, row in rows.items()])
    await scope.many(MARK_FACT, [(embedder, scope.no, id) for id in rows])
    await scope.run(SAVE_STATE, scope.no, embedder, seq + 1, count + len(rows) - len(held))


async def forget_vectors(scope: Scope, ids: Collection[FactId]) -> None:
    """Drop the vectors of these facts under every embedder."""
    for embedder, seq, count in await scope.all(EMBEDDERS_OF, scope.no):
        held = await scope.all(HOLDERS, scope.no, listed(ids), embedder)
        if held:
            await scope.many(PUT, [(scope.no, embedder, row[1], seq + 1, None) for row in held])
            await scope.run(SAVE_STATE, scope.no, embedder, seq + 1, count - len(held))
    await scope.run(UNMARK_FACTS, scope.no, listed(ids))


async def drop_others(scope: Scope, keep: EmbedderInfo) -> None:
    """Drop the vectors of every embedder but one."""
    kept = await _embedder_no(scope, keep)
    for embedder, seq, _ in await scope.all(EMBEDDERS_OF, scope.no):
        if embedder != kept:
            await scope.run(DROP_VECTORS, seq + 1, scope.no, embedder)
            await scope.run(SAVE_STATE, scope.no, embedder, seq + 1, 0)


async def counts(scope: Scope) -> dict[str, int]:
    """How many vectors of each model there are."""
    return {f"vectors:{model}": count for model, count in await scope.all(COUNTS, scope.no)}


async def _embedder_no(scope: Scope, info: EmbedderInfo) -> int:
    row = await scope.one(EMBEDDER_NO, info.model, info.dimensions, info.version)
    return UNKNOWN if row is None else int(row[0])


async def _refuse_mismatch(scope: Scope, embedder: int, info: EmbedderInfo) -> None:
    others = await scope.all(OTHERS, scope.no, embedder)
    if others:
        held = ", ".join(f"{model} ({dimensions} dimensions)" for model, dimensions in others)
        raise IndexMismatch(
            f"The facts are embedded by {held}, the embedder is {info.model} ({info.dimensions} dimensions): re-embed."
        )


async def _fill(scope: Scope, embedder: int, held: _Held) -> None:
    """Read what changed since the index was last in step. Rows of one change number are never torn apart: a batch
    that is cut goes on from the number before its last one, and adding a row twice changes nothing."""
    seen = held.seq
    limit = LOAD_ROWS
    while rows := await scope.all(CHANGED, scope.no, embedder, seen, limit):
        gone = [row[0] for row in rows if row[1] is None]
        kept = [(row[0], row[1]) for row in rows if row[1] is not None]
        await asyncio.to_thread(_apply, held.index, gone, kept)
        last = int(rows[-1][2])
        if len(rows) < limit:
            seen = last
            break
        if last - 1 > seen:
            seen = last - 1
        else:
            limit *= 2
    held.seq = seen


def _apply(index: VectorIndex, gone: list[str], kept: list[tuple[str, bytes]]) -> None:
    index.remove(gone)
    if kept:
        vectors = np.frombuffer(b"".join(blob for _, blob in kept), dtype=np.float32)
        index.add([key for key, _ in kept], vectors.reshape(len(kept), -1))
