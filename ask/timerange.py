"""The stretch of time that a question names, in the asker's zone: never raises, never empty, half-open.

A period is its calendar unit (weeks start on Monday): "two weeks ago" is the week that holds the day 14 days back.
A bare weekday, month or day without a year is its latest occurrence, or the coming one where the question looks ahead.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import regex

from ask.dates import LAST_DAY, Span, month_number, phrase_spans
from doso.records.evidence import TimeRange
from doso.text import fold

#: Only so much of a question is read for times.
MAX_READ_CHARS = 1_000
_FIRST_DAY = date(1, 1, 2)
_AHEAD = regex.compile(
    r"\b(?:will|going to|upcoming|coming|next|shall|planned|plan to|scheduled|tomorrow|akan|besok|depan|nanti)\b"
    r"|\b(?:do|am|are) (?:i|we) (?:have|meeting|flying|going|travelling|traveling|seeing|doing|free|busy)\b"
)
_BETWEEN = regex.compile(r"\b(?:between|antara)\b(?P<a>.{1,60}?)\b(?:and|dan)\b(?P<b>.{1,60})")
_FROM_TO = regex.compile(r"\b(?:from|dari)\b(?P<a>.{1,60}?)\b(?:to|until|till|through|sampai|hingga)\b(?P<b>.{1,60})")
_OPENING = regex.compile(
    r"\b(?:(?P<since>since|sejak)|(?P<before>before|until|till|prior to|sebelum|hingga|sampai)"
    r"|(?P<after>after|setelah|sesudah))\s+(?:the\s+|bulan\s+|tahun\s+)?$"
)


def parse_time_range(text: str, now: datetime, zone: ZoneInfo) -> TimeRange | None:
    """What the words say about time, seen from `now` in `zone`; None when they say nothing of it."""
    words = fold(text[:MAX_READ_CHARS])
    try:
        today = now.astimezone(zone).date()
        found = _between(words, today) or _single(words, today)
        return None if found is None else _range(found, zone)
    except (ValueError, OverflowError):  # a day outside what a calendar holds
        return None


def _single(words: str, today: date) -> Span | None:
    """The first phrase of the text, opened to one side by since, before or after."""
    spans = phrase_spans(words, today, is_ahead=_AHEAD.search(words) is not None)
    if not spans:
        return None
    span = spans[0]
    opening = _OPENING.search(words[: span.at])
    side = None if opening is None else opening.lastgroup
    if side == "since":
        return Span(span.start, max(today, span.start) + timedelta(days=1), span.phrase, span.at)
    if side == "before":
        return Span(_FIRST_DAY, span.start, span.phrase, span.at)
    if side == "after":
        return Span(span.end, max(today, span.end) + timedelta(days=1), span.phrase, span.at)
    return span


def _between(words: str, today: date) -> Span | None:
    for pattern in (_BETWEEN, _FROM_TO):
        match = pattern.search(words)
        if match is None:
            continue
        first = _end_of(match["a"], today)
        last = _end_of(match["b"], today)
        if first is None or last is None:
            continue
        if last.start < first.start:  # "between November and February" runs over the turn of the year
            first = _a_year_earlier(first)
        if first.start < last.end:
            return Span(first.start, last.end, match.group().strip(), match.start())
    return None


def _end_of(words: str, today: date) -> Span | None:
    """One end of a range: here a bare month or year is enough ("between May and July")."""
    bare = words.strip(" ,.?!")
    if month_number(bare) is not None or regex.fullmatch(r"(?:19|20)\d\d", bare):
        words = f"in {bare}"
    spans = phrase_spans(words.strip(), today, is_ahead=False)
    return spans[0] if spans else None


def _a_year_earlier(span: Span) -> Span:
    return Span(_year_back(span.start), _year_back(span.end), span.phrase, span.at)


def _year_back(day: date) -> date:
    return day.replace(year=day.year - 1, day=min(day.day, 28) if day.month == 2 else day.day)


def _range(span: Span, zone: ZoneInfo) -> TimeRange | None:
    start = _moment(max(span.start, _FIRST_DAY), span.start_hour, zone)
    end = _moment(min(span.end, LAST_DAY), span.end_hour, zone)
    return TimeRange(start, end, zone.key, span.phrase) if start < end else None


def _moment(day: date, hour: int, zone: ZoneInfo) -> datetime:
    """The wall-clock hour of a day as an instant; an hour that a clock change skips moves on with the clock."""
    return datetime(day.year, day.month, day.day, hour, tzinfo=zone).astimezone(UTC)
