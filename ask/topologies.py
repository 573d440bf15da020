"""Which way an ask goes: housekeeping, talk, fast or expert. Loading it compiles all that reads and checks drafts."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from ask.chores import keep_house
from ask.claims import prepare
from ask.draft import talk
from ask.ending import shown
from ask.events import AskEvent, Phase, PhaseChanged
from ask.expert import expert
from ask.fast import fast
from ask.housekeeping import recognise
from ask.talk import is_talk
from ask.underway import Ask
from ask.wish import Effort


def topology_of(ask: Ask) -> AsyncGenerator[AskEvent, None]:
    """The events of the ask, by what kind of turn it is and by its effort."""
    chore = recognise(ask.written, ask.wish.instructions) if not ask.wish.messages else None
    if chore is not None:
        return keep_house(ask, chore)
    if not ask.wish.messages and not ask.wish.urls and is_talk(ask.written, has_history=bool(ask.question.history)):
        return _talk(ask)
    return expert(ask) if ask.wish.effort is Effort.EXPERT else fast(ask)


async def _talk(ask: Ask) -> AsyncGenerator[AskEvent, None]:
    """Nothing is looked up for a greeting."""
    yield PhaseChanged(Phase.ANSWERING)
    async with aclosing(talk(ask)) as drafting:
        async for event in shown(ask, drafting):
            yield event


__all__ = ["prepare", "topology_of"]
