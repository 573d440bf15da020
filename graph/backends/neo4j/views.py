"""What a view sees, as a Cypher predicate over a fact `f`, and its parameters."""

from __future__ import annotations

from typing import LiteralString

from doso.records import Status
from graph.backends.neo4j.rows import Properties, to_utc
from graph.ports import View

VISIBLE: LiteralString = """
CASE WHEN $as_of IS NULL
THEN f.status IN $statuses
  AND (f.retired_at IS NOT NULL OR NOT $is_current_only OR f.valid_until IS NULL OR f.valid_until > $now)
ELSE f.recorded_at <= $as_of AND (f.retired_at IS NULL OR f.retired_at > $as_of)
  AND (f.valid_from IS NULL OR f.valid_from <= $as_of) AND (f.valid_until IS NULL OR f.valid_until > $as_of)
  AND CASE WHEN f.verified_at IS NOT NULL AND f.verified_at <= $as_of THEN 'verified' ELSE 'candidate' END IN $statuses
END
"""


def parameters(view: View) -> Properties:
    """What VISIBLE refers to."""
    return {
        "statuses": sorted(status.value for status in view.statuses),
        "as_of": to_utc(view.as_of),
        "now": to_utc(view.now),
        "is_current_only": view.is_current_only,
    }


def stored_statuses(view: View) -> list[str]:
    """The statuses that a row may have now to be seen by the view."""
    statuses = view.statuses if view.as_of is None else frozenset(Status)
    return sorted(status.value for status in statuses)
