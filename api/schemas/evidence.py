"""Questions and evidence as the wire shows them."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal

import msgspec

from api.schemas.admin import IndexOut, to_index
from api.schemas.common import Moment, to_moment
from ask.question import MAX_HISTORY_TURNS, MAX_PREFERRED_CHATS, Question, Scope, ScopeMode, SearchMode, Turn
from doso.errors import InvalidInput
from doso.ids import OwnerId
from doso.outgoing.addresses import MAX_URL_CHARS
from doso.records import Entity, Source
from doso.records import Literal as FactLiteral
from doso.records.evidence import Evidence, EvidenceFact, EvidenceItem, EvidenceSource, Plan
from doso.runtime import Runtime
from doso.text import clean

#: Badges a search looks at unless it names others.
SEARCHED = tuple(source.value for source in Source if source not in (Source.FIRECRAWL, Source.X))
#: What a search by nearness alone can't see.
WITHOUT_VECTORS = "Only documents and facts have vectors: what was said to Doso itself is found by words."

#: Pages that one question may name.
MAX_URLS = 5

ChatId = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]


Url = Annotated[str, msgspec.Meta(min_length=1, max_length=MAX_URL_CHARS)]


class ScopeIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where to look."""

    mode: Literal["global", "preferred", "strict_chat"] = "global"
    chat_id: ChatId | None = None
    chat_ids: Annotated[list[ChatId], msgspec.Meta(max_length=MAX_PREFERRED_CHATS)] = []


class TurnIn(msgspec.Struct, frozen=True):
    """An earlier message of the conversation."""

    role: Literal["user", "assistant", "system"]
    content: str


class EvidenceIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question. A field that isn't known is refused: it may have been meant to narrow what is searched."""

    question: str
    history: Annotated[list[TurnIn], msgspec.Meta(max_length=MAX_HISTORY_TURNS)] = []
    scope: ScopeIn = msgspec.field(default_factory=ScopeIn)
    max_tokens: int | None = None
    limit: int | None = None
    include_candidates: bool | None = None
    as_of: Moment | None = None
    timezone: str | None = None
    sources: Annotated[list[str], msgspec.Meta(max_length=50)] | None = None
    live: bool = False
    urls: Annotated[list[Url], msgspec.Meta(max_length=MAX_URLS)] = []


class SearchIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A search. `draft` also writes an answer of what was found, with its citations; `effort` is how.

    `sources` are all but the web unless named. `mode`: `vector` finds by nearness alone and answers 503 where that
    can't be had; `lexical` asks no embedder; `hybrid` does both and warns of what it had to leave out.
    """

    query: str
    effort: Literal["fast", "expert"] | None = None
    draft: bool = True
    scope: ScopeIn = msgspec.field(default_factory=ScopeIn)
    limit: int | None = None
    max_tokens: int | None = None
    sources: Annotated[list[str], msgspec.Meta(max_length=50)] | None = None
    mode: Literal["hybrid", "vector", "lexical"] = "hybrid"


class TimeRangeOut(msgspec.Struct, frozen=True):
    """A stretch of time, half-open."""

    start: datetime
    end: datetime
    timezone: str
    phrase: str


class PersonOut(msgspec.Struct, frozen=True):
    """A person in the question."""

    name: str | None
    descriptors: list[str]
    chat_id: str | None


class LocationOut(msgspec.Struct, frozen=True):
    """A place in the question."""

    city: str
    as_of: datetime


class RankingOut(msgspec.Struct, frozen=True):
    """People are wanted in order."""

    kind: str
    limit: int


class ActionOut(msgspec.Struct, frozen=True):
    """Something to be done, never done by asking."""

    type: str
    requires_approval: bool


class PlanOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """The compiled question."""

    intent: str
    route: str
    people: list[PersonOut]
    plan_status: list[str]
    time_range: TimeRangeOut | None = None
    location: LocationOut | None = None
    ranking: RankingOut | None = None
    requested_action: ActionOut | None = None


class ScoresOut(msgspec.Struct, frozen=True):
    """The parts of a score; null where that arm did not see the item."""

    lexical: float | None
    vector: float | None
    graph: float | None
    recency: float | None


class SideOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """A side of a triple."""

    name: str
    id: str | None = None
    type: str | None = None


class ItemFactOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """The triple behind a fact item."""

    id: str
    subject: SideOut
    predicate: str
    object: SideOut
    status: str
    confidence: float
    recorded_at: datetime
    valid_from: datetime | None = None
    valid_to: datetime | None = None


class ItemSourceOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where an item comes from."""

    document_id: str | None
    external_ids: list[str]
    title: str
    source: str
    passage_id: str | None = None
    uri: str | None = None
    author: str | None = None
    occurred_at: datetime | None = None
    chat_id: str | None = None
    span: tuple[int, int] | None = None


class ItemOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """One marked piece of evidence."""

    mark: str
    kind: str
    text: str
    score: float
    scores: ScoresOut
    tokens: int
    sources: list[ItemSourceOut]
    fact: ItemFactOut | None = None


class NamedOut(msgspec.Struct, frozen=True):
    """An entity the question or the evidence is about."""

    id: str
    name: str
    type: str
    aliases: list[str]


class FailedSourceOut(msgspec.Struct, frozen=True):
    """A live source that could not be read: a page's address or the tool's name, a stable code, why."""

    uri: str
    code: str
    why: str


class EvidenceOut(msgspec.Struct, frozen=True):
    """The pack."""

    id: str
    question: str
    plan: PlanOut
    no_results: bool
    items: list[ItemOut]
    entities: list[NamedOut]
    index_status: IndexOut
    tokens: int
    prompt: str
    timings_ms: dict[str, float]
    failed_sources: list[FailedSourceOut]


class SearchOut(msgspec.Struct, frozen=True):
    """What a search found. With a draft `citations` are what stands behind the answer, without one all sources."""

    answer: str | None
    citations: list[ItemSourceOut]
    items: list[ItemOut]
    no_results: bool
    plan: PlanOut
    warnings: list[str]


def to_question(body: EvidenceIn, owner: OwnerId, runtime: Runtime) -> Question:
    """The question of this caller, with the runtime's values where the body is silent."""
    if body.urls and not body.live:
        raise InvalidInput("urls are read live: set `live` to true as well.", param="urls")
    if body.live and body.scope.mode == "strict_chat":
        raise InvalidInput("A strict_chat question reads one chat and nothing else; leave `live` out.", param="live")
    zone = body.timezone or runtime.timezone
    include = runtime.include_candidates if body.include_candidates is None else body.include_candidates
    return Question(
        owner=owner,
        text=clean(body.question),
        scope=to_scope(body.scope),
        history=tuple(Turn(turn.role, clean(turn.content)) for turn in body.history),
        max_tokens=runtime.max_tokens if body.max_tokens is None else body.max_tokens,
        limit=runtime.limit if body.limit is None else body.limit,
        include_candidates=include,
        as_of=to_moment(body.as_of, zone=zone, param="as_of"),
        timezone=zone,
        sources=None if body.sources is None else _sources(body.sources),
    )


def to_search_question(body: SearchIn, owner: OwnerId, runtime: Runtime) -> Question:
    """A search looks up what there is, what was said to Doso itself included, which an answer's evidence leaves to
    facts; pages of the web are other people's words and have to be asked for."""
    sources = SEARCHED if body.sources is None else body.sources
    asked = EvidenceIn(
        body.query, scope=body.scope, limit=body.limit, max_tokens=body.max_tokens, sources=list(sources)
    )
    return replace(to_question(asked, owner, runtime), mode=SearchMode(body.mode))


def to_evidence(evidence: Evidence) -> EvidenceOut:
    """The pack as the contract has it."""
    return EvidenceOut(
        id=evidence.id,
        question=evidence.question,
        plan=to_plan(evidence.plan),
        no_results=evidence.no_results,
        items=[to_item(item) for item in evidence.items],
        entities=[_named(entity) for entity in evidence.entities],
        index_status=to_index(evidence.index_status),
        tokens=evidence.tokens,
        prompt=evidence.prompt,
        timings_ms={name: round(value, 3) for name, value in evidence.timings_ms.items()},
        failed_sources=[FailedSourceOut(one.uri, one.code, one.why) for one in evidence.failed_sources],
    )


