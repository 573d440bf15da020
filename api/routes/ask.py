"""Asking: evidence packs and search."""

from typing import Annotated, Literal

from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter

from api.kit import Kit
from api.schemas.evidence import (
    EvidenceIn,
    EvidenceOut,
    SearchIn,
    SearchOut,
    to_evidence,
    to_question,
    to_search,
    to_search_question,
)
from ask.pipeline import find_evidence as evidence_for
from doso.accounts import Caller


@post("/v1/ask/evidence", status_code=200)
async def find_evidence(
    data: JSONBody[EvidenceIn], kit: NamedDependency[Kit], caller: NamedDependency[Caller]
) -> EvidenceOut:
    """The evidence for a question; never calls a generation model."""
    question = to_question(data, caller.owner, await kit.runtime.read())
    return to_evidence(await evidence_for(kit.ask, question))


@post("/v1/search", status_code=200)
async def search(data: JSONBody[SearchIn], kit: NamedDependency[Kit], caller: NamedDependency[Caller]) -> SearchOut:
    """Facts and passages for a query, from everything but the web unless `sources` names it."""
    return await _search(kit, caller, data)


@get("/v1/search")
async def search_by_query(
    *,
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    q: Annotated[str, QueryParameter(max_length=8_000)],
    limit: Annotated[int | None, QueryParameter(ge=1, le=200)] = None,
    mode: Annotated[Literal["hybrid", "vector", "lexical"], QueryParameter()] = "hybrid",
    sources: Annotated[str | None, QueryParameter(max_length=500)] = None,
) -> SearchOut:
    """The same for a query in the address; `sources` with commas."""
    badges = None if sources is None else sources.split(",")
    return await _search(kit, caller, SearchIn(q, limit=limit, mode=mode, sources=badges))


async def _search(kit: Kit, caller: Caller, body: SearchIn) -> SearchOut:
    question = to_search_question(body, caller.owner, await kit.runtime.read())
    return to_search(await evidence_for(kit.ask, question), question)
