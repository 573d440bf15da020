"""Chat completions as the wire shows them: the whole reply and the parts it is made of."""

import msgspec

from api.schemas.answers import AnnotationOut, DosoOut, Telling, to_annotations, to_doso
from api.wire.whole import Heard
from doso.llm.chat import TokenUsage, ToolCall


class FunctionOut(msgspec.Struct, frozen=True):
    """Which function is called, with what."""

    name: str
    arguments: str


class ToolCallOut(msgspec.Struct, frozen=True, kw_only=True):
    """A call of one of the client's tools."""

    id: str
    type: str = "function"
    function: FunctionOut


class MessageOut(msgspec.Struct, frozen=True, kw_only=True):
    """The assistant's message."""

    role: str = "assistant"
    reasoning_content: str | msgspec.UnsetType = msgspec.UNSET
    content: str | None
    refusal: None = None
    annotations: list[AnnotationOut]
    tool_calls: list[ToolCallOut] | msgspec.UnsetType = msgspec.UNSET


class ChoiceOut(msgspec.Struct, frozen=True, kw_only=True):
    """The one choice there is."""

    index: int = 0
    message: MessageOut
    logprobs: None = None
    finish_reason: str


class PromptDetails(msgspec.Struct, frozen=True):
    """What of the prompt came from the provider's cache."""

    cached_tokens: int


class CompletionDetails(msgspec.Struct, frozen=True):
    """What of the reply was thinking."""

    reasoning_tokens: int


class UsageOut(msgspec.Struct, frozen=True):
    """Tokens of all model calls of an answer together."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: PromptDetails
    completion_tokens_details: CompletionDetails


class CompletionOut(msgspec.Struct, frozen=True, kw_only=True):
    """A whole reply."""

    id: str
    object: str = "chat.completion"
    created: int
    model: str
    choices: list[ChoiceOut]
    usage: UsageOut
    doso: DosoOut


def to_completion(heard: Heard, *, id: str, created: int, model: str, telling: Telling) -> CompletionOut:
    """The reply of an ask that was heard out."""
    finished, calls = heard.end(), heard.tool_calls
    message = MessageOut(
        content=heard.text or (None if calls else ""),
        annotations=to_annotations(heard, telling),
        reasoning_content=heard.reasoning or msgspec.UNSET,
        tool_calls=[_call(call) for call in calls] or msgspec.UNSET,
    )
    return CompletionOut(
        id=id,
        created=created,
        model=model,
        choices=[ChoiceOut(message=message, finish_reason=finished.reason.value)],
        usage=to_usage(finished.usage),
        doso=to_doso(heard, telling),
    )


def _call(call: ToolCall) -> ToolCallOut:
    return ToolCallOut(id=call.id, function=FunctionOut(call.name, call.arguments))


def to_usage(usage: TokenUsage) -> UsageOut:
    """The tokens in OpenAI's words."""
    return UsageOut(
        usage.input_tokens,
        usage.output_tokens,
        usage.input_tokens + usage.output_tokens,
        PromptDetails(usage.cached_tokens),
        CompletionDetails(usage.reasoning_tokens),
    )
