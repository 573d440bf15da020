"""Why a live source brought nothing: one stable code and one sentence for each, never the far end's own words."""

from __future__ import annotations

from doso.records.live import FailedSource

WHY = {
    "live.unreachable": "{name} can't be reached.",
    "live.timeout": "{name} took too long.",
    "live.key": "{name} turned the key down.",
    "live.no_credit": "{name} has no credit left.",
    "live.rate_limited": "{name} is asked too often at present.",
    "live.refused": "{name} does not take this request.",
    "live.failed": "{name} failed.",
    "live.unreadable": "{name} answered something that can't be read.",
    "live.too_large": "{name} answered more than is read.",
    "live.nothing": "{name} found nothing.",
    "live.empty": "Nothing could be read there: it came back empty.",
    "live.page": "The page itself could not be opened.",
    "live.unsupported": "{name} offers no such search; it is left out for a while.",
    "live.no_reader": "No live source that is on reads pages; turn on Firecrawl.",
    "live.not_stored": "It was read but could not be stored.",
}


def failed(uri: str, code: str, name: str) -> FailedSource:
    """A source that failed. `name` is the service's as people know it."""
    return FailedSource(uri, code, WHY[code].format(name=name))


def code_of_status(status: int) -> str:
    """The code of an HTTP status that is no success."""
    known = {
        401: "live.key",
        402: "live.no_credit",
        403: "live.key",
        408: "live.timeout",
        413: "live.refused",
        429: "live.rate_limited",
        504: "live.timeout",
    }
    return known.get(status, "live.failed" if status >= 500 or status < 400 else "live.refused")
