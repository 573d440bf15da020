"""The happenings of one calendar series: its event, its changed occurrences, its bounded repeats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import recurring_ical_events  # type: ignore[import-untyped]
import x_wr_timezone  # type: ignore[import-untyped]
from icalendar import Calendar
from icalendar.cal import Component
from icalendar.prop import vCalAddress

from doso.records import EventDetails, Participant, Skipped
from doso.text import clean
from ingest.importers._ics_blocks import Series
from ingest.importers._ics_prose import recurrence_in_words
from ingest.importers._times import to_utc

#: Repeats are written out this far around today, and of one series those nearest to it; the series itself always is.
REPEATS_BACK = timedelta(days=3 * 366)
REPEATS_AHEAD = timedelta(days=366)
MAX_REPEATS = 200
#: Series that begin earlier, or repeat at more times of a day, stay one document: working them out takes too long.
FIRST_YEAR = 1900
MAX_TIMES_A_DAY = 4
MAX_ATTENDEES = 500
#: Exceptions of one series that are looked for among what is stored.
MAX_LEFT_OUT = 2_000
_DAY_FILTERS = ("BYMONTH", "BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYSETPOS")
#: Series that repeat within a day stay one document.
_TOO_OFTEN = frozenset({"SECONDLY", "MINUTELY", "HOURLY"})
#: What icalendar and the expansion raise on broken events (BrokenCalendarProperty is an AttributeError).
BROKEN_EVENT = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    OverflowError,
    RecursionError,
    AssertionError,
    NotImplementedError,
    ArithmeticError,
)


@dataclass(frozen=True, slots=True)
class Happening:
    """One event to store. `occurrence` is its RECURRENCE-ID in UTC, "" for the event or series itself; `zone` is the
    one its times are told in; `floats` says that it carried none of its own."""

    title: str
    details: EventDetails
    zone: ZoneInfo
    description: str
    occurrence: str
    floats: bool


@dataclass(frozen=True, slots=True)
class _Context:
    series: Series
    home: ZoneInfo  # for floating times and those in UTC
    now: datetime


@dataclass(frozen=True, slots=True)
class Called:
    """What the series says is off: one occurrence, or all of it (`occurrence` is "")."""

    occurrence: str


def happenings(
    series: Series, home: ZoneInfo, now: datetime, *, expands: bool = True
) -> Iterator[Happening | Skipped | Called]:
    """The series' events; whatever of it is broken is a skip, and so is what is cancelled, besides being called off.
    Never raises for broken input."""
    try:
        calendar = Calendar.from_ical(series.as_calendar())
        events = _newest(calendar.walk("VEVENT"))
    except BROKEN_EVENT as error:
        yield _broken(series, error)
        return
    context = _Context(series, home, now)
    master = events.pop("", None)
    if master is not None and _is_cancelled(master):
        yield Skipped(series.uid, "cancelled", "The event was cancelled.")
        yield Called("")
        return
    if master is not None:
        yield from _guarded(context, master, "")
    for occurrence, event in events.items():
        if _is_cancelled(event):
            yield Skipped(f"{series.uid} {occurrence}", "cancelled", "This occurrence was cancelled.")
            yield Called(occurrence)
        else:
            yield from _guarded(context, event, occurrence)
    if master is not None:
        yield from (Called(occurrence) for occurrence in _left_out(master) if occurrence not in events)
    if master is not None and _repeats(master):
        if not expands:
            yield Skipped(
                f"{series.uid} repeats", "too_large", "Its repeats were not written out: the file has too many."
            )
            return
        yield from _expanded(context, calendar, master, frozenset(events))


def _left_out(master: Component) -> list[str]:
    """The occurrences that the series names as exceptions: deleted ones, in most programs."""
    try:
        stated = master.get("EXDATE")
        lists = stated if isinstance(stated, list) else [stated] if stated is not None else []
        keys = [_occurrence_key(moment.dt) for one in lists for moment in one.dts[:MAX_LEFT_OUT]]
    except BROKEN_EVENT:
        return []
    return list(dict.fromkeys(keys))[:MAX_LEFT_OUT]


def _guarded(context: _Context, event: Component, occurrence: str) -> Iterator[Happening | Skipped]:
    try:
        yield _happening(context, event, occurrence)
    except BROKEN_EVENT as error:
        yield _broken(context.series, error)


def _expanded(
    context: _Context, calendar: Component, master: Component, changed: frozenset[str]
) -> Iterator[Happening | Skipped]:
    """Repeats within the window, without the first (the series' own) and those that are told apart."""
    try:
        _mend_until(master, context.now + REPEATS_AHEAD)
        first = _occurrence_key(master.get("DTSTART").dt)
        standard = x_wr_timezone.to_standard(calendar)
        query = recurring_ical_events.of(standard, skip_bad_series=True)
        repeats = query.between(context.now - REPEATS_BACK, context.now + REPEATS_AHEAD)
        near = _nearest(repeats, context)
    except BROKEN_EVENT as error:
        yield _broken(context.series, error)
        return
    for event in near:
        try:
            key = _occurrence_key((event.get("RECURRENCE-ID") or event.get("DTSTART")).dt)
            if key == first or key in changed or _is_cancelled(event):
                continue
            found = _happening(context, event, key)
        except BROKEN_EVENT as error:
            yield _broken(context.series, error)
            continue
        yield found


def _nearest(repeats: Iterable[Component], context: _Context) -> list[Component]:
    """The repeats within the window that lie nearest to today, in order. Raises one of BROKEN_EVENT."""
    timed: list[tuple[datetime, Component]] = []
    for event in repeats:
        start = event.get("DTSTART").dt
        timed.append((_utc(start, _zone(start, context.home)[0]), event))
    nearest = sorted(timed, key=lambda pair: abs(pair[0] - context.now))[:MAX_REPEATS]
    return [event for _, event in sorted(nearest, key=lambda pair: pair[0])]


def _happening(context: _Context, event: Component, occurrence: str) -> Happening:
    """Raises one of BROKEN_EVENT when the event has no start or an impossible one."""
    start = event.get("DTSTART").dt
    end = _end(event, start)
    is_all_day = not isinstance(start, datetime)
    zone, floats = _zone(start, context.home)
    starts_at = _utc(start, zone)
    organizer = event.get("ORGANIZER")
    rule = event.get("RRULE")
    details = EventDetails(
        uid=clean(context.series.uid),
        starts_at=starts_at,
        ends_at=_utc(end, zone) if end is not None else None,
        is_all_day=is_all_day,
        location=_text(event, "LOCATION") or None,
        organizer=_person(organizer, "organizer") if organizer is not None else None,
        attendees=_attendees(event),
        recurrence=recurrence_in_words(rule, start) if rule is not None and not isinstance(rule, list) else None,
    )
    title = _text(event, "SUMMARY") or "(untitled event)"
    return Happening(title, details, zone, _text(event, "DESCRIPTION"), occurrence, floats and not is_all_day)


def _end(event: Component, start: date) -> date | None:
    """The exclusive end as stated, or from the duration; an all-day event without one lasts its day."""
    stated = event.get("DTEND")
    if stated is not None:
        end: date = stated.dt
        return end if isinstance(end, datetime) == isinstance(start, datetime) else None
    length = event.get("DURATION")
    if length is not None:
        return start + length.dt  # type: ignore[no-any-return]
    return None if isinstance(start, datetime) else start + timedelta(days=1)


def _zone(start: date, home: ZoneInfo) -> tuple[ZoneInfo, bool]:
    """The zone to tell the time in, and whether the event names none. UTC starts are told in the home zone."""
    if not isinstance(start, datetime) or start.tzinfo is None:
        return home, True
    key = getattr(start.tzinfo, "key", None)
    if not key or key in ("UTC", "Etc/UTC"):
        return home, False
    try:
        return ZoneInfo(key), False
    except (ValueError, KeyError, OSError):
        return home, False


def _utc(moment: date, zone: ZoneInfo) -> datetime:
    whole = moment if isinstance(moment, datetime) else datetime.combine(moment, time())
    found = to_utc(whole, zone)
    if found is None:
        raise ValueError("The time lies outside the calendar.")
    return found


def _newest(events: list[Component]) -> dict[str, Component]:
    """Of each occurrence the version with the highest SEQUENCE, then the latest stamp, then the later in the file."""
    newest: dict[str, tuple[tuple[int, str], Component]] = {}
    for event in events:
        identity = event.get("RECURRENCE-ID")
        key = _occurrence_key(identity.dt) if identity is not None else ""
        rank = (_sequence(event), str(_stamp(event)))
        if key not in newest or rank >= newest[key][0]:
            newest[key] = (rank, event)
    return {key: event for key, (_, event) in newest.items()}


def _sequence(event: Component) -> int:
    try:
        return int(event.get("SEQUENCE", 0))
    except (ValueError, TypeError, AttributeError):
        return 0


def _stamp(event: Component) -> str:
    try:
        stamp = event.get("LAST-MODIFIED") or event.get("DTSTAMP")
        return stamp.dt.isoformat() if stamp is not None else ""
    except (ValueError, TypeError, AttributeError):
        return ""


def _occurrence_key(moment: date) -> str:
    if isinstance(moment, datetime):
        return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}" if moment.tzinfo else f"{moment:%Y%m%dT%H%M%S}"
    return f"{moment:%Y%m%d}"


