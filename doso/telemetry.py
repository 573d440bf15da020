"""What a running process tells about itself: JSON log lines without content, and metrics."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime

import msgspec
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_LATENCY_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

Field = str | int | float | bool | None

_bound: ContextVar[dict[str, Field]] = ContextVar("doso_log_fields")


class Logger:
    """JSON lines on standard error. Fields only: no text of a document, question or answer is ever logged.

    Our own in forty lines: the usual libraries load a terminal's worth of rendering, a tenth of a server's start.
    """

    least = logging.WARNING

    def debug(self, event: str, **fields: Field) -> None:
        """What helps to follow one request."""
        self._write(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: Field) -> None:
        """What happened, as it should."""
        self._write(logging.INFO, event, fields)

    def warning(self, event: str, **fields: Field) -> None:
        """What works less well than it should."""
        self._write(logging.WARNING, event, fields)

    def error(self, event: str, **fields: Field) -> None:
        """What does not work."""
        self._write(logging.ERROR, event, fields)

    def _write(self, level: int, event: str, fields: dict[str, Field]) -> None:
        if level < self.least:
            return
        told = {"event": event, "level": logging.getLevelName(level).lower(), "timestamp": datetime.now(UTC)}
        line = msgspec.json.encode(told | _bound.get({}) | fields).decode()
        with suppress(OSError):  # nobody reads it any more
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()


_logger = Logger()


def configure_logging(level: str) -> None:
    """Leave out what is less grave than this level."""
    _logger.least = logging.getLevelNamesMapping().get(level, logging.INFO)


def log() -> Logger:
    """The logger; an event name with dots, then fields."""
    return _logger


@contextmanager
def log_fields(**fields: Field) -> Iterator[None]:
    """Fields of every line written in the block, by this task and those it starts."""
    token = _bound.set(_bound.get({}) | fields)
    try:
        yield
    finally:
        _bound.reset(token)


class Metrics:
    """Counters of one process, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        labels = ["method", "route", "status"]
        self.requests = Counter("doso_requests_total", "Requests by route and status.", labels, registry=registry)
        self.latency = Histogram(
            "doso_request_seconds", "Time to answer by route.", ["route"], buckets=_LATENCY_BUCKETS_S, registry=registry
        )
        self.evidence_in_flight = Gauge("doso_evidence_in_flight", "Evidence requests at work.", registry=registry)
        self.evidence_waiting = Gauge("doso_evidence_waiting", "Evidence requests in the queue.", registry=registry)
        self.connections_in_use = Gauge(
            "doso_database_connections_in_use", "Connections of the database that someone holds.", registry=registry
        )

    def render(self) -> bytes:
        """The metrics in the text format of Prometheus."""
        return generate_latest(self.registry)
