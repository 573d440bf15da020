"""The head of a WhatsApp line: every shape in which phones write date, time and the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache

#: Direction and other invisible marks that phones strew in; the joiners of emoji and Persian are not among them.
MARKS = "\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff"
_M = f"[{MARKS}]*"
_HEADER = re.compile(
    rf"""
    {_M}(?P<open>\[)?{_M}
    (?P<a>\d{{1,4}}){_M}(?P<sep>[./\-]){_M}\s?{_M}(?P<b>\d{{1,2}}){_M}(?P=sep){_M}\s?{_M}(?P<c>\d{{1,4}}){_M}\.?
    {_M}[,،]?\s*{_M}(?P<before>[^\W\d_][^\d\[\]:\-]{{0,14}}?)?\s*{_M}
    (?P<hour>\d{{1,2}}){_M}[:.]{_M}(?P<minute>\d{{2}})(?:{_M}[:.]{_M}(?P<second>\d{{2}}))?(?!\d)
    {_M}\s?{_M}(?P<after>[^\W\d_][^\d\[\]:\-]{{0,12}}?)?\s*{_M}
    (?:(?P<close>\]){_M}\s?|\s[-–—]\s|(?P<old>:\s))
    """,
    re.VERBOSE,
)
#: WhatsApp began in 2009; a head of another age is none.
FIRST_YEAR, LAST_YEAR = 2009, 2099
#: No head is shorter; most lines of a bomb are.
MIN_HEAD_CHARS = 12
_INVISIBLE = re.compile(f"[{MARKS}]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FORENOON = _words(
    "am a pg πμ öö sa ص صباحا صباحًا قظ قبلازظهر صبح 上午 凌晨 "
    "早上 清晨 午前 오전 पूर्वाह्न pd epd לפנה״צ לפנהצ ก่อนเที่ยง পূর্বাহ্ণ முற்பகல் sáng पू"
)
_AFTERNOON = _words(
    "pm p ptg μμ ös ch م مساء مساءً بظ بعدازظهر بعدالظهر 下午 晚上 "
    "傍晚 中午 午後 오후 अपराह्न md emd אחה״צ אחהצ หลังเที่ยง অপরাহ্ণ பிற்பகல் chiều tối शाम"
)
_NOON = "中午"
_AMERICAN = re.compile(r"\d\s?[AaPp][Mm]\b")


class DateOrder(StrEnum):
    """Which of the three numbers of a date is what."""

    DAY_FIRST = "day first"
    MONTH_FIRST = "month first"
    YEAR_FIRST = "year first"


@dataclass(frozen=True, slots=True)
class Header:
    """The head of one line. `shape` is equal for all heads one phone writes; `rest` follows the head as written;
    `is_american`: the half of the day is written as in the United States (AM, PM)."""

    shape: str
    numbers: tuple[int, int, int]
    hour: int
    minute: int
    second: int
    rest: str
    is_american: bool
    is_year_first: bool

    def moment(self, order: DateOrder) -> datetime | None:
        """The local time that the head states, None when there is no such day."""
        first, second, third = self.numbers
        if order is DateOrder.YEAR_FIRST:
            year, month, day = first, second, third
        elif order is DateOrder.DAY_FIRST:
            day, month, year = first, second, third
        else:
            month, day, year = first, second, third
        if not FIRST_YEAR <= _year(year) <= LAST_YEAR:
            return None
        try:
            return datetime(_year(year), month, day, self.hour, self.minute, self.second)  # noqa: DTZ001 - no zone in file
        except ValueError:
            return None


def match_header(line: str) -> Header | None:
    """The head that the line begins with, or None for a line that continues a message."""
    found = _HEADER.match(line) if len(line) >= MIN_HEAD_CHARS else None
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    if found["old"] and not found["second"]:
        return None
    year_first = len(found["a"]) == 4
    year_digits = len(found["a" if year_first else "c"])
    if year_digits not in (2, 4) or len(found["c" if year_first else "a"]) > 2:
        return None
    marker = _marker(found["before"]) or _marker(found["after"])
    hour, minute = _hour(int(found["hour"]), marker), int(found["minute"])
    second = int(found["second"] or 0)
    if hour > 23 or minute > 59 or second > 59:
        return None
    frame = "bracket" if found["open"] else "old" if found["old"] else "dash"
    shape = f"{frame}{found['sep']}{'y' if year_first else ''}{year_digits}{'s' if found['second'] else ''}"
    numbers = (int(found["a"]), int(found["b"]), int(found["c"]))
    return Header(
        shape,
        numbers,
        hour,
        minute,
        second,
        line[found.end() :],
        bool(_AMERICAN.search(line[: found.end()])),
        year_first,
    )


def visible(text: str) -> str:
    """The text without direction marks, trimmed."""
    if text.isascii():
        return text.strip()
    return _INVISIBLE.sub("", text).strip()


@lru_cache(maxsize=256)
def _marker(word: str | None) -> str | None:
    """The half of the day a word stands for: am, pm, noon; None for any other word (klo, à, Uhr)."""
    key = re.sub(r"[\s.\u200c]", "", _INVISIBLE.sub("", word or "")).casefold()
    if key == _NOON:
        return "noon"
    if key in _AFTERNOON:
        return "pm"
    return "am" if key in _FORENOON else None


def _hour(hour: int, marker: str | None) -> int:
    if marker == "am" and hour == 12:
        return 0
    if marker == "pm" and hour < 12:
        return hour + 12
    if marker == "noon" and hour < 11:
        return hour + 12
    return hour


def _year(year: int) -> int:
    """Two digits mean this century; Thai phones count from the Buddha (2569 is 2026)."""
    if year < 100:
        return 2000 + year
    return year - 543 if 2500 <= year <= 2700 else year
