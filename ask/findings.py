"""What live research brought, and the notes on what of it failed."""

from __future__ import annotations

from ask.arms import Outcome
from ask.underway import Ask
from doso.records.live import LiveFindings

#: The share of the time for the whole ask by which live research must be done; what is late is left out.
LIVE_SHARE = 0.65
LATE = "Live research was not done in time and was left out."


def findings_of(ask: Ask, live: Outcome[LiveFindings | None]) -> LiveFindings:
    """The findings, empty where there are none; what went wrong is noted, never thrown."""
    if live.is_late:
        ask.note(LATE)
    if live.error is not None:
        ask.note(f"Live research failed ({live.error.code}) and was left out.")
    findings = live.value or LiveFindings()
    for failed in findings.failed:
        ask.note(f"A live source could not be read ({failed.code}).")
    return findings
