"""Calendar events in words: what, when, where, who."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from doso.records import EventDetails

_PERIODS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year", "HOURLY": "hour"}
_DAYS = {
    "MO": "Monday",
    "TU": "Tuesday",
    "WE": "Wednesday",
    "TH": "Thursday",
    "FR": "Friday",
    "SA": "Saturday",
    "SU": "Sunday",
}
MAX_NAMED_ATTENDEES = 30


def event_text(title: str, details: EventDetails, zone: ZoneInfo, description: str) -> str:
    """The event as lines of prose, times told in its zone."""
    lines = [title, f"When: {when(details, zone)}"]
    if details.recurrence:
        lines.append(f"Repeats: {details.recurrence}")
    if details.location:
        lines.append(f"Where: {details.location}")
    if details.organizer is not None:
        lines.append(f"Organizer: {details.organizer.name}")
    if details.attendees:
        names = [person.name for person in details.attendees]
        more = f" and {len(names) - MAX_NAMED_ATTENDEES} more" if len(names) > MAX_NAMED_ATTENDEES else ""
        lines.append(f"With: {', '.join(names[:MAX_NAMED_ATTENDEES])}{more}")
    if description:
        lines.extend(("", description))
    return "\n".join(lines)


def when(details: EventDetails, zone: ZoneInfo) -> str:
    """Day and time in words; the last day of an all-day event is the one before its exclusive end."""
    start = details.starts_at.astimezone(zone)
    end = details.ends_at.astimezone(zone) if details.ends_at is not None else None
    if details.is_all_day:
        last = end.date() - timedelta(days=1) if end is not None else start.date()
        span = day(start) if last <= start.date() else f"{day(start)} to {day(last)}"
        return f"{span}, all day"
    if end is None or end <= start:
        return f"{day(start)}, {start:%H:%M} ({zone.key})"
    if end.date() == start.date():
        return f"{day(start)}, {start:%H:%M} to {end:%H:%M} ({zone.key})"
    return f"{day(start)}, {start:%H:%M} to {day(end)}, {end:%H:%M} ({zone.key})"


def day(moment: date) -> str:
    """A day as people write it: Wednesday, 11 March 2026."""
    return f"{moment:%A}, {moment.day} {moment:%B %Y}"


def recurrence_in_words(rule: Mapping[str, Sequence[object]], start: date) -> str:
    """A repeat rule in words: every 2 weeks on Monday and Friday until 30 June 2026."""
    freq = str(_first(rule, "FREQ") or "").upper()
    period = _PERIODS.get(freq, freq.lower() or "time")
    every = int(str(_first(rule, "INTERVAL") or 1))
    words = f"every {period}" if every == 1 else f"every {every} {period}s"
    days = [_day_name(str(value)) for value in rule.get("BYDAY", ())]
    if not days and freq == "WEEKLY":
        days = [f"{start:%A}"]
    if days:
        words += f" on {' and '.join(days)}"
    count, until = _first(rule, "COUNT"), _first(rule, "UNTIL")
    if count is not None:
        words += f", {count} times"
    elif isinstance(until, datetime | date):
        words += f" until {until.day} {until:%B %Y}"
    return words


def _first(rule: Mapping[str, Sequence[object]], name: str) -> object | None:
    values = rule.get(name)
    if values is None:
        return None
    return next(iter(values), None) if not isinstance(values, str) else values


def _day_name(value: str) -> str:
    """MO is Monday, 2MO the second Monday, -1FR the last Friday."""
    name = _DAYS.get(value[-2:].upper(), value)
    number = value[:-2]
    if not number:
        return name
    return f"the last {name}" if number == "-1" else f"{name} number {number.lstrip('+')}"
