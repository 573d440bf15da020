"""An ask in this process: what is being done on standard error where a person watches, the words as they come."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress

import click
from rich.console import Console

from api.asking import ask
from api.kit import Kit
from api.schemas.evidence import EvidenceIn, to_question
from api.wire.whole import Heard
from ask.events import AskEvent, Phase, PhaseChanged
from ask.wish import Wish
from doso.errors import InvalidInput
from doso.ids import OwnerId
from doso.llm.chat import TextDelta
from doso.text import clean

#: How long an answer waits for the model of meanings to be read, which a server has at hand.
WARM_WITHIN_S = 30.0
PHASES = {
    Phase.RETRIEVING: "Looking through the memory",
    Phase.RESEARCHING: "Looking outside",
    Phase.ANSWERING: "Writing",
    Phase.CHECKING: "Checking the citations",
    Phase.SAVING: "Saving",
}


async def run_ask(kit: Kit, owner: OwnerId, body: EvidenceIn, wish: Wish, *, is_quiet: bool) -> Heard:
    """Hear an answer out, showing it meanwhile unless `is_quiet`. Raises what the ask raises."""
    runtime = await kit.runtime.read()
    question = to_question(body, owner, runtime)
    if wish.urls and kit.live.research(runtime) is None:
        raise InvalidInput("No live source is on: turn tools_firecrawl on in the settings, or leave --url out.")
    with suppress(TimeoutError):  # words are searched all the same
        async with asyncio.timeout(WARM_WITHIN_S):
            await kit.ask.warmth.wait()
    heard, screen = Heard(), _Screen(is_quiet=is_quiet)
    try:
        async with aclosing(ask(kit, runtime, question, wish)) as events:
            async for event in events:
                heard.hear(event)
                screen.show(event)
    finally:
        screen.close()
    heard.end()
    return heard


class _Screen:
    """Words on standard output, a line about the work on standard error until the first of them."""

    def __init__(self, *, is_quiet: bool) -> None:
        self._is_quiet = is_quiet
        self._status = Console(stderr=True, quiet=is_quiet).status(PHASES[Phase.RETRIEVING])
        self._status.start()
        self._has_words = False

    def show(self, event: AskEvent) -> None:
        """Show what is new."""
        if isinstance(event, PhaseChanged):
            self._status.update(PHASES[event.phase])
        elif isinstance(event, TextDelta) and not self._is_quiet:
            self._status.stop()
            self._has_words = True
            click.echo(clean(event.text), nl=False)  # a page's control characters are not for a terminal

    def close(self) -> None:
        """End the line."""
        self._status.stop()
        if self._has_words:
            click.echo()
