"""A calendar file cut into its event series, so that one broken event cannot spoil another."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from doso.ids import digest

_UID = re.compile(r"(?im)^UID(?:;[^:\n]*)?:(?P<uid>.*(?:\n[ \t].*)*)")
_TZID = re.compile(r'(?im);TZID="?(?P<id>[^":;,\n]+)')
_TZID_PROPERTY = re.compile(r"(?im)^TZID(?:;[^:\n]*)?:(?P<id>.*(?:\n[ \t].*)*)")
_FOLD = re.compile(r"\n[ \t]")
#: Events of one UID: a series with its changed occurrences. A hostile file could put any number under one.
MAX_BLOCKS_OF_UID = 5_000
#: What of one event is read, each line counted for what it takes in memory besides its characters; the rest is left.
MAX_BLOCK_CHARS = 1_000_000
LINE_COST = 50
MAX_MARK_CHARS = 200


@dataclass(slots=True)
class Series:
    """All events of one UID, as text, with what they need around them. `line` is where the first begins."""

    uid: str
    line: int
    calendar: _Calendar
    blocks: list[str] = field(default_factory=list)

    def as_calendar(self) -> str:
        """A calendar of this series alone; its zone blocks come along when it names them."""
        text = "".join(self.blocks)
        named = {found["id"].strip() for found in _TZID.finditer(_FOLD.sub("", text))}
        zones = "".join(block for zone, block in self.calendar.zones.items() if zone in named)
        stated = f"X-WR-TIMEZONE:{self.calendar.zone}\n" if self.calendar.zone else ""
        return f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//doso//import//EN\n{stated}{zones}{text}END:VCALENDAR\n"


@dataclass(slots=True)
class _Calendar:
    zone: str | None = None
    name: str | None = None
    zones: dict[str, str] = field(default_factory=dict)


def split_calendar(text: str) -> list[Series]:
    """The event series of every calendar in the file, in order of their first event.

    An event that the file breaks off is kept as far as it goes.
    """
    series: dict[tuple[int, str], Series] = {}
    calendar = _Calendar()
    for kind, line, block in _blocks(text):
        if kind == "VCALENDAR":
            calendar = _Calendar()
        elif kind == "VTIMEZONE":
            found = _TZID_PROPERTY.search(block)
            if found:
                calendar.zones[_FOLD.sub("", found["id"]).strip()] = block
        elif kind == "X-WR-TIMEZONE":
            calendar.zone = block
        elif kind == "VEVENT":
            found = _UID.search(block)
            uid = _FOLD.sub("", found["uid"]).strip() if found else ""
            uid = uid or f"without-uid-{digest(block)[:32]}"
            one = series.setdefault((id(calendar), uid), Series(uid, line, calendar))
            if len(one.blocks) < MAX_BLOCKS_OF_UID:
                one.blocks.append(block)
    return list(series.values())


def _blocks(text: str) -> Iterator[tuple[str, int, str]]:
    """Top-level pieces: the start of a calendar, its zone, its VTIMEZONE and VEVENT blocks whole."""
    kind: str | None = None
    lines: list[str] = []
    size = start = 0
    for number, whole in enumerate(io.StringIO(text), start=1):
        line = whole.rstrip("\n")
        upper = line[:MAX_MARK_CHARS].strip().upper()
        if kind is None:
            if upper in ("BEGIN:VEVENT", "BEGIN:VTIMEZONE"):
                kind, lines, start, size = upper[6:], [line], number, 0
            elif upper == "BEGIN:VCALENDAR":
                yield "VCALENDAR", number, ""
            elif upper.startswith("X-WR-TIMEZONE"):
                yield "X-WR-TIMEZONE", number, line.partition(":")[2].strip()
            continue
        if upper in ("BEGIN:VEVENT", "END:VCALENDAR"):  # the block before was never closed
            yield kind, start, "\n".join([*lines, f"END:{kind}", ""])
            kind, lines, start = ("VEVENT", [line], number) if upper == "BEGIN:VEVENT" else (None, [], 0)
            size = 0
            continue
        size += len(line) + LINE_COST
        if size <= MAX_BLOCK_CHARS or upper == f"END:{kind}":
            lines.append(line)
        if upper == f"END:{kind}":
            yield kind, start, "\n".join([*lines, ""])
            kind, lines = None, []
    if kind is not None:
        yield kind, start, "\n".join([*lines, f"END:{kind}", ""])
