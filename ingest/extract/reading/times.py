"""Time phrases of a clause: where they stand and which days they mean, seen from the day of the message."""

# ruff: noqa: E501 - a table of words and patterns reads best with one form a line
# ruff: noqa: PLR0911 - a rule of grammar returns at the first form that fits
from __future__ import annotations

import calendar
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import regex
from dateutil.relativedelta import relativedelta

from ingest.extract.reading.words import NUMBER_WORDS, number_of

MONTHS = {
    **{name.casefold(): at for at, name in enumerate(calendar.month_name) if name},
    **{name.casefold(): at for at, name in enumerate(calendar.month_abbr) if name},
    "sept": 9, "januari": 1, "februari": 2, "maret": 3, "mei": 5, "juni": 6, "juli": 7, "agustus": 8, "oktober": 10,
    "desember": 12, "agu": 8, "okt": 10, "des": 12,
}  # fmt: skip
DAYS = {
    **{name.casefold(): at for at, name in enumerate(calendar.day_name)},
    "senin": 0, "selasa": 1, "rabu": 2, "kamis": 3, "jumat": 4, "sabtu": 5, "ahad": 6,
}  # fmt: skip
_UNITS = {"day": "days", "hari": "days", "week": "weeks", "minggu": "weeks", "pekan": "weeks", "month": "months",
          "bulan": "months", "year": "years", "tahun": "years", "decade": "decades"}  # fmt: skip
_GLUED = {"seminggu": "week", "sebulan": "month", "setahun": "year", "sehari": "day"}
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}
_FEASTS = {
    "christmas eve": (12, 24), "christmas day": (12, 25), "christmas": (12, 25), "new year's eve": (12, 31),
    "new year 's eve": (12, 31), "new year 's day": (1, 1), "new year's day": (1, 1), "boxing day": (12, 26),
    "valentine 's day": (2, 14), "valentines day": (2, 14), "halloween": (10, 31), "leap day": (2, 29),
    "april fools day": (4, 1), "april fool 's day": (4, 1), "st. patrick 's day": (3, 17), "hari natal": (12, 25),
    "malam natal": (12, 24), "natal": (12, 25), "hari kemerdekaan": (8, 17), "tahun baru": (1, 1),
    "hari kartini": (4, 21), "hari valentine": (2, 14), "bastille day": (7, 14),
}  # fmt: skip
_OFFSETS = {"today": 0, "tonight": 0, "this morning": 0, "this afternoon": 0, "this evening": 0, "just now": 0,
            "earlier today": 0, "hari ini": 0, "malam ini": 0, "pagi ini": 0, "sore ini": 0, "tadi pagi": 0,
            "tadi malam": -1, "tadi siang": 0, "tadi sore": 0, "tadi": 0, "yesterday": -1, "last night": -1, "kemarin": -1, "semalam": -1,
            "the day before yesterday": -2, "kemarin lusa": -2, "tomorrow": 1, "besok": 1, "besok pagi": 1,
            "the day after tomorrow": 2, "lusa": 2}  # fmt: skip


def _any(words: Sequence[str] | dict[str, int] | dict[str, str]) -> str:
    return "|".join(regex.escape(word) for word in sorted(words, key=len, reverse=True))


