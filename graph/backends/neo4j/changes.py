"""The change log and the receipts of requests in Neo4j."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import LiteralString

from doso.ids import ChangeId, digest
from doso.records import Change, Page
from graph.backends.neo4j.connection import Statements
from graph.backends.neo4j.entities import distinct
from graph.backends.neo4j.rows import change_of, change_properties
from graph.backends.neo4j.schema import TOP

APPEND: LiteralString = "UNWIND $rows AS row CREATE (c:Change {owner: $owner}) SET c += row, c.at = datetime(row.at)"
COLUMNS: LiteralString = """
c {
  .id, .op, .who, .reason, .document_id, .summary, .target_id, .before, .after, .undone_by, at: toString(c.at)
}
"""
BY_ID: LiteralString = f"MATCH (c:Change {{owner: $owner, id: $id}}) RETURN collect({COLUMNS}) AS rows"
LIST: LiteralString = f"""
MATCH (c:Change) USING INDEX c:Change(owner, id)
WHERE c.owner = $owner AND c.id < $cursor
WITH c ORDER BY c.owner DESC, c.id DESC LIMIT $limit
RETURN collect({COLUMNS}) AS rows
"""
LIST_OF_TARGET: LiteralString = f"""
MATCH (c:Change) USING INDEX c:Change(owner, target_id, id)
WHERE c.owner = $owner AND c.target_id = $target_id AND c.id < $cursor
WITH c ORDER BY c.owner DESC, c.target_id DESC, c.id DESC LIMIT $limit
RETURN collect({COLUMNS}) AS rows
"""
MARK_UNDONE: LiteralString = "MATCH (c:Change {owner: $owner, id: $id}) SET c.undone_by = $by"
SCRUB: LiteralString = """
UNWIND $target_ids AS target_id
MATCH (c:Change) USING INDEX c:Change(owner, target_id, id)
WHERE c.owner = $owner AND c.target_id = target_id AND c.id < $top
SET c.summary = '', c.reason = '', c.before = '', c.after = ''
"""
RECEIPT: LiteralString = """
MATCH (r:Receipt {owner: $owner, id: $id}) RETURN r.body_digest AS body_digest, r.answer AS answer
"""
PUT_RECEIPT: LiteralString = """
CREATE (:Receipt {owner: $owner, id: $id, request_id: $request_id, body_digest: $body_digest, answer: $answer})
"""


async def append(run: Statements, changes: Sequence[Change]) -> None:
    """Write rows of the log."""
    if changes:
        await run.rows(APPEND, rows=[change_properties(change) for change in changes])


async def by_id(run: Statements, change_id: ChangeId) -> Change | None:
    """One change."""
    rows = await run.collected(BY_ID, id=change_id)
    return change_of(run.owner, rows[0]) if rows else None


async def listed(run: Statements, target_id: str | None, cursor: str | None, limit: int) -> Page[Change]:
    """A page of changes, newest first."""
    if target_id is None:
        rows = await run.collected(LIST, cursor=cursor or TOP, limit=limit + 1)
    else:
        rows = await run.collected(LIST_OF_TARGET, target_id=target_id, cursor=cursor or TOP, limit=limit + 1)
    page = tuple(change_of(run.owner, row) for row in rows[:limit])
    return Page(page, page[-1].id if len(rows) > limit and page else None)


async def mark_undone(run: Statements, change_id: ChangeId, by: ChangeId) -> None:
    """Say which change took this one back."""
    await run.rows(MARK_UNDONE, id=change_id, by=by)


async def scrub(run: Statements, target_ids: Collection[str]) -> None:
    """Blank what changes to forgotten targets say."""
    if target_ids:
        await run.rows(SCRUB, target_ids=distinct(target_ids), top=TOP)


async def receipt(run: Statements, request_id: str) -> tuple[str, str] | None:
    """What an earlier request with this id asked for and got."""
    rows = await run.rows(RECEIPT, id=digest(request_id))
    return (rows[0]["body_digest"], rows[0]["answer"]) if rows else None


async def put_receipt(run: Statements, request_id: str, body_digest: str, answer: str) -> None:
    """Remember a request. Its digest is the key, since a client may send an id too long for an index."""
    await run.rows(PUT_RECEIPT, id=digest(request_id), request_id=request_id, body_digest=body_digest, answer=answer)
