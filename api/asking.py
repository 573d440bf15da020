"""An ask from any transport: the means it has by the settings of this moment, and its events."""

from collections.abc import AsyncGenerator

from api.kit import Kit
from ask.events import AskEvent, Cited, Finished, SourcesFound
from ask.kit import AskKit
from ask.pipeline import find_evidence
from ask.question import Question
from ask.wish import Means, Wish
from doso.ids import OwnerId
from doso.llm.chat import FinishReason, TextDelta, TokenUsage
from doso.runtime import Runtime
from doso.tracing import Trace


async def answer(kit: AskKit, question: Question, wish: Wish, means: Means | None) -> AsyncGenerator[AskEvent, None]:
    # TODO: ask.answer
    evidence = await find_evidence(kit, question)
    yield SourcesFound(evidence)
    text = evidence.items[0].text if evidence.items else "I don't know."
    yield TextDelta(text)
    yield Cited(text, ())
    yield Finished(FinishReason.STOP, TokenUsage(), Trace())


def means_of(kit: Kit, runtime: Runtime, owner: OwnerId) -> Means | None:
    """What an ask of this owner may use."""
    return None


def ask(kit: Kit, runtime: Runtime, question: Question, wish: Wish) -> AsyncGenerator[AskEvent, None]:
    """The events of an ask. Closing it cancels all work on it."""
    return answer(kit.ask, question, wish, means_of(kit, runtime, question.owner))
