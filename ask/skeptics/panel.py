"""Puts an answer's citations before all lenses at once and takes out those that most of the votes are against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ask.arms import Outcome, outcome_of, side_by_side
from ask.draft import Draft
from ask.events import DroppedCitation
from ask.shown import ShownText
from ask.skeptics.ports import Case, Claim, Lens, Verdict
from ask.underway import Ask
from doso.records.evidence import Plan

#: The share of the time for the whole ask by which all votes must be there, and the citations that are judged.
PANEL_SHARE, MAX_CLAIMS = 0.95, 40


@dataclass(frozen=True, slots=True)
class _Vote:
    lens: str
    verdict: Verdict


async def judged(ask: Ask, plan: Plan, draft: Draft, lenses: Sequence[Lens]) -> Draft:
    """The draft without the citations that fell. A lens that fails or is late abstains; a tie keeps the citation."""
    claims = tuple(
        Claim(number, citation.claim, citation.item)
        for number, citation in enumerate(draft.citations[:MAX_CLAIMS], start=1)
    )
    if not claims:
        return draft
    case = Case(ask.question.text, plan, claims, ask.means.models)
    works = [_heard(ask, lens, case) for lens in lenses]
    async with side_by_side(*works) as tasks:
        votes = [vote for task in tasks for vote in await task]
    return _without(draft, {claim.number: why for claim in claims if (why := _against(claim, votes)) is not None})


async def _heard(ask: Ask, lens: Lens, case: Case) -> list[_Vote]:
    """The votes of one lens, none where it fails."""
    with ask.trace.span(f"skeptics.{lens.name}", claims=len(case.claims)) as span:
        outcome: Outcome[Sequence[Verdict]] = await outcome_of(lens.judge(case), ask.until(PANEL_SHARE))
        verdicts = outcome.value or ()
        against = sum(not verdict.stands for verdict in verdicts)
        span.attributes.update(against=against, abstained=len(case.claims) - len(verdicts))
        if outcome.value is None:
            span.error = "late" if outcome.error is None else outcome.error.code
            ask.note(f"The lens of {lens.name} {'was late' if outcome.is_late else 'failed'} and did not vote.")
    return [_Vote(lens.name, verdict) for verdict in verdicts]


def _against(claim: Claim, votes: Sequence[_Vote]) -> DroppedCitation | None:
    """Who is against a claim, where that is the majority of those who voted on it."""
    cast = [vote for vote in votes if vote.verdict.number == claim.number]
    against = [vote for vote in cast if not vote.verdict.stands]
    if len(against) * 2 <= len(cast):
        return None
    reasons = dict.fromkeys(vote.verdict.why for vote in against if vote.verdict.why)
    return DroppedCitation(claim.item.mark, tuple(vote.lens for vote in against), " ".join(reasons))


def _without(draft: Draft, fallen: dict[int, DroppedCitation]) -> Draft:
    """The draft with the marks of fallen citations taken out and all offsets mended."""
    if not fallen:
        return draft
    shown, at = ShownText(), 0
    for number, citation in enumerate(draft.citations, start=1):
        shown.add(draft.text[at : citation.start])
        shown.cite([] if number in fallen else [citation.item], citation.claim)
        at = citation.end
    shown.add(draft.text[at:])
    return replace(
        draft,
        text=shown.text(),
        citations=tuple(shown.citations),
        dropped=(*draft.dropped, *fallen.values()),
        is_verified=bool(shown.citations),
    )
