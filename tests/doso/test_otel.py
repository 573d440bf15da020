"""Traces leave as OpenTelemetry spans that a collector can read: one root, its stages, times and errors."""

from __future__ import annotations

import pytest

from doso.otel import open_exporter
from doso.tracing import Trace
from tests.support.collector import attributes, collecting


class Steps:
    """A clock that goes on by a second with each look."""

    def __init__(self) -> None:
        self.now_s = -1.0

    def __call__(self) -> float:
        self.now_s += 1.0
        return self.now_s


async def test_without_an_endpoint_there_is_no_exporter() -> None:
    async with open_exporter(None) as exporter:
        assert exporter is None


async def test_a_trace_is_one_tree_with_its_times() -> None:
    trace = Trace(now_s=Steps())
    with trace.span("assistant.request", sources=3):
        with trace.span("retrieval.lexical"):
            pass
        with pytest.raises(ValueError, match="secret words"), trace.span("model.first_attempt"):
            raise ValueError("secret words")
    with collecting() as collector:
        async with open_exporter(collector.url) as exporter:
            assert exporter is not None
            exporter.export(trace, {"doso.effort": "fast"}, error="provider.timeout")
    assert set(collector.paths) == {"/v1/traces"}
    assert collector.resource["service.name"] == "doso"
    spans = {span.name: span for span in collector.spans}
    assert spans.keys() == {"assistant.request", "retrieval.lexical", "model.first_attempt"}
    root = spans.pop("assistant.request")
    assert {span.parent_span_id for span in spans.values()} == {root.span_id}
    assert {span.trace_id for span in spans.values()} == {root.trace_id}
    assert attributes(root) == {"doso.effort": "fast", "sources": 3}
    assert (root.status.code, root.status.message) == (2, "provider.timeout")
    assert spans["model.first_attempt"].status.message == "ValueError"
    assert spans["retrieval.lexical"].status.code == 0
    starts = [spans[name].start_time_unix_nano - root.start_time_unix_nano for name in sorted(spans)]
    assert starts == [3_000_000_000, 1_000_000_000]
    assert root.end_time_unix_nano - root.start_time_unix_nano == 5_000_000_000
    assert not any(b"secret words" in body for body in collector.bodies)


async def test_a_trace_without_a_root_span_gets_one_and_running_spans_end_with_it() -> None:
    trace = Trace(now_s=Steps())
    running = trace.span("arm.graph")
    running.__enter__()
    with collecting() as collector:
        async with open_exporter(f"{collector.url}/") as exporter:
            assert exporter is not None
            exporter.export(trace, {})
    spans = {span.name: span for span in collector.spans}
    assert spans["arm.graph"].parent_span_id == spans["assistant.request"].span_id
    assert spans["arm.graph"].end_time_unix_nano == spans["assistant.request"].end_time_unix_nano
