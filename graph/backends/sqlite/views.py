"""What a view sees, as a condition on rows of `facts AS f`."""

from __future__ import annotations

from doso.records import Status
from graph.backends.sqlite.rows import to_text
from graph.ports import View

NOW_SEEN = "f.status IN ({statuses}) AND (f.retired_at IS NOT NULL OR f.valid_until IS NULL OR f.valid_until > ?)"
NOW_AND_ENDED_SEEN = "f.status IN ({statuses})"
THEN_SEEN = (
    "f.recorded_at <= ? AND (f.retired_at IS NULL OR f.retired_at > ?)"
    " AND (f.valid_from IS NULL OR f.valid_from <= ?) AND (f.valid_until IS NULL OR f.valid_until > ?)"
    " AND CASE WHEN f.verified_at <= ? THEN 'verified' ELSE 'candidate' END IN ({statuses})"
)


def seen(view: View) -> tuple[str, list[object]]:
    """The condition and its values, in order."""
    statuses: list[object] = [status.value for status in Status if status in view.statuses]
    marks = ", ".join("?" for _ in statuses)
    if view.as_of is not None:
        moment = to_text(view.as_of)
        return THEN_SEEN.format(statuses=marks), [moment] * 5 + statuses
    if view.is_current_only:
        return NOW_SEEN.format(statuses=marks), [*statuses, to_text(view.now)]
    return NOW_AND_ENDED_SEEN.format(statuses=marks), statuses
