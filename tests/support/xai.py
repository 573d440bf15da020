"""xAI's Responses endpoint on loopback: its wire for `x_search`, bodies checked as strictly, faults as scripted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.provider import Answer, ProviderStub, Scripted, Seen, http, provider_stub

KEY = "xai-CANARY-5550002"
_KEYS = {"model", "input", "tools", "include", "stream", "store", "tool_choice", "instructions", "max_output_tokens"}
_TOOL_KEYS = {
    "type", "allowed_x_handles", "excluded_x_handles", "from_date", "to_date", "enable_image_understanding",
    "enable_video_understanding",
}  # fmt: skip


def cited(url: str, start: int | None = None, end: int | None = None, title: str = "1") -> dict[str, Any]:
    """A citation of a reply."""
    place = {} if start is None else {"start_index": start, "end_index": end}
    return {"type": "url_citation", "url": url, "title": title, **place}


def reply(text: str, annotations: Sequence[dict[str, Any]] = ()) -> Answer:
    """A reply with the steps that led to it."""
    content = [{"type": "output_text", "text": text, "annotations": list(annotations), "logprobs": []}]
    output = [
        {"type": "reasoning", "id": "rs_1", "summary": [], "status": "completed"},
        {
            "type": "custom_tool_call",
            "id": "ctc_1",
            "call_id": "xs_1",
            "name": "x_keyword_search",
            "input": '{"query":"q"}',
            "status": "completed",
        },
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content},
    ]
    usage = {"input_tokens": 900, "output_tokens": 80, "num_sources_used": 2, "num_server_side_tools_used": 1}
    return http(200, {"id": "r1", "object": "response", "status": "completed", "output": output, "usage": usage})


@dataclass
class XaiStub:
    """`answer` is the reply to every good request."""

    answer: Scripted
    stub: ProviderStub = field(default_factory=ProviderStub)

    @property
    def url(self) -> str:
        """The base URL as it is configured."""
        return self.stub.url

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """What was sent."""
        return [seen.body for seen in self.stub.requests]

    def respond(self, seen: Seen) -> Answer:
        """As the server answers."""
        if seen.path != "/v1/responses" or seen.method != "POST":
            return http(404, b"404 page not found", type="text/plain")
        if seen.headers.get("authorization") != f"Bearer {KEY}":
            return http(400, {"code": "Client specified an invalid argument", "error": "Incorrect API key provided"})
        body = seen.body
        tools = body.get("tools", [])
        if body.keys() - _KEYS or any(tool.keys() - _TOOL_KEYS or tool["type"] != "x_search" for tool in tools):
            return http(422, {"error": "Failed to deserialize the JSON body"})
        return self.answer if isinstance(self.answer, Answer) else self.answer(seen)


@asynccontextmanager
async def xai_stub(answer: Scripted, *script: Scripted) -> AsyncIterator[XaiStub]:
    """A stub in this loop."""
    stand = XaiStub(answer)
    async with provider_stub(stand.respond, *script) as stub:
        stand.stub = stub
        yield stand
