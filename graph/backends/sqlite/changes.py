"""The change log and the receipts of requests in SQLite."""

# ruff: noqa: S608 - statements are joined from the constants below only; values are always parameters

from __future__ import annotations

from collections.abc import Collection, Sequence

from doso.ids import ChangeId
from doso.records import Change, Page
from graph.backends.sqlite.entities import NEWEST
from graph.backends.sqlite.rows import change_from_row, row_from_change
from graph.backends.sqlite.scope import Scope, listed

COLUMNS = "id, op, at, who, reason, document_id, summary, target_id, before, after, undone_by"
APPEND = f"INSERT INTO changes (owner, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
BY_ID = f"SELECT {COLUMNS} FROM changes WHERE owner = ? AND id = ?"
LISTED = f"SELECT {COLUMNS} FROM changes WHERE owner = ? AND id < ? ORDER BY id DESC LIMIT ?"
OF_TARGET = f"SELECT {COLUMNS} FROM changes WHERE owner = ? AND target_id = ? AND id < ? ORDER BY id DESC LIMIT ?"
MARK_UNDONE = "UPDATE changes SET undone_by = ? WHERE owner = ? AND id = ?"
SCRUB = """
UPDATE changes SET summary = '', reason = '', before = '', after = ''
WHERE owner = ? AND target_id IN (SELECT value FROM json_each(?))"""
RECEIPT = "SELECT body_digest, answer FROM receipts WHERE owner = ? AND request_id = ?"
PUT_RECEIPT = "INSERT INTO receipts (owner, request_id, body_digest, answer) VALUES (?, ?, ?, ?)"


async def append(scope: Scope, changes: Sequence[Change]) -> None:
    """Log changes."""
    await scope.many(APPEND, [row_from_change(scope.no, change) for change in changes])


async def by_id(scope: Scope, change_id: ChangeId) -> Change | None:
    """One change."""
    row = await scope.one(BY_ID, scope.no, change_id)
    return None if row is None else change_from_row(scope.owner, row)


async def page(scope: Scope, target_id: str | None, cursor: str | None, limit: int) -> Page[Change]:
    """Changes, newest first."""
    before = cursor or NEWEST
    if target_id is None:
        rows = await scope.all(LISTED, scope.no, before, limit + 1)
    else:
        rows = await scope.all(OF_TARGET, scope.no, target_id, before, limit + 1)
    data = tuple(change_from_row(scope.owner, row) for row in rows[:limit])
    return Page(data, data[-1].id if len(rows) > limit else None)


async def mark_undone(scope: Scope, change_id: ChangeId, by: ChangeId) -> None:
    """Note which change took this one back."""
    await scope.run(MARK_UNDONE, by, scope.no, change_id)


async def scrub(scope: Scope, target_ids: Collection[str]) -> None:
    """Blank what changes say of forgotten targets."""
    await scope.run(SCRUB, scope.no, listed(target_ids))


async def receipt(scope: Scope, request_id: str) -> tuple[str, str] | None:
    """What a request was answered."""
    row = await scope.one(RECEIPT, scope.no, request_id)
    return None if row is None else (row[0], row[1])


async def put_receipt(scope: Scope, request_id: str, body_digest: str, answer: str) -> None:
    """Keep what a request was answered."""
    await scope.run(PUT_RECEIPT, scope.no, request_id, body_digest, answer)