_M, _D, _U, _S = _any(MONTHS), _any(DAYS), _any(_UNITS), _any(_SEASONS)
_N = rf"\d{{1,3}}|{_any(NUMBER_WORDS)}|an?|a few|several|a couple of|couple of|beberapa"
_Y = r"(?:19|20)\d\d"
_DOM = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
#: The forms of a day, month or year, the most telling first. Each matches at the beginning of what is left.
_FORMS: tuple[tuple[str, regex.Pattern[str]], ...] = tuple(
    (kind, regex.compile(rf"(?:{pattern})(?![\p{{L}}\p{{N}}'])"))
    for kind, pattern in (
        ("iso", r"(?P<iso>\d{4}-\d\d-\d\d)"),
        ("date", rf"(?:the )?(?:tanggal )?(?P<d>{_DOM})(?: of)? (?P<m>{_M})(?: ?,? (?P<y>{_Y}))?"),
        ("date", rf"(?P<m>{_M})\.? (?:the )?(?P<d>{_DOM})(?! ?(?:years|hours|{_M}))(?: ?,? (?P<y>{_Y}))?"),
        ("end", rf"(?:the )?(?:very )?(?P<edge>end|beginning|start|middle) of (?:(?P<m>{_M})(?: (?P<y>{_Y}))?|(?P<y2>{_Y})|(?P<this>the year|this year|next year|last year|the month|this month|next month|last month|next week|this week|the week))"),
        ("end", rf"(?P<edge>akhir|awal|pertengahan) (?:(?:bulan )?(?P<m>{_M})(?: (?P<y>{_Y}))?|(?:tahun )?(?P<y2>{_Y})|(?P<this>tahun ini|tahun depan|bulan ini|bulan depan))"),
        ("month", rf"(?:early |late |mid |mid-|bulan )?(?P<m>{_M})(?:(?: of)?,? (?:tahun )?(?P<y>{_Y}))?"),
        ("season", rf"(?:the )?(?P<which>last |this |next |)(?P<s>{_S})(?:(?: of)? (?P<y>{_Y}))?"),
        ("year", rf"(?:early |late |mid |mid-|tahun )?(?P<y>{_Y})"),
        ("offset", rf"(?P<word>{_any(_OFFSETS)})"),
        ("ago", rf"(?:about |around |almost |over |nearly )?(?P<n>{_N}) (?P<u>{_U})s? (?:ago|back|(?:yang )?lalu|silam)"),
        ("ago", rf"(?P<glued>{_any(_GLUED)}) (?:yang )?lalu"),
        ("unit", r"(?P<which>last|previous|this|next|the coming) (?P<u>week|weekend|month|year)"),
        ("unit", r"(?P<u>akhir pekan|minggu|pekan|bulan|tahun) (?:yang )?(?P<which>lalu|kemarin|ini|depan)"),
        ("weekday", rf"(?P<which>last|this|next|this coming|this past|on|hari|) ?(?P<day>{_D})(?: (?P<after>lalu|kemarin|ini|depan|besok))?(?: (?:morning|afternoon|evening|night|pagi|siang|sore|malam))?"),
        ("ahead", rf"in (?P<n>{_N}) (?P<u>{_U})s?(?: time)?|(?P<n>{_N}) (?P<u>{_U})s?(?: from now| lagi)"),
        ("feast", rf"(?P<feast>{_any(sorted(_FEASTS))})"),
    )
)  # fmt: skip
#: Forms that are a time phrase without a word before them.
_FREE = frozenset({"iso", "date", "offset", "ago", "unit", "weekday", "ahead"})
_SPAN = regex.compile(r"(?:from|between|dari) |(?=\d{4} ?[-–] ?\d{4})")
_JOIN = regex.compile(r" ?(?:to|until|till|through|and|sampai|hingga|ke|[-–]) ")
_SHORT = regex.compile(
    rf"(?:the )?(?P<d>{_DOM})(?= ?(?:to|until|till|through|and|sampai|[-–]) (?:the )?{_DOM}(?: of)? (?:{_M}))"
)
_SINCE = regex.compile(r"(?:ever )?(?:since|sejak|starting(?: from| in| on)?|mulai|from|dari|effective) ")
_UNTIL = regex.compile(r"(?:up )?(?:until|till|through|sampai|hingga|sampe) ")
_AT = regex.compile(
    r"(?:back in|in|on|during|by|around|as of|pada|di|tahun|bulan|tanggal|at|this past|over|for|the weekend of|sejak awal) "
)
_FOR = regex.compile(
    rf"(?:for|selama|sudah|going on)(?: (?:about|around|over|almost|nearly|more than|at least|the last|the past|the better part of|hampir|lebih dari|sekitar))* (?:(?P<n>{_N}) (?P<u>{_U})s?|(?P<glued>{_any(_GLUED)}))(?: now| already| (?:lebih|terakhir|ini))?(?!\S)"
)
_VAGUE = regex.compile(
    r"(?:(?:ever )?since (?:childhood|birth|school|college|university|forever|then|i was (?:little|young|small|a (?:kid|child|baby|teenager|teen|boy|girl)|born|\d+))"
    r"|sejak (?:kecil|lahir|lama|dulu|muda|sd|smp|sma|kuliah|saat itu|itu)|as a (?:kid|child|teenager|teen|boy|girl|student|young (?:man|woman))|when i was (?:a (?:kid|child|teenager|teen|boy|girl|student)|younger|young|little|small|\d+|in (?:school|college|high school|my (?:teens|twenties)))|(?:waktu|ketika|saat|semasa) (?:saya )?(?:masih )?(?:kecil|muda|sd|smp|sma|kuliah)|all my life|my whole life|for (?:years|ages|decades|a while|a long time|now|good|fun|work|a living)"
    r"|these days|right now|at the moment|at present|for the time being|nowadays|so far|saat ini|sekarang ini|belakangan ini|akhir-akhir ini|dari dulu|dari kecil|"
    r"every (?:single )?(?:day|week|month|year|morning|evening|night|weekend|summer|winter|" + _D + r")|(?:tiap|setiap) \p{L}+|most days|on weekends|on weekdays|(?:on )?(?:" + _D + r")s"
    r"|at (?:\d{1,2}(?::\d\d)?|noon|midnight|night|lunchtime)(?: ?(?:am|pm|o'clock))?|jam \d{1,2}(?:[.:]\d\d)?(?: (?:pagi|siang|sore|malam))?|\d{1,2}(?::\d\d)? ?(?:am|pm)|in the (?:morning|afternoon|evening|mornings|evenings|afternoons|past)"
    r"|years ago|ages ago|a while ago|a while back|a long time ago|back then|back in the day|the other day|once|dulu|dahulu|waktu itu)(?!\S)"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Point:
    """A day, week, month or year as it was said."""

    kind: str
    parts: dict[str, str]


@dataclass(frozen=True, slots=True)
class TimePhrase:
    """A time phrase at these characters of the line. `role`: at, since, until, span, for, vague."""

    role: str
    start: int
    end: int
    first: Point | None = None
    last: Point | None = None


def time_phrases(line: str) -> list[TimePhrase]:
    """The time phrases of a clause's plain words, joined by single blanks."""
    found: list[TimePhrase] = []
    at = 0
    while at < len(line):
        phrase = _phrase_at(line, at)
        if phrase is not None:
            found.append(phrase)
            at = phrase.end
        at = line.find(" ", at) + 1 or len(line)
    return found


def point_at(line: str, at: int) -> tuple[Point, int] | None:
    """The day, month or year that is written here."""
    best: tuple[Point, int] | None = None
    for kind, pattern in _FORMS:
        match = pattern.match(line, at)
        if match and (best is None or match.end() > best[1]):
            best = Point(kind, {name: value.strip() for name, value in match.groupdict().items() if value}), match.end()
    return best


def _phrase_at(line: str, at: int) -> TimePhrase | None:
    vague, lasting = _VAGUE.match(line, at), _FOR.match(line, at)
    if span := _span_at(line, at):
        return span
    if lasting:
        parts = {name: value for name, value in lasting.groupdict().items() if value}
        return TimePhrase("for", at, lasting.end(), Point("ago", parts))
    for role, pattern in (("since", _SINCE), ("until", _UNTIL), ("at", _AT)):
        lead = pattern.match(line, at)
        point = point_at(line, lead.end()) if lead else None
        if (
            point is not None
            and lead is not None
            and not (role == "at" and lead.group() == "for " and point[0].kind != "unit")
        ):
            return TimePhrase(role, at, point[1], point[0], point[0])
    if vague:
        return TimePhrase("vague", at, vague.end())
    bare = point_at(line, at)
    if (
        bare is not None
        and bare[0].kind in _FREE | {"end"}
        and not (bare[0].kind == "end" and line[at : bare[1]].startswith("middle"))
    ):
        if bare[0].kind == "weekday" and not (bare[0].parts.get("which") or bare[0].parts.get("after")):
            return None
        return TimePhrase("at", at, bare[1], bare[0], bare[0])
    if bare is not None and bare[0].kind == "season" and bare[0].parts.get("which"):
        return TimePhrase("at", at, bare[1], bare[0], bare[0])
    return None


def _span_at(line: str, at: int) -> TimePhrase | None:
    lead = _SPAN.match(line, at)
    if not lead:
        return None
    short = _SHORT.match(line, lead.end())
    first = (Point("day", {"d": short["d"]}), short.end()) if short else point_at(line, lead.end())
    join = _JOIN.match(line, first[1]) if first else None
    last = point_at(line, join.end()) if join else None
    if first is None or last is None:
        return None
    head = first[0]
    if head.kind == "day":
        head = Point("date", {**last[0].parts, "d": head.parts["d"]})
    elif "y" in last[0].parts and "y" not in head.parts and head.kind in ("date", "month"):
        head = Point(head.kind, {**head.parts, "y": last[0].parts["y"]})
    return TimePhrase("span", at, last[1], head, last[0])


@dataclass(frozen=True, slots=True)
class Days:
    """Since and until which local day, the last included."""

    first: date | None = None
    last: date | None = None


def days_of(
    phrases: Sequence[TimePhrase], today: date | None, *, is_ahead: bool = False, is_lasting: bool = True
) -> Days:
    """What the time phrases of a clause say together. `is_lasting`: "for ten years" reaches until now."""
    first, last = None, None
    for phrase in phrases:
        begin = resolved(phrase.first, today, is_ahead=is_ahead) if phrase.first else None
        end = resolved(phrase.last, today, is_ahead=is_ahead or phrase.role == "until") if phrase.last else None
        if phrase.role == "for":
            first = first or (begin[0] if begin and is_lasting else None)
        elif phrase.role == "until":
            if phrase.last and phrase.last.kind in ("unit", "offset", "ago", "year"):
                end = resolved(phrase.last, today, is_ahead=is_ahead)
            last = end[1] if end else last
        elif phrase.role == "span":
            first, last = (begin[0] if begin else None), (end[1] if end else None)
        elif begin:
            first = first or begin[0]
    return Days(first, last)


def resolved(point: Point, today: date | None, *, is_ahead: bool) -> tuple[date, date] | None:
    """First and last day of what was said; None when it can't be known or is no day."""
    try:
        return _absolute(point, today, is_ahead) or (None if today is None else _relative(point, today, is_ahead))
    except (ValueError, OverflowError):
        return None


def _absolute(point: Point, today: date | None, is_ahead: bool) -> tuple[date, date] | None:
    parts = point.parts
    if point.kind == "iso":
        day = date.fromisoformat(parts["iso"])
        return day, day
    month = MONTHS.get(parts.get("m", ""))
    if point.kind == "date":
        number = int(regex.sub(r"\D", "", parts["d"]))
        year = int(parts["y"]) if "y" in parts else _year_for(today, month or 1, number, is_ahead)
        return None if year is None else (date(year, month or 1, number), date(year, month or 1, number))
    if point.kind == "month" or (point.kind == "end" and month):
        year = int(parts["y"]) if "y" in parts else _year_for(today, month or 1, None, is_ahead)
        return None if year is None or month is None else _edge(point, _month(year, month))
    if point.kind == "year" or "y2" in parts:
        year = int(parts.get("y") or parts["y2"])
        return _edge(point, (date(year, 1, 1), date(year, 12, 31)))
    if point.kind == "season" and "y" in parts:
        return _season(int(parts["y"]), parts["s"])
    return None


def _edge(point: Point, days: tuple[date, date]) -> tuple[date, date]:
    """ "the end of June" is its last day, its beginning the first."""
    edge = point.parts.get("edge")
    if edge in ("end", "akhir"):
        return days[1], days[1]
    return (days[0], days[0]) if edge in ("beginning", "start", "awal") else days


def _relative(point: Point, today: date, is_ahead: bool) -> tuple[date, date] | None:
    parts = point.parts
    if point.kind == "offset":
        day = today + timedelta(days=_OFFSETS[parts["word"]])
        return day, day
    if point.kind in ("ago", "ahead"):
        unit = _UNITS[_GLUED.get(parts.get("glued", ""), parts.get("u", "year"))]
        count = 1 if "glued" in parts else _count(parts["n"])
        unit, count = ("years", 10 * count) if unit == "decades" else (unit, count)
        step = relativedelta(**{unit: count})  # type: ignore[arg-type]
        day = today - step if point.kind == "ago" else today + step
        return day, day
    if point.kind in ("unit", "end"):
        return _edge(point, _unit(parts, today))
    if point.kind == "weekday":
        day = _weekday(parts, today, is_ahead)
        return day, day
    if point.kind == "season":
        shift = {"last": -1, "next": 1}.get(parts.get("which", ""), 0)
        return _season(today.year + shift, parts["s"])
    if point.kind == "feast":
        month, number = _FEASTS[parts["feast"]]
        year = _year_for(today, month, number, is_ahead)
        return None if year is None else (date(year, month, number), date(year, month, number))
    return None


def _count(text: str) -> int:
    few = {"a few": 3, "several": 3, "beberapa": 3, "a couple of": 2, "couple of": 2, "a": 1, "an": 1}
    return few.get(text) or number_of(text) or 1


def _year_for(today: date | None, month: int, day: int | None, is_ahead: bool) -> int | None:
    """The year of a month or day that comes without one: the latest, or the coming one."""
    if today is None:
        return None
    if is_ahead:
        return today.year + ((month, day or 31) < (today.month, today.day))
    return today.year - ((month, day or 1) > (today.month, today.day))


def _unit(parts: dict[str, str], today: date) -> tuple[date, date]:
    said = parts.get("this", "")
    word = parts.get("which") or said
    shift = (
        -1
        if regex.search(r"last|previous|lalu|kemarin", word)
        else 1
        if regex.search(r"next|depan|coming", word)
        else 0
    )
    unit = {"minggu": "week", "pekan": "week", "bulan": "month", "tahun": "year", "akhir pekan": "weekend"}
    kind = parts.get("u") or said.split()[-1]
    kind = unit.get(kind) or (unit.get(said.split()[0]) if said else None) or kind
    if kind in ("week", "weekend"):
        monday = today - timedelta(days=today.weekday()) + timedelta(days=7 * shift)
        return (
            (monday, monday + timedelta(days=6))
            if kind == "week"
            else (monday + timedelta(days=5), monday + timedelta(days=6))
        )
    if kind == "month":
        day = today.replace(day=1) + relativedelta(months=shift)
        return _month(day.year, day.month)
    return date(today.year + shift, 1, 1), date(today.year + shift, 12, 31)


def _month(year: int, month: int) -> tuple[date, date]:
    return date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1])


