"""Adds what live research brought to a pack: marks go on where the memory's end, budget and limit hold for both."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import replace

from ask.fence import prompt_of
from ask.kit import AskKit
from ask.pack import pack
from ask.pipeline import find_evidence
from ask.ports import LiveSources
from ask.question import MIN_TOKENS, Question
from ask.rank import RankedPassage
from ask.relevance import Judge
from ask.timing import Stopwatch
from ask.words import question_words
from doso.records import Passage
from doso.records.evidence import Evidence, EvidenceItem
from doso.records.live import LiveFindings

#: The part of budget and places that a pack of the memory leaves to live passages, where some may come.
LIVE_SHARE = 1 / 3


async def find_live_evidence(
    kit: AskKit, question: Question, live: LiveSources, *, urls: Sequence[str] = ()
) -> Evidence:
    """The memory's evidence and what is found live, looked for side by side. The question's own text is all that goes
    out: not what was said before it, and nothing of the memory."""
    watch = Stopwatch()
    research = asyncio.create_task(_watched(watch, live.research(question.owner, question.text, urls=urls)))
    try:
        evidence = await find_evidence(kit, leaving_room(question))
        findings = await research
    finally:
        research.cancel()
        await asyncio.gather(research, return_exceptions=True)
    timings = {**evidence.timings_ms, **watch.total()}
    return replace(with_findings(evidence, question, findings), timings_ms=timings)


def leaving_room(question: Question) -> Question:
    """The question with a budget for the memory alone, when live passages are to be added to its pack."""
    return replace(
        question,
        max_tokens=max(MIN_TOKENS, round(question.max_tokens * (1 - LIVE_SHARE))),
        limit=max(1, round(question.limit * (1 - LIVE_SHARE))),
    )


def live_items(
    question: Question, items: Sequence[EvidenceItem], passages: Sequence[Passage]
) -> tuple[EvidenceItem, ...]:
    """The passages as further items of a pack that has these: as many as still fit, in the order given. `question` is
    the whole one, not the one that left room."""
    told = {source.passage_id for item in items for source in item.sources}
    fresh = [passage for passage in passages if passage.id not in told]
    verdicts = Judge(question_words(question.text), None).passages([(passage, None) for passage in fresh])
    ranked = [RankedPassage(passage, 0.0, verdict, None) for passage, verdict in zip(fresh, verdicts, strict=True)]
    left = question.max_tokens - sum(item.tokens for item in items)
    more = pack(ranked, {}, max_tokens=left, limit=question.limit - len(items))
    begun = max((int(item.mark[1:]) for item in items), default=0)
    return tuple(replace(item, mark=f"S{number}") for number, item in enumerate(more, begun + 1))


def with_findings(evidence: Evidence, question: Question, findings: LiveFindings) -> Evidence:
    """The pack with what live research brought, and what it could not read."""
    items = (*evidence.items, *live_items(question, evidence.items, findings.passages))
    return replace(
        evidence,
        items=items,
        no_results=not items,
        tokens=sum(item.tokens for item in items),
        prompt=prompt_of(evidence.id, items),
        failed_sources=(*evidence.failed_sources, *findings.failed),
    )


async def _watched(watch: Stopwatch, research: Awaitable[LiveFindings]) -> LiveFindings:
    with watch.stage("live"):
        return await research
