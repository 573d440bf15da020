"""Calendars: zones, whole days, series and everything that is broken in real ones."""

# ruff: noqa: E501 - lines of calendars stand as they are written

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doso.errors import NoText
from doso.records import DocumentKind, Participant, Source
from ingest.importers import _ics_events
from ingest.importers._ics_blocks import split_calendar
from ingest.importers.ics import build
from ingest.ports import ImportOptions
from tests.support.imports import Read, read, write

NOW = datetime(2026, 3, 15, tzinfo=UTC)


def calendar(folder: Path, *events: str, head: str = "", options: ImportOptions | None = None) -> Read:
    body = "".join(f"BEGIN:VEVENT\n{event}\nEND:VEVENT\n" for event in events)
    text = f"BEGIN:VCALENDAR\nVERSION:2.0\n{head}{body}END:VCALENDAR\n".replace("\n", "\r\n")
    return read(write(folder, "c.ics", text), options, build(lambda: NOW))


def starts(got: Read) -> list[str]:
    return [document.event.starts_at.strftime("%Y-%m-%dT%H:%MZ") for document in got.documents if document.event]


def test_an_event_reads_as_prose_and_keeps_its_details(tmp_path: Path) -> None:
    got = calendar(
        tmp_path,
        "UID:a\nDTSTART;TZID=Asia/Jakarta:20260311T100000\nDTEND;TZID=Asia/Jakarta:20260311T113000\nSUMMARY:Lease talk\n"
        'LOCATION:Jalan Anggrek\\, 14\nORGANIZER;CN=Mara:mailto:Mara@x.example\nATTENDEE;CN="Lee, Bo":mailto:bo@x.example\n'
        "ATTENDEE:mailto:no@name.example\nDESCRIPTION:Bring the\\nold contract.",
        options=ImportOptions(me=("Mara",)),
    )
    (event,) = got.documents
    assert event.text == (
        "Lease talk\nWhen: Wednesday, 11 March 2026, 10:00 to 11:30 (Asia/Jakarta)\nWhere: Jalan Anggrek, 14\nOrganizer: Mara\n"
        "With: Lee, Bo, no@name.example\n\nBring the\nold contract."
    )
    assert (event.kind, event.source, event.uri, event.is_owner) == (
        DocumentKind.EVENT,
        Source.CALENDAR,
        "calendar:a",
        True,
    )
    assert event.event is not None
    assert event.event.organizer == Participant("Mara", "mara@x.example", "organizer", is_owner=True)
    assert event.event.attendees[0] == Participant("Lee, Bo", "bo@x.example", "attendee")
    assert starts(got) == ["2026-03-11T03:00Z"]


def test_whole_days_end_before_their_exclusive_end(tmp_path: Path) -> None:
    got = calendar(
        tmp_path,
        "UID:a\nDTSTART;VALUE=DATE:20260410\nDTEND;VALUE=DATE:20260415\nSUMMARY:Trip",
        "UID:b\nDTSTART;VALUE=DATE:20260410\nSUMMARY:Day",
        options=ImportOptions(zone="Asia/Jakarta"),
    )
    assert "When: Friday, 10 April 2026 to Tuesday, 14 April 2026, all day" in got.texts[0]
    assert "When: Friday, 10 April 2026, all day" in got.texts[1]
    assert starts(got) == ["2026-04-09T17:00Z"] * 2
    assert got.documents[1].event is not None
    assert got.documents[1].event.is_all_day
    assert got.documents[1].event.ends_at == datetime(2026, 4, 10, 17, tzinfo=UTC)


@pytest.mark.parametrize(
    "zone", ["W. Europe Standard Time", "Europe/Berlin", "/freeassociation.sourceforge.net/Europe/Berlin"]
)
def test_zones_of_windows_and_vendors_are_understood(zone: str, tmp_path: Path) -> None:
    got = calendar(tmp_path, f"UID:a\nDTSTART;TZID={zone}:20260311T100000\nSUMMARY:x")
    assert starts(got) == ["2026-03-11T09:00Z"]
    assert got.notes == []


@pytest.mark.parametrize("start", ["DTSTART:20260311T100000", "DTSTART;TZID=Customized Time Zone:20260311T100000"])
def test_floating_times_take_the_stated_zone_and_say_so(start: str, tmp_path: Path) -> None:
    got = calendar(tmp_path, f"UID:a\n{start}\nSUMMARY:x", options=ImportOptions(zone="Asia/Jakarta"))
    assert starts(got) == ["2026-03-11T03:00Z"]
    assert got.notes == ["Times without a zone were read as Asia/Jakarta."]


def test_the_calendars_own_zone_tells_times_in_utc(tmp_path: Path) -> None:
    got = calendar(tmp_path, "UID:a\nDTSTART:20260711T080000Z\nSUMMARY:x", head="X-WR-TIMEZONE:Europe/Berlin\n")
    assert "10:00 (Europe/Berlin)" in got.texts[0]
    assert starts(got) == ["2026-07-11T08:00Z"]


def test_a_series_keeps_wall_time_over_the_clock_change(tmp_path: Path) -> None:
    got = calendar(
        tmp_path,
        "UID:a\nDTSTART:20260323T080000Z\nRRULE:FREQ=WEEKLY;COUNT=2\nSUMMARY:x",
        head="X-WR-TIMEZONE:Europe/Berlin\n",
    )
    assert starts(got) == ["2026-03-23T08:00Z", "2026-03-30T07:00Z"]


