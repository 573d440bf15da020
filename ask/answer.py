"""Answers a question: the one door behind every transport that drafts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from ask.events import AskEvent
from ask.kit import AskKit
from ask.question import Question
from ask.underway import Ask
from ask.wish import Means, Wish
from doso.errors import InvalidInput, ProviderStreamFailed, ProviderTimeout
from doso.llm.chat import TextDelta, ToolCallDelta


async def answer(kit: AskKit, question: Question, wish: Wish, means: Means) -> AsyncGenerator[AskEvent, None]:
    """Everything the ask tells, ending in Cited and Finished. Close it to cancel: no task, call or span stays behind.

    Raises a DosoError where it fails: ProviderStreamFailed once words were shown, others before; ProviderTimeout where
    `means.deadline_s` passed.
    """
    from ask.topologies import topology_of  # noqa: PLC0415  # its patterns take a tenth of a second to compile

    ask = Ask(kit, question, wish, means, written=wish.whole_question or question.text)
    _check(ask)
    with means.trace.span("assistant.request", effort=wish.effort.value):
        async with aclosing(topology_of(ask)) as events:
            async for event in until(events, ask.until(1)):
                yield event


def _check(ask: Ask) -> None:
    """Refuse what can't be done at all, before anything is done. Raises InvalidInput."""
    ability = ask.means.models.ability(ask.profile)
    has_tools = ability is not None and ability.has_tools
    if ask.wish.tools is not None and not has_tools and _demands_call(ask.wish.tool_choice):
        raise InvalidInput("A call of a tool is demanded, but no model that calls tools is configured.", param="tools")
    if ask.wish.shape is not None and ability is None:
        raise InvalidInput("A reply by a JSON schema needs a model, and none is configured.", param="response_format")


def _demands_call(choice: str | None) -> bool:
    return choice is not None and choice.strip().strip('"') not in ("", "auto", "none", "null")


async def until(events: AsyncIterator[AskEvent], end: float) -> AsyncGenerator[AskEvent, None]:
    """The events as long as the deadline lasts. Only waiting for the next one is cut short, never the reader's work."""
    has_shown = False
    while True:
        try:
            async with asyncio.timeout_at(end):
                event = await anext(events)
        except StopAsyncIteration:
            return
        except TimeoutError:
            raise (_broken_off() if has_shown else _too_late()) from None
        has_shown = has_shown or isinstance(event, TextDelta | ToolCallDelta)
        yield event


def _too_late() -> ProviderTimeout:
    return ProviderTimeout("The answer was not there within its deadline; ask again, or allow more time.")


def _broken_off() -> ProviderStreamFailed:
    return ProviderStreamFailed("The answer was not whole within its deadline; what came so far is partial.")
