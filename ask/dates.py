"""Phrases of time in English and Indonesian, as spans of whole days around a given day."""

from __future__ import annotations

import calendar
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

import regex
from dateutil.relativedelta import relativedelta

#: The last day that a span may end on: leaves room for any zone's offset.
LAST_DAY = date(9998, 12, 31)
MAX_COUNT = 1_000


@dataclass(frozen=True, slots=True)
class Span:
    """Days from `start` up to but without `end`; the hours narrow the outer days ("last night")."""

    start: date
    end: date
    phrase: str
    at: int  # where in the text the phrase begins
    start_hour: int = 0
    end_hour: int = 0


_MONTHS = {name.casefold(): n for n, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.casefold(): n for n, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
_MONTHS |= {"januari": 1, "februari": 2, "maret": 3, "mei": 5, "juni": 6, "juli": 7, "agustus": 8, "oktober": 10}
_MONTHS |= {"desember": 12, "agu": 8, "okt": 10, "des": 12}
_DAYS = {name.casefold(): n for n, name in enumerate(calendar.day_name)}
_DAYS |= {"senin": 0, "selasa": 1, "rabu": 2, "kamis": 3, "jumat": 4, "jum'at": 4, "sabtu": 5, "ahad": 6}
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_NUMBERS |= {"nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "couple of": 2, "a couple of": 2, "few": 3, "a few": 3}
_NUMBERS |= {"satu": 1, "dua": 2, "tiga": 3, "empat": 4, "lima": 5, "enam": 6, "tujuh": 7, "delapan": 8}
_NUMBERS |= {"sembilan": 9, "sepuluh": 10, "beberapa": 3}
_GLUED = {"seminggu": "week", "sebulan": "month", "setahun": "year", "sehari": "day"}
_UNITS = {
    "day": "day",
    "week": "week",
    "month": "month",
    "year": "year",
    "weekend": "weekend",
    "fortnight": "fortnight",
}
_UNITS |= {
    "hari": "day",
    "minggu": "week",
    "pekan": "week",
    "bulan": "month",
    "tahun": "year",
    "akhir pekan": "weekend",
}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_SHIFT = {"last": -1, "previous": -1, "this": 0, "next": 1, "lalu": -1, "kemarin": -1, "ini": 0, "depan": 1}
#: What stands beside a weekday; "on" and "hari" say nothing.
_WHICH_DAY = {"this": "this", "ini": "this", "next": "next", "depan": "next", "coming": "coming"}
_WHICH_DAY |= {"last": "last", "previous": "last", "past": "last", "lalu": "last", "kemarin": "last"}


def _any(words: dict[str, int] | dict[str, str]) -> str:
    return "|".join(regex.escape(word) for word in sorted(words, key=len, reverse=True))


_MONTH, _DAY, _NUM, _UNIT = _any(_MONTHS), _any(_DAYS), _any(_NUMBERS), _any(_UNITS)
_YEAR = r"(?:19|20)\d\d"
_ORDINAL = r"(?:3[01]|[12]?\d)(?:st|nd|rd|th)?"
_COUNT = rf"(?P<n>\d{{1,3}}|{_NUM})"


def month_number(word: str) -> int | None:
    """1 to 12 for a month's name in full or short."""
    return _MONTHS.get(word)


def phrase_spans(words: str, today: date, *, is_ahead: bool) -> list[Span]:
    """Every time phrase of the folded text, in order; of phrases that overlap the longest."""
    found = [span for rule in _RULES for span in rule.spans(words, today, is_ahead)]
    found.sort(key=lambda span: (span.at, -len(span.phrase)))
    kept: list[Span] = []
    for span in found:
        if not kept or span.at >= kept[-1].at + len(kept[-1].phrase):
            kept.append(span)
    return kept


_Read = Callable[["regex.Match[str]", date, bool], tuple[date, date] | tuple[date, date, int, int] | None]


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern and what its match means seen from today."""

    pattern: regex.Pattern[str]
    read: _Read

    def spans(self, words: str, today: date, is_ahead: bool) -> Iterator[Span]:
        for match in self.pattern.finditer(words):
            try:
                days = self.read(match, today, is_ahead)
            except (ValueError, OverflowError):  # 31 February, a million years ago
                continue
            if days is not None and days[0] <= days[1] <= LAST_DAY:
                hours = days[2:] or (0, 0)
                yield Span(days[0], days[1], match.group(), match.start(), *hours)


def _unit(kind: str, day: date) -> tuple[date, date]:
    """The calendar unit that holds the day."""
    if kind == "week":
        start = day - timedelta(days=day.weekday())
        return start, start + timedelta(days=7)
    if kind == "weekend":
        start = day - timedelta(days=day.weekday()) + timedelta(days=5)
        return start, start + timedelta(days=2)
    if kind == "month":
        return day.replace(day=1), day.replace(day=1) + relativedelta(months=1)
    if kind == "year":
        return date(day.year, 1, 1), date(day.year + 1, 1, 1)
    return day, day + timedelta(days=1)


def _moved(kind: str, day: date, count: int) -> date:
    if kind == "fortnight":
        return day + relativedelta(weeks=2 * count)
    steps = {"day": "days", "week": "weeks", "weekend": "weeks", "month": "months", "year": "years"}
    return day + relativedelta(**{steps[kind]: count})  # type: ignore[arg-type]  # the stub lists each keyword apart


def _number(text: str) -> int:
    return min(int(text) if text.isdecimal() else _NUMBERS[text], MAX_COUNT)


def _day_word(match: regex.Match[str], today: date, _ahead: bool) -> tuple[date, date]:
    offsets = {"today": 0, "hari ini": 0, "this morning": 0, "yesterday": -1, "kemarin": -1, "tomorrow": 1, "besok": 1}
    offsets |= {"the day before yesterday": -2, "day before yesterday": -2, "kemarin dulu": -2, "kemarin lusa": -2}
    offsets |= {"lusa": 2, "the day after tomorrow": 2, "day after tomorrow": 2, "tonight": 0, "malam ini": 0}
    return _unit("day", today + timedelta(days=offsets[match.group()]))


def _last_night(_match: regex.Match[str], today: date, _ahead: bool) -> tuple[date, date, int, int]:
    return today - timedelta(days=1), today, 17, 6


def _relative_unit(match: regex.Match[str], today: date, _ahead: bool) -> tuple[date, date]:
    kind = _UNITS[match["unit"]]
    return _unit(kind if kind != "fortnight" else "week", _moved(kind, today, _SHIFT[match["which"]]))


def _ago(match: regex.Match[str], today: date, _ahead: bool) -> tuple[date, date]:
    glued = match.groupdict().get("glued")
    kind = _GLUED[glued] if glued else _UNITS[match["unit"]]
    count = 1 if glued else _number(match["n"])
    day = _moved(kind, today, -count)
    return _unit("week" if kind == "fortnight" else kind, day)


def _running(match: regex.Match[str], today: date, _ahead: bool) -> tuple[date, date]:
    """ "the last three weeks" ends today; "the past week" is seven days back."""
    count = _number(match["n"]) if match["n"] else 1
    return _moved(_UNITS[match["unit"]], today, -count), today + timedelta(days=1)


def _weekday(match: regex.Match[str], today: date, is_ahead: bool) -> tuple[date, date]:
    wanted = _DAYS[match["day"]]
    which = _WHICH_DAY.get(match["which"] or match["after"])
    monday = today - timedelta(days=today.weekday())
    if which == "this":
        return _unit("day", monday + timedelta(days=wanted))
    if which == "next":
        return _unit("day", monday + timedelta(days=7 + wanted))
    if which == "coming" or (which is None and is_ahead):
        return _unit("day", today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1))
    return _unit("day", today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1))


def _month(match: regex.Match[str], today: date, is_ahead: bool) -> tuple[date, date]:
    number = _MONTHS[match["month"]]
    if match["year"]:
        return _unit("month", date(int(match["year"]), number, 1))
    which = match["which"] or match["after"]
    if which in ("this", "ini"):
        return _unit("month", date(today.year, number, 1))
    if which in ("next", "depan", "coming") or (which is None and is_ahead and number != today.month):
        return _unit("month", date(today.year + (number <= today.month), number, 1))
    is_over = number < today.month or (number == today.month and which is None)
    return _unit("month", date(today.year - (not is_over), number, 1))


def _calendar_day(match: regex.Match[str], today: date, is_ahead: bool) -> tuple[date, date]:
    day, month = int(regex.sub(r"\D", "", match["dom"])), _MONTHS[match["month"]]
    if match["year"]:
        return _unit("day", date(int(match["year"]), month, day))
    year = today.year
    for _ in range(8):  # 29 February waits for its year
        try:
            wanted = date(year, month, day)
        except ValueError:
            year += 1 if is_ahead else -1
            continue
        if (is_ahead and wanted < today) or (not is_ahead and wanted > today):
            year += 1 if is_ahead else -1
            continue
        return _unit("day", wanted)
    raise ValueError("no such day")


def _numeric(match: regex.Match[str], today: date, _ahead: bool) -> tuple[date, date] | None:
    """A date in figures, read by dateparser: the day stands first unless it can't."""
    found = _parsed(match.group(), today)
    return None if found is None else _unit("day", found)


@functools.lru_cache(maxsize=256)
def _parsed(text: str, today: date) -> date | None:
    import dateparser  # noqa: PLC0415  # 0.3 s to import, and few questions hold a date in figures

    order = "YMD" if regex.match(r"\d{4}", text) else "DMY"
    base = datetime(today.year, today.month, today.day)  # noqa: DTZ001  # dateparser wants a naive base
    moment = dateparser.parse(text, languages=["en"], settings={"DATE_ORDER": order, "RELATIVE_BASE": base})
    return None if moment is None else moment.date()


def _year(match: regex.Match[str], _today: date, _ahead: bool) -> tuple[date, date]:
    return _unit("year", date(int(match["year"]), 1, 1))


def _decade(match: regex.Match[str], _today: date, _ahead: bool) -> tuple[date, date]:
    return date(int(match["decade"]), 1, 1), date(int(match["decade"]) + 10, 1, 1)


def _season(match: regex.Match[str], today: date, is_ahead: bool) -> tuple[date, date]:
    """Seasons of the northern year, by whole months."""
    first = _SEASONS[match["season"]]
    if match["year"]:
        start = date(int(match["year"]), first, 1)
    else:
        start = date(today.year, first, 1)
        if match["which"] == "next" or (is_ahead and match["which"] is None):
            start += relativedelta(years=start <= today)
        elif match["which"] != "this":
            end_must_pass = match["which"] == "last"
            while (start + relativedelta(months=3) if end_must_pass else start) > today:
                start -= relativedelta(years=1)
    return start, start + relativedelta(months=3)


def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(rf"\b(?:{pattern})\b")


_IN = r"(?:in|during|by|from|to|of|around|throughout|early|mid|late|bulan|pada)"
#: Words after which a bare month or year is one, though they are no part of the phrase.
_OPEN = r"(?<=\b(?:since|until|till|before|after|sejak|sebelum|sesudah|setelah|sampai|hingga) )"
_RULES = (
    _Rule(
        _compiled(
            r"the day before yesterday|day before yesterday|yesterday|today|tonight|this morning|the day after tomorrow"
            r"|day after tomorrow|tomorrow|hari ini|malam ini|kemarin dulu|kemarin lusa|kemarin|besok|lusa"
        ),
        _day_word,
    ),
    _Rule(_compiled("last night|tadi malam|semalam"), _last_night),
    _Rule(_compiled(r"(?P<which>last|previous|this|next) (?P<unit>week|month|year|weekend|fortnight)"), _relative_unit),
    _Rule(
        _compiled(r"(?P<unit>akhir pekan|minggu|pekan|bulan|tahun) (?:yang )?(?P<which>lalu|kemarin|ini|depan)"),
        _relative_unit,
    ),
    _Rule(_compiled(rf"{_COUNT} (?P<unit>day|week|month|year|weekend|fortnight)s? (?:ago|back|earlier)"), _ago),
    _Rule(_compiled(rf"{_COUNT} (?P<unit>hari|minggu|pekan|bulan|tahun) (?:yang )?lalu"), _ago),
    _Rule(_compiled(r"(?P<glued>seminggu|sebulan|setahun|sehari) (?:yang )?lalu"), _ago),
    _Rule(_compiled(rf"(?:last|past|previous) (?:{_COUNT} (?P<unit>day|week|month|year)s)"), _running),
    _Rule(_compiled(r"past (?P<unit>day|week|month|year)(?P<n>)"), _running),
    _Rule(_compiled(rf"{_COUNT} (?P<unit>hari|minggu|pekan|bulan|tahun) terakhir"), _running),
    _Rule(
        _compiled(
            rf"(?:(?P<which>last|previous|this|next|coming|past|on|hari) )?(?P<day>{_DAY})"
            r"(?: (?P<after>lalu|kemarin|ini|depan))?"
        ),
        _weekday,
    ),
    _Rule(
        _compiled(
            rf"(?:{_IN} )?(?:(?P<which>last|previous|this|next|coming) )?(?P<month>{_MONTH})\.?,? "
            rf"(?:of )?(?P<year>{_YEAR})(?P<after>)"
        ),
        _month,
    ),
    _Rule(
        _compiled(rf"(?P<which>last|previous|this|next|coming|past) (?P<month>{_MONTH})(?P<year>)(?P<after>)"), _month
    ),
    _Rule(
        _compiled(rf"(?:{_IN} |{_OPEN})(?P<which>)(?P<month>{_MONTH})(?P<year>)(?P<after>)(?! \d{{1,2}}(?!\d))"), _month
    ),
    _Rule(
        _compiled(rf"(?:bulan )?(?P<which>)(?P<month>{_MONTH})(?P<year>) (?:yang )?(?P<after>lalu|ini|depan)"), _month
    ),
    _Rule(_compiled(rf"(?P<dom>{_ORDINAL}) (?:of )?(?P<month>{_MONTH})\.?(?:,? (?P<year>{_YEAR}))?"), _calendar_day),
    _Rule(_compiled(rf"(?P<month>{_MONTH})\.? (?:the )?(?P<dom>{_ORDINAL})(?:,? (?P<year>{_YEAR}))?"), _calendar_day),
    _Rule(_compiled(r"\d{4}-\d{1,2}-\d{1,2}|\d{1,2}[/.]\d{1,2}[/.](?:\d{4}|\d{2})"), _numeric),
    _Rule(_compiled(rf"(?:(?:in|during|from|of|tahun|pada|back in) |{_OPEN})(?P<year>{_YEAR})"), _year),
    _Rule(_compiled(r"the (?P<decade>(?:19|20)\d0)s"), _decade),
    _Rule(
        _compiled(
            rf"(?:(?P<which>last|this|next|previous)|in|during|over) (?:the )?(?P<season>{_any(_SEASONS)})"
            rf"(?: (?:of )?(?P<year>{_YEAR}))?"
        ),
        _season,
    ),
)
