"""The object of a verb as it was read."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.extract.reading.records import Stated, Term


@dataclass(frozen=True, slots=True)
class Object:
    """What a verb is about. `facts`: what its words state besides; `over`: the losing side of a preference."""

    terms: tuple[Term, ...]
    end: int
    facts: tuple[Stated, ...] = ()
    over: str = ""


OPEN = frozenset({"the", "a", "an", "some", "any", "this", "sebuah", "seorang", "seekor"})
