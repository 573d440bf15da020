"""Runs every search that a question needs side by side: words, meaning, and the graph around its seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ask.asking import Asking
from ask.calibrate import Calibration, calibration_of
from ask.kit import AskKit
from ask.question import Question, ScopeMode, SearchMode
from ask.rank import Arms
from ask.seed import NEAR, Reach, Seeded, seed
from ask.together import together
from doso.errors import EmbedderUnavailable, IndexMismatch
from doso.ids import EntityId, FactId
from doso.llm.ports import Vectors
from doso.records import Entity, Fact, FactHit, IndexStatus
from doso.records.evidence import TimeRange
from doso.records.passages import PassageFilter, PassageHit

#: What each passage search is asked for, and each search over facts.
PASSAGES, FACTS = 200, 30


@dataclass(frozen=True, slots=True)
class Meaning:
    """The question as a vector, with the scale of its cosines; `warning` where there is no vector and why."""

    vector: Vectors | None = None
    calibration: Calibration | None = None
    warning: str | None = None


@dataclass(frozen=True, slots=True)
class Gathered:
    """All that was found. `near` is the cosine of each fact that the vector search found."""

    arms: Arms
    seeded: Seeded
    facts: tuple[Fact, ...]
    entities: Mapping[EntityId, Entity]
    near: Mapping[FactId, float]
    meaning: Meaning
    index_status: IndexStatus


async def gather(
    asking: Asking, time_range: TimeRange | None, reach: Reach = NEAR, seeds: Sequence[Entity] | None = None
) -> Gathered:
    """Search within the question's scope, from these seeds where they are known.

    What can't be searched is a warning in `index_status`, and an error only where the question wants that
    search and no other: EmbedderUnavailable, IndexMismatch.
    """
    scope = passage_filter(asking.question)
    scopes = [scope] if time_range is None else [scope, within(scope, time_range)]
    seeded, hits, (meaning, vector_hits, near), lexical_facts, status = await together(
        seed(asking, reach, seeds),
        _by_words(asking, scopes),
        _by_meaning(asking, scopes),
        _facts_by_words(asking),
        asking.kit.passages.index_status(asking.question.owner),
    )
    if asking.question.mode is SearchMode.VECTOR:
        seeded = replace(seeded, facts=())
    facts, entities = await _known(asking, seeded, (*lexical_facts, *near))
    warnings = (*status.warnings, *((meaning.warning,) if meaning.warning else ()))
    return Gathered(
        arms=Arms(hits, vector_hits, PASSAGES, _is_semantic(asking.kit)),
        seeded=seeded,
        facts=facts,
        entities=entities,
        near={hit.fact.id: hit.score for hit in near},
        meaning=meaning,
        index_status=replace(status, warnings=warnings),
    )


async def gather_passages(asking: Asking, scope: PassageFilter, meaning: Meaning) -> Arms:
    """Search passages once more in another scope, with the vector that is there already."""
    hits, (vector_hits, _) = await together(_by_words(asking, [scope]), _near_passages(asking, meaning, [scope]))
    return Arms(hits, vector_hits, PASSAGES, _is_semantic(asking.kit))


def passage_filter(question: Question) -> PassageFilter:
    """Which passages the question may see at first."""
    chats = None if question.scope.mode is ScopeMode.GLOBAL else question.scope.chat_ids
    return PassageFilter(chat_ids=chats, sources=question.sources, until=question.as_of)


def within(scope: PassageFilter, time_range: TimeRange) -> PassageFilter:
    """The same scope within a stretch of time."""
    since = time_range.start if time_range.start.year > 1 else None
    until = time_range.end if scope.until is None else min(scope.until, time_range.end)
    return replace(scope, since=since, until=until)


async def _by_words(asking: Asking, scopes: list[PassageFilter]) -> tuple[PassageHit, ...]:
    owner, tokens, passages = asking.question.owner, asking.words.tokens, asking.kit.passages
    if not tokens or asking.question.mode is SearchMode.VECTOR:
        return ()
    with asking.watch.stage("lexical"):
        found = await together(*(passages.search_lexical(owner, tokens, scope, limit=PASSAGES) for scope in scopes))
    return _united(found)


async def _by_meaning(
    asking: Asking, scopes: list[PassageFilter]
) -> tuple[Meaning, tuple[PassageHit, ...], tuple[FactHit, ...]]:
    meaning = Meaning() if asking.question.mode is SearchMode.LEXICAL else await _understood(asking)
    if meaning.vector is None:
        return meaning, (), ()
    (hits, warning), facts = await together(_near_passages(asking, meaning, scopes), _near_facts(asking, meaning))
    return (replace(meaning, warning=warning) if warning else meaning), hits, facts


async def _understood(asking: Asking) -> Meaning:
    embedder = asking.kit.embedder
    if embedder is None:
        if asking.question.mode is SearchMode.VECTOR:
            raise EmbedderUnavailable("There is no embedder to search with.")
        return Meaning(warning="There is no embedder: searched by words only.")
    if asking.question.mode is not SearchMode.VECTOR:
        with asking.watch.stage("warm_up"):
            is_warm = await asking.kit.warmth.comes_in_time()
        if not is_warm:
            return Meaning(warning="The vectors are still being read after the start: searched by words only.")
    try:
        with asking.watch.stage("embed"):
            vector, calibration = await together(embedder.embed_query(asking.question.text), calibration_of(embedder))
    except EmbedderUnavailable:
        if asking.question.mode is SearchMode.VECTOR:
            raise
        return Meaning(warning="The embedder does not answer: searched by words only.")
    return Meaning(vector, calibration if embedder.info.is_semantic else None)


async def _near_passages(
    asking: Asking, meaning: Meaning, scopes: list[PassageFilter]
) -> tuple[tuple[PassageHit, ...], str | None]:
    owner, passages, embedder, vector = asking.question.owner, asking.kit.passages, asking.kit.embedder, meaning.vector
    if vector is None or embedder is None:
        return (), meaning.warning
    try:
        with asking.watch.stage("vector"):
            found = await together(
                *(passages.search_vector(owner, vector, embedder.info, scope, limit=PASSAGES) for scope in scopes)
            )
    except IndexMismatch as error:
        if asking.question.mode is SearchMode.VECTOR:
            raise
        return (), f"{error.message} Passages were searched by words only."
    return _united(found), None


async def _near_facts(asking: Asking, meaning: Meaning) -> tuple[FactHit, ...]:
    owner, graph, embedder = asking.question.owner, asking.kit.graph, asking.kit.embedder
    if embedder is None or meaning.calibration is None:
        return ()
    try:
        with asking.watch.stage("near_facts"):
            return await graph.near_facts(owner, meaning.vector, embedder, asking.view, limit=FACTS)
    except IndexMismatch:
        if asking.question.mode is SearchMode.VECTOR:
            raise
        return ()  # the index of passages reports the same, with the remedy


async def _facts_by_words(asking: Asking) -> tuple[FactHit, ...]:
    question = asking.question
    if question.mode is SearchMode.VECTOR:
        return ()
    with asking.watch.stage("facts"):
        return await asking.kit.graph.search_facts(question.owner, question.text, asking.view, limit=FACTS)


async def _known(
    asking: Asking, seeded: Seeded, hits: tuple[FactHit, ...]
) -> tuple[tuple[Fact, ...], dict[EntityId, Entity]]:
    """All facts once, with every entity they name."""
    entities = dict(seeded.entities or {})
    facts = {fact.id: fact for fact in seeded.facts}
    more = {hit.fact.id: hit.fact for hit in hits if hit.fact.id not in facts}
    if more:
        entities |= await asking.kit.graph.named_in(asking.question.owner, list(more.values()))
    return tuple((facts | more).values()), entities


def _united(found: Iterable[tuple[PassageHit, ...]]) -> tuple[PassageHit, ...]:
    return tuple({hit.passage.id: hit for hits in found for hit in hits}.values())


def _is_semantic(kit: AskKit) -> bool:
    return kit.embedder is not None and kit.embedder.info.is_semantic
