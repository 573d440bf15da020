"""Requests that may be repeated: the answer is stored in the transaction that did the work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from doso.errors import RequestReused
from doso.ids import ChangeId, FactId, digest
from doso.records import Change, FactDraft, StoredFact
from graph.corrections import Correction
from graph.journal import encoded
from graph.ports import GraphTx


@dataclass(frozen=True, slots=True)
class FactAnswer:
    """A stored outcome; the draft and the fact are looked up again."""

    fact_id: FactId | None
    outcome: str
    why: str
    superseded: tuple[FactId, ...]


async def once_for_facts(
    tx: GraphTx,
    request_id: str | None,
    drafts: Sequence[FactDraft],
    work: Callable[[], Awaitable[tuple[StoredFact, ...]]],
) -> tuple[StoredFact, ...]:
    """Store the drafts, or answer as the first time. Raises RequestReused for other drafts."""
    if request_id is None:
        return await work()
    body = digest(encoded(("assert", [_as_asked(draft) for draft in drafts])))
    answer = await _answered(tx, request_id, body)
    if answer is not None:
        rows = msgspec.json.decode(answer, type=tuple[FactAnswer, ...])
        facts = await tx.facts([row.fact_id for row in rows if row.fact_id is not None])
        return tuple(
            StoredFact(draft, facts.get(row.fact_id) if row.fact_id else None, row.outcome, row.why, row.superseded)
            for draft, row in zip(drafts, rows, strict=True)
        )
    stored = await work()
    rows = tuple(FactAnswer(row.fact.id if row.fact else None, row.outcome, row.why, row.superseded) for row in stored)
    await tx.put_receipt(request_id, body, encoded(rows))
    return stored


async def once_for_changes(
    tx: GraphTx,
    request_id: str | None,
    corrections: Sequence[Correction | ChangeId],
    work: Callable[[], Awaitable[tuple[Change, ...]]],
) -> tuple[Change, ...]:
    """Carry corrections out, or take changes back, or answer as the first time. Raises RequestReused for others."""
    if request_id is None:
        return await work()
    body = digest(encoded(("correct", [(type(correction).__name__, correction) for correction in corrections])))
    answer = await _answered(tx, request_id, body)
    if answer is not None:
        ids = msgspec.json.decode(answer, type=tuple[ChangeId, ...])
        changes = [await tx.change(id) for id in ids]
        return tuple(change for change in changes if change is not None)
    done = await work()
    await tx.put_receipt(request_id, body, encoded([change.id for change in done]))
    return done


def _as_asked(draft: FactDraft) -> FactDraft:
    """The draft without the moment at which a person's word arrived: sent again it arrives later."""
    if draft.provenance.document_id is not None:
        return draft
    return replace(draft, provenance=replace(draft.provenance, occurred_at=None))


async def _answered(tx: GraphTx, request_id: str, body: str) -> str | None:
    held = await tx.receipt(request_id)
    if held is None:
        return None
    if held[0] != body:
        raise RequestReused(f"The request id {request_id!r} came before with another body.", param="request_id")
    return held[1]
