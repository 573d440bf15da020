"""What is expected of each case of the shared file: that it passes, or which door it waits for. Never its answers."""

from __future__ import annotations

from collections.abc import Mapping

from tests.cases.doors import LATER, UNDERSTANDING
from tests.cases.model import Verdict

#: Cases that pass and must go on passing.
PASSED: frozenset[str] = frozenset(
    [
        "ID-001",
        "ID-002",
        "ID-005",
        "ID-014",
        "ID-016",
        "ID-017",
        "ID-019",
        "ID-020",
        "ID-022",
        "ID-028",
        "ID-032",
        "TI-001",
        "TI-002",
        "TI-008",
        "TI-010",
        "TI-011",
        "TX-001",
        "TX-007",
        "SE-001",
        "SE-002",
        "SE-004",
        "SE-005",
        "SE-007",
        "SE-008",
        "SE-010",
        "SE-011",
        "GR-001",
        "GR-002",
        "ST-001",
        "ST-002",
        "ST-004",
        "ST-005",
        "ST-007",
        "ST-008",
        "ST-011",
        "ST-013",
        "ST-014",
        "JO-001",
        "JO-004",
        "JO-005",
        "HT-001",
        "HT-002",
        "HT-004",
        "IM-001",
        "IM-002",
        "IM-004",
        "IM-005",
        "IM-007",
        "IM-008",
        "ID-026",
        "TX-011",
        "ST-010",
        "JO-002",
        "LO-001",
        "LO-002",
        "LO-004",
        "LO-005",
        "LO-007",
        "LO-008",
        "LO-010",
        "LO-011",
        "PS-001",
        "PS-002",
        "PS-004",
        "PS-005",
        "PS-007",
        "PS-008",
        "PS-010",
        "PS-011",
        "PS-013",
        "PS-014",
        "OS-001",
        "OS-002",
        "SC-001",
        "SC-002",
        "SC-004",
        "SC-005",
        "SC-007",
        "SC-008",
        "SC-010",
        "SC-011",
        "SC-013",
        "SC-014",
        "SC-017",
        "SC-028",
        "SC-031",
        "SC-032",
        "PR-001",
        "PR-002",
        "PR-004",
        "PR-005",
        "CI-001",
        "CI-002",
        "CI-004",
        "CI-005",
    ]
)

#: Cases that need what a later issue brings, and what. What they ask of today's doors is checked all the same.
NO_DOOR: Mapping[str, tuple[str, ...]] = {
    "ID-004": (UNDERSTANDING,),
    "ID-007": (UNDERSTANDING,),
    "ID-008": (UNDERSTANDING,),
    "ID-010": (UNDERSTANDING,),
    "ID-011": (UNDERSTANDING,),
    "ID-013": (UNDERSTANDING,),
    "ID-023": (UNDERSTANDING,),
    "ID-025": (UNDERSTANDING,),
    "ID-029": (UNDERSTANDING,),
    "ID-031": (UNDERSTANDING,),
    "TI-004": (UNDERSTANDING,),
    "TI-005": (UNDERSTANDING,),
    "TI-007": (UNDERSTANDING,),
    "TX-002": ("conversations",),
    "TX-004": ("chat memory", "conversations"),
    "TX-005": ("conversations",),
    "HT-005": ("conversations",),
    "PS-016": ("conversations",),
    "PS-017": (
        "conversations",
        "usage and budgets",
    ),
    "PS-019": ("conversations",),
    "PS-020": ("conversations",),
    "OS-004": ("conversations",),
    "OS-005": ("usage and budgets",),
    "OS-007": ("conversations",),
    "OS-008": ("conversations",),
    "SC-016": (UNDERSTANDING,),
    "SC-019": ("pages",),
    "SC-020": ("conversations",),
    "SC-022": (
        "conversations",
        "pages",
    ),
    "SC-023": ("pages",),
    "SC-025": ("conversations",),
    "SC-026": ("conversations",),
    "SC-029": ("usage and budgets",),
    "TX-008": ("conversations",),
    "TX-010": ("chat memory",),
}


def wanted(case_id: str) -> str | None:
    """The line a case should end with; None for a case that is not of the shared file."""
    if case_id in PASSED:
        return "passed"
    if case_id in NO_DOOR:
        return "no door: " + ", ".join(f"{name} (issue {LATER[name]})" for name in sorted(NO_DOOR[case_id]))
    return None


#: Cases that miss a limit of time as things stand, with what is known of it. Everything else in them must hold, and
#: `make cases` fails on them.
TOO_SLOW: Mapping[str, str] = {
    "ST-001": "8 writers of remembered sentences beside 8 readers: since such a sentence is understood, each write "
    "stores a fact as well, in many statements between which the readers' work goes on",
}


def surprise(verdict: Verdict) -> str | None:
    """How a verdict differs from what is expected; None where it doesn't, and for a case nobody tabled."""
    line = wanted(verdict.case.id)
    if line is None or verdict.state == "skipped" or (verdict.is_slow and verdict.case.id in TOO_SLOW):
        return None
    found = verdict.state if verdict.state == "passed" else f"{verdict.state}: {verdict.why}"
    return None if found == line else f"expected {line}"


def awaits(case_id: str, capability: str) -> bool:
    """Whether the case is tabled as waiting for this."""
    return capability in NO_DOOR.get(case_id, ())
