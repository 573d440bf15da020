"""The body of a chat completion request."""

from __future__ import annotations

import msgspec

from doso.llm.chat import ChatMessage, ModelRequest, ReplyShape, Role
from doso.llm.config import ModelConfig
from doso.llm.prompts import fitting_words
from doso.llm.providers.refusals import Feature
from doso.text import clean


def body_of(config: ModelConfig, request: ModelRequest, used: frozenset[Feature]) -> bytes:
    """The request as JSON, with the features that the server is asked for."""
    body = _body(config, request, used)
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:  # half a character, which came with somebody's text
        return msgspec.json.encode(_cleaned(body))


def _body(config: ModelConfig, request: ModelRequest, used: frozenset[Feature]) -> dict[str, object]:
    body: dict[str, object] = {"model": config.model, "messages": _messages(request, used)}
    body |= _of_reply(request.reply, used)
    if Feature.STREAM in used:
        body["stream"] = True
    if Feature.USAGE in used:
        body["stream_options"] = {"include_usage": True}
    if Feature.TOOLS in used and request.tools is not None:
        body["tools"] = msgspec.json.decode(request.tools)
        if request.tool_choice is not None:
            body["tool_choice"] = msgspec.json.decode(request.tool_choice)
    if Feature.MAX_TOKENS in used:
        body["max_tokens"] = request.max_output_tokens
    if Feature.MAX_COMPLETION_TOKENS in used:
        body["max_completion_tokens"] = request.max_output_tokens
    if Feature.TEMPERATURE in used:
        body["temperature"] = request.temperature
    if Feature.STOP in used:
        body["stop"] = list(request.stop)
    if config.extra != "{}":
        body |= msgspec.json.decode(config.extra, type=dict[str, object])
    return body


def _of_reply(shape: ReplyShape | None, used: frozenset[Feature]) -> dict[str, object]:
    if shape is None:
        return {}
    if Feature.SCHEMA in used:
        stated = {"name": shape.name, "schema": shape.schema}
        return {"response_format": {"type": "json_schema", "json_schema": stated}}
    if Feature.JSON_OBJECT in used:
        return {"response_format": {"type": "json_object"}}
    return {}


def _messages(request: ModelRequest, used: frozenset[Feature]) -> list[dict[str, object]]:
    messages = [_message(message) for message in request.messages]
    if request.reply is not None and Feature.SCHEMA not in used:
        words = fitting_words(request.reply)
        if messages and messages[0]["role"] == Role.SYSTEM.value:  # many servers take one system message, the first
            messages[0]["content"] = f"{messages[0]['content']}\n\n{words}"
        else:
            messages.insert(0, {"role": Role.SYSTEM.value, "content": words})
    return messages


def _message(message: ChatMessage) -> dict[str, object]:
    said: dict[str, object] = {"role": message.role.value, "content": message.text}
    if message.tool_calls:
        said["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
        if not message.text:
            said["content"] = None
    if message.tool_call_id is not None:
        said["tool_call_id"] = message.tool_call_id
    return said


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_cleaned(name): _cleaned(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(item) for item in value]
    return value
