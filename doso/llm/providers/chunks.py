"""Reading of OpenAI's chunks and completions, in the many ways in which servers write them."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from doso.llm.chat import FinishReason, ReasoningDelta, TextDelta, TokenUsage, ToolCallDelta
from doso.llm.ports import ProviderEnd
from doso.llm.providers.tool_calls import ToolCalls, without_surrogates
from doso.llm.thinking import Split, ThinkingSplitter

Delta = ReasoningDelta | TextDelta | ToolCallDelta

_REASONS = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "tool_calls": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "tool_use": FinishReason.TOOL_CALLS,
    "content_filter": FinishReason.CONTENT_FILTER,
    "safety": FinishReason.CONTENT_FILTER,
    "refusal": FinishReason.CONTENT_FILTER,
}


class _Delta(msgspec.Struct):
    """What changed; null in most places at most servers."""

    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    tool_calls: Any = None
    refusal: Any = None


class Choice(msgspec.Struct):
    """One of the replies, of which we ask for one."""

    index: Any = 0
    delta: _Delta | None = None
    message: _Delta | None = None
    text: Any = None
    finish_reason: Any = None


class Chunk(msgspec.Struct):
    """A piece of a stream, or a whole completion."""

    choices: list[Choice | None] | None = None
    usage: Any = None
    error: Any = None
    success: Any = None
    x_groq: Any = None


class UnreadableError(Exception):
    """What came is no chunk."""


_DECODER = msgspec.json.Decoder(Chunk)


def parse_chunk(data: str) -> Chunk:
    """The chunk of an event's data, lone surrogates included. Raises UnreadableError."""
    try:
        return _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        pass
    try:
        return msgspec.convert(json.loads(data, strict=False), Chunk)  # takes what stricter readers refuse
    except (ValueError, msgspec.MsgspecError, RecursionError):
        raise UnreadableError from None


class ChunkReader:
    """Follows one reply from chunk to chunk."""

    def __init__(self) -> None:
        self.reason: FinishReason | None = None
        self.usage: TokenUsage | None = None
        self.has_begun = False  # something of the reply was read
        self.has_finish = False  # the server said why it stopped
        self.is_done = False  # nothing more will come
        self.is_failed = False  # the server itself said so
        self._thinking = ThinkingSplitter()
        self._calls = ToolCalls()
        self._half = ""  # of a character whose other half comes with the next delta

    def read(self, chunk: Chunk) -> list[Delta]:
        """The events of a chunk. What follows the finish is only looked through for usage."""
        events: list[Delta] = []
        if chunk.usage is not None or chunk.x_groq is not None:
            self._take_usage(chunk)
        if self.reason is None and chunk.choices:
            for choice in chunk.choices:
                if choice is not None and choice.index in (0, None):
                    self._choice(choice, events)
        return events

    def end(self) -> list[Delta]:
        """What was held back, where a stream ends without a word about why."""
        events: list[Delta] = []
        if self.reason is None:
            self._finish("stop", events)
        return events

    @property
    def provider_end(self) -> ProviderEnd:
        """The end as it is told on."""
        return ProviderEnd(self.reason or FinishReason.STOP, self.usage)

    @property
    def has_cut_call(self) -> bool:
        """Whether a tool call's arguments are no whole JSON, so that it must not be taken for one."""
        return self._calls.is_cut

    def _take_usage(self, chunk: Chunk) -> None:
        for reported in (chunk.usage, chunk.x_groq.get("usage") if isinstance(chunk.x_groq, dict) else None):
            self.usage = usage_of(reported) or self.usage

    def _choice(self, choice: Choice, events: list[Delta]) -> None:
        delta = choice.delta or choice.message
        if delta is not None:
            self._delta(delta, events, is_whole=choice.delta is None)
        elif isinstance(choice.text, str):
            self._content(choice.text, events)
        if events:
            self.has_begun = True
        if isinstance(choice.finish_reason, str) and choice.finish_reason:
            self.has_finish = True
            self._finish(choice.finish_reason.lower(), events)

    def _delta(self, delta: _Delta, events: list[Delta], *, is_whole: bool) -> None:
        thought = delta.reasoning_content or delta.reasoning
        if isinstance(thought, str) and thought:
            events.append(ReasoningDelta(without_surrogates(thought)))
        content = delta.content
        if isinstance(content, list):
            content = _joined(content)
        if isinstance(content, str) and content:
            self._content(content, events)
        elif isinstance(delta.refusal, str) and delta.refusal:
            self._content(delta.refusal, events)
        if isinstance(delta.tool_calls, list):
            events.extend(self._calls.read(delta.tool_calls, is_whole=is_whole))

    def _content(self, content: str, events: list[Delta]) -> None:
        if self._half or not content.isascii():
            content = self._whole(content)
        self._put(self._thinking.feed(content), events)

    def _put(self, split: Split, events: list[Delta]) -> None:
        if split.reasoning:
            events.append(ReasoningDelta(split.reasoning))
        if split.text:
            events.append(TextDelta(split.text))

    def _whole(self, content: str) -> str:
        """The text with halves of characters put together, those without another half left out."""
        content, self._half = self._half + content, ""
        if "\ud800" <= content[-1] <= "\udbff":
            content, self._half = content[:-1], content[-1]
        return without_surrogates(content)

    def _finish(self, reason: str, events: list[Delta]) -> None:
        self._put(self._thinking.finish(), events)
        self.is_failed = reason == "error"
        self.reason = _REASONS.get(reason, FinishReason.STOP)
        events.extend(self._calls.finish())
        if self._calls.count and self.reason is FinishReason.STOP:
            self.reason = FinishReason.TOOL_CALLS  # some servers say "stop" after calls too


def usage_of(reported: object) -> TokenUsage | None:
    """Usage as a server reports it; None where it makes no sense."""
    if not isinstance(reported, dict):
        return None
    given, made = _tokens(reported.get("prompt_tokens")), _tokens(reported.get("completion_tokens"))
    if given is None or made is None or given + made == 0:
        return None
    of_input, of_output = reported.get("prompt_tokens_details"), reported.get("completion_tokens_details")
    cached = _tokens(of_input.get("cached_tokens")) if isinstance(of_input, dict) else None
    if cached is None:
        cached = _tokens(reported.get("prompt_cache_hit_tokens"))
    thought = _tokens(of_output.get("reasoning_tokens")) if isinstance(of_output, dict) else None
    return TokenUsage(given, made, min(cached or 0, given), thought or 0)


def _tokens(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40 else None


def _joined(parts: list[Any]) -> str:
    """The text of a content that comes in parts."""
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "".join(text for text in texts if isinstance(text, str))
