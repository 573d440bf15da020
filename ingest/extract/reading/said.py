"""What a clause states."""

from __future__ import annotations

from dataclasses import dataclass, field

from ingest.extract.reading.records import Amendment, Stated


@dataclass(slots=True)
class Said:
    """What a clause states."""

    facts: list[Stated] = field(default_factory=list)
    corrections: list[Amendment] = field(default_factory=list)
    candidates: list[Stated] = field(default_factory=list)
    amending: list[Stated] = field(default_factory=list)  # facts said as a correction of something unnamed

    def __bool__(self) -> bool:
        return bool(self.facts or self.corrections or self.candidates)
