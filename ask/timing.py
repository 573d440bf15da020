"""How long each stage of one question took, for its timings and its trace."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field

from doso.tracing import Trace

#: Stages under the names that traces have for them; others are retrieval.<stage>.
_SPANS = {
    "embed": "retrieval.embedding",
    "rank": "evidence.rank",
    "focus": "evidence.focus",
    "pack": "evidence.assemble",
}


@dataclass(slots=True)
class Stopwatch:
    """Wall-clock milliseconds by stage; a stage entered twice adds up. Stages that run side by side overlap."""

    started: float = field(default_factory=time.perf_counter)
    spent_ms: dict[str, float] = field(default_factory=dict)
    trace: Trace | None = None

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measure a block, also when it fails."""
        start = time.perf_counter()
        span = nullcontext() if self.trace is None else self.trace.span(_SPANS.get(name, f"retrieval.{name}"))
        try:
            with span:
                yield
        finally:
            self.spent_ms[name] = round(self.spent_ms.get(name, 0.0) + (time.perf_counter() - start) * 1e3, 3)

    def total(self) -> dict[str, float]:
        """All stages, and the whole so far."""
        return {**self.spent_ms, "total": round((time.perf_counter() - self.started) * 1e3, 3)}