def _repeats(event: Component) -> bool:
    """Whether the series repeats in a way that is worth writing out, and can be: hostile rules never end."""
    try:
        rule = event.get("RRULE")
        rules = rule if isinstance(rule, list) else [rule] if rule is not None else []
        tame = all(_is_tame(one) for one in rules) and event.get("DTSTART").dt.year >= FIRST_YEAR
        return tame and (bool(rules) or event.get("RDATE") is not None)
    except BROKEN_EVENT:
        return False


def _is_tame(rule: Mapping[str, Sequence[object]]) -> bool:
    freqs = {str(freq).upper() for freq in rule.get("FREQ", ())}
    filters = [part for part in _DAY_FILTERS if rule.get(part)]
    if freqs & {"DAILY", "WEEKLY"} and (len(filters) > 1 or "BYSETPOS" in filters):
        return False  # such filters may exclude each other, and every day to the year 9999 would be tried
    times = 1
    for part in ("BYHOUR", "BYMINUTE", "BYSECOND"):
        times *= max(len(rule.get(part, ())), 1)
    return (
        not freqs & _TOO_OFTEN
        and times <= MAX_TIMES_A_DAY
        and all(int(str(every)) > 0 for every in rule.get("INTERVAL", ()))
    )


def _mend_until(event: Component, last: datetime) -> None:
    """Give the rule an end: a last day without a time means the whole of that day (read as midnight it would drop the
    day's event), and a rule without one ends with the window."""
    rule, start = event.get("RRULE"), event.get("DTSTART").dt
    if rule is None or isinstance(rule, list) or rule.get("COUNT"):
        return
    until = (rule.get("UNTIL") or [None])[0]
    if not isinstance(start, datetime):
        rule["UNTIL"] = [until if until is not None else last.date()]
    elif until is None:
        rule["UNTIL"] = [last if start.tzinfo else last.replace(tzinfo=None)]
    elif isinstance(until, date) and not isinstance(until, datetime):
        end = datetime.combine(until, time(23, 59, 59), start.tzinfo)
        rule["UNTIL"] = [end.astimezone(UTC) if start.tzinfo else end]


