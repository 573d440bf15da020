"""Text at the door and in the indexes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doso.text import clean, fold, is_blank, query_tokens, search_tokens, token_count, words


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("Søren Kjær", "soren kjaer"),
        ("İstanbul", "istanbul"),
        ("ISTANBUL", "istanbul"),
        ("Straße", "strasse"),
        ("ＡＮＡ　ＴＡＮ", "ana tan"),
        ("Crème  brûlée", "creme brulee"),
        ("أَنَا أَعِيشُ", "انا اعيش"),
        ("\u200eRania\u200f", "rania"),
        ("がぎぐ", "がぎぐ"),
        ("김민수", "김민수"),
        ("हिन्दी", "हिन्दी"),
        ("Łódź", "lodz"),
    ],
)
def test_folding_makes_spellings_meet_without_losing_letters(written: str, folded: str) -> None:
    assert fold(written) == folded


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("R.E.M. Live", ["rem", "live"]),
        ("O'Brien's pub", ["obrien", "pub"]),
        ("multi-agent", ["multi", "agent"]),
        ("C:\\notes\\bank", ["c", "notes", "bank"]),
        ("Ana* (50%) @ana #tag", ["ana", "50", "ana", "tag"]),
        ("AND OR NOT NEAR(", ["and", "or", "not", "near"]),
        ("***???", []),
    ],
)
def test_words_are_never_operators(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("用户服务器部署在腾讯云国内节点。", "腾讯云"),
        ("今日は成語しりとりをした。", "しりとり"),
        ("오늘 끝말잇기 게임을 했다.", "끝말잇기"),
        ("東京タワー", "東京"),
        ("ฉันอยู่ที่กรุงเทพ", "กรุงเทพ"),
        ("I love hiking", "hikes"),
        ("أَنَا أَعِيشُ فِي جَاكَرْتَا", "جاكرتا"),
    ],
)
def test_a_word_inside_unspaced_text_is_found(text: str, query: str) -> None:
    assert set(query_tokens(query, limit=32)) <= set(search_tokens(text))


def test_stopwords_count_only_when_nothing_else_is_asked() -> None:
    assert query_tokens("What is the price of it?", limit=9) == ["price"]
    assert query_tokens("NOT", limit=9) == ["not"]
    assert query_tokens("who is he", limit=9) == ["who", "is", "he"]


def test_a_query_is_bounded() -> None:
    assert query_tokens(" ".join(f"word{n}" for n in range(5000)), limit=48) == [f"word{n}" for n in range(48)]


@pytest.mark.parametrize("text", ["", " \t\n ", "\u200b\u2060\ufeff", "\u200e\u200f", "\x00", "\u3164\u115f"[1:]])
def test_what_shows_nothing_is_blank(text: str) -> None:
    assert is_blank(text)


def test_cleaning_drops_what_no_store_can_hold_and_nothing_else() -> None:
    family = "👨‍👩‍👧‍👦 🐈‍⬛ 🇮🇩"
    assert clean(f"a\x00b\ud800c\r\nd\re\t{family}") == f"abc\nd\ne\t{family}"


@given(st.text())
def test_folding_twice_changes_nothing_and_any_text_can_be_stored(text: str) -> None:
    folded = fold(text)
    assert fold(folded) == folded
    clean(text).encode("utf-8")


@given(st.text())
def test_tokens_hold_no_syntax(text: str) -> None:
    for token in search_tokens(text):
        assert not set(token) & set("\"'*():^-+ \t\n\\")


@given(st.text())
def test_the_token_estimate_is_characters_by_four_rounded_up(text: str) -> None:
    assert token_count(text) * 4 - len(text) in range(4)


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=60))
def test_plain_ascii_takes_a_short_cut_to_the_same_words(text: str) -> None:
    the_long_way = words(text + " я")
    assert words(text) == the_long_way[:-1]