def to_search(
    evidence: Evidence, question: Question, *, answer: str | None = None, cited: Iterable[EvidenceItem] | None = None
) -> SearchOut:
    """The pack as a search result, with the answer drafted from it and the items it cites, where there is one."""
    warnings = list(evidence.index_status.warnings)
    if question.mode is SearchMode.VECTOR:
        warnings.append(WITHOUT_VECTORS)
    items = [to_item(item) for item in evidence.items]
    return SearchOut(
        answer=answer,
        citations=list(_sources_of(evidence.items if cited is None else cited)),
        items=items,
        no_results=evidence.no_results,
        plan=to_plan(evidence.plan),
        warnings=warnings,
    )


def _sources_of(items: Iterable[EvidenceItem]) -> Iterator[ItemSourceOut]:
    """The sources of each item once."""
    for item in {item.mark: item for item in items}.values():
        yield from (to_source(source) for source in item.sources)


def to_plan(plan: Plan) -> PlanOut:
    """The plan; what it does not have is absent."""
    span, place, ranking, action = plan.time_range, plan.location, plan.ranking, plan.requested_action
    return PlanOut(
        intent=plan.intent.value,
        route=plan.route.value,
        people=[PersonOut(person.name, list(person.descriptors), person.chat_id) for person in plan.people],
        plan_status=list(plan.plan_status),
        time_range=None if span is None else TimeRangeOut(span.start, span.end, span.timezone, span.phrase),
        location=None if place is None else LocationOut(place.city, place.as_of),
        ranking=None if ranking is None else RankingOut(ranking.kind, ranking.limit),
        requested_action=None if action is None else ActionOut(action.type, action.requires_approval),
    )


def to_item(item: EvidenceItem) -> ItemOut:
    """One item."""
    return ItemOut(
        mark=item.mark,
        kind=item.kind.value,
        text=item.text,
        score=item.score,
        scores=ScoresOut(item.scores.lexical, item.scores.vector, item.scores.graph, item.scores.recency),
        tokens=item.tokens,
        sources=[to_source(source) for source in item.sources],
        fact=None if item.fact is None else _fact(item.fact),
    )


def to_scope(scope: ScopeIn) -> Scope:
    """Where to look."""
    chats = scope.chat_ids if scope.chat_id is None else [scope.chat_id, *scope.chat_ids]
    return Scope(ScopeMode(scope.mode), tuple(dict.fromkeys(chats)))


def _sources(names: Iterable[str]) -> frozenset[Source]:
    try:
        return frozenset(Source(name.strip().lower()) for name in names)
    except ValueError as error:
        known = ", ".join(source.value for source in Source)
        raise InvalidInput(f"sources are of: {known}.", param="sources") from error


def _named(entity: Entity) -> NamedOut:
    names = dict.fromkeys((entity.name, *(alias.name for alias in entity.aliases)))
    return NamedOut(entity.id, entity.name, entity.type.value, list(names))


def _fact(fact: EvidenceFact) -> ItemFactOut:
    return ItemFactOut(
        id=fact.id,
        subject=_side(fact.subject),
        predicate=fact.predicate,
        object=_side(fact.object),
        status=fact.status.value,
        confidence=fact.confidence,
        recorded_at=fact.recorded_at,
        valid_from=fact.valid_from,
        valid_to=fact.valid_until,
    )


def _side(side: Entity | FactLiteral) -> SideOut:
    return SideOut(side.text) if isinstance(side, FactLiteral) else SideOut(side.name, side.id, side.type.value)


def to_source(source: EvidenceSource) -> ItemSourceOut:
    """Where an item comes from."""
    return ItemSourceOut(
        document_id=source.document_id,
        external_ids=list(source.external_ids),
        title=source.title,
        source=source.source.value,
        passage_id=source.passage_id,
        uri=source.uri,
        author=source.author,
        occurred_at=source.occurred_at,
        chat_id=source.chat_id,
        span=source.span,
    )
