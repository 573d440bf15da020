"""Traces of answers as OpenTelemetry spans, sent by OTLP over HTTP when an endpoint is configured."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING

from doso.tracing import Attribute, Span, Trace

if TYPE_CHECKING:
    from opentelemetry.trace import Span as OtelSpan

ROOT = "assistant.request"
#: How long the last traces may take to leave when a process ends.
FLUSH_MS = 3_000


class TraceExporter:
    """Sends finished traces from a thread of the SDK's own; a collector that does not answer costs nothing but them."""

    def __init__(self, endpoint: str) -> None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415

        resource = Resource.create({"service.name": "doso", "service.version": version("doso")})
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        exporter = OTLPSpanExporter(endpoint=f"{endpoint.rstrip('/')}/v1/traces")
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("doso")

    def export(self, trace: Trace, attributes: Mapping[str, Attribute], *, error: str | None = None) -> None:
        """Send a trace: one span for the whole request, below it those of the stages."""
        from opentelemetry.trace import set_span_in_context  # noqa: PLC0415 - only where traces are wanted

        elapsed_s = trace.elapsed_s()
        start_ns = time.time_ns() - _ns(elapsed_s)
        own = next((span for span in trace.spans if span.name == ROOT), None) or Span(ROOT, 0.0, elapsed_s)
        root = self._tracer.start_span(
            ROOT, start_time=start_ns + _ns(own.start_s), attributes={**attributes, **own.attributes}
        )
        _mark(root, error or own.error)
        context = set_span_in_context(root)
        for span in trace.spans:
            if span is own:
                continue
            child = self._tracer.start_span(
                span.name, context, start_time=start_ns + _ns(span.start_s), attributes=span.attributes
            )
            _mark(child, span.error)
            child.end(start_ns + _ns(elapsed_s if span.end_s is None else span.end_s))
        root.end(start_ns + _ns(elapsed_s if own.end_s is None else own.end_s))

    async def aclose(self) -> None:
        """Send what waits, for a bounded time."""
        await asyncio.to_thread(self._provider.force_flush, FLUSH_MS)
        await asyncio.to_thread(self._provider.shutdown)


@asynccontextmanager
async def open_exporter(endpoint: str | None) -> AsyncIterator[TraceExporter | None]:
    """The exporter of this process; None without an endpoint."""
    if endpoint is None:
        yield None
        return
    exporter = await asyncio.to_thread(TraceExporter, endpoint)  # loads a lot
    try:
        yield exporter
    finally:
        await exporter.aclose()


def _mark(span: OtelSpan, error: str | None) -> None:
    if error is not None:
        from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415

        span.set_status(Status(StatusCode.ERROR, error))


def _ns(seconds: float) -> int:
    return int(seconds * 1e9)
