"""Any text is read without harm: no error, everything within the text, and work that stays bounded."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.extract.reading import sentence
from ingest.extract.reading.reader import MAX_FACTS, read
from ingest.extract.reading.records import Reading, Turn
from ingest.extract.reading.tokens import MAX_TOKENS, tokenize

AT = datetime(2026, 5, 20, 12, tzinfo=UTC)
_OWN = (
    "I i am 'm live in Rome my sister Ana 's dog Rex is a nurse not never no longer and but since until 2019 May next "
    "Friday from to for three weeks ago forget that everything about me call saya tinggal di bukan tidak lagi sudah "
    "namanya adik kerja suka daripada he she they it same person as 美咲 31 kg 5 ft , . ? ! \" ' : ; - * > ``` ❤️ @"
)
WORDS = st.sampled_from([*_OWN.split(), "\n"])


def spans(reading: Reading) -> Iterator[tuple[int, int]]:
    for fact in (*reading.facts, *reading.candidates):
        yield from (fact.span, fact.subject.span, fact.object.span)


def check(text: str, reading: Reading) -> None:
    assert len(reading.facts) <= MAX_FACTS
    assert all(0 <= start <= end <= len(text) for start, end in spans(reading))


@given(st.lists(WORDS, max_size=40).map(" ".join))
@settings(deadline=None, max_examples=200)
def test_any_run_of_its_own_words_is_read(text: str) -> None:
    check(text, read(text, said_at=AT, zone="UTC"))


@given(st.text(max_size=200), st.text(max_size=80))
@settings(deadline=None, max_examples=100)
def test_any_text_after_any_turn_is_read(text: str, before: str) -> None:
    check(text, read(text, said_at=AT, context=(Turn("user", before), Turn("assistant", f"{before}?"))))


@pytest.mark.parametrize(
    "text",
    [
        "not a " * 4_000, "Saya bukan, " * 3_000, "I drive a Skoda, not a Seat. " * 700, "Ana said: \"I live. " * 1_000,
        "\n" * 20_000, "my sister's " * 3_000, "Ana and " * 5_000, "Hi Ana,\n" * 2_000, "(" * 20_000, "1 " * 9_000,
        "since 2019 " * 2_000, "I said I live in Rome, but " * 900, "a@b.c" * 4_000, "besides tea, " * 1_500,
    ],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_long_repetitions_cost_a_bounded_number_of_readings(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    real = sentence._clauses

    def counted(*args: object, **more: object) -> object:
        nonlocal calls
        calls += 1
        return real(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(sentence, "_clauses", counted)
    check(text, read(text, said_at=AT))
    assert calls <= 1_100


def test_tokens_are_bounded_and_in_order() -> None:
    tokens = tokenize("I'm Ana's, don't namanya 5'11\" " * 2_000)
    assert len(tokens) == MAX_TOKENS
    assert all(one.start < one.end for one in tokens)
    assert all(one.end <= other.start or one.start <= other.start for one, other in itertools.pairwise(tokens))
