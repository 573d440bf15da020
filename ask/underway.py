"""An ask under way: what every topology is handed."""

from __future__ import annotations

from dataclasses import dataclass, field

from ask.kit import AskKit
from ask.question import Question
from ask.wish import Means, Wish
from doso.tracing import Trace


@dataclass(frozen=True, slots=True)
class Ask:
    """The question with its wish and means. `notes` grow while it runs: what went less than well."""

    kit: AskKit
    question: Question
    wish: Wish
    means: Means
    notes: list[str] = field(default_factory=list)

    @property
    def trace(self) -> Trace:
        return self.means.trace

    @property
    def text(self) -> str:
        """The question as it was written."""
        return self.wish.whole_question or self.question.text

    def note(self, text: str) -> None:
        """Say once what went less than well."""
        if text not in self.notes:
            self.notes.append(text)
