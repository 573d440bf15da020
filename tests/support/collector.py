"""A collector of OpenTelemetry traces on loopback, reading the true wire: OTLP's protobuf over HTTP."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

Value = str | int | float | bool


@dataclass
class Collector:
    """What came in."""

    url: str = ""
    paths: list[str] = field(default_factory=list)
    requests: list[ExportTraceServiceRequest] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    @property
    def spans(self) -> list[Span]:
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    @property
    def resource(self) -> dict[str, str]:
        (found, *_) = (resource.resource for request in self.requests for resource in request.resource_spans)
        return {pair.key: pair.value.string_value for pair in found.attributes}


def attributes(span: Span) -> dict[str, Value]:
    """The attributes of a span as plain values."""
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in span.attributes}


@contextmanager
def collecting() -> Iterator[Collector]:
    """A collector for the block."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            request = ExportTraceServiceRequest()
            request.ParseFromString(body)
            collector.paths.append(self.path)
            collector.bodies.append(body)
            collector.requests.append(request)
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    collector.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
