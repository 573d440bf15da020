"""The owner among those who take part, known by the names that the import states as theirs."""

from __future__ import annotations

from pathlib import Path

from doso.records import Incoming
from ingest.importers import ics, mbox
from ingest.ports import ImportOptions

MAIL = """From ana@example.org Mon Mar  2 09:00:00 2026
From: Ana Tan <ana@example.org>
To: Mara L. <mara@example.org>, Budi Santoso <budi@example.org>
Date: Mon, 2 Mar 2026 09:00:00 +0000
Message-ID: <1@example.org>
Subject: Hello

See you on Friday.
"""
CALENDAR = """BEGIN:VCALENDAR\r
VERSION:2.0\r
BEGIN:VEVENT\r
UID:1@example.org\r
DTSTART:20260302T090000Z\r
SUMMARY:Review\r
ORGANIZER;CN=Ana Tan:mailto:ana@example.org\r
ATTENDEE;CN=Mara L.:mailto:mara@example.org\r
END:VEVENT\r
END:VCALENDAR\r
"""
ME = ImportOptions(zone="UTC", me=("mara@example.org",))


def test_a_recipient_who_is_the_owner_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "mail.mbox"
    path.write_text(MAIL)
    (document,) = [item for item in mbox.build().read(path, ME) if isinstance(item, Incoming)]
    assert {person.name: person.is_owner for person in document.participants} == {
        "Ana Tan": False,
        "Mara L.": True,
        "Budi Santoso": False,
    }
    assert not document.is_owner


def test_an_attendee_who_is_the_owner_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "calendar.ics"
    path.write_text(CALENDAR)
    (document,) = [item for item in ics.build().read(path, ME) if isinstance(item, Incoming)]
    assert document.event is not None
    assert [person.is_owner for person in document.event.attendees] == [True]
    assert not document.is_owner
