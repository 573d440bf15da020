"""An ask from any transport: the means it has by the settings of this moment, and its events."""

from collections.abc import AsyncGenerator

from api.kit import Kit
from api.observing import observed
from ask.events import AskEvent, Cited, Finished, SourcesFound
from ask.pipeline import find_evidence
from ask.question import Question
from ask.wish import Wish
from doso.llm.chat import FinishReason, TextDelta, TokenUsage
from doso.runtime import Runtime
from doso.tracing import Trace


def ask(kit: Kit, runtime: Runtime, question: Question, wish: Wish) -> AsyncGenerator[AskEvent, None]:
    """The events of an ask, each told to the observers as it passes. Closing it cancels all work on it."""
    trace = Trace()
    events = _events(kit, runtime, question, wish, trace)
    return observed(events, kit.observers, owner=question.owner, effort=wish.effort, trace=trace)


async def _events(
    kit: Kit, runtime: Runtime, question: Question, wish: Wish, trace: Trace
) -> AsyncGenerator[AskEvent, None]:
    # TODO: ask.answer.answer(kit.ask, question, wish, means_of(kit, runtime, question.owner, trace)) when it is there.
    evidence = await find_evidence(kit.ask, question)
    yield SourcesFound(evidence)
    text = evidence.items[0].text if evidence.items else "I don't know."
    yield TextDelta(text)
    yield Cited(text, ())
    yield Finished(FinishReason.STOP, TokenUsage(), trace)
