"""The sample archive is read whole, and answers to its questions stand in it with speaker, day and source."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TypedDict
from zoneinfo import ZoneInfo

import msgspec
import pytest

from doso.records import Incoming
from ingest.ports import ImportOptions
from tests.support.imports import Read, read
from tools import make_fixtures

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"


class Expected(TypedDict):
    question: str
    fragments: list[str]
    speaker: str | None
    date: str | None
    source: str


class HowToImport(TypedDict):
    path: str
    zone: str
    me: list[str]


class Questions(msgspec.Struct):
    questions: list[Expected]
    how: HowToImport = msgspec.field(name="import")


QUESTIONS = msgspec.json.decode((FIXTURES / "questions.json").read_bytes(), type=Questions)


@pytest.fixture(scope="module")
def archive() -> Read:
    how = QUESTIONS.how
    return read(FIXTURES / how["path"], ImportOptions(zone=how["zone"], me=tuple(how["me"])))


@pytest.mark.parametrize("expected", QUESTIONS.questions, ids=lambda expected: expected["question"])
def test_the_answer_stands_in_the_archive(expected: Expected, archive: Read) -> None:
    zone = ZoneInfo(QUESTIONS.how["zone"])
    found = [
        (item.author, item.at and item.at.astimezone(zone).date().isoformat(), document.source.value)
        for document in archive.documents
        for item in pieces(document)
        if all(fragment in item.text for fragment in expected["fragments"])
    ]
    assert (expected["speaker"], expected["date"], expected["source"]) in found


class Piece(msgspec.Struct):
    text: str
    author: str | None
    at: datetime | None


def pieces(document: Incoming) -> list[Piece]:
    if document.messages:
        return [Piece(message.text, message.author, message.sent_at) for message in document.messages]
    return [Piece(document.text, document.author, document.occurred_at)]


def test_nothing_of_the_archive_is_unreadable(archive: Read) -> None:
    assert set(archive.codes) == {"system", "placeholder", "spam", "unsupported", "cancelled"}


def test_the_owner_wrote_what_the_owner_wrote(archive: Read) -> None:
    assert {message.author for message in archive.messages if message.is_owner} == {"Mara", "Mara Lindqvist"}
    assert [document.title for document in archive.documents if document.is_owner] == [
        "Pottery class",
        "Re: Lease for Jalan Anggrek 14",
    ]


def test_the_binary_files_are_those_that_the_script_writes() -> None:
    folder = FIXTURES / "archive"
    assert (folder / "lease.pdf").read_bytes() == make_fixtures.pdf(make_fixtures.LEASE_PAGES)
    assert make_fixtures.BOAT_CHAT.startswith("[14.02.26, 18:00:00] Boat trip:")
