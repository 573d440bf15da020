"""Time phrases of a statement, resolved against the moment and zone of the message that says it."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import regex
from dateutil.relativedelta import relativedelta

_MONTHS = {
    **{name.casefold(): i for i, name in enumerate(calendar.month_name) if name},
    **{name.casefold(): i for i, name in enumerate(calendar.month_abbr) if name},
    "sept": 9, "januari": 1, "februari": 2, "maret": 3, "mei": 5, "juni": 6, "juli": 7, "agustus": 8, "oktober": 10,
    "desember": 12,
}  # fmt: skip
_DAYS = {
    **{name.casefold(): i for i, name in enumerate(calendar.day_name)},
    "senin": 0, "selasa": 1, "rabu": 2, "kamis": 3, "jumat": 4, "sabtu": 5, "minggu": 6,
}  # fmt: skip
_UNITS = {
    "day": "days", "hari": "days", "week": "weeks", "minggu": "weeks", "month": "months", "bulan": "months",
    "year": "years", "tahun": "years",
}  # fmt: skip
_NUMBERS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "se": 1, "satu": 1, "dua": 2, "tiga": 3, "empat": 4, "lima": 5, "enam": 6,
}  # fmt: skip
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = "|".join(sorted(_DAYS, key=len, reverse=True))
_UNIT = "|".join(_UNITS)
_NUMBER = r"\d{1,3}|" + "|".join(sorted(_NUMBERS, key=len, reverse=True))

#: One day, month or year as it is written out.
_DATE = (
    rf"(?:(?P<iso>\d{{4}}-\d\d-\d\d)"
    rf"|(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m>{_MONTH})(?:,?\s+(?P<y>\d{{4}}))?"
    rf"|(?P<m2>{_MONTH})\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:,?\s+(?P<y2>\d{{4}}))?"
    rf"|(?P<m3>{_MONTH})(?:\s+(?P<y3>\d{{4}}))?"
    rf"|(?P<y4>(?:19|20)\d\d))"
)
_RELATIVE = (
    rf"(?:(?P<today>today|tonight|this\s+(?:morning|afternoon|evening)|just\s+now|hari\s+ini|tadi(?:\s+(?:pagi|siang|sore))?)"
    rf"|(?P<yesterday>yesterday|last\s+night|kemarin)|(?P<tomorrow>tomorrow|besok)"
    rf"|(?P<n>{_NUMBER})\s*(?P<unit>{_UNIT})s?\s+(?:ago|(?:yang\s+)?lalu)"
    rf"|last\s+(?P<lastday>{_DAY})|last\s+(?P<lastunit>week|month|year)|(?P<idlast>minggu|bulan|tahun)\s+lalu)"
)
_FROM, _TO = _DATE.replace("?P<", "?P<a_"), _DATE.replace("?P<", "?P<b_")
SPAN = regex.compile(rf"\b(?:from|dari)\s+{_FROM}\s+(?:to|until|till|sampai)\s+{_TO}\b", regex.IGNORECASE)
SINCE = regex.compile(rf"\b(?:since|sejak)\s+(?:{_DATE}|{_RELATIVE})\b", regex.IGNORECASE)
UNTIL = regex.compile(rf"\b(?:until|till|sampai)\s+(?:{_DATE}|{_RELATIVE})\b", regex.IGNORECASE)
AT = regex.compile(rf"\b(?:(?:on|in|pada|tahun|di\s+tahun)\s+{_DATE}|{_RELATIVE})(?!\w)", regex.IGNORECASE)
#: The same without names of groups, for use within other patterns.
TIME = f"(?i:{regex.sub(r'[?]P<[a-z0-9]+>', '?:', AT.pattern)})"


@dataclass(frozen=True, slots=True)
class Period:
    """When something holds; local days, the last one included. None: not said."""

    first: date | None = None
    last: date | None = None


@dataclass(frozen=True, slots=True)
class Anchor:
    """The moment and zone of the message. `at` is None where nobody knows: relative phrases then say nothing."""

    at: datetime | None
    zone: str | None

    @property
    def tz(self) -> ZoneInfo:
        try:
            return ZoneInfo(self.zone or "UTC")
        except (ZoneInfoNotFoundError, ValueError):
            return ZoneInfo("UTC")

    @property
    def day(self) -> date | None:
        """The local day of the message."""
        return None if self.at is None else self.at.astimezone(self.tz).date()

    def moment(self, day: date) -> datetime:
        """The first moment of a local day, in UTC."""
        return datetime.combine(day, time(), self.tz).astimezone(UTC)


def resolve(text: str, anchor: Anchor) -> Period:
    """What the time phrases of a clause say of its beginning and end."""
    span = SPAN.search(text)
    if span:
        return Period(_first(span, anchor, "a_"), _last(span, anchor, "b_"))
    since, until = SINCE.search(text), UNTIL.search(text)
    if since or until:
        return Period(_first(since, anchor) if since else None, _last(until, anchor) if until else None)
    at = AT.search(text)
    return Period(_first(at, anchor)) if at else Period()


def literal_date(text: str) -> str | None:
    """A date as a value: YYYY-MM-DD, MM-DD without a year, YYYY-MM, YYYY; None when the text is no date."""
    match = regex.fullmatch(_DATE, text.strip(), regex.IGNORECASE)
    if not match:
        return None
    year, month, day = _parts(match, "")
    try:
        date(year or 2000, month or 1, day or 1)
    except ValueError:
        return None
    shown = [f"{year:04}" if year else "", f"{month:02}" if month else "", f"{day:02}" if day else ""]
    return "-".join(part for part in shown if part)


def _first(match: regex.Match[str], anchor: Anchor, prefix: str = "") -> date | None:
    relative = None if prefix else _relative(match, anchor)
    return relative or _dated(match, anchor, prefix, is_end=False)


def _last(match: regex.Match[str], anchor: Anchor, prefix: str = "") -> date | None:
    relative = None if prefix else _relative(match, anchor)
    unit = "" if prefix else (match.groupdict().get("lastunit") or "").casefold()
    if relative and unit:
        return relative + relativedelta(**{f"{unit}s": 1}) - timedelta(days=1)  # type: ignore[arg-type]
    return relative or _dated(match, anchor, prefix, is_end=True)


def _dated(match: regex.Match[str], anchor: Anchor, prefix: str, *, is_end: bool) -> date | None:
    year, month, day = _parts(match, prefix)
    if year is None and month is None:
        return None
    if year is None:
        if anchor.day is None:
            return None
        year = anchor.day.year
        if (month or 1, day or 1) > (anchor.day.month, anchor.day.day):
            year -= 1  # a month without a year is the latest one
    last_month = month or (12 if is_end else 1)
    last_day = day or (calendar.monthrange(year, last_month)[1] if is_end else 1)
    try:
        return date(year, last_month, last_day)
    except ValueError:
        return None


def _parts(match: regex.Match[str], prefix: str) -> tuple[int | None, int | None, int | None]:
    found = {
        name.removeprefix(prefix): value
        for name, value in match.groupdict().items()
        if value and name.startswith(prefix)
    }
    if "iso" in found:
        year, month, day = found["iso"].split("-")
        return int(year), int(month), int(day)
    name = found.get("m") or found.get("m2") or found.get("m3")
    year = found.get("y") or found.get("y2") or found.get("y3") or found.get("y4")
    number = found.get("d") or found.get("d2")
    return int(year) if year else None, _MONTHS[name.casefold()] if name else None, int(number) if number else None


def _relative(match: regex.Match[str], anchor: Anchor) -> date | None:
    found = {name: value.casefold() for name, value in match.groupdict().items() if value}
    return None if anchor.day is None else _counted(found, anchor.day) or _previous_unit(found, anchor.day)


def _counted(found: Mapping[str, str], today: date) -> date | None:
    """So many days or units away, or the latest day of a name before today."""
    for word, days in (("today", 0), ("yesterday", -1), ("tomorrow", 1)):
        if word in found:
            return today + timedelta(days=days)
    if "n" in found:
        count = int(found["n"]) if found["n"].isdecimal() else _NUMBERS[found["n"]]
        return today - relativedelta(**{_UNITS[found["unit"]]: count})  # type: ignore[arg-type]
    if "lastday" in found:
        return today - timedelta(days=(today.weekday() - _DAYS[found["lastday"]] - 1) % 7 + 1)
    return None


def _previous_unit(found: Mapping[str, str], today: date) -> date | None:
    """The first day of the week, month or year before this one."""
    unit = found.get("lastunit") or {"minggu": "week", "bulan": "month", "tahun": "year"}.get(found.get("idlast", ""))
    if unit == "week":
        return today - timedelta(days=today.weekday() + 7)
    if unit == "month":
        return (today - relativedelta(months=1)).replace(day=1)
    return date(today.year - 1, 1, 1) if unit == "year" else None
