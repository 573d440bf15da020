"""The thread route's messages, from a caller or from a file."""

# ruff: noqa: E501 - sample files stand as they are written

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doso.errors import InvalidInput, NoText, UnknownFormat
from doso.records import Source
from ingest.importers.thread import RawMessage, build, parse_messages
from ingest.ports import ImportOptions
from tests.support.imports import read, write

OK = {"id": "1", "author": "Ana", "sent_at": "2026-01-01T10:00:00Z", "text": "ok"}


def test_one_bad_message_is_skipped_under_its_index_and_the_others_stay() -> None:
    got = parse_messages(
        [
            RawMessage("A", "ok 1", "2026-01-01T10:00:00Z"), RawMessage("A", "bad \0 here", "2026-01-01T10:01:00Z"),
            RawMessage("A", "no date", "not a date"), RawMessage("A", "ok 2", "2026-01-01T10:02:00Z"), RawMessage("A", " \n", "2026-01-01T10:03:00Z"),
            RawMessage("A", "x", None), RawMessage("A", "x", "0001-01-01T00:00:00+14:00"),
        ],
        zone="UTC",
    )  # fmt: skip
    assert [message.text for message in got.messages] == ["ok 1", "bad  here", "ok 2"]
    assert [(skip.ref, skip.code) for skip in got.skipped] == [
        ("2", "no_date"),
        ("4", "no_text"),
        ("5", "no_date"),
        ("6", "no_date"),
    ]
    assert got.notes == ()


def test_naive_and_aware_times_become_utc_and_the_assumption_is_told() -> None:
    got = parse_messages(
        [RawMessage("me", "I live in Solo.", "2026-01-01T09:00:00"), RawMessage("me", "Tegal now.", "2026-01-02T09:00:00+07:00")],
        zone="Asia/Jakarta", me=("Me",),
    )  # fmt: skip
    assert [message.sent_at.isoformat() for message in got.messages if message.sent_at] == [
        "2026-01-01T02:00:00+00:00", "2026-01-02T02:00:00+00:00",
    ]  # fmt: skip
    assert all(message.is_owner for message in got.messages)
    assert got.notes == ("Times without a zone were read as Asia/Jakarta.",)


@pytest.mark.parametrize("zone", ["Mars/Base", "../../etc/passwd", "America", ""])
def test_an_unknown_zone_is_refused(zone: str) -> None:
    if zone == "":
        assert parse_messages([], zone=zone).messages == ()
        return
    with pytest.raises(InvalidInput, match="Unknown time zone"):
        parse_messages([], zone=zone)


def test_a_repeated_id_is_an_edit_and_messages_without_ids_stay_apart() -> None:
    at = "2026-01-01T10:00:00Z"
    got = parse_messages(
        [
            RawMessage("A", "old", at, "1"),
            RawMessage("A", "new", at, "1"),
            RawMessage("A", "hi", at),
            RawMessage("A", "hi", at),
        ],
        zone=None,
    )
    assert [message.text for message in got.messages] == ["new", "hi", "hi"]
    assert len({message.id for message in got.messages}) == 3
    again = parse_messages([RawMessage("A", "hi", at), RawMessage("A", "hi", at)], zone=None)
    assert [message.id for message in again.messages] == [message.id for message in got.messages[1:]]


def test_a_file_of_a_thread_is_read(tmp_path: Path) -> None:
    body = {"chat_id": "c1", "title": "T", "source": "telegram", "timezone": "Asia/Jakarta", "participants": ["Ana", {"name": "Bo", "address": "b"}],
            "messages": [OK, {**OK, "id": 2, "sent_at": "2026-01-01T10:00:00", "reply_to": 1}, {**OK, "id": 3, "sent_at": "x"}, 7]}  # fmt: skip
    got = read(write(tmp_path, "t.json", json.dumps(body)), ImportOptions(zone="UTC"))
    (thread,) = got.documents
    assert (thread.uri, thread.chat_id, thread.title, thread.source, thread.zone) == (
        "thread:c1",
        "c1",
        "T",
        Source.TELEGRAM,
        "Asia/Jakarta",
    )
    assert [(m.id, m.reply_to) for m in thread.messages] == [("1", None), ("2", "1")]
    assert got.times() == ["2026-01-01T10:00:00Z", "2026-01-01T03:00:00Z"]
    assert sorted((skip.ref, skip.code) for skip in got.skipped) == [("2", "no_date"), ("3", "unreadable")]
    assert [who.name for who in thread.participants] == ["Ana", "Bo"]


def test_several_threads_stand_in_a_list_or_one_a_line(tmp_path: Path) -> None:
    threads = [{"chat_id": name, "messages": [OK]} for name in ("a", "b")]
    for text in (json.dumps(threads), "\n".join(map(json.dumps, threads))):
        assert [document.chat_id for document in read(write(tmp_path, "t.json", text)).documents] == ["a", "b"]


def test_a_long_thread_comes_in_batches(tmp_path: Path) -> None:
    messages = [{**OK, "id": str(number)} for number in range(1_200)]
    got = read(write(tmp_path, "t.json", json.dumps({"chat_id": "a", "messages": messages})))
    assert [len(document.messages) for document in got.documents] == [500, 500, 200]


@pytest.mark.parametrize("text", ['{"messages": 1, "chat_id": "x"}', '{"messages": [', "[" * 50_000, '{"a": 1}'])
def test_json_of_another_shape_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat):
        read(write(tmp_path, "t.json", text), importer=build())


def test_a_thread_without_messages_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoText, match="no text"):
        read(write(tmp_path, "t.json", '{"chat_id": "x", "messages": []}'))
