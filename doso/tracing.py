"""The trace of one answer: named spans with times and counts, never content."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from doso.ids import new_id

Attribute = str | int | float | bool


@dataclass(slots=True)
class Span:
    """One stretch of work. Times are seconds of the trace's clock since its start; `end_s` is None while it runs."""

    name: str
    start_s: float
    end_s: float | None = None
    attributes: dict[str, Attribute] = field(default_factory=dict)
    error: str | None = None  # the code or type of what ended it


#: Every name a span has; measures and their labels are bounded by it.
SPAN_NAMES = frozenset(
    {
        "assistant.request",
        "thread.load",
        "context.route",
        "retrieval.lexical",
        "retrieval.embedding",
        "retrieval.vector",
        "evidence.assemble",
        "model.first_attempt",
        "model.fallback",
        "turn.finalize",
        "rewrite",
        "arm.graph",
        "arm.live",
        "draft.graph",
        "draft.refined",
        "skeptics.support",
        "skeptics.identity",
        "skeptics.relevance",
    }
)


@dataclass(slots=True)
class Trace:
    """Spans in the order in which they began; those of parallel arms overlap.

    Span names are those of the seed: assistant.request, thread.load, context.route, retrieval.lexical,
    retrieval.embedding, retrieval.vector, evidence.assemble, model.first_attempt, model.fallback, turn.finalize; the
    topologies add rewrite, arm.graph, arm.live, draft.graph, draft.refined, skeptics.support, skeptics.identity,
    skeptics.relevance.
    """

    id: str = field(default_factory=new_id)
    now_s: Callable[[], float] = time.perf_counter
    spans: list[Span] = field(default_factory=list)
    _began_s: float | None = None

    @contextmanager
    def span(self, name: str, **attributes: Attribute) -> Iterator[Span]:
        """Measure a block, also when it fails or is cancelled; the block may add attributes to what it is given."""
        span = Span(name, self.elapsed_s(), attributes=dict(attributes))
        self.spans.append(span)
        try:
            yield span
        except BaseException as error:
            span.error = str(getattr(error, "code", type(error).__name__))
            raise
        finally:
            span.end_s = self.elapsed_s()

    def elapsed_s(self) -> float:
        """Seconds since the first span began."""
        now_s = self.now_s()
        if self._began_s is None:
            self._began_s = now_s
        return now_s - self._began_s
