"""The lens of identity: is it about this person, thing, place and time?"""

from __future__ import annotations

from ask.claims import stated
from ask.skeptics.judging import JudgingLens
from ask.skeptics.ports import Case, Claim, Lens
from doso.records import Entity
from doso.text import search_tokens


def build() -> Lens:
    """See ask.skeptics.registry."""
    return JudgingLens("identity", "IDENTITY", _rule)


def _rule(case: Case, claim: Claim) -> str | None:
    """The people of the question, those of the item, and their days must go together."""
    said, own = stated(claim.statement), stated(claim.item.text)
    if said.days and own.days and not said.days & own.days:
        return "It is about another day."
    asked = [set(search_tokens(person.name)) for person in case.plan.people if person.name]
    fact = claim.item.fact
    if not asked or fact is None:
        return None
    sides = [side for side in (fact.subject, fact.object) if isinstance(side, Entity) and side.role is None]
    called = [name for side in sides for name in (side.name, *(alias.name for alias in side.aliases))]
    names = [set(search_tokens(name)) for name in called]
    is_about_them = not names or any(one & other for one in asked for other in names)
    return None if is_about_them else "It is about somebody else."
