"""How every topology ends: the whole answer with its citations, then how it went."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from ask.draft import UNVERIFIED, Draft, DraftEvent
from ask.events import AskEvent, Cited, Finished
from ask.underway import Ask
from doso.llm.chat import TextDelta


async def shown(ask: Ask, drafting: AsyncIterator[DraftEvent]) -> AsyncIterator[AskEvent]:
    """A draft streamed as it is written, and the end."""
    async for event in drafting:
        if not isinstance(event, Draft):
            yield event
            continue
        for last in ended(ask, event):
            yield last


def told(ask: Ask, draft: Draft) -> Iterator[AskEvent]:
    """A whole draft at once, and the end."""
    if draft.text:
        yield TextDelta(draft.text)
    yield from draft.calls
    yield from ended(ask, draft)


def ended(ask: Ask, draft: Draft) -> Iterator[AskEvent]:
    """The last two events of an ask that did not fail."""
    if draft.is_verified is False:
        ask.note(UNVERIFIED)
    yield Cited(draft.text, draft.citations, draft.dropped, draft.is_verified)
    yield Finished(draft.reason, draft.usage, ask.trace, draft.provider, draft.model, tuple(ask.notes))
