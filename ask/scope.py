"""Keeps passages to the time and the chats a question means, and widens again where that leaves nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from ask.asking import Asking
from ask.gather import Gathered, gather_passages, passage_filter
from ask.question import ScopeMode
from ask.rank import Arms, RankedPassage, is_within, rank_passages
from ask.relevance import Judge
from doso.records.evidence import Plan, Route, TimeRange

#: Passages that are ordered: as many as the largest pack could hold.
MAX_RANKED = 200
RECENT_DAYS = 7
#: What a passage counts for when the question asks for a time and nothing else.
ONLY_TIME_RELEVANCE = 0.5
#: Asked like this, what was said or fixed at another time is no answer.
_ABOUT_THAT_TIME = re.compile(
    r"\b(?:say|said|tell|told|wr[io]te|written|sen[dt]|mention(?:ed)?|talk(?:ed)?|discuss(?:ed)?|chat(?:ted)?|messages?"
    r"|e?mails?|happen(?:ed|s)?|news|meetings?|events?|appointments?|schedule[ds]?|calendar|agenda"
    r"|bilang|kata|cerita|tulis|kirim|pesan|terjadi|rapat|acara|jadwal|janji)\b",
    re.IGNORECASE,
)


def time_range_of(plan: Plan, asking: Asking) -> TimeRange | None:
    """The range that the question names; the last days where it only asks what is new."""
    if plan.time_range is not None or plan.route is not Route.RECENT:
        return plan.time_range
    start = asking.now - timedelta(days=RECENT_DAYS)
    return TimeRange(start, asking.now + timedelta(seconds=1), asking.question.timezone)


async def passages_in_scope(
    asking: Asking, plan: Plan, time_range: TimeRange | None, found: Gathered
) -> list[RankedPassage]:
    """Passages in order of rank. Preferred chats give way to the whole memory where nothing in them is relevant."""
    ranked = _ranked(asking, found, found.arms, time_range)
    if asking.question.scope.mode is ScopeMode.PREFERRED and not is_answered(ranked):
        everywhere = replace(passage_filter(asking.question), chat_ids=None)
        ranked = _ranked(asking, found, await gather_passages(asking, everywhere, found.meaning), time_range)
    if time_range is None:
        return ranked
    is_only_time = plan.route is Route.RECENT or not asking.words.subject
    timed = [item for item in ranked if is_within(item.passage, time_range)]
    timed = [_relevant(item) for item in timed] if is_only_time else timed
    if plan.route is Route.RECENT and timed:
        return sorted(
            timed, key=lambda item: item.passage.occurred_at or datetime.min.replace(tzinfo=UTC), reverse=True
        )
    is_strict = is_only_time or _ABOUT_THAT_TIME.search(asking.question.text) is not None
    return timed if is_strict and is_answered(timed) else ranked


def is_answered(ranked: Sequence[RankedPassage]) -> bool:
    """Whether any passage passes the relevance floor."""
    return any(item.verdict.is_evidence for item in ranked)


def _relevant(item: RankedPassage) -> RankedPassage:
    """Relevant by its time alone, since nothing else is asked."""
    relevance = max(item.verdict.relevance, ONLY_TIME_RELEVANCE)
    return replace(item, verdict=replace(item.verdict, relevance=relevance, is_evidence=True))


def _ranked(asking: Asking, found: Gathered, arms: Arms, time_range: TimeRange | None) -> list[RankedPassage]:
    with asking.watch.stage("rank"):
        judge = Judge(asking.words, found.meaning.calibration)
        return rank_passages(arms, asking.words, judge, time_range=time_range, now=asking.now, limit=MAX_RANKED)
