"""The body of a chat completion. A key that isn't known is ignored, as OpenAI's clients expect of every server."""

from typing import Annotated, Any, Literal

import msgspec

from api.schemas.evidence import ScopeIn

MAX_MESSAGES = 2_000
MAX_TOOLS = 128
MAX_STOPS = 16

EffortName = Literal["fast", "expert"]


class FunctionCallIn(msgspec.Struct, frozen=True):
    """Which function was called, with what."""

    name: str
    arguments: str = ""


class ToolCallIn(msgspec.Struct, frozen=True):
    """A call of one of the client's tools in an earlier turn."""

    id: str
    function: FunctionCallIn


class PartIn(msgspec.Struct, frozen=True):
    """A part of a message; only text is read."""

    type: str
    text: str | None = None
    refusal: str | None = None


class MessageIn(msgspec.Struct, frozen=True):
    """One message of the conversation."""

    role: Literal["developer", "system", "user", "assistant", "tool", "function"]
    content: str | list[PartIn] | None = None
    name: str | None = None
    tool_calls: list[ToolCallIn] | None = None
    tool_call_id: str | None = None
    function_call: FunctionCallIn | None = None


class StreamOptionsIn(msgspec.Struct, frozen=True):
    """What a stream carries besides."""

    include_usage: bool | None = None


class JsonSchemaIn(msgspec.Struct, frozen=True):
    """The object that a reply is to be."""

    name: str = "reply"
    schema: dict[str, Any] | None = None


class ResponseFormatIn(msgspec.Struct, frozen=True):
    """The form of a reply."""

    type: Literal["text", "json_object", "json_schema"]
    json_schema: JsonSchemaIn | None = None


class ChatIn(msgspec.Struct, frozen=True):
    """A conversation whose last user message is the question.

    `effort`, `scope`, `incognito` and `trace` are Doso's own; `metadata` may carry them too.
    """

    messages: Annotated[list[MessageIn], msgspec.Meta(min_length=1, max_length=MAX_MESSAGES)]
    model: str
    stream: bool | None = None
    stream_options: StreamOptionsIn | None = None
    n: int | None = None
    max_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None
    max_completion_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    stop: str | Annotated[list[str], msgspec.Meta(max_length=MAX_STOPS)] | None = None
    response_format: ResponseFormatIn | None = None
    tools: Annotated[list[dict[str, Any]], msgspec.Meta(max_length=MAX_TOOLS)] | None = None
    tool_choice: str | dict[str, Any] | None = None
    functions: list[Any] | None = None
    modalities: list[str] | None = None
    audio: dict[str, Any] | None = None
    reasoning_effort: str | None = None
    metadata: dict[str, Any] | None = None
    effort: EffortName | None = None
    scope: ScopeIn | None = None
    conversation_id: str | None = None
    incognito: bool | None = None
    trace: bool | None = None
