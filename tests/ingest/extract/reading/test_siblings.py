"""Statements of every kind, in other names, verbs and orders than any labelled file has."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
import regex

from ingest.extract.reading.reader import read
from ingest.extract.reading.records import Reading, Stated, Turn
from ingest.extract.scoring import amendment_keys

AT = datetime.fromisoformat("2026-05-20T12:00:00+02:00")
_LINES = Path(__file__).with_name("siblings.txt").read_text(encoding="utf-8").splitlines()
_TURNS = regex.compile(r"^((?:[AU]: .*? \|\| )+)(.*)$", regex.DOTALL)
LINES = [line for line in _LINES if line.strip() and not line.startswith("#")]


def shown(fact: Stated) -> str:
    days = f"{fact.valid_from or ''}..{fact.valid_until or ''}{' ended' if fact.is_ended else ''}"
    return " ".join(fact.triple) + (f" ({days})" if days != ".." else "")


def told(reading: Reading) -> list[str]:
    """Everything that a reading states, on lines as the file has them."""
    gone = [" ".join(part for part in key if part) for one in reading.corrections for key in amendment_keys(one)]
    return sorted(line.casefold() for line in [*map(shown, reading.facts), *(f"!{key}" for key in gone)])


@pytest.mark.parametrize("line", LINES)
def test_a_statement_says_this_and_nothing_else(line: str) -> None:
    text, _, wanted = line.partition(" =>")
    turns: list[Turn] = []
    if match := _TURNS.match(text):
        said = [turn for turn in match[1].split(" || ") if turn.strip()]
        turns = [Turn("assistant" if turn.startswith("A:") else "user", turn[3:]) for turn in said]
        text = match[2]
    reading = read(text.replace("⏎", "\n"), said_at=AT, zone="Europe/Brussels", context=turns)
    assert told(reading) == sorted(part.strip().casefold() for part in wanted.split(" ; ") if part.strip())
    assert reading.is_share == bool(wanted.strip())


@pytest.mark.parametrize(
    ("at", "zone", "text", "day"),
    [
        ("2026-03-10T18:30:00+00:00", "Asia/Jakarta", "Yesterday I moved to Oslo.", "2026-03-10"),
        ("2026-03-10T18:30:00+00:00", "America/New_York", "Yesterday I moved to Oslo.", "2026-03-09"),
        ("2026-12-31T23:30:00-08:00", "America/Los_Angeles", "I moved to Oslo today.", "2026-12-31"),
        ("2026-03-13T10:00:00+07:00", "Asia/Jakarta", "I moved to Oslo last Friday.", "2026-03-06"),
        ("2026-03-14T10:00:00+00:00", "UTC", "I'm flying to Oslo next Friday.", "2026-03-20"),
        ("2026-03-05T10:00:00+00:00", "UTC", "I moved to Oslo in November.", "2025-11-01"),
        ("2026-03-05T10:00:00+00:00", "Nowhere/Zone", "I moved to Oslo yesterday.", "2026-03-04"),
    ],
)
def test_days_count_from_the_message_where_it_was_written(at: str, zone: str, text: str, day: str) -> None:
    (fact,) = read(text, said_at=datetime.fromisoformat(at), zone=zone).facts
    assert fact.valid_from is not None
    assert fact.valid_from.isoformat() == day


def test_without_a_moment_relative_words_say_no_day() -> None:
    (fact,) = read("I moved to Oslo two weeks ago.").facts
    assert fact.valid_from is None


def test_an_unsure_statement_is_a_candidate() -> None:
    reading = read("I think Piet plays the oboe.")
    assert (reading.facts, [fact.triple for fact in reading.candidates]) == ((), [("Piet", "plays", "oboe")])


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Generate a title for this conversation.\nUser: I live in Rome.", "housekeeping"),
        ("Don't remember this: I live in Rome.", "not for memory"),
        ("Let's role-play: I live in Rome.", "play"),
        ("> I live in Rome.", "pasted"),
    ],
)
def test_what_was_kept_out_says_why(text: str, why: str) -> None:
    assert read(text).why == why
