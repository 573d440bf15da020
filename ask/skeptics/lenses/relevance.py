"""The lens of relevance: does it help to answer the question?"""

from __future__ import annotations

from ask.claims import stated
from ask.relevance import RELEVANCE_FLOOR
from ask.skeptics.judging import JudgingLens
from ask.skeptics.ports import Case, Claim, Lens


def build() -> Lens:
    """See ask.skeptics.registry."""
    return JudgingLens("relevance", "RELEVANCE", _rule)


def _rule(case: Case, claim: Claim) -> str | None:
    """An item that was ranked under the floor, and shares no word with the question, is beside the point."""
    if claim.item.score >= RELEVANCE_FLOOR or stated(case.question).content & stated(claim.item.text).content:
        return None
    return "It has nothing to do with the question."
