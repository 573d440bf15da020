"""Facts: assert triples, list them, follow their history."""

from typing import Annotated

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from api.kit import Kit
from api.naming import entities_meant, entities_of
from api.observing import tell_facts
from api.requests import IdempotencyKey, one_request_id
from api.schemas.common import DEFAULT_PAGE, Cursor, Limit, PageOut, QueryText, after, to_id, to_moment
from api.schemas.facts_in import FactsIn, Stated, to_drafts
from api.schemas.graph import ChangeOut, FactOut, StoredFactOut, to_change, to_fact, to_stored_fact
from doso.accounts import Caller
from doso.errors import InvalidInput
from doso.ids import EntityId, FactId
from doso.records import Actor, Status
from graph.predicates import canonical


class FactsOut(msgspec.Struct, frozen=True):
    """What became of each triple, in order."""

    data: list[StoredFactOut]


class HistoryOut(msgspec.Struct, frozen=True):
    """Every change to a fact, oldest first."""

    data: list[ChangeOut]


@post("/v1/facts", status_code=200)
async def assert_facts(
    *,
    data: JSONBody[FactsIn],
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    idempotency_key: IdempotencyKey = None,
) -> FactsOut:
    """Assert one triple or many, all or none, without a model."""
    request_id = one_request_id(idempotency_key, data.request_id)
    runtime = await kit.runtime.read()
    drafts = to_drafts(data, Stated(runtime.timezone, kit.clock()))
    stored = await kit.graph.assert_facts(
        caller.owner, drafts, Actor("user", data.reason), request_id=request_id, all_or_none=True
    )
    tell_facts(kit.observers, caller.owner, None, sum(row.fact is not None for row in stored))
    kit.intake.index_soon(caller.owner)
    entities = await entities_of(kit.graph, caller.owner, (row.fact for row in stored if row.fact is not None))
    return FactsOut([to_stored_fact(row, entities) for row in stored])


@get("/v1/facts")
async def list_facts(
    *,
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    entity: QueryText = None,
    predicate: QueryText = None,
    status: Annotated[str | None, QueryParameter(max_length=60)] = None,
    as_of: Annotated[str | None, QueryParameter(max_length=64)] = None,
    since: Annotated[str | None, QueryParameter(name="from", max_length=64)] = None,
    until: Annotated[str | None, QueryParameter(name="to", max_length=64)] = None,
    timezone: Annotated[str | None, QueryParameter(max_length=64)] = None,
    cursor: Cursor = None,
    limit: Limit = None,
) -> PageOut[FactOut]:
    """Facts, newest first: verified and current unless `status` or `as_of` ask for others; `from` and `to` keep those
    that begin in that half-open range."""
    runtime = await kit.runtime.read()
    zone = timezone or runtime.timezone
    statuses = _statuses(status)
    view = kit.graph.view(
        include_candidates=statuses is None and runtime.include_candidates,
        as_of=to_moment(as_of, zone=zone, param="as_of"),
        statuses=statuses,
    )
    entity_id: EntityId | None = None
    if entity is not None:
        entity_id = (await entities_meant(kit.graph, caller.owner, entity, param="entity"))[0].id
    page = await kit.graph.list_facts(
        caller.owner,
        view,
        entity_id=entity_id,
        predicate=None if predicate is None else canonical(predicate).name,
        cursor=after(cursor),
        limit=limit or DEFAULT_PAGE,
        valid_from=to_moment(since, zone=zone, param="from"),
        valid_until=to_moment(until, zone=zone, param="to"),
    )
    entities = await entities_of(kit.graph, caller.owner, page.data)
    return PageOut([to_fact(fact, entities) for fact in page.data], page.next_cursor)


@get("/v1/facts/{fact_id:str}/history")
async def fact_history(
    fact_id: FromPath[str], kit: NamedDependency[Kit], caller: NamedDependency[Caller]
) -> HistoryOut:
    """Every change to a fact, oldest first."""
    changes = await kit.graph.history(caller.owner, FactId(to_id(fact_id)))
    return HistoryOut([to_change(change) for change in changes])


def _statuses(text: str | None) -> frozenset[Status] | None:
    if text is None:
        return None
    if text == "all":
        return frozenset(Status)
    try:
        return frozenset(Status(part.strip()) for part in text.split(","))
    except ValueError as error:
        known = ", ".join(status.value for status in Status)
        raise InvalidInput(f"status is a list of {known}, or all.", param="status") from error
