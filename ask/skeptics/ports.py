"""What a skeptic lens is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from doso.llm.ports import Models
from doso.records.evidence import EvidenceItem, Plan


@dataclass(frozen=True, slots=True)
class Claim:
    """One citation under doubt: what the answer states there, and the item it cites for it."""

    number: int
    statement: str
    item: EvidenceItem


@dataclass(frozen=True, slots=True)
class Case:
    """What the panel judges. A lens sees this and nothing else: not the draft's prompt, not another lens."""

    question: str
    plan: Plan
    claims: tuple[Claim, ...]
    models: Models


@dataclass(frozen=True, slots=True)
class Verdict:
    """One lens's vote on one claim; `why` in a few words where it does not stand."""

    number: int
    stands: bool
    why: str = ""


class Lens(Protocol):
    """Doubts citations in one respect."""

    @property
    def name(self) -> str:
        """The name under which it votes."""
        ...

    async def judge(self, case: Case) -> Sequence[Verdict]:
        """Verdicts on the claims; one without a verdict is an abstention. Cancel it to stop.

        Raises ProviderUnavailable where its model fails: then it abstains from all.
        """
        ...
