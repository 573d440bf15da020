"""Whatever people write in a chat, nothing of it is lost and nothing makes the reader fail."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doso.text import clean, is_blank
from ingest.importers import _whatsapp_phrases as phrases
from ingest.importers._whatsapp_header import MARKS, match_header
from ingest.importers.whatsapp import build
from ingest.ports import ImportOptions
from tests.support.imports import Read, read, write

NAMES = ("Ana", "Budi", "آنا", "Dr Wulan", "+62 812-3456")


def _twelve(moment: datetime) -> str:
    return f"{moment.hour % 12 or 12}:{moment:%M}"


DIALECTS: dict[str, Callable[[datetime], str]] = {
    "ios": lambda t: f"\u200e[{t:%d.%m.%y, %H:%M:%S}] ",
    "android": lambda t: f"{t:%d/%m/%Y, %H:%M} - ",
    "american": lambda t: f"{t.month}/{t.day}/{t:%y}, {_twelve(t)}\u202f{'AM' if t.hour < 12 else 'PM'} - ",
    "spanish": lambda t: f"{t.day}/{t.month}/{t.year}, {_twelve(t)}\u202f{'a' if t.hour < 12 else 'p'}.\u00a0m. - ",
    "chinese": lambda t: f"{t:%Y/%m/%d} {'上午' if t.hour < 12 else '下午'}{_twelve(t)} - ",
    "finnish": lambda t: f"{t.day}.{t.month}.{t.year} klo {t.hour}.{t:%M} - ",
    "hungarian": lambda t: f"{t:%Y. %m. %d. %H:%M} - ",
    "arabic": lambda t: f"{t.day}/{t.month}/{t.year}، {_twelve(t)} {'ص' if t.hour < 12 else 'م'} - ".translate(
        str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")
    ),
}
lines = st.text(st.characters(exclude_characters="\r\n", exclude_categories=("Cs", "Cc")), max_size=40)
bodies = st.lists(lines, min_size=1, max_size=4).map("\n".join)


def is_plain(body: str) -> bool:
    """Text that no export writes itself: no head in it, no mark of the app, no placeholder."""
    return not (
        is_blank(body)
        or any(mark in body for mark in "\u200b\u200e\u200f\ufeff")
        or any(0x202A <= ord(char) <= 0x202E or 0x2066 <= ord(char) <= 0x2069 for char in body)
        or any(match_header(line) for line in body.split("\n"))
        or phrases.is_media(body)
        or phrases.is_deleted(body)
        or phrases.without_edit_mark(body) != body
        or phrases.without_attachment(body) != body
        or ": " in body
        or body.rstrip().endswith(":")
    )


chats = st.lists(
    st.tuples(st.sampled_from(NAMES), bodies.filter(is_plain), st.integers(0, 3_000)), min_size=1, max_size=12
)


def read_text(text: str, options: ImportOptions | None = None) -> Read:
    with tempfile.TemporaryDirectory() as folder:
        return read(write(Path(folder), "chat.txt", text), options, build())


@settings(max_examples=80, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(sorted(DIALECTS)), chats)
def test_a_chat_written_in_any_dialect_comes_back_as_it_was(dialect: str, chat: list[tuple[str, str, int]]) -> None:
    moment = datetime(2026, 3, 14, 9, 30)  # noqa: DTZ001 - exports name no zone
    text, expected = "", []
    for name, body, gap in chat:
        moment += timedelta(minutes=gap)
        text += f"{DIALECTS[dialect](moment)}{name}: {body}\n"
        expected.append((name, clean(body).strip(), moment))
    got = read_text(text)
    assert [(m.author, m.text, m.sent_at and m.sent_at.replace(tzinfo=None)) for m in got.messages] == expected
    assert len({message.id for message in got.messages}) == len(expected)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.one_of(lines, st.sampled_from([
    "13/03/26, 09:00 - school: bring cake", "13/03/26, 09:00 - left", "01/01/26, 09:00 - Budi: old",
    "\u200e<attached: x.jpg>",
    "[13.03.26, 10:00:00] Ana: x", "99/99/99, 99:99 - x: y", "<This message was edited>", "13/03/26, 09:00 - : ",
])), max_size=12))  # fmt: skip
def test_no_body_makes_it_fail_or_lose_visible_text(body: list[str]) -> None:
    text = "11/03/26, 10:00 - Ana: start\n" + "\n".join(body) + "\n11/03/26, 10:05 - Budi: end\n"
    got = read_text(text)
    kept = "".join(f"{message.author} {message.text}" for message in got.messages)
    assert got.messages[0].text.startswith("start")
    assert "end" in got.messages[-1].text
    skipped_lines = {int(skip.ref.split()[1]) for skip in got.skipped if skip.ref.startswith("line")}
    for number, line in enumerate(text.split("\n"), start=1):
        if match_header(line) or number in skipped_lines or "<" in line:
            continue
        if not any(start < number for start in skipped_lines):
            assert clean(line.strip(f" \t{_ALL_MARKS}")).strip() in kept or phrases.is_media(line)


_ALL_MARKS = "".join(("\u200b\u200e\u200f\ufeff", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=2_000))
def test_no_bytes_make_it_fail(data: bytes) -> None:
    head = b"13/03/26, 10:00 - Ana: a\n"
    with tempfile.TemporaryDirectory() as folder:
        got = read(write(Path(folder), "chat.txt", head + data), importer=build())
    assert got.messages or got.skipped


@settings(max_examples=60, deadline=None)
@given(chats, st.integers(1, 11))
def test_every_identity_of_a_shorter_export_is_in_the_grown_one(chat: list[tuple[str, str, int]], cut: int) -> None:
    moment = datetime(2026, 3, 14, 9, 30)  # noqa: DTZ001 - exports name no zone
    whole = []
    for name, body, gap in chat:
        moment += timedelta(minutes=gap % 3)
        whole.append(f"{moment:%d/%m/%Y, %H:%M} - {name}: {body}\n")
    before = [message.id for message in read_text("".join(whole[:cut])).messages]
    after = [message.id for message in read_text("".join(whole)).messages]
    assert after[: len(before)] == before


def test_the_marks_that_are_taken_off_are_those_that_are_named() -> None:
    assert all(ord(char) > 0x200A for char in MARKS.replace("-", ""))
