"""What a running process tells about itself: JSON log lines without content, and metrics."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_LATENCY_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


def configure_logging(level: str) -> None:
    """JSON lines on standard error. Fields only: no text of a document, question or answer is ever logged."""
    number = logging.getLevelNamesMapping().get(level, logging.INFO)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(file=sys.stderr),
        cache_logger_on_first_use=False,
    )


def log() -> Any:
    """The logger; an event name with dots, then fields."""
    return structlog.get_logger()


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
