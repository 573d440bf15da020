"""Measures of answers for Prometheus: how soon, how long, from how much, and what went less well."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from doso.tracing import SPAN_NAMES, Span

_FIRST_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_WHOLE_S = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 60.0, 120.0)
_COUNTS = (0, 1, 2, 3, 5, 8, 13, 20, 50, 100)
#: Who can take a citation out; anything else counts as "other".
_DROPPERS = frozenset({"mark", "support", "identity", "relevance"})


class AskMeasures:
    """Of one process, in a registry of its own. Labels come from fixed lists, never from a request."""

    def __init__(self) -> None:
        self._registry = registry = CollectorRegistry()
        self._asks = Counter(
            "doso_asks_total", "Answers by effort and how they ended.", ["effort", "outcome"], registry=registry
        )
        self._first = Histogram(
            "doso_ask_first_token_seconds",
            "From the question to the first word of the answer.",
            ["effort"],
            buckets=_FIRST_S,
            registry=registry,
        )
        self._whole = Histogram(
            "doso_ask_seconds", "From the question to the end.", ["effort"], buckets=_WHOLE_S, registry=registry
        )
        self._stages = Histogram(
            "doso_ask_stage_seconds", "Stages of an answer.", ["stage"], buckets=_WHOLE_S, registry=registry
        )
        self._sources = Histogram(
            "doso_ask_sources", "Pieces of evidence behind an answer.", ["kind"], buckets=_COUNTS, registry=registry
        )
        self._fallbacks = Counter(
            "doso_ask_fallbacks_total", "Calls that went to another model than the first.", registry=registry
        )
        self._drops = Counter(
            "doso_ask_citation_drops_total", "Citations taken out, by who did it.", ["by"], registry=registry
        )
        self._no_call = Counter("doso_ask_no_call_total", "Answers without a call of a model.", registry=registry)

    def first_word(self, effort: str, seconds: float) -> None:
        """The answer begins."""
        self._first.labels(effort).observe(seconds)

    def found(self, items_count: int) -> None:
        """The evidence is there."""
        self._sources.labels("found").observe(items_count)

    def cited(self, citations_count: int, dropped_by: Iterable[str]) -> None:
        """The citations are checked."""
        self._sources.labels("cited").observe(citations_count)
        for who in dropped_by:
            self._drops.labels(who if who in _DROPPERS else "other").inc()

    def ended(self, effort: str, outcome: str, seconds: float) -> None:
        """The ask is over; `outcome` is answered, failed or cancelled."""
        self._asks.labels(effort, outcome).inc()
        self._whole.labels(effort).observe(seconds)

    def without_call(self) -> None:
        """No model was called for it."""
        self._no_call.inc()

    def spans(self, spans: Iterable[Span]) -> None:
        """What an answer's time went to."""
        for span in spans:
            if span.end_s is not None:
                name = span.name if span.name in SPAN_NAMES else "other"
                self._stages.labels(name).observe(span.end_s - span.start_s)
            if span.name == "model.fallback":
                self._fallbacks.inc()

    def render(self) -> bytes:
        """In the text format of Prometheus."""
        return generate_latest(self._registry)
