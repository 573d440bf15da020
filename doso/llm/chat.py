"""What is asked of a chat model and what comes back, whoever provides it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Profile(StrEnum):
    """The tasks the product has for models; which model serves one is configuration, never code."""

    REWRITE = "rewrite"
    DRAFT_FAST = "draft_fast"
    DRAFT_EXPERT = "draft_expert"
    SKEPTIC = "skeptic"
    EXTRACT = "extract"
    CLASSIFY = "classify"
    ROUTE_LIVE = "route_live"
    TITLE = "title"


class Role(StrEnum):
    """Who speaks in a prompt."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class FinishReason(StrEnum):
    """Why a model stopped, in OpenAI's words."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A whole call of a client's tool; `arguments` is JSON text as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a prompt."""

    role: Role
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True)
class ReplyShape:
    """The JSON object a reply must be, as a JSON schema; providers that know no schema get it in words."""

    name: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A prompt and its bounds. `tools` and `tool_choice` are the client's own JSON texts, passed on unchanged."""

    messages: tuple[ChatMessage, ...]
    max_output_tokens: int | None = None
    temperature: float | None = None
    stop: tuple[str, ...] = ()
    reply: ReplyShape | None = None
    tools: str | None = None
    tool_choice: str | None = None


@dataclass(frozen=True, slots=True)
class TokenUsage:
    """Tokens of one or several calls. `is_exact` is False where any provider reported none and it was estimated."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    is_exact: bool = True

    def __add__(self, other: TokenUsage) -> TokenUsage:
        return TokenUsage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.is_exact and other.is_exact,
        )


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of a model's thinking; never part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of a model's visible reply."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A piece of a call of a client's tool; the first piece of an index has id and name, later ones arguments only."""

    index: int
    arguments: str
    id: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class ModelFinished:
    """The end of a reply, always the last event of a stream that did not fail."""

    reason: FinishReason
    usage: TokenUsage
    provider: str
    model: str


ModelEvent = ReasoningDelta | TextDelta | ToolCallDelta | ModelFinished
