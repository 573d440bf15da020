"""Corrections and the change log: set right, look back, undo."""

from typing import Annotated, Any

from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from api.kit import Kit
from api.observing import tell_facts
from api.requests import IdempotencyKey, one_request_id
from api.schemas.common import DEFAULT_PAGE, Cursor, Limit, PageOut, after, to_id, to_page
from api.schemas.corrections import CorrectionsOut, to_batch, to_correction
from api.schemas.graph import ChangeOut, to_change
from doso.accounts import Caller
from doso.ids import ChangeId
from doso.records import Actor


@post("/v1/corrections", status_code=200)
async def correct(
    *,
    data: JSONBody[Any],
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    dry_run: FromQuery[bool | None] = None,
    idempotency_key: IdempotencyKey = None,
) -> CorrectionsOut:
    """Do the operations together, or show with `dry_run` what they would change."""
    batch = to_batch(data)
    is_dry = batch.dry_run if dry_run is None else dry_run
    changes = await kit.graph.correct(
        caller.owner,
        [to_correction(item) for item in batch.corrections],
        Actor("user", batch.corrections[0].reason),
        dry_run=is_dry,
        request_id=one_request_id(idempotency_key, batch.request_id),
    )
    tell_facts(kit.observers, caller.owner, None, 0 if is_dry else len(changes))
    if changes and not is_dry:
        kit.intake.index_soon(caller.owner)
    return CorrectionsOut([to_change(change) for change in changes], is_dry)


@get("/v1/changes")
async def list_changes(
    *,
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    target_id: Annotated[str | None, QueryParameter(pattern=r"^[A-Za-z0-9-]{1,64}$")] = None,
    cursor: Cursor = None,
    limit: Limit = None,
) -> PageOut[ChangeOut]:
    """Every mutation, newest first: what, who, why, before and after."""
    page = await kit.graph.store.list_changes(
        caller.owner, target_id=target_id, cursor=after(cursor), limit=limit or DEFAULT_PAGE
    )
    return to_page(page, to_change)


@post("/v1/changes/{change_id:str}/undo", status_code=200)
async def undo(
    change_id: FromPath[str],
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    idempotency_key: IdempotencyKey = None,
) -> ChangeOut:
    """Take a change back; the undoing is a change itself."""
    known, request_id = ChangeId(to_id(change_id)), one_request_id(idempotency_key, None)
    change = await kit.graph.undo(caller.owner, known, Actor("user", "undo"), request_id=request_id)
    tell_facts(kit.observers, caller.owner, change.id, 1)
    return to_change(change)
