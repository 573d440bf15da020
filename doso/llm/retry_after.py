"""How long a server asks to be left alone."""

from __future__ import annotations

from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from doso.clock import Clock

#: More than a week is no pause but nonsense.
MAX_ASKED_S = 7 * 86_400.0


def asked_wait_s(headers: Mapping[str, str], clock: Clock) -> float | None:
    """What Retry-After asks for, in any of its spellings; None for none, nonsense or the past.

    `headers` finds names whatever their case.
    """
    milliseconds, spelled = headers.get("retry-after-ms"), headers.get("retry-after")
    try:
        if milliseconds is not None:
            wait_s = float(milliseconds) / 1000
        elif spelled is None:
            return None
        else:
            wait_s = float(spelled)
    except ValueError:
        try:
            wait_s = (parsedate_to_datetime(spelled or "") - clock()).total_seconds()
        except (ValueError, TypeError, OverflowError):
            return None
    return wait_s if 0 < wait_s <= MAX_ASKED_S else None
