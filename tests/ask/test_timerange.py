"""Words of time become the right stretch, in the asker's zone."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ask.timerange import parse_time_range

JAKARTA = ZoneInfo("Asia/Jakarta")
#: Wednesday 11 March 2026, 10:00 in Jakarta.
NOW = datetime(2026, 3, 11, 3, 0, tzinfo=UTC)

READINGS = [
    ("What did Ana say last March?", "2025-03-01", "2025-04-01"),
    ("what was it two weeks ago", "2026-02-23", "2026-03-02"),
    ("in 2023", "2023-01-01", "2024-01-01"),
    ("between May and July", "2025-05-01", "2025-08-01"),
    ("from November to February", "2025-11-01", "2026-03-01"),
    ("between 2019 and 2021", "2019-01-01", "2022-01-01"),
    ("yesterday", "2026-03-10", "2026-03-11"),
    ("on 7 May", "2025-05-07", "2025-05-08"),
    ("May 7th, 2023", "2023-05-07", "2023-05-08"),
    ("7/5/2023", "2023-05-07", "2023-05-08"),
    ("2023-05-07", "2023-05-07", "2023-05-08"),
    ("on 29 February", "2024-02-29", "2024-03-01"),
    ("in July 2023", "2023-07-01", "2023-08-01"),
    ("last Friday", "2026-03-06", "2026-03-07"),
    ("I met him on Monday", "2026-03-09", "2026-03-10"),
    ("last Wednesday", "2026-03-04", "2026-03-05"),
    ("this Friday", "2026-03-13", "2026-03-14"),
    ("next Friday", "2026-03-20", "2026-03-21"),
    ("what are we doing on Saturday", "2026-03-14", "2026-03-15"),
    ("last weekend", "2026-03-07", "2026-03-09"),
    ("this week", "2026-03-09", "2026-03-16"),
    ("the past week", "2026-03-04", "2026-03-12"),
    ("in the last 3 days", "2026-03-08", "2026-03-12"),
    ("a couple of months ago", "2026-01-01", "2026-02-01"),
    ("in the 1990s", "1990-01-01", "2000-01-01"),
    ("since May", "2025-05-01", "2026-03-12"),
    ("since last summer", "2025-06-01", "2026-03-12"),
    ("after 3 June 2024", "2024-06-04", "2026-03-12"),
    ("minggu lalu", "2026-03-02", "2026-03-09"),
    ("dua minggu yang lalu", "2026-02-23", "2026-03-02"),
    ("apa kata Rina kemarin", "2026-03-10", "2026-03-11"),
    ("bulan lalu", "2026-02-01", "2026-03-01"),
    ("Maret lalu", "2025-03-01", "2025-04-01"),
    ("Jumat lalu", "2026-03-06", "2026-03-07"),
    ("pada 5 Maret 2024", "2024-03-05", "2024-03-06"),
    ("sejak Mei", "2025-05-01", "2026-03-12"),
]


@pytest.mark.parametrize(("words", "start", "end"), READINGS)
def test_a_phrase_is_the_stretch_it_names(words: str, start: str, end: str) -> None:
    found = parse_time_range(words, NOW, JAKARTA)
    assert found is not None
    days = (found.start.astimezone(JAKARTA).isoformat(), found.end.astimezone(JAKARTA).isoformat())
    assert days == (f"{start}T00:00:00+07:00", f"{end}T00:00:00+07:00")
    assert found.timezone == "Asia/Jakarta"


@pytest.mark.parametrize(
    "words", ["march for peace", "May I ask you something?", "31 February", "99999 years ago", "sunny", "What is new?"]
)
def test_words_that_only_look_like_time_are_none(words: str) -> None:
    assert parse_time_range(words, NOW, JAKARTA) is None


def test_before_reaches_back_to_the_beginning() -> None:
    found = parse_time_range("before March 2024", NOW, JAKARTA)
    assert found is not None
    assert found.start.year == 1
    assert found.end == datetime(2024, 2, 29, 17, 0, tzinfo=UTC)


def test_said_on_a_friday_last_friday_is_a_week_ago() -> None:
    found = parse_time_range("last Friday", datetime(2026, 3, 13, 3, 0, tzinfo=UTC), JAKARTA)
    assert found is not None
    assert found.start == datetime(2026, 3, 5, 17, 0, tzinfo=UTC)


def test_the_day_is_the_askers_not_the_servers() -> None:
    late = datetime(2026, 3, 11, 6, 30, tzinfo=UTC)  # still 10 March in Los Angeles
    found = parse_time_range("yesterday", late, ZoneInfo("America/Los_Angeles"))
    assert found is not None
    assert (found.start, found.end) == (
        datetime(2026, 3, 9, 7, 0, tzinfo=UTC),
        datetime(2026, 3, 10, 7, 0, tzinfo=UTC),
    )


def test_the_day_the_clocks_change_has_23_hours() -> None:
    found = parse_time_range("on 29 March 2026", datetime(2026, 4, 2, tzinfo=UTC), ZoneInfo("Europe/Berlin"))
    assert found is not None
    assert (found.end - found.start).total_seconds() == 23 * 3600


_PIECES = (
    "last next this ago two 3 weeks months years in on since before after between and from to until may march friday "
    "2023 31 february 0 99 yesterday kemarin minggu lalu bulan depan 2024-02-30 12/31/9999 summer the of 7th"
)
_WORDS = st.sampled_from(_PIECES.split())


@given(
    st.one_of(st.text(max_size=80), st.lists(_WORDS, max_size=8).map(" ".join)),
    st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2200, 1, 1)),  # noqa: DTZ001
    st.sampled_from(["UTC", "Asia/Jakarta", "America/New_York", "Pacific/Kiritimati", "Australia/Lord_Howe"]),
)
def test_any_words_at_any_time_give_nothing_or_a_stretch(words: str, now: datetime, zone: str) -> None:
    found = parse_time_range(words, now.replace(tzinfo=UTC), ZoneInfo(zone))
    assert found is None or (found.start < found.end and found.start.tzinfo is UTC and found.end.tzinfo is UTC)
