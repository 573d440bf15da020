"""What live sources bring back."""

from __future__ import annotations

from dataclasses import dataclass

from doso.records.documents import Passage


@dataclass(frozen=True, slots=True)
class FailedSource:
    """A page or search that could not be read: its address (or the tool's name), a stable code, why."""

    uri: str
    code: str
    why: str


@dataclass(frozen=True, slots=True)
class LiveFindings:
    """What live research brought: passages of documents that are stored by now, best first, and what failed."""

    passages: tuple[Passage, ...] = ()
    failed: tuple[FailedSource, ...] = ()
