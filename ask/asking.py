"""One question under way: what every stage of its retrieval is handed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ask.kit import AskKit
from ask.question import Question
from ask.timing import Stopwatch
from ask.words import QuestionWords
from graph.ports import View


@dataclass(frozen=True, slots=True)
class Asking:
    """The question with its means. `now` is the moment it is asked from: `as_of` where that was given."""

    kit: AskKit
    question: Question
    words: QuestionWords
    view: View
    now: datetime
    watch: Stopwatch
