"""The body of a Responses request, and the chat completion that it amounts to."""

from typing import Annotated, Any

import msgspec

from api.schemas.chat import (
    MAX_MESSAGES,
    MAX_TOOLS,
    ChatIn,
    EffortName,
    FunctionCallIn,
    JsonSchemaIn,
    MessageIn,
    PartIn,
    ResponseFormatIn,
    ToolCallIn,
)
from api.schemas.evidence import ScopeIn
from doso.errors import InvalidInput

_ROLES = frozenset({"user", "assistant", "system", "developer"})
_STATELESS = "This server keeps no responses: send the earlier items as input."


class ItemIn(msgspec.Struct, frozen=True):
    """An item of the input: a message, a call of a tool, or what came of one. Others are left out."""

    type: str = "message"
    role: str | None = None
    content: str | list[PartIn] | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None
    output: str | list[PartIn] | None = None


class ReasoningIn(msgspec.Struct, frozen=True):
    """How hard to think."""

    effort: str | None = None


class FormatIn(msgspec.Struct, frozen=True):
    """The form of the reply."""

    type: str
    name: str = "reply"
    schema: dict[str, Any] | None = None


class TextIn(msgspec.Struct, frozen=True):
    """The reply's words."""

    format: FormatIn | None = None


class ResponsesIn(msgspec.Struct, frozen=True):
    """A conversation in OpenAI's newer form, of which nothing is kept; Doso's own fields are those of a completion."""

    input: str | Annotated[list[ItemIn], msgspec.Meta(min_length=1, max_length=MAX_MESSAGES)]
    model: str
    instructions: str | None = None
    stream: bool | None = None
    max_output_tokens: Annotated[int, msgspec.Meta(ge=1)] | None = None
    temperature: Annotated[float, msgspec.Meta(ge=0, le=2)] | None = None
    reasoning: ReasoningIn | None = None
    text: TextIn | None = None
    tools: Annotated[list[dict[str, Any]], msgspec.Meta(max_length=MAX_TOOLS)] | None = None
    tool_choice: str | dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    previous_response_id: str | None = None
    conversation: str | dict[str, Any] | None = None
    background: bool | None = None
    effort: EffortName | None = None
    scope: ScopeIn | None = None
    conversation_id: str | None = None
    incognito: bool | None = None
    trace: bool | None = None


def to_chat(body: ResponsesIn) -> ChatIn:
    """The same as a chat completion. Raises InvalidInput for what needs a server that keeps responses."""
    if body.previous_response_id is not None:
        raise InvalidInput(_STATELESS, param="previous_response_id")
    if body.conversation is not None:
        raise InvalidInput(_STATELESS, param="conversation")
    if body.background:
        raise InvalidInput("Answers are given while the caller waits.", param="background")
    instructions = [] if body.instructions is None else [MessageIn("developer", body.instructions)]
    return ChatIn(
        messages=[*instructions, *_messages(body.input)],
        model=body.model,
        stream=body.stream,
        max_completion_tokens=body.max_output_tokens,
        temperature=body.temperature,
        response_format=_format(body.text),
        tools=[_tool(tool, at) for at, tool in enumerate(body.tools or ()) if tool.get("type") == "function"],
        tool_choice=_choice(body.tool_choice),
        reasoning_effort=None if body.reasoning is None else body.reasoning.effort,
        metadata=body.metadata,
        effort=body.effort,
        scope=body.scope,
        conversation_id=body.conversation_id,
        incognito=body.incognito,
        trace=body.trace,
    )


def left_out(body: ResponsesIn) -> tuple[str, ...]:
    """What of the request could not be heeded, in words."""
    kinds = dict.fromkeys(str(tool.get("type"))[:60] for tool in body.tools or () if tool.get("type") != "function")
    return tuple(f"A tool of the type {kind} was left out: only functions are called." for kind in kinds)


def _messages(given: str | list[ItemIn]) -> list[MessageIn]:
    if isinstance(given, str):
        return [MessageIn("user", given)]
    messages: list[MessageIn] = []
    for at, item in enumerate(given):
        match item.type:
            case "message":
                messages.append(_message(item, at))
            case "function_call":
                _add_call(messages, item, at)
            case "function_call_output":
                messages.append(MessageIn("tool", item.output, tool_call_id=_call_id(item, at)))
            case "item_reference":
                raise InvalidInput(_STATELESS, param=f"input[{at}]")
            case _:
                pass  # thoughts and the calls of tools that are not the client's
    return messages


def _message(item: ItemIn, at: int) -> MessageIn:
    if item.role not in _ROLES:
        raise InvalidInput("A message is of the user, assistant, system or developer.", param=f"input[{at}].role")
    return MessageIn(item.role, item.content)  # type: ignore[arg-type]  # one of the names in MessageIn.role


def _add_call(messages: list[MessageIn], item: ItemIn, at: int) -> None:
    """Calls that follow each other belong to one message."""
    if item.name is None:
        raise InvalidInput("A call names its function.", param=f"input[{at}].name")
    call = ToolCallIn(_call_id(item, at), FunctionCallIn(item.name, item.arguments or ""))
    last = messages[-1] if messages else None
    if last is not None and last.role == "assistant":
        messages[-1] = msgspec.structs.replace(last, tool_calls=[*(last.tool_calls or ()), call])
    else:
        messages.append(MessageIn("assistant", tool_calls=[call]))


def _call_id(item: ItemIn, at: int) -> str:
    if item.call_id is None:
        raise InvalidInput("A call and its output have a call_id.", param=f"input[{at}].call_id")
    return item.call_id


def _format(text: TextIn | None) -> ResponseFormatIn | None:
    form = None if text is None else text.format
    if form is None or form.type == "text":
        return None
    if form.type == "json_object":
        return ResponseFormatIn("json_object")
    if form.type == "json_schema" and form.schema is not None:
        return ResponseFormatIn("json_schema", JsonSchemaIn(form.name, form.schema))
    raise InvalidInput("The format is text, json_object, or json_schema with a schema.", param="text.format")


def _tool(tool: dict[str, Any], at: int) -> dict[str, Any]:
    if not isinstance(tool.get("name"), str):
        raise InvalidInput("A function needs a name.", param=f"tools[{at}].name")
    known = ("name", "description", "parameters", "strict")
    return {"type": "function", "function": {name: tool[name] for name in known if tool.get(name) is not None}}


def _choice(choice: str | dict[str, Any] | None) -> str | dict[str, Any] | None:
    if not isinstance(choice, dict):
        return choice
    if choice.get("type") == "function" and isinstance(choice.get("name"), str):
        return {"type": "function", "function": {"name": choice["name"]}}
    return "auto"
