"""How far an owner's index is, read from counters that every write keeps."""

# ruff: noqa: S608 - statements are put together from constants only, values are parameters
from __future__ import annotations

from typing import NewType

from sqlalchemy import text

from doso.db.connection import AsyncConnection
from doso.ids import OwnerId
from doso.llm.ports import EmbedderInfo
from doso.records import IndexStatus
from ingest.library.vector_rows import IndexRow, indexes

#: Owners that one sweep takes up.
MAX_SWEPT = 1000

Mark = NewType("Mark", str)
EMBEDDED = Mark("embedded_work")
EXTRACTED = Mark("extracted_work")

_PASSAGES = text("SELECT passages FROM owners WHERE owner = :owner")
_UNFINISHED = text(
    "SELECT owner FROM owners WHERE embedded_work < stored_work OR extracted_work < stored_work "
    "UNION SELECT owner FROM vector_indexes WHERE state = 'building' LIMIT :limit"
)
_OTHER_ACTIVE = text(
    "SELECT owner FROM vector_indexes WHERE state = 'active' AND (model <> :model OR dimensions <> :dimensions "
    "OR version <> :version) LIMIT :limit"
)
_MARKS = {
    mark: text(f"UPDATE owners SET {mark} = :work WHERE owner = :owner AND {mark} < :work")
    for mark in (EMBEDDED, EXTRACTED)
}

_MARKED = {mark: text(f"SELECT {mark} FROM owners WHERE owner = :owner") for mark in (EMBEDDED, EXTRACTED)}


async def index_status(connection: AsyncConnection, owner: OwnerId, embedder: EmbedderInfo | None) -> IndexStatus:
    """The counters of the active index, with a warning for each thing that keeps it from being whole."""
    passages = (await connection.execute(_PASSAGES, {"owner": owner})).scalar() or 0
    found = await indexes(connection, owner)
    active = found.get("active")
    if active is None:
        model, dimensions = (embedder.model, embedder.dimensions) if embedder else ("", 0)
        return IndexStatus(passages, 0, passages, 0, model, dimensions)
    return IndexStatus(
        passages=passages,
        embedded=active.embedded,
        pending=max(0, passages - active.embedded - active.failed),
        failed=active.failed,
        model=active.info.model,
        dimensions=active.info.dimensions,
        warnings=_warnings(active, found.get("building"), passages, embedder),
    )


def _warnings(
    active: IndexRow, building: IndexRow | None, passages: int, embedder: EmbedderInfo | None
) -> tuple[str, ...]:
    warnings = []
    if embedder is not None and not active.fits(embedder):
        warnings.append(mismatch(active.info, embedder))
    if building is not None:
        warnings.append(f"A new index for {_named(building.info)} is being built: {building.embedded} of {passages}.")
    warnings += [f"Embedding is held up: {index.error}" for index in (active, building) if index and index.error]
    if active.failed:
        warnings.append(f"{active.failed} passages could not be embedded; text search finds them.")
    return tuple(warnings)


def mismatch(stored: EmbedderInfo, configured: EmbedderInfo) -> str:
    """What to tell when the vectors are of another embedder."""
    return (
        f"The vectors are of {_named(stored)}, the embedder is {_named(configured)}; "
        "they are being made anew, text search goes on."
    )


async def unfinished_owners(connection: AsyncConnection, embedder: EmbedderInfo | None = None) -> tuple[OwnerId, ...]:
    """Owners with work that no one may have queued, and those whose vectors are of another embedder."""
    rows = [row[0] for row in await connection.execute(_UNFINISHED, {"limit": MAX_SWEPT})]
    if embedder is not None:
        values = {"model": embedder.model, "dimensions": embedder.dimensions, "version": embedder.version}
        rows += [row[0] for row in await connection.execute(_OTHER_ACTIVE, {**values, "limit": MAX_SWEPT})]
    return tuple(OwnerId(owner) for owner in dict.fromkeys(rows))


async def marked(connection: AsyncConnection, which: Mark, owner: OwnerId) -> int:
    """How far the mark is; 0 for an unknown owner."""
    return (await connection.execute(_MARKED[which], {"owner": owner})).scalar() or 0


async def mark(connection: AsyncConnection, which: Mark, owner: OwnerId, work: int) -> None:
    """Raise a mark; it never falls."""
    await connection.execute(_MARKS[which], {"owner": owner, "work": work})


def _named(info: EmbedderInfo) -> str:
    return f"{info.model} ({info.dimensions} dimensions, version {info.version})"
