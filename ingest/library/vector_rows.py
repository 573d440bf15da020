"""Vector indexes of an owner: the active one, the one being built beside it, and what each still lacks."""

# ruff: noqa: S608 - statements are put together from constants only, values are parameters
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from sqlalchemy import bindparam, text

from doso.db.connection import AsyncConnection
from doso.errors import EmbedderUnavailable
from doso.ids import OwnerId
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import Passage, Source
from ingest.library.narrowing import LISTED
from ingest.library.rows import PASSAGE_COLUMNS, AnyRow, chunks, micros, passage_of

#: pgvector's HNSW takes no more dimensions than this; larger vectors are compared one by one.
MAX_HNSW_DIMENSIONS = 2000
_LISTED = frozenset(source.value for source in LISTED)

_COLUMNS = "id, state, model, dimensions, version, embedded, failed, change, removals, error"
_INDEXES = text(f"SELECT {_COLUMNS} FROM vector_indexes WHERE owner = :owner")
_MAKE = text(
    "INSERT INTO vector_indexes (owner, state, model, dimensions, version, created_at) "
    "VALUES (:owner, :state, :model, :dimensions, :version, :now)"
)
_DROP = (
    text(
        "DELETE FROM passage_vectors WHERE index_id IN "
        "(SELECT id FROM vector_indexes WHERE owner = :owner AND state = :state)"
    ),
    text("DELETE FROM embedding_queue WHERE owner = :owner AND slot = :state"),
    text("DELETE FROM vector_indexes WHERE owner = :owner AND state = :state"),
)
_QUEUE_ALL = text(
    "INSERT INTO embedding_queue (seq, slot, owner) SELECT seq, 'building', owner FROM passages WHERE owner = :owner "
    "ORDER BY seq"
)
_PROMOTE = (
    text("UPDATE vector_indexes SET state = 'active' WHERE owner = :owner AND state = 'building'"),
    text("UPDATE embedding_queue SET slot = 'active' WHERE owner = :owner AND slot = 'building'"),
)
_HAS_PENDING = text("SELECT 1 FROM embedding_queue WHERE owner = :owner AND slot = :slot AND error IS NULL LIMIT 1")
_NEXT = text(
    f"SELECT q.number, {PASSAGE_COLUMNS} FROM embedding_queue q JOIN passages p ON p.seq = q.seq "
    "JOIN documents d ON d.id = p.document_id WHERE q.owner = :owner AND q.slot = :slot AND q.error IS NULL "
    "AND q.number > :after ORDER BY q.number LIMIT :limit"
)
_CURRENT = text(
    "SELECT p.seq, p.content_hash, d.source FROM passages p JOIN documents d ON d.id = p.document_id "
    "WHERE p.seq IN :seqs"
).bindparams(bindparam("seqs", expanding=True))
_TAKE = text("DELETE FROM embedding_queue WHERE slot = :slot AND seq IN :seqs RETURNING seq").bindparams(
    bindparam("seqs", expanding=True)
)
_CHANGE = text(
    "UPDATE vector_indexes SET change = change + 1, embedded = embedded + :count, error = NULL "
    "WHERE id = :id RETURNING change"
)
_VALUES = "(index_id, seq, owner, content_hash, dimensions, change, is_listed, vector) VALUES (:index_id, :seq, "
_AGAIN = (
    " ON CONFLICT (index_id, seq) DO UPDATE SET content_hash = excluded.content_hash, change = excluded.change, "
    "is_listed = excluded.is_listed, vector = excluded.vector"
)
_REST = ":owner, :content_hash, :dimensions, :change, :is_listed, "
_PUT_SQLITE = text(f"INSERT INTO passage_vectors {_VALUES}{_REST}:vector){_AGAIN}")
_PUT_POSTGRES = text(f"INSERT INTO passage_vectors {_VALUES}{_REST}CAST(CAST(:vector AS TEXT) AS vector)){_AGAIN}")
_FAIL = text(
    "UPDATE embedding_queue SET error = :error WHERE slot = :slot AND seq IN :seqs AND error IS NULL RETURNING seq"
).bindparams(bindparam("seqs", expanding=True))
_COUNT_FAILED = text("UPDATE vector_indexes SET failed = failed + :count WHERE id = :id")
_IN_INDEX = text("SELECT DISTINCT index_id FROM passage_vectors WHERE seq IN :seqs").bindparams(
    bindparam("seqs", expanding=True)
)
_MOVED = text("UPDATE vector_indexes SET change = change + 1 WHERE id = :id RETURNING change")
_RELIST = text(
    "UPDATE passage_vectors SET is_listed = :is_listed, change = :change WHERE index_id = :id AND seq IN :seqs"
).bindparams(bindparam("seqs", expanding=True))
_TROUBLE = text("UPDATE vector_indexes SET error = :error WHERE id = :id")
_HNSW = (
    "CREATE INDEX IF NOT EXISTS passage_vectors_hnsw_{n} ON passage_vectors USING hnsw "
    "((vector::vector({n})) vector_cosine_ops) WHERE dimensions = {n}"
)
_HAS_HNSW = text("SELECT to_regclass(:name)")


@dataclass(frozen=True, slots=True)
class IndexRow:
    """One vector index of an owner with its counters. `error`: why embedding does not get on at present."""

    id: int
    state: str
    info: EmbedderInfo
    embedded: int
    failed: int
    change: int
    removals: int
    error: str | None

    def fits(self, info: EmbedderInfo) -> bool:
        """Whether vectors of this embedder compare with those of the index."""
        return identity(self.info) == identity(info)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A passage that lacks its vector."""

    number: int
    seq: int
    passage: Passage


def identity(info: EmbedderInfo) -> tuple[str, int, str]:
    """What makes vectors comparable."""
    return info.model, info.dimensions, info.version


async def indexes(connection: AsyncConnection, owner: OwnerId) -> dict[str, IndexRow]:
    """The owner's indexes by state."""
    rows = await connection.execute(_INDEXES, {"owner": owner})
    return {row[1]: _index(row) for row in rows}


