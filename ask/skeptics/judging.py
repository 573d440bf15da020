"""A lens that asks a model where one serves, in a fresh context, and goes by a rule of words where none does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ask.skeptics.ports import Case, Claim, Verdict
from doso.fencing import fenced, inert
from doso.llm.chat import ChatMessage, ModelRequest, Profile, Role

#: What a verdict costs, and what a reply costs besides.
TOKENS_PER_VERDICT, TOKENS_BESIDE = 40, 80
#: The longest part of an item, and the longest reason, that is read.
MAX_ITEM_CHARS, MAX_WHY_CHARS = 1_500, 160

#: Why a claim does not stand by the words alone; None where nothing speaks against it.
Rule = Callable[[Case, Claim], str | None]


@dataclass(frozen=True, slots=True)
class JudgingLens:
    """A lens by its criterion, put to a model, and its rule."""

    name: str
    criterion: str  # the name of a text in ask.prompts.judging
    rule: Rule

    async def judge(self, case: Case) -> Sequence[Verdict]:
        """See Lens."""
        if case.models.ability(Profile.SKEPTIC) is None:
            return [self._by_rule(case, claim) for claim in case.claims]
        from ask.prompts import judging  # noqa: PLC0415  # pydantic takes a tenth of a second to load

        system = judging.TASK.format(criterion=getattr(judging, self.criterion))
        messages = (ChatMessage(Role.SYSTEM, system), ChatMessage(Role.USER, _pairs(case)))
        most = TOKENS_BESIDE + TOKENS_PER_VERDICT * len(case.claims)
        judged = await case.models.reply(Profile.SKEPTIC, ModelRequest(messages, most, 0.0), judging.Judged)
        known = {claim.number for claim in case.claims}
        return [
            Verdict(pair.number, pair.stands, pair.why[:MAX_WHY_CHARS])
            for pair in {pair.number: pair for pair in judged.verdicts}.values()
            if pair.number in known
        ]

    def _by_rule(self, case: Case, claim: Claim) -> Verdict:
        why = self.rule(case, claim)
        return Verdict(claim.number, why is None, why or "")


def _pairs(case: Case) -> str:
    """The pairs inside a fence whose code none of them can hold."""
    pairs = "\n".join(
        f"{claim.number}. Statement: {_line(claim.statement)}\n   Source: {_line(claim.item.text[:MAX_ITEM_CHARS])}"
        for claim in case.claims
    )
    _, text = fenced("pairs", pairs, salt=case.question)
    return f"Question: {case.question}\n\n{text}"


def _line(text: str) -> str:
    return inert(" ".join(text.split()))
