"""Calendars (ICS): each event a document that reads as prose, its details kept beside it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from zoneinfo import ZoneInfo

from doso.clock import Clock, system_clock
from doso.errors import InvalidInput, NoText
from doso.records import DocumentKind, EventDetails, Incoming, Participant, Skipped, Source
from doso.text import clean
from ingest.importers._files import decode, file_name, is_binary, read_all
from ingest.importers._ics_blocks import Series, split_calendar
from ingest.importers._ics_events import Called, Happening, happenings
from ingest.importers._ics_prose import event_text
from ingest.importers._times import assumed_zone_note, zone_of
from ingest.ports import ImportOptions, Progress, Withdrawn

PROGRESS_EVERY_SERIES = 100
#: Work spent on the repeats of one file: rules that never come true are tried to the year 9999 each. Beyond it a series
#: stays the one document it is.
MAX_EXPANSION_S = 10.0


def build(clock: Clock = system_clock) -> IcsImporter:
    """The importer as the registry knows it; the clock bounds how far repeats are written out."""
    return IcsImporter(clock)


class IcsImporter:
    """Reads events and series; cancelled and broken ones are skipped with their reason."""

    name = "ics"

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def sniff(self, path: Path, head: bytes) -> float:
        """A calendar's own opening."""
        if is_binary(head):
            return 0.0
        start = decode(head[:4096]).lstrip("\ufeff\r\n\t ").upper()
        return 0.98 if start.startswith("BEGIN:VCALENDAR") else 0.0

    def read(self, path: Path, options: ImportOptions) -> Iterator[Incoming | Skipped | Progress | Withdrawn]:
        """Yield the events, and which ones were called off. Raises NoText for a calendar without one."""
        series = split_calendar(clean(decode(read_all(path))))
        if not series:
            raise NoText(f"no text: {file_name(path, options)} holds no events")
        now = self._clock()
        spent_s = 0.0
        for number, one in enumerate(series, start=1):
            home, stated = _home_zone(one, options)
            begun = time.thread_time()
            items = list(happenings(one, home, now, expands=spent_s < MAX_EXPANSION_S))
            spent_s += time.thread_time() - begun
            for item in items:
                if isinstance(item, Called):
                    yield _withdrawn(one.uid, item)
                else:
                    yield item if isinstance(item, Skipped) else _document(item, options, stated)
            if number % PROGRESS_EVERY_SERIES == 0 or number == len(series):
                yield Progress(number, len(series))


def _home_zone(series: Series, options: ImportOptions) -> tuple[ZoneInfo, str | None]:
    """The zone of times that name none: the calendar's own, else the stated one, else UTC."""
    for name in (series.calendar.zone, options.zone):
        if name:
            try:
                return zone_of(name), name
            except InvalidInput:
                if name == options.zone:
                    raise
    return zone_of(None), None


def _withdrawn(uid: str, called: Called) -> Withdrawn:
    """What is off, by the identity it was stored under; with the whole series go its occurrences."""
    uri = f"calendar:{clean(uid)}"
    return Withdrawn(f"{uri}#{called.occurrence}") if called.occurrence else Withdrawn(uri, with_parts=True)


def _document(happening: Happening, options: ImportOptions, zone: str | None) -> Incoming:
    details = _marked(happening.details, options)
    suffix = f"#{happening.occurrence}" if happening.occurrence else ""
    people = tuple(person for person in (details.organizer,) if person is not None) + details.attendees
    organizer = details.organizer
    return Incoming(
        uri=f"calendar:{details.uid}{suffix}",
        title=happening.title,
        source=Source.CALENDAR,
        kind=DocumentKind.EVENT,
        text=event_text(happening.title, details, happening.zone, happening.description),
        author=organizer.name if organizer is not None else None,
        occurred_at=details.starts_at,
        zone=happening.zone.key,
        participants=people,
        external_id=f"{details.uid}{suffix}",
        event=details,
        is_owner=organizer is not None and organizer.is_owner,
        notes=(assumed_zone_note(zone),) if happening.floats else (),
    )


def _marked(details: EventDetails, options: ImportOptions) -> EventDetails:
    """The same with the owner marked among those who take part."""
    mine = {name.strip().casefold() for name in options.me}

    def marked(person: Participant) -> Participant:
        return replace(person, is_owner=bool({person.name.casefold(), person.address or ""} & mine))

    organizer = None if details.organizer is None else marked(details.organizer)
    return replace(details, organizer=organizer, attendees=tuple(marked(person) for person in details.attendees))
