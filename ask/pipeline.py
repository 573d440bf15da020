"""From a question to an evidence pack, without a generation model.

compile → gather (seeds and one hop ∥ words ∥ meaning) → rank → focus → pack
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ask.asking import Asking
from ask.facts import RankedFact, rank_facts
from ask.fence import prompt_of
from ask.focus import fair, focus_facts, of_sources, supported_by, without_doublets, without_echoes
from ask.gather import Gathered, gather
from ask.kit import AskKit
from ask.pack import MAX_SKIPPED, in_order, pack, supports
from ask.plan import compile_plan, with_entities
from ask.question import Question, ScopeMode
from ask.scope import is_answered, passages_in_scope, time_range_of
from ask.seed import NEAR, Reach
from ask.timing import Stopwatch
from ask.words import question_words
from doso.ids import EntityId, PassageId, new_id
from doso.records import Entity, IndexStatus, Passage
from doso.records.evidence import Evidence, EvidenceItem, Plan
from doso.tracing import Trace

#: Below this a fact is not told.
FACT_FLOOR = 0.15
#: Facts kept after focus, and entities that a pack shows.
MAX_FACTS, MAX_ENTITIES = 60, 30


async def find_evidence(kit: AskKit, question: Question, *, trace: Trace | None = None) -> Evidence:
    """The evidence for a question. Raises Unavailable when a store does not answer; a missing embedder is a warning."""
    return await evidence_around(*begin(kit, question, trace=trace))


async def evidence_around(
    asking: Asking, plan: Plan, reach: Reach = NEAR, seeds: Sequence[Entity] | None = None
) -> Evidence:
    """The evidence for a question that was begun, as far as `reach` around its seeds, which may be known already."""
    async with asking.kit.gate:
        return await _find(asking, plan, reach, seeds)


async def _find(asking: Asking, plan: Plan, reach: Reach, seeds: Sequence[Entity] | None) -> Evidence:
    question = asking.question
    if asking.words.is_empty:
        return _evidence(asking, plan, (), (), await asking.kit.passages.index_status(question.owner))
    time_range = time_range_of(plan, asking)
    found = await gather(asking, time_range, reach, seeds)
    plan = with_entities(plan, found.seeded.seeds, asking.now)
    ranked = await passages_in_scope(asking, plan, time_range, found)
    facts, sources = await _facts_in_scope(asking, found)
    if not facts and not is_answered(ranked):
        return _evidence(asking, plan, (), found.seeded.seeds, found.index_status)
    with asking.watch.stage("pack"):
        passages = without_doublets(ranked, limit=question.limit + MAX_SKIPPED)
        facts = without_echoes(facts, passages[: question.limit])
        order = in_order(facts, passages, limit=question.limit)
        items = pack(order, sources, max_tokens=question.max_tokens, limit=question.limit)
    return _evidence(asking, plan, items, found.seeded.seeds, found.index_status)


def begin(kit: AskKit, question: Question, *, trace: Trace | None = None) -> tuple[Asking, Plan]:
    """What every stage needs, and the plan as far as the words alone tell it."""
    now = kit.clock()
    plan = compile_plan(question, now)
    phrase = "" if plan.time_range is None else plan.time_range.phrase
    view = kit.graph.view(include_candidates=question.include_candidates, as_of=question.as_of)
    words = question_words(question.text, without=phrase)
    return Asking(kit, question, words, view, question.as_of or now, Stopwatch(trace=trace)), plan


async def _facts_in_scope(asking: Asking, found: Gathered) -> tuple[list[RankedFact], Mapping[PassageId, Passage]]:
    """Facts worth telling, in order, and the passages they are from."""
    question = asking.question
    with asking.watch.stage("focus"):
        facts = focus_facts(of_sources(rank_facts(asking, found), question.sources), floor=FACT_FLOOR)[:MAX_FACTS]
    ids = supports(facts)
    if not ids:
        return ([] if question.scope.mode is ScopeMode.STRICT_CHAT else facts), {}
    with asking.watch.stage("sources"):
        around = await asking.kit.passages.neighbours(question.owner, ids, before=0, after=0)
    sources = {passage.id: passage for run in around.values() for passage in run}
    if question.scope.mode is ScopeMode.STRICT_CHAT:
        inside = {id for id, passage in sources.items() if passage.chat_id in question.scope.chat_ids}
        facts = supported_by(facts, inside)
    return fair(facts, [seed.group_id for seed in found.seeded.seeds]), sources


def _evidence(
    asking: Asking,
    plan: Plan,
    items: tuple[EvidenceItem, ...],
    seeds: tuple[Entity, ...],
    index_status: IndexStatus,
) -> Evidence:
    identity = new_id()
    return Evidence(
        id=identity,
        question=asking.question.text,
        plan=plan,
        no_results=not items,
        items=items,
        entities=_entities(items, seeds),
        index_status=index_status,
        tokens=sum(item.tokens for item in items),
        prompt=prompt_of(identity, items),
        timings_ms=asking.watch.total(),
    )


def _entities(items: tuple[EvidenceItem, ...], seeds: tuple[Entity, ...]) -> tuple[Entity, ...]:
    """The entities that the question names, then those of the facts told, once each."""
    known: dict[EntityId, Entity] = {seed.group_id: seed for seed in seeds}
    for item in items:
        for side in () if item.fact is None else (item.fact.subject, item.fact.object):
            if isinstance(side, Entity):
                known.setdefault(side.group_id, side)
    return tuple(known.values())[:MAX_ENTITIES]
