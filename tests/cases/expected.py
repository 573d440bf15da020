"""What is expected of each case of the shared file: that it passes, or which door it waits for. Never its answers."""

from __future__ import annotations

from collections.abc import Mapping

from tests.cases.doors import LATER
from tests.cases.model import Verdict

#: Cases that pass and must go on passing.
PASSED: frozenset[str] = frozenset()

#: Cases that need what a later issue brings, and what. What they ask of today's doors is checked all the same.
NO_DOOR: Mapping[str, tuple[str, ...]] = {}


def wanted(case_id: str) -> str | None:
    """The line a case should end with; None for a case that is not of the shared file."""
    if case_id in PASSED:
        return "passed"
    if case_id in NO_DOOR:
        return "no door: " + ", ".join(f"{name} (issue {LATER[name]})" for name in sorted(NO_DOOR[case_id]))
    return None


def surprise(verdict: Verdict) -> str | None:
    """How a verdict differs from what is expected; None where it doesn't, and for a case nobody tabled."""
    line = wanted(verdict.case.id)
    if line is None or verdict.state == "skipped":
        return None
    found = verdict.state if verdict.state == "passed" else f"{verdict.state}: {verdict.why}"
    return None if found == line else f"expected {line}"


def awaits(case_id: str, capability: str) -> bool:
    """Whether the case is tabled as waiting for this."""
    return capability in NO_DOOR.get(case_id, ())
