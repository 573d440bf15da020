"""When a model is asked again after it failed: not at once, and each time later, so that a fault costs little."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from doso.ids import OwnerId, digest

#: Documents one after another of which a model makes nothing, before all wait for it to come to itself.
MAX_UNANSWERED = 3


@dataclass(frozen=True, slots=True)
class Rest:
    """Until when nothing is asked, how long that was, and why."""

    until_s: float
    wait_s: float
    why: str


@dataclass(slots=True)
class Rests:
    """Per owner and process; what waits is in the database. `now_s` is a port so that a test needs no waiting."""

    first_s: float = 25.0
    ceiling_s: float = 300.0
    now_s: Callable[[], float] = time.monotonic
    _rests: dict[OwnerId, Rest] = field(default_factory=dict)
    _configured: dict[OwnerId, str] = field(default_factory=dict)
    _unanswered: dict[OwnerId, int] = field(default_factory=dict)

    def why(self, owner: OwnerId) -> str | None:
        """Why the owner's model is left alone now; None when it may be asked."""
        rest = self._rests.get(owner)
        return rest.why if rest is not None and self.now_s() < rest.until_s else None

    def begin(self, owner: OwnerId, why: str, *, wanted_s: int | None = None) -> None:
        """The model failed: leave it alone, longer than the last time."""
        last = self._rests.get(owner)
        wait_s = self.first_s if last is None else last.wait_s * 2
        wait_s = min(self.ceiling_s, max(wait_s, float(wanted_s or 0)))
        self._rests[owner] = Rest(self.now_s() + wait_s, wait_s, why)

    def is_lasting(self, owner: OwnerId) -> bool:
        """Count a document that the model could not answer about; whether it was not the first few one after another,
        so that it is the model's fault rather than theirs."""
        count = self._unanswered.get(owner, 0) + 1
        is_lasting = count > MAX_UNANSWERED
        self._unanswered[owner] = MAX_UNANSWERED - 1 if is_lasting else count  # after the rest one is tried at a time
        return is_lasting

    def see(self, owner: OwnerId, configured: str) -> None:
        """Which models are configured now: others than before may be asked at once."""
        seen = digest(configured)
        if self._configured.setdefault(owner, seen) != seen:
            self._configured[owner] = seen
            self.end(owner)

    def end(self, owner: OwnerId) -> None:
        """The model works, or a person wants it tried now."""
        self._rests.pop(owner, None)
        self._unanswered.pop(owner, None)
