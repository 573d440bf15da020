"""An ask as chunks of a chat completion."""

from typing import assert_never

from api.problems import fault_in_stream
from api.schemas.answers import Telling, to_annotations, to_doso
from api.schemas.completions import to_usage
from api.wire.sse import DONE, json_line
from api.wire.whole import Heard
from ask.events import AskEvent, Cited, Finished, PhaseChanged, SourcesFound
from doso.llm.chat import ReasoningDelta, TextDelta, ToolCallDelta


class ChatChunks:
    """Encodes one answer. What is the same in every chunk is made once: a chunk costs its words' escaping alone."""

    def __init__(
        self, *, id: str, created: int, model: str, request_id: str, telling: Telling, has_usage: bool = False
    ) -> None:
        self._telling = telling
        self._request_id = request_id
        self._heard = Heard()
        self._is_begun = False
        self._has_usage = has_usage
        names = f'"id":{_text(id)},"object":"chat.completion.chunk","created":{created},"model":{_text(model)}'
        self._names = names.encode()
        self._head = b'data: {%s,"choices":[{"index":0,"delta":' % self._names
        tail = b',"usage":null' if has_usage else b""
        self._close = b"%s}\n\n" % tail
        self._tail = b',"logprobs":null,"finish_reason":null}]' + self._close
        self._prose = self._head + b'{"content":'
        self._thought = self._head + b'{"reasoning_content":'
        self._delta_tail = b"}" + self._tail

    def feed(self, event: AskEvent) -> bytes:
        """The chunks of an event; progress and sources have none of their own."""
        match event:
            case TextDelta():
                return self._begin() + self._prose + json_line(event.text) + self._delta_tail if event.text else b""
            case ReasoningDelta():
                return self._begin() + self._thought + json_line(event.text) + self._delta_tail if event.text else b""
            case ToolCallDelta():
                return self._begin() + self._head + _call(event) + self._tail
            case Cited() | SourcesFound() | Finished():
                self._heard.hear(event)
                return b""
            case PhaseChanged():
                return b""
            case _:
                assert_never(event)

    def end(self) -> bytes:
        """Annotations and Doso's own object, the finish, the usage where it is wanted, and [DONE]."""
        finished = self._heard.end()
        reason = finished.reason.value.encode()
        annotations = to_annotations(self._heard, self._telling)
        delta = b'{"annotations":%s}' % json_line(annotations) if annotations else b"{}"
        doso = b',"logprobs":null,"finish_reason":null}],"doso":%s' % json_line(to_doso(self._heard, self._telling))
        frames = [
            self._begin(),
            self._head + delta + doso + self._close,
            self._head + b'{},"logprobs":null,"finish_reason":"%s"}]' % reason + self._close,
        ]
        if self._has_usage:
            usage = json_line(to_usage(finished.usage))
            frames.append(b'data: {%s,"choices":[],"usage":%s}\n\n' % (self._names, usage))
        return b"".join((*frames, DONE))

    def failed(self, error: Exception) -> bytes:
        """The error, with the id that the log knows it by, and [DONE]; no finish reason was told."""
        return b"data: %s\n\n%s" % (json_line(fault_in_stream(error, self._request_id)), DONE)

    def _begin(self) -> bytes:
        if self._is_begun:
            return b""
        self._is_begun = True
        return self._head + b'{"role":"assistant","content":""}' + self._tail


def _text(value: str) -> str:
    return json_line(value).decode()


def _call(delta: ToolCallDelta) -> bytes:
    names = b""
    if delta.id is not None:
        names += b'"id":%s,"type":"function",' % json_line(delta.id)
    name = b"" if delta.name is None else b'"name":%s,' % json_line(delta.name)
    arguments = json_line(delta.arguments)
    return b'{"tool_calls":[{"index":%d,%s"function":{%s"arguments":%s}}]}' % (delta.index, names, name, arguments)
