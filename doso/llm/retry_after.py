"""How long a server is left alone before it is asked again."""

from __future__ import annotations

import random
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from doso.clock import Clock

#: More than a week is no pause but nonsense.
MAX_ASKED_S = 7 * 86_400.0
FIRST_WAIT_S = 0.5


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


def wait_s(asked_s: float | None, failures: int) -> float:
    """What was asked for, else twice as long after each failure before, with jitter so that many clients don't return
    at once."""
    if asked_s is not None:
        return asked_s
    return FIRST_WAIT_S * 2.0**failures * random.uniform(0.5, 1.0)  # noqa: S311
