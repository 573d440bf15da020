"""Percentiles and tables."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field


@dataclass
class Timed:
    """Durations of one thing, in milliseconds."""

    name: str
    ms: list[float] = field(default_factory=list)

    def at(self, percent: float) -> float:
        """The duration below which this share of all lie."""
        ordered = sorted(self.ms)
        return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] if ordered else float("nan")

    async def take(self, work: Callable[[], Awaitable[object]]) -> object:
        """Run and keep how long it took."""
        started = time.perf_counter()
        result = await work()
        self.ms.append((time.perf_counter() - started) * 1000)
        return result

    def figures(self) -> dict[str, float]:
        """The two percentiles that are reported."""
        return {"p50": round(self.at(50), 2), "p95": round(self.at(95), 2)}


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


class Bar:
    """A line that says how far a long step is, every few seconds."""

    def __init__(self, what: str, total: int) -> None:
        self._what, self._total, self._done = what, total, 0
        self._started = self._said = time.monotonic()

    def add(self, count: int) -> None:
        """Note progress."""
        self._done += count
        now = time.monotonic()
        if now - self._said > 5 or self._done >= self._total:
            self._said = now
            rate = self._done / max(now - self._started, 1e-9)
            print(f"  {self._what}: {self._done:,} of {self._total:,} ({rate:,.0f}/s)", flush=True)
