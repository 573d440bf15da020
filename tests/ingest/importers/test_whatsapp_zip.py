"""WhatsApp ZIPs, hostile ones included: nothing is extracted, sizes are measured, names are never paths."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from doso.errors import TooLarge, UnknownFormat
from ingest.importers import _zips
from ingest.importers.whatsapp import build
from ingest.ports import ImportOptions
from ingest.registry import detect
from tests.support.imports import read, write

CHAT = "[13.03.26, 10:00:00] Ana: hi\n[13.03.26, 10:01:00] Budi: hello\n"


def packed(files: Mapping[str, bytes | str], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def test_the_chat_in_a_zip_bears_the_name_of_the_zip(tmp_path: Path) -> None:
    got = read(write(tmp_path, "WhatsApp Chat - Trip.zip", packed({"_chat.txt": CHAT, "0001-PHOTO.jpg": b"\xff\xd8"})))
    assert got.texts == ["hi", "hello"]
    assert got.documents[0].title == "Trip"


def test_the_same_chat_as_text_and_as_zip_is_one_thread(tmp_path: Path) -> None:
    plain = read(write(tmp_path, "WhatsApp Chat with Trip.txt", CHAT))
    zipped = read(write(tmp_path, "WhatsApp Chat - Trip.zip", packed({"_chat.txt": CHAT})))
    assert [(d.uri, d.messages) for d in plain.documents] == [(d.uri, d.messages) for d in zipped.documents]


def test_several_chats_in_a_zip_become_several_threads(tmp_path: Path) -> None:
    files = {"WhatsApp Chat with Ana.txt": CHAT, "WhatsApp Chat with Budi.txt": CHAT, "notes.txt": "shopping"}
    got = read(write(tmp_path, "all.zip", packed(files)))
    assert [document.title for document in got.documents] == ["Ana", "Budi"]
    assert len({document.uri for document in got.documents}) == 2


def test_names_that_lead_outside_write_nothing_anywhere(tmp_path: Path) -> None:
    names = ("../../escape.txt", "/tmp/doso_abs.txt", "C:\\doso\\x.txt", "..\\..\\w.txt", "a/../../b.txt")
    path = write(tmp_path / "in", "evil.zip", packed({**dict.fromkeys(names, "x"), "ok/chat.txt": CHAT}))
    before = sorted(tmp_path.rglob("*"))
    got = read(path)
    assert got.texts == ["hi", "hello"]
    assert sorted(tmp_path.rglob("*")) == before


def test_a_bomb_without_a_chat_is_refused_unread(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="known formats"):
        detect(write(tmp_path, "bomb.zip", packed({"a.txt": b"0" * 30_000_000})))


def test_a_bomb_behind_a_chat_is_stopped_while_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_zips, "RATIO_FROM_BYTES", 1_000_000)
    got = read(write(tmp_path, "bomb.zip", packed({"_chat.txt": CHAT.encode() + (b"0" * 9_999 + b"\n") * 2_000})))
    assert got.messages[0].text == "hi"
    assert got.codes[-1] == "too_large"


def test_a_forged_size_is_found_out_and_what_was_read_stays(tmp_path: Path) -> None:
    data = bytearray(packed({"_chat.txt": CHAT * 2_000}))
    directory = data.rfind(b"PK\x01\x02")
    data[directory + 24 : directory + 28] = struct.pack("<I", 10)
    data[22:26] = struct.pack("<I", 10)
    path = write(tmp_path, "forged.zip", bytes(data))
    with pytest.raises(UnknownFormat):
        detect(path)


def test_a_damaged_chat_is_imported_up_to_the_damage(tmp_path: Path) -> None:
    text = "".join(f"[13.03.26, 10:00:00] Ana: {number} {number * 7919}\n" for number in range(60_000))
    data = bytearray(packed({"_chat.txt": text}))
    for at in range(len(data) // 2, len(data) // 2 + 64):
        data[at] ^= 0xFF
    got = read(write(tmp_path, "torn.zip", bytes(data)))
    assert 0 < len(got.messages) <= 60_000
    assert got.codes[-1] == "unreadable"


def test_an_encrypted_zip_and_cut_ones_are_refused_with_a_reason(tmp_path: Path) -> None:
    whole = packed({"_chat.txt": CHAT})
    for number, data in enumerate((whole[:30], whole[: len(whole) // 2], b"PK\x03\x04" + b"\0" * 100)):
        with pytest.raises(UnknownFormat):
            detect(write(tmp_path, f"{number}.zip", data))
    encrypted = bytearray(whole)
    encrypted[6] |= 1
    encrypted[encrypted.rfind(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(UnknownFormat):
        detect(write(tmp_path, "locked.zip", bytes(encrypted)))


def test_a_directory_without_bound_is_refused_before_it_is_read(tmp_path: Path) -> None:
    data = bytearray(packed({"_chat.txt": CHAT}))
    end = data.rfind(b"PK\x05\x06")
    data[end + 12 : end + 16] = struct.pack("<I", 0x7FFFFFFF)
    with pytest.raises(TooLarge, match="directory"):
        list(build().read(write(tmp_path, "wide.zip", bytes(data)), ImportOptions()))


def test_too_many_entries_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_zips, "MAX_ENTRIES", 5)
    path = write(tmp_path, "many.zip", packed({f"{number}.txt": CHAT for number in range(6)}))
    with pytest.raises(TooLarge, match="entries"):
        list(build().read(path, ImportOptions()))
