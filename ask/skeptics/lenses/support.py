"""The lens of support: does the source say what is stated?"""

from __future__ import annotations

from ask.skeptics.judging import JudgingLens
from ask.skeptics.ports import Case, Claim, Lens
from ask.support import SupportCheck


def build() -> Lens:
    """See ask.skeptics.registry."""
    return JudgingLens("support", "SUPPORT", _rule)


def _rule(case: Case, claim: Claim) -> str | None:
    items = tuple({other.item.mark: other.item for other in case.claims}.values())
    beside = [other.item for other in case.claims if other.statement == claim.statement and other is not claim]
    return SupportCheck(items, case.question).why_not(claim.statement, claim.item, beside)