def _season(year: int, name: str) -> tuple[date, date]:
    first = date(year, _SEASONS[name], 1)
    return first, first + relativedelta(months=3) - timedelta(days=1)


def _weekday(parts: dict[str, str], today: date, is_ahead: bool) -> date:
    wanted, which = DAYS[parts["day"]], parts.get("which", "") or parts.get("after", "")
    monday = today - timedelta(days=today.weekday())
    if which in ("next", "depan"):
        return monday + timedelta(days=7 + wanted)
    if which in ("this", "ini"):
        return monday + timedelta(days=wanted)
    if which in ("this coming", "besok") or (is_ahead and which in ("on", "hari", "")):
        return today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1)
    return today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1)


def literal_day(line: str) -> str | None:
    """The first day that is written in these plain words, as a value: YYYY-MM-DD, or MM-DD without a year."""
    at = 0
    while at < len(line):
        found = point_at(line, at)
        day = _literal(found[0]) if found is not None else None
        if day is not None:
            return day
        at = line.find(" ", at) + 1 or len(line)
    return None


def _literal(point: Point) -> str | None:
    parts = point.parts
    try:
        if point.kind == "iso":
            return date.fromisoformat(parts["iso"]).isoformat()
        if point.kind == "feast":
            return "{:02}-{:02}".format(*_FEASTS[parts["feast"]])
        if point.kind == "date":
            month, day = MONTHS[parts["m"]], int(regex.sub(r"\D", "", parts["d"]))
            date(int(parts.get("y", 2000)), month, day)
            return (f"{parts['y']}-" if "y" in parts else "") + f"{month:02}-{day:02}"
    except ValueError:
        pass
    return None
