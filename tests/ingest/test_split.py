"""Splitting keeps every character but blanks, in pieces of bounded length whose ends part no word."""

from __future__ import annotations

import regex
from hypothesis import example, given
from hypothesis import strategies as st

from ingest.split import MAX_CHARS, MIN_CHARS, split

PROSE = st.lists(
    st.sampled_from(
        ["Ana", "moved", "to", "Solo.", "Why?", "\n\n", "\n", "crème", "お茶。", "👩‍👩‍👧", "e\u0301te", "a" * 70]
    ),
    max_size=900,
).map(" ".join)


@given(st.one_of(st.text(max_size=5000), PROSE))
@example("x" * 5000)
@example("字" * 5000)
@example("👩‍👩‍👧" * 900)
@example(" \n\t ")
def test_pieces_are_exact_stretches_and_lose_only_blanks(text: str) -> None:
    pieces = split(text)
    assert all(text[piece.start : piece.end] == piece.text for piece in pieces)
    assert all(piece.text.strip() == piece.text != "" for piece in pieces)
    assert [piece.start for piece in pieces] == sorted(piece.start for piece in pieces)
    assert "".join("".join(piece.text.split()) for piece in pieces) == "".join(text.split())


@given(st.one_of(st.text(max_size=5000), PROSE))
def test_no_piece_is_longer_than_the_bound_unless_it_is_one_character(text: str) -> None:
    for piece in split(text):
        assert len(piece.text) <= MAX_CHARS or len(regex.findall(r"\X", piece.text)) == 1


@given(PROSE)
def test_no_cut_lies_within_a_grapheme(text: str) -> None:
    borders = {0} | {match.end() for match in regex.finditer(r"\X", text)}
    for piece in split(text):
        assert piece.start in borders
        assert piece.end in borders


@given(st.lists(st.integers(0, 10**9), min_size=5, max_size=40))
def test_words_stay_whole(seeds: list[int]) -> None:
    words = [hex(seed * factor)[2:] for factor in range(1, 40) for seed in seeds]
    pieces = split(" ".join(words))
    assert [word for piece in pieces for word in piece.text.split()] == words


def test_a_short_text_stays_whole_with_its_line_breaks() -> None:
    text = "One.\n\nTwo.\nThree."
    assert [piece.text for piece in split(text)] == [text]


def test_a_paragraph_break_is_preferred_to_a_sentence_end() -> None:
    first = "A sentence of some length stands here. " * 18
    text = first.strip() + "\n\n" + "Another paragraph follows here. " * 30
    assert split(text)[0].text == first.strip()


def test_pieces_end_at_sentences_and_are_of_a_readable_size() -> None:
    pieces = split("This sentence has exactly eight words in it. " * 200)
    assert all(piece.text.endswith("in it.") for piece in pieces)
    assert all(len(piece.text) >= MIN_CHARS for piece in pieces[:-1])


def test_a_text_without_blanks_is_cut_between_characters() -> None:
    pieces = split("日本語のとても長い文章" * 300)
    assert len(pieces) > 2
    assert "".join(piece.text for piece in pieces) == "日本語のとても長い文章" * 300
