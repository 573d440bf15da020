"""Asking: evidence packs and search."""

from typing import Annotated

import msgspec
from litestar import get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter

from api.kit import Kit
from api.schemas.evidence import EvidenceIn, EvidenceOut, SearchIn, SearchOut, to_evidence, to_question, to_search
from ask.pipeline import find_evidence as evidence_for
from doso.accounts import Caller
from doso.records import Source


@post("/v1/ask/evidence", status_code=200)
async def find_evidence(
    data: JSONBody[EvidenceIn], kit: NamedDependency[Kit], caller: NamedDependency[Caller]
) -> EvidenceOut:
    """The evidence for a question; never calls a generation model."""
    question = to_question(data, caller.owner, await kit.runtime.read())
    return to_evidence(await evidence_for(kit.ask, question))


@post("/v1/search", status_code=200)
async def search(data: JSONBody[SearchIn], kit: NamedDependency[Kit], caller: NamedDependency[Caller]) -> SearchOut:
    """Facts and passages for a query."""
    body = EvidenceIn(data.query, scope=data.scope, limit=data.limit, max_tokens=data.max_tokens)
    return await _search(kit, caller, body)


@get("/v1/search")
async def search_by_query(
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
    q: Annotated[str, QueryParameter(max_length=8_000)],
    limit: Annotated[int | None, QueryParameter(ge=1, le=200)] = None,
) -> SearchOut:
    """The same for a query in the address."""
    return await _search(kit, caller, EvidenceIn(q, limit=limit))


async def _search(kit: Kit, caller: Caller, body: EvidenceIn) -> SearchOut:
    # A search looks up what there is, what was said to Doso itself included; an answer's evidence leaves that to facts.
    everywhere = msgspec.structs.replace(body, sources=[source.value for source in Source])
    question = to_question(everywhere, caller.owner, await kit.runtime.read())
    return to_search(await evidence_for(kit.ask, question))
