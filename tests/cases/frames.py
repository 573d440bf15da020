"""An answer of the chat route as a client sees it, streamed or whole."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from tests.cases.model import Outcome

_MARK = re.compile(r"\s?\[S\d+\]")


@dataclass
class Reply:
    """Everything of one answer."""

    frames: list[Any] = field(default_factory=list)  # parsed events in order; "[DONE]" as it is
    text: str = ""
    reasoning: str = ""
    finish: list[str] = field(default_factory=list)
    calls: dict[int, dict[str, str]] = field(default_factory=dict)
    error: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    doso: dict[str, Any] = field(default_factory=dict)

    @property
    def plain(self) -> str:
        """The prose without the marks that cite its sources: those are ours, not the model's."""
        return _MARK.sub("", self.text)

    @property
    def cited(self) -> list[str]:
        """The marks of the citations, in the order of the text."""
        return [str(one["mark"]) for one in self.doso.get("citations", [])]


def reply_of(outcome: Outcome) -> Reply:
    """Read a stream of events, or a whole completion."""
    if not outcome.headers.get("content-type", "").startswith("text/event-stream"):
        return _whole(outcome.body)
    reply = Reply()
    for block in re.split(r"\r?\n\r?\n", outcome.text):
        data = [line.removeprefix("data:").strip() for line in block.splitlines() if line.startswith("data:")]
        if data:
            _take(reply, "\n".join(data))
    return reply


def _whole(body: Any) -> Reply:
    reply = Reply()
    if not isinstance(body, dict):
        return reply
    reply.error = body.get("error")
    reply.usage, reply.doso = body.get("usage"), body.get("doso") or {}
    for choice in body.get("choices", []):
        message = choice["message"]
        reply.text = message.get("content") or ""
        reply.reasoning = message.get("reasoning_content") or ""
        reply.finish.append(choice["finish_reason"])
        for index, call in enumerate(message.get("tool_calls") or []):
            reply.calls[index] = {"id": call["id"], **call["function"]}
    return reply


def _take(reply: Reply, data: str) -> None:
    frame = data if data == "[DONE]" else json.loads(data)
    reply.frames.append(frame)
    if not isinstance(frame, dict):
        return
    reply.error = frame.get("error") or reply.error
    reply.usage = frame.get("usage") or reply.usage
    reply.doso |= frame.get("doso") or {}
    for choice in frame.get("choices", []):
        delta = choice.get("delta") or {}
        reply.text += delta.get("content") or ""
        reply.reasoning += delta.get("reasoning_content") or ""
        if choice.get("finish_reason"):
            reply.finish.append(choice["finish_reason"])
        for piece in delta.get("tool_calls") or []:
            call = reply.calls.setdefault(piece["index"], {"id": "", "name": "", "arguments": ""})
            call["id"] += piece.get("id") or ""
            call["name"] += (piece.get("function") or {}).get("name") or ""
            call["arguments"] += (piece.get("function") or {}).get("arguments") or ""
