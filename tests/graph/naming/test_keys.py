"""The identity normal form holds for any name of any script."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doso.records import EntityType
from doso.text import is_blank
from graph.names import blocks, display_name, is_generic, name_key, same_name, stored_key, variants

settings.register_profile("names", deadline=None)  # word lists are read on first use
settings.load_profile("names")
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
TYPES = st.sampled_from(EntityType)


@given(NAMES)
def test_a_key_of_a_key_is_the_key_and_a_visible_name_has_one(name: str) -> None:
    key = name_key(name)
    assert name_key(key) == key
    assert bool(key) or is_blank(name)


@given(st.text(st.characters(categories=["Lu", "Ll"]), min_size=1, max_size=20))
def test_case_width_and_surplus_blanks_leave_the_key_alone(word: str) -> None:
    assert name_key(word.upper().lower()) == name_key(word.upper())
    assert name_key(f"  {word}\u3000 {word}") == name_key(f"{word} {word}")
    assert name_key(unicodedata.normalize("NFD", word)) == name_key(unicodedata.normalize("NFC", word))


@given(NAMES, NAMES, TYPES)
def test_likeness_is_symmetric(a: str, b: str, type: EntityType) -> None:
    assert same_name(a, b, type) == same_name(b, a, type)


@given(st.from_regex(r"[A-Z][a-z]{2,8} [0-9]{1,4}", fullmatch=True), st.integers(0, 9999), TYPES)
def test_names_with_other_digits_never_meet(name: str, number: int, type: EntityType) -> None:
    word, digits = name.split()
    other = f"{word} {number}"
    assert (same_name(name, other, type) is not None) == (digits == str(number))


@given(NAMES, TYPES)
def test_blocks_hold_every_variant(name: str, type: EntityType) -> None:
    assert {f"{type.value}:{key}" for key in variants(name, type)} <= blocks(name, type)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("İSTANBUL", "istanbul"),
        ("Søren Kjær", "soren kjaer"),
        ("ＮＴＴ東日本", "ntt 東日本"),
        ("Maya 🌸", "maya"),
        ("🌸", "🌸"),
        ("Maya’s", "maya"),
        ("C#", "csharp"),
        ("Straße", "strasse"),
        ("苹果", "苹果"),
    ],
)
def test_keys_read_as_expected(name: str, key: str) -> None:
    assert name_key(name) == key


def test_a_stored_key_is_bounded_and_tells_long_names_apart() -> None:
    long = "word " * 400
    assert len(stored_key(long)) < 120
    assert stored_key(f"{long}a") != stored_key(f"{long}b")


def test_the_display_name_keeps_what_was_written() -> None:
    assert display_name(' "Kopi  Tuku" ') == "Kopi Tuku"
    assert display_name("Maya 🌸") == "Maya 🌸"


@pytest.mark.parametrize("name", ["bank", "the bank", "my office", "Company", "kantor saya", "the offices"])
def test_words_for_a_kind_of_thing_are_no_names(name: str) -> None:
    assert is_generic(name)


@pytest.mark.parametrize("name", ["Bank of America", "Office Depot", "Team Rocket", "PT Astra"])
def test_names_that_hold_such_a_word_are_names(name: str) -> None:
    assert not is_generic(name)
