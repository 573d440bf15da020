"""An ask under way: what every topology is handed."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from ask.kit import AskKit
from ask.question import Question
from ask.wish import Effort, Means, Wish
from doso.llm.chat import Profile
from doso.tracing import Trace


def _now_s() -> float:
    return asyncio.get_running_loop().time()


@dataclass(frozen=True, slots=True)
class Ask:
    """The question with its wish and means. `question.text` is what is searched for: `written` is how it was asked.

    `notes` grow while it runs: what went less than well.
    """

    kit: AskKit
    question: Question
    wish: Wish
    means: Means
    written: str
    began_at: float = field(default_factory=_now_s)  # seconds of the loop's clock
    notes: list[str] = field(default_factory=list)

    @property
    def trace(self) -> Trace:
        return self.means.trace

    @property
    def is_rewritten(self) -> bool:
        """Whether what is searched for says in full what was asked."""
        return self.question.text not in self.written and self.wish.whole_question is None

    @property
    def profile(self) -> Profile:
        """The task under which the answer is drafted: that of its effort, or the other where only that is served."""
        wanted, other = Profile.DRAFT_FAST, Profile.DRAFT_EXPERT
        if self.wish.effort is Effort.EXPERT:
            wanted, other = other, wanted
        has_only_other = self.means.models.ability(wanted) is None and self.means.models.ability(other) is not None
        return other if has_only_other else wanted

    def until(self, share: float) -> float:
        """When this share of the time for the whole ask has passed, on the loop's clock."""
        return self.began_at + self.means.deadline_s * share

    def note(self, text: str) -> None:
        """Say once what went less than well."""
        if text not in self.notes:
            self.notes.append(text)
