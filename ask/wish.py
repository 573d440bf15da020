"""How an answer is wanted, and the means of one ask to make it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ask.ports import LiveSources
from doso.llm.chat import ChatMessage, ReplyShape
from doso.llm.ports import Models
from doso.tracing import Trace

DEFAULT_DEADLINE_S = 60.0


class Effort(StrEnum):
    """Which topology answers."""

    FAST = "fast"
    EXPERT = "expert"


@dataclass(frozen=True, slots=True)
class Wish:
    """The form in which the asker wants the answer.

    `instructions` are the client's own system messages. `messages` are the client's messages since the question, as
    models take them (its tool calls and their results); empty for a plain question. `is_json`: the answer is to be one
    JSON object, of `shape` where that is given; then there are no marks. `tools` and `tool_choice` are the client's
    JSON texts. `urls` are pages to read live, whatever the question. `whole_question` is the question as it was written
    where that is longer than what is searched for (Question.text, its head and tail): the model reads it whole.
    """

    effort: Effort = Effort.FAST
    instructions: str = ""
    messages: tuple[ChatMessage, ...] = ()
    max_output_tokens: int | None = None
    temperature: float | None = None
    stop: tuple[str, ...] = ()
    is_json: bool = False
    shape: ReplyShape | None = None
    tools: str | None = None
    tool_choice: str | None = None
    urls: tuple[str, ...] = ()
    whole_question: str | None = None


@dataclass(frozen=True, slots=True)
class Means:
    """What one ask may use, by the settings as they stand when it begins."""

    models: Models
    live: LiveSources | None = None  # None: no live tool is on
    has_skeptics: bool = True
    deadline_s: float = DEFAULT_DEADLINE_S
    trace: Trace = field(default_factory=Trace)  # where the ask measures itself; whoever asks has it also when it fails
