"""An ask from any transport: the means it has by the settings of this moment, and its events."""

from collections.abc import AsyncGenerator
from dataclasses import replace

from api.kit import Kit
from api.observing import observed
from ask.answer import answer
from ask.events import AskEvent
from ask.kit import AskKit
from ask.question import Question
from ask.wish import Means, Wish
from doso.ids import OwnerId
from doso.llm.config import parse_models
from doso.runtime import Runtime
from doso.tracing import Trace


def ask(kit: Kit, runtime: Runtime, question: Question, wish: Wish) -> AsyncGenerator[AskEvent, None]:
    """The events of an ask, told to the observers as they pass. Closing it cancels all work on it."""
    means = means_of(kit, runtime, question.owner)
    events = answer(ask_kit(kit, runtime), question, wish, means)
    return observed(events, kit.observers, owner=question.owner, effort=wish.effort, trace=means.trace)


def ask_kit(kit: Kit, runtime: Runtime) -> AskKit:
    """The memory to ask, with the embedder that the settings choose for the whole of one ask."""
    return replace(kit.ask, embedder=kit.embedder.choose(runtime.embed_provider))


def means_of(kit: Kit, runtime: Runtime, owner: OwnerId) -> Means:
    """What an ask of this owner may use."""
    trace = Trace()
    return Means(
        models=kit.models.bind(owner, parse_models(runtime.models), trace),
        live=kit.live.research(runtime),
        has_skeptics=runtime.skeptics,
        deadline_s=runtime.ask_deadline_s,
        trace=trace,
    )
