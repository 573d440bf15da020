"""An ask as the events of OpenAI's Responses."""

from dataclasses import dataclass, field
from typing import Any, assert_never

import msgspec

from api.problems import fault_in_stream
from api.schemas.answers import Telling, to_annotations, to_doso
from api.schemas.responses import (
    ResponseFault,
    ResponseItem,
    ResponseOut,
    call_item,
    message_item,
    reasoning_item,
    summary_part,
    text_part,
    to_response_usage,
)
from api.wire.sse import frame, json_line
from api.wire.whole import Heard
from ask.events import AskEvent, Cited, Finished, PhaseChanged, SourcesFound
from doso.ids import new_id
from doso.llm.chat import FinishReason, ReasoningDelta, TextDelta, ToolCallDelta

#: Ends that leave an answer unfinished, in this dialect's words.
_INCOMPLETE = {FinishReason.LENGTH: "max_output_tokens", FinishReason.CONTENT_FILTER: "content_filter"}


@dataclass(slots=True)
class _Item:
    """An item of the output that is being told."""

    id: str
    at: int
    pieces: list[str] = field(default_factory=list)
    call_id: str = ""
    name: str = ""

    @property
    def text(self) -> str:
        return "".join(self.pieces)


class ResponseEvents:
    """Encodes one answer, and makes the whole response of it in the end. Each event is numbered."""

    def __init__(self, response: ResponseOut, *, request_id: str, telling: Telling) -> None:
        self.response = response
        self._request_id = request_id
        self._telling = telling
        self._heard = Heard()
        self._number = 0
        self._is_begun = False
        self._output: list[ResponseItem] = []
        self._thought: _Item | None = None
        self._message: _Item | None = None
        self._calls: dict[int, _Item] = {}

    def feed(self, event: AskEvent) -> bytes:
        """The frames of an event."""
        match event:
            case TextDelta():
                return self._begin() + self._close_thought() + self._say(event.text) if event.text else b""
            case ReasoningDelta():
                return self._begin() + self._think(event.text) if event.text else b""
            case ToolCallDelta():
                return self._begin() + self._close_thought() + self._call(event)
            case Cited() | SourcesFound() | Finished():
                self._heard.hear(event)
                return b""
            case PhaseChanged():
                return b""
            case _:
                assert_never(event)

    def end(self) -> bytes:
        """What is open is closed, then the whole response."""
        finished = self._heard.end()
        frames = [self._begin(), self._close_thought()]
        if self._message is None and not self._calls:
            frames.append(self._say(""))
        why = _INCOMPLETE.get(finished.reason)
        status = "completed" if why is None else "incomplete"
        frames += [self._close_message(status), *(self._close_call(item, status) for item in self._calls.values())]
        self.response = msgspec.structs.replace(
            self.response,
            status=status,
            output=self._output,
            usage=to_response_usage(finished.usage),
            incomplete_details=None if why is None else {"reason": why},
            doso=to_doso(self._heard, self._telling),
        )
        return b"".join((*frames, self._event(f"response.{status}", response=self.response)))

    def failed(self, error: Exception) -> bytes:
        """The error, then the response as a failed one."""
        fault = fault_in_stream(error, self._request_id).error
        told = self._event(
            "error", code=fault.code, message=fault.message, param=fault.param, request_id=fault.request_id
        )
        self.response = msgspec.structs.replace(
            self.response, status="failed", output=self._output, error=ResponseFault(fault.code, fault.message)
        )
        return told + self._event("response.failed", response=self.response)

    def _begin(self) -> bytes:
        if self._is_begun:
            return b""
        self._is_begun = True
        created = self._event("response.created", response=self.response)
        return created + self._event("response.in_progress", response=self.response)

    def _think(self, text: str) -> bytes:
        opening = b""
        if self._thought is None:
            item = self._thought = self._open("rs")
            opening = self._added(item, reasoning_item(item.id, None)) + self._of(
                item, "response.reasoning_summary_part.added", summary_index=0, part=summary_part("")
            )
        self._thought.pieces.append(text)
        return opening + self._of(self._thought, "response.reasoning_summary_text.delta", summary_index=0, delta=text)

    def _close_thought(self) -> bytes:
        item, self._thought = self._thought, None
        if item is None:
            return b""
        return (
            self._of(item, "response.reasoning_summary_text.done", summary_index=0, text=item.text)
            + self._of(item, "response.reasoning_summary_part.done", summary_index=0, part=summary_part(item.text))
            + self._done(item, reasoning_item(item.id, item.text))
        )

    def _say(self, text: str) -> bytes:
        opening = b""
        if self._message is None:
            item = self._message = self._open("msg")
            opening = self._added(item, message_item(item.id, "in_progress", [])) + self._of(
                item, "response.content_part.added", content_index=0, part=text_part("", [])
            )
        if not text:
            return opening
        self._message.pieces.append(text)
        return opening + self._of(self._message, "response.output_text.delta", content_index=0, delta=text, logprobs=[])

    def _close_message(self, status: str) -> bytes:
        """A message stays open to the end: its annotations come after its last word."""
        item = self._message
        if item is None:
            return b""
        part = text_part(item.text, to_annotations(self._heard, self._telling))
        annotated = (
            self._of(
                item,
                "response.output_text.annotation.added",
                content_index=0,
                annotation_index=at,
                annotation=annotation,
            )
            for at, annotation in enumerate(part["annotations"])
        )
        return b"".join(
            (
                *annotated,
                self._of(item, "response.output_text.done", content_index=0, text=item.text, logprobs=[]),
                self._of(item, "response.content_part.done", content_index=0, part=part),
                self._done(item, message_item(item.id, status, [part])),
            )
        )

    def _call(self, delta: ToolCallDelta) -> bytes:
        opening = b""
        item = self._calls.get(delta.index)
        if item is None:
            item = self._calls[delta.index] = self._open("fc")
            item.call_id, item.name = delta.id or "", delta.name or ""
            opening = self._added(item, self._as_call(item, "in_progress"))
        if not delta.arguments:
            return opening
        item.pieces.append(delta.arguments)
        return opening + self._of(item, "response.function_call_arguments.delta", delta=delta.arguments)

    def _close_call(self, item: _Item, status: str) -> bytes:
        done = self._of(item, "response.function_call_arguments.done", name=item.name, arguments=item.text)
        return done + self._done(item, self._as_call(item, status))

    def _as_call(self, item: _Item, status: str) -> ResponseItem:
        return call_item(item.id, status, call_id=item.call_id, name=item.name, arguments=item.text)

    def _open(self, kind: str) -> _Item:
        item = _Item(f"{kind}_{new_id().replace('-', '')}", len(self._output))
        self._output.append({})
        return item

    def _added(self, item: _Item, shown: ResponseItem) -> bytes:
        self._output[item.at] = shown
        return self._event("response.output_item.added", output_index=item.at, item=shown)

    def _done(self, item: _Item, shown: ResponseItem) -> bytes:
        self._output[item.at] = shown
        return self._event("response.output_item.done", output_index=item.at, item=shown)

    def _of(self, item: _Item, name: str, /, **fields: Any) -> bytes:
        return self._event(name, item_id=item.id, output_index=item.at, **fields)

    def _event(self, name: str, /, **fields: Any) -> bytes:
        told = {"type": name, "sequence_number": self._number, **fields}
        self._number += 1
        return frame(json_line(told), event=name)
