"""Responses as the wire shows them: the object and the items of its output."""

from typing import Any

import msgspec

from api.schemas.answers import AnnotationOut, DosoOut
from api.schemas.responses_in import ResponsesIn
from doso.llm.chat import TokenUsage

ResponseItem = dict[str, Any]  # one of four shapes; made here, read by nobody here


class InputDetails(msgspec.Struct, frozen=True):
    """What of the prompt came from the provider's cache."""

    cached_tokens: int
    cache_write_tokens: int = 0


class OutputDetails(msgspec.Struct, frozen=True):
    """What of the reply was thinking."""

    reasoning_tokens: int


class ResponseUsage(msgspec.Struct, frozen=True):
    """Tokens of all model calls of an answer together."""

    input_tokens: int
    input_tokens_details: InputDetails
    output_tokens: int
    output_tokens_details: OutputDetails
    total_tokens: int


class ResponseFault(msgspec.Struct, frozen=True):
    """Why a response failed."""

    code: str
    message: str


class ResponseOut(msgspec.Struct, frozen=True):
    """A response, whole or as far as it is."""

    id: str
    created_at: int
    model: str
    status: str
    output: list[ResponseItem]
    instructions: str | None
    metadata: dict[str, Any]
    max_output_tokens: int | None
    temperature: float | None
    tool_choice: str | dict[str, Any]
    tools: list[dict[str, Any]]
    text: dict[str, Any]
    reasoning: dict[str, Any]
    usage: ResponseUsage | None = None
    error: ResponseFault | None = None
    incomplete_details: dict[str, str] | None = None
    doso: DosoOut | msgspec.UnsetType = msgspec.UNSET
    object: str = "response"
    parallel_tool_calls: bool = True
    previous_response_id: None = None
    store: bool = False
    top_p: None = None
    truncation: str = "disabled"


def begun(body: ResponsesIn, *, id: str, created_at: int) -> ResponseOut:
    """The response before its first word."""
    form = None if body.text is None else body.text.format
    return ResponseOut(
        id=id,
        created_at=created_at,
        model=body.model,
        status="in_progress",
        output=[],
        instructions=body.instructions,
        metadata=body.metadata or {},
        max_output_tokens=body.max_output_tokens,
        temperature=body.temperature,
        tool_choice=body.tool_choice or "auto",
        tools=body.tools or [],
        text={"format": {"type": "text"} if form is None else msgspec.to_builtins(form)},
        reasoning={"effort": None if body.reasoning is None else body.reasoning.effort, "summary": None},
    )


def text_part(text: str, annotations: list[AnnotationOut]) -> ResponseItem:
    """The words of a message; an annotation lies flat here."""
    flat = [{"type": one.type, **msgspec.structs.asdict(one.url_citation)} for one in annotations]
    return {"type": "output_text", "text": text, "annotations": flat, "logprobs": []}


def message_item(id: str, status: str, parts: list[ResponseItem]) -> ResponseItem:
    """The assistant's message."""
    return {"id": id, "type": "message", "role": "assistant", "status": status, "content": parts}


def reasoning_item(id: str, text: str | None) -> ResponseItem:
    """Thinking; None while it has not begun."""
    return {"id": id, "type": "reasoning", "summary": [] if text is None else [summary_part(text)]}


def summary_part(text: str) -> ResponseItem:
    """The words of thinking."""
    return {"type": "summary_text", "text": text}


def call_item(id: str, status: str, *, call_id: str, name: str, arguments: str) -> ResponseItem:
    """A call of one of the client's functions."""
    return {
        "id": id,
        "type": "function_call",
        "status": status,
        "call_id": call_id,
        "name": name,
        "arguments": arguments,
    }


def to_response_usage(usage: TokenUsage) -> ResponseUsage:
    """The tokens in this dialect's words."""
    return ResponseUsage(
        usage.input_tokens,
        InputDetails(usage.cached_tokens),
        usage.output_tokens,
        OutputDetails(usage.reasoning_tokens),
        usage.input_tokens + usage.output_tokens,
    )