def _is_cancelled(event: Component) -> bool:
    return str(event.get("STATUS", "")).strip().upper() == "CANCELLED"


def _text(event: Component, name: str) -> str:
    value = event.get(name)
    pieces = value if isinstance(value, list) else [value]
    return clean("\n".join(str(piece) for piece in pieces if piece is not None)).strip()


def _attendees(event: Component) -> tuple[Participant, ...]:
    value = event.get("ATTENDEE")
    items = value if isinstance(value, list) else [value] if value is not None else []
    people = (_person(item, "attendee") for item in items[:MAX_ATTENDEES])
    return tuple(person for person in people if person is not None)


def _person(value: object, role: str) -> Participant | None:
    """Name and mail address of who is invited; the address stands for a missing name."""
    raw = str(value).strip()
    address = raw[7:] if raw.lower().startswith("mailto:") else raw
    stated = value.params.get("CN") if isinstance(value, vCalAddress) else None
    name = clean(str(stated or address)).strip().strip('"')
    return Participant(name, clean(address).lower() if "@" in address else None, role) if name else None


def _broken(series: Series, error: Exception) -> Skipped:
    what = "has no readable start" if isinstance(error, KeyError | AttributeError) else "cannot be read"
    return Skipped(f"{series.uid} (line {series.line})", "unreadable", f"The event {what} ({type(error).__name__}).")
