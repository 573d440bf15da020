"""Structured replies: asked for by what a model can do, read tolerantly, asked for again once."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from doso.errors import ProviderStreamFailed, ReplyUnreadable
from doso.llm.chat import (
    ChatMessage,
    FinishReason,
    ModelEvent,
    ModelFinished,
    ModelRequest,
    Profile,
    ReplyShape,
    Role,
    TextDelta,
)
from doso.llm.ports import Reply
from doso.llm.prompts import AGAIN, SHORTER
from doso.llm.tolerant import Found, read_as
from doso.telemetry import log

if TYPE_CHECKING:
    import pydantic

MAX_TRIES = 2
#: A reply is not read beyond this: it runs away.
MAX_REPLY_CHARS = 400_000
#: A longer one is read beside the loop.
READ_AT_ONCE_CHARS = 20_000
#: A second try after a cut one may be so many times as long.
_LONGER = 2


class Streams(Protocol):
    """What makes text."""

    def stream(self, profile: Profile, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]: ...


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    is_cut: bool


async def ask_for_reply(models: Streams, profile: Profile, request: ModelRequest, kind: type[Reply]) -> Reply:
    """The reply, validated. Whole items of one that was cut twice are kept. Raises ProviderUnavailable, or
    ReplyUnreadable when both tries gave nothing that fits."""
    asked = replace(request, reply=_shape_of(kind))
    salvaged: Reply | None = None
    for place in range(MAX_TRIES):
        said = await _said(models, profile, asked)
        found = await _read(said.text, kind)
        if found is not None and not found.is_cut and not said.is_cut:
            return found.value
        if found is not None:
            salvaged = found.value
        log().warning("reply.cut" if said.is_cut else "reply.unreadable", profile=profile.value, tries=place + 1)
        asked = _again(asked, request, said)
    if salvaged is None:
        raise ReplyUnreadable(f"The model's answer to the task {profile.value!r} could not be read.")
    return salvaged


@functools.lru_cache(maxsize=64)
def _shape_of(kind: type[pydantic.BaseModel]) -> ReplyShape:
    return ReplyShape(kind.__name__, kind.model_json_schema())


async def _read(text: str, kind: type[Reply]) -> Found[Reply] | None:
    if len(text) <= READ_AT_ONCE_CHARS:
        return read_as(text, kind)
    return await asyncio.to_thread(read_as, text, kind)


def _again(asked: ModelRequest, request: ModelRequest, said: _Said) -> ModelRequest:
    """The request put again, saying what was wrong; the bad answer itself is not repeated to the model."""
    words = SHORTER if said.is_cut else AGAIN
    limit = request.max_output_tokens
    return replace(
        asked,
        messages=(*request.messages, ChatMessage(Role.USER, words)),
        max_output_tokens=limit * _LONGER if limit is not None and said.is_cut else limit,
    )


async def _said(models: Streams, profile: Profile, request: ModelRequest) -> _Said:
    """The text of one try. A stream that breaks off is a cut text: nobody has seen any of it."""
    pieces: list[str] = []
    size = 0
    is_cut = True
    try:
        async with aclosing(models.stream(profile, request)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    pieces.append(event.text)
                    size += len(event.text)
                    if size > MAX_REPLY_CHARS:
                        break
                elif isinstance(event, ModelFinished):
                    is_cut = event.reason is FinishReason.LENGTH
    except ProviderStreamFailed:
        if not pieces:
            raise
    return _Said("".join(pieces), is_cut)
