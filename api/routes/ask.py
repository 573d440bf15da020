"""Asking: evidence packs and search."""

from contextlib import aclosing
from typing import Annotated, Any, Literal

from litestar import Request, get, post
from litestar.di import NamedDependency
from litestar.params import JSONBody, QueryParameter

from api.asking import ask, ask_kit
from api.door.limiter import give_back
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
from api.wire.whole import Heard
from ask.events import SourcesFound
from ask.live import find_live_evidence
from ask.pipeline import find_evidence as evidence_for
from ask.wish import Effort, Wish
from doso.accounts import Caller
from doso.errors import InvalidInput

NO_LIVE_SOURCE = "No live source is on. Turn on tools_firecrawl or tools_x_search in the settings, or leave `live` out."


@post("/v1/ask/evidence", status_code=200)
async def find_evidence(
    *,
    request: Request[Any, Any, Any],
    data: JSONBody[EvidenceIn],
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
) -> EvidenceOut:
    """The evidence for a question; never calls a generation model. With `live` it also holds what the live sources
    found, or the pages of `urls`; `failed_sources` says which could not be read."""
    runtime = await kit.runtime.read()
    question = to_question(data, caller.owner, runtime)
    if data.live:
        live = kit.live.research(runtime)
        if live is None:
            raise InvalidInput(NO_LIVE_SOURCE, param="live")
        give_back(request.scope)  # pages take their time, and no processor
        return to_evidence(await find_live_evidence(ask_kit(kit, runtime), question, live, urls=data.urls))
    return to_evidence(await evidence_for(ask_kit(kit, runtime), question))


@post("/v1/search", status_code=200)
async def search(
    *,
    request: Request[Any, Any, Any],
    data: JSONBody[SearchIn],
    kit: NamedDependency[Kit],
    caller: NamedDependency[Caller],
) -> SearchOut:
    """Facts and passages for a query, from everything but the web unless `sources` names it, and an answer of them
    unless `draft` is false."""
    runtime = await kit.runtime.read()
    question = to_search_question(data, caller.owner, runtime)
    if not data.draft:
        return to_search(await evidence_for(ask_kit(kit, runtime), question), question)
    heard = Heard()
    wish = Wish(effort=Effort(data.effort or Effort.FAST))
    async with aclosing(ask(kit, runtime, question, wish)) as events:
        async for event in events:
            heard.hear(event)
            if isinstance(event, SourcesFound):
                give_back(request.scope)  # a model takes its time, and no processor
    heard.end()
    evidence = heard.evidence or await evidence_for(ask_kit(kit, runtime), question)
    cited = () if heard.cited is None else heard.cited.citations
    return to_search(evidence, question, answer=heard.text, cited=[citation.item for citation in cited])


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
    """The same for a query in the address, without an answer; `sources` with commas."""
    badges = None if sources is None else sources.split(",")
    body = SearchIn(q, draft=False, limit=limit, mode=mode, sources=badges)
    runtime = await kit.runtime.read()
    question = to_search_question(body, caller.owner, runtime)
    return to_search(await evidence_for(ask_kit(kit, runtime), question), question)
