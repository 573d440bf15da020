"""Literals: any JSON value becomes text that every store holds alike, and comes back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doso.errors import InvalidInput, TooLarge
from doso.records import Literal, LiteralKind
from doso.text import clean
from graph.values import MAX_DEPTH, MAX_LITERAL_CHARS, from_literal, identity, to_literal

TEXT = st.text(max_size=40).map(lambda text: clean(text).strip()).filter(lambda text: text.strip("\u200b \u200e") != "")
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    SCALARS | st.text(max_size=20).map(clean),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5).map(clean), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES.filter(lambda value: not isinstance(value, str)))
def test_every_json_value_comes_back(value: object) -> None:
    assert from_literal(to_literal(value)) == value  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "text", "kind"),
    [
        ("  Solo\x00 ", "Solo", LiteralKind.TEXT),
        (42, "42", LiteralKind.NUMBER),
        (2**63, "9223372036854775808", LiteralKind.JSON),
        (-(2**63) - 1, "-9223372036854775809", LiteralKind.JSON),
        (0.1, "0.1", LiteralKind.NUMBER),
        (True, "true", LiteralKind.BOOLEAN),
        (None, "null", LiteralKind.JSON),
        ({"b": [1, None], "a": "\ud800x"}, '{"a":"x","b":[1,null]}', LiteralKind.JSON),
    ],
)
def test_values_have_one_text(value: object, text: str, kind: LiteralKind) -> None:
    assert to_literal(value) == Literal(text, kind)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["", " \t\n", "\x00", "\u200e", float("nan"), float("inf"), [float("nan")]])
def test_what_says_nothing_is_refused(value: object) -> None:
    with pytest.raises(InvalidInput):
        to_literal(value)  # type: ignore[arg-type]


def test_bounds_are_named() -> None:
    deep: object = 1
    for _ in range(MAX_DEPTH + 1):
        deep = [deep]
    with pytest.raises(InvalidInput, match=str(MAX_DEPTH)):
        to_literal(deep)  # type: ignore[arg-type]
    with pytest.raises(TooLarge, match=str(MAX_LITERAL_CHARS)):
        to_literal("x" * (MAX_LITERAL_CHARS + 1))


def test_text_says_the_same_in_any_case_width_or_accent() -> None:
    assert identity(Literal("Crème Brûlée.")) == identity(Literal("creme brulee"))
    assert identity(Literal("12")) != identity(Literal("12", LiteralKind.NUMBER))
    assert identity(Literal("-5")) != identity(Literal("5"))