async def make(
    connection: AsyncConnection, owner: OwnerId, state: str, info: EmbedderInfo, now: datetime, *, is_sqlite: bool
) -> IndexRow:
    """A new empty index; whatever stood in that place goes. A building one has every passage queued."""
    for statement in _DROP if state == "building" else ():
        await connection.execute(statement, {"owner": owner, "state": state})
    values = {"model": info.model, "dimensions": info.dimensions, "version": info.version, "now": micros(now)}
    await connection.execute(_MAKE, {"owner": owner, "state": state, **values})
    if state == "building":
        await connection.execute(_QUEUE_ALL, {"owner": owner})
    if not is_sqlite and info.dimensions <= MAX_HNSW_DIMENSIONS:
        name = f"passage_vectors_hnsw_{int(info.dimensions)}"
        if (await connection.execute(_HAS_HNSW, {"name": name})).scalar() is None:
            await connection.execute(text(_HNSW.format(n=int(info.dimensions))))
    return (await indexes(connection, owner))[state]


async def cut_over(connection: AsyncConnection, owner: OwnerId) -> bool:
    """Put the built index in the place of the active one and drop the old vectors; False while it lacks any."""
    if (await connection.execute(_HAS_PENDING, {"owner": owner, "slot": "building"})).first() is not None:
        return False
    for statement in _DROP:
        await connection.execute(statement, {"owner": owner, "state": "active"})
    for statement in _PROMOTE:
        await connection.execute(statement, {"owner": owner})
    return True


async def waiting(
    connection: AsyncConnection, owner: OwnerId, slot: str, *, after: int, limit: int
) -> tuple[Waiting, ...]:
    """The next passages without a vector, in the order they were stored."""
    values = {"owner": owner, "slot": slot, "after": after, "limit": limit}
    rows = await connection.execute(_NEXT, values)
    return tuple(Waiting(row[0], row[19], passage_of(row[1:])) for row in rows)  # type: ignore[arg-type]


async def put(
    connection: AsyncConnection,
    owner: OwnerId,
    index: IndexRow,
    hashes: Mapping[int, str],
    vectors: Vectors,
    *,
    is_sqlite: bool,
) -> int:
    """Store vectors, in the order of `hashes` (seq -> content hash that was embedded). Passages that were edited or
    dropped meanwhile, or that another worker did, are left out. Raises EmbedderUnavailable for a wrong shape."""
    if vectors.shape != (len(hashes), index.info.dimensions):
        raise EmbedderUnavailable(
            f"The index has {index.info.dimensions} dimensions, the embedder gave vectors of shape {vectors.shape}."
        )
    current = {
        row[0]: row[2] for row in await connection.execute(_CURRENT, {"seqs": list(hashes)}) if row[1] == hashes[row[0]]
    }
    if not current:
        return 0
    taken = {row[0] for row in await connection.execute(_TAKE, {"slot": index.state, "seqs": sorted(current)})}
    if not taken:
        return 0
    change = (await connection.execute(_CHANGE, {"id": index.id, "count": len(taken)})).scalar_one()
    rows = [
        {
            "index_id": index.id,
            "seq": seq,
            "owner": owner,
            "content_hash": hashes[seq],
            "dimensions": index.info.dimensions,
            "change": change,
            "is_listed": int(current[seq] in _LISTED),
            "vector": packed(vectors[row]) if is_sqlite else spelled(vectors[row]),
        }
        for row, seq in enumerate(hashes)
        if seq in taken
    ]
    await connection.execute(_PUT_SQLITE if is_sqlite else _PUT_POSTGRES, rows)
    return len(rows)


async def relist(connection: AsyncConnection, seqs: Sequence[int], source: Source) -> None:
    """The source of these passages changed: their vectors go to the arm that it belongs to."""
    for run in chunks(seqs):
        for (index_id,) in (await connection.execute(_IN_INDEX, {"seqs": list(run)})).all():
            change = (await connection.execute(_MOVED, {"id": index_id})).scalar_one()
            values = {"id": index_id, "change": change, "is_listed": int(source in LISTED), "seqs": list(run)}
            await connection.execute(_RELIST, values)


async def fail(connection: AsyncConnection, index: IndexRow, seqs: Sequence[int], error: str) -> None:
    """These passages can't be embedded: they are counted as failed and not tried again until edited."""
    failed = (await connection.execute(_FAIL, {"slot": index.state, "seqs": list(seqs), "error": error})).all()
    await connection.execute(_COUNT_FAILED, {"id": index.id, "count": len(failed)})


async def trouble(connection: AsyncConnection, index: IndexRow, error: str) -> None:
    """Show why embedding does not get on; the next vectors stored clear it."""
    await connection.execute(_TROUBLE, {"id": index.id, "error": error})


def packed(vector: Vectors) -> bytes:
    """Half precision, little-endian: what the in-process index keeps anyway."""
    return np.asarray(vector, dtype="<f2").tobytes()


def spelled(vector: Vectors) -> str:
    """A vector as PostgreSQL reads it."""
    return "[" + ",".join(map(repr, np.asarray(vector, dtype=np.float32).tolist())) + "]"


def _index(row: AnyRow) -> IndexRow:
    info = EmbedderInfo(model=row[2], dimensions=row[3], version=row[4])
    return IndexRow(row[0], row[1], info, row[5], row[6], row[7], row[8], row[9])