def test_a_series_has_each_changed_and_no_cancelled_occurrence(tmp_path: Path) -> None:
    got = calendar(
        tmp_path,
        "UID:h\nDTSTART;TZID=Europe/Berlin:20260302T190000\nRRULE:FREQ=WEEKLY;UNTIL=20260323\nSUMMARY:Yoga",
        "UID:h\nRECURRENCE-ID;TZID=Europe/Berlin:20260309T190000\nDTSTART;TZID=Europe/Berlin:20260309T190000\nSTATUS:CANCELLED\nSUMMARY:Yoga",
        "UID:h\nRECURRENCE-ID;TZID=Europe/Berlin:20260316T190000\nDTSTART;TZID=Europe/Berlin:20260317T190000\nSUMMARY:Yoga moved",
    )
    assert [(document.uri, document.title) for document in got.documents] == [
        ("calendar:h", "Yoga"), ("calendar:h#20260316T180000Z", "Yoga moved"), ("calendar:h#20260323T180000Z", "Yoga"),
    ]  # fmt: skip
    assert starts(got)[1:] == ["2026-03-17T18:00Z", "2026-03-23T18:00Z"]
    assert "Repeats: every week on Monday until 23 March 2026" in got.texts[0]
    assert got.codes == ["cancelled"]


def test_an_endless_series_is_bounded_around_today(tmp_path: Path) -> None:
    got = calendar(tmp_path, "UID:j\nDTSTART:20200101T000000Z\nRRULE:FREQ=DAILY\nSUMMARY:x")
    assert len(got.documents) == 1 + _ics_events.MAX_REPEATS
    near = [document.occurred_at for document in got.documents[1:] if document.occurred_at]
    assert max(abs(at - NOW) for at in near).days <= _ics_events.MAX_REPEATS // 2


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY",
        "FREQ=MINUTELY",
        "FREQ=DAILY;BYHOUR=0,1,2,3,4,5;BYMINUTE=0,1,2,3,4,5,6,7,8,9",
        "FREQ=DAILY;INTERVAL=0",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
        "FREQ=NEVER",
        "X",
    ],
)
def test_hostile_rules_stay_bounded(rule: str, tmp_path: Path) -> None:
    got = calendar(
        tmp_path,
        f"UID:i\nDTSTART:20260101T000000Z\nRRULE:{rule}\nSUMMARY:x",
        "UID:k\nDTSTART:20260101T000000Z\nSUMMARY:ok",
    )
    assert len(got.documents) <= 2 + _ics_events.MAX_REPEATS
    assert got.documents[-1].title == "ok"


def test_the_highest_sequence_wins(tmp_path: Path) -> None:
    new, old = (
        "UID:k\nDTSTART:20260329T080000Z\nSEQUENCE:2\nSUMMARY:New",
        "UID:k\nDTSTART:20260328T080000Z\nSEQUENCE:1\nSUMMARY:Old",
    )
    for order in ((new, old), (old, new)):
        assert [document.title for document in calendar(tmp_path, *order).documents] == ["New"]


def test_broken_and_cancelled_events_are_skipped_with_their_reason(tmp_path: Path) -> None:
    got = calendar(
        tmp_path,
        "UID:e\nDTSTART:garbage\nSUMMARY:Broken", "UID:f\nSUMMARY:No start", "UID:g\nDTSTART:20260311T090000Z\nSTATUS:CANCELLED",
        "UID:h\nDTSTART:00010101T000000Z\nRRULE:FREQ=DAILY\nSUMMARY:old", "UID:z\nDTSTART:20260311T090000Z\nSUMMARY:ok",
    )  # fmt: skip
    assert got.documents[-1].title == "ok"
    assert got.codes[:3] == ["unreadable", "unreadable", "cancelled"]


def test_a_torn_file_keeps_what_it_has(tmp_path: Path) -> None:
    text = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nDTSTART:20260311T090000Z\nSUMMARY:one\nEND:VEVENT\nBEGIN:VEVENT\nUID:b\nDTSTART:20260312T090000Z\nSUMM"
    got = read(write(tmp_path, "c.ics", text), importer=build(lambda: NOW))
    assert [document.external_id for document in got.documents] == ["a", "b"]


def test_a_calendar_without_events_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoText, match="no text"):
        calendar(tmp_path)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from([
    "BEGIN:VEVENT", "END:VEVENT", "UID:a", "UID:", "DTSTART:20260311T090000Z", "DTSTART;VALUE=DATE:20260311", "DTSTART:x", "DTEND:20250101",
    "RRULE:FREQ=WEEKLY", "RRULE:FREQ=", "RECURRENCE-ID:20260311T090000Z", "SUMMARY:x", " folded", "BEGIN:VALARM", "END:VALARM", "SEQUENCE:x",
    "DURATION:P1D", "STATUS:CANCELLED", "ATTENDEE:", "EXDATE:20260318T090000Z", ";:;", "END:VCALENDAR", "BEGIN:VCALENDAR", "X-WR-TIMEZONE:Mars",
]), max_size=14))  # fmt: skip
def test_no_lines_make_it_fail(lines: list[str]) -> None:
    text = "BEGIN:VCALENDAR\n" + "\n".join(lines)
    for series in split_calendar(text):
        list(_ics_events.happenings(series, ZoneInfo("UTC"), NOW))
