"""One codec between values of the wire and literals, so that every backend holds the same text for the same value."""

from __future__ import annotations

import json
import math
from typing import TypeAlias, cast

from doso.errors import InvalidInput, TooLarge
from doso.records import Literal, LiteralKind
from doso.text import clean, fold, is_blank

#: A JSON value as it comes off the wire.
Value: TypeAlias = "str | int | float | bool | list[Value] | dict[str, Value] | None"

MAX_LITERAL_CHARS = 20_000
MAX_DEPTH = 32
#: Whole numbers that every store holds exactly.
INT64 = range(-(2**63), 2**63)


def to_literal(value: Value) -> Literal:
    """The literal of a JSON value. Raises InvalidInput for blank text and what JSON can't say, TooLarge over bounds."""
    if isinstance(value, str):
        return canonical(Literal(value))
    if isinstance(value, bool):
        return Literal("true" if value else "false", LiteralKind.BOOLEAN)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise InvalidInput(f"{value} is no number that JSON can hold.", param="object")
        return Literal(repr(value), LiteralKind.NUMBER)
    if isinstance(value, int):
        return _whole(value)
    return canonical(Literal(_dump(_cleaned(value, MAX_DEPTH)), LiteralKind.JSON))


def from_literal(literal: Literal) -> Value:
    """The JSON value that a literal stands for; dates and text as their text."""
    if literal.kind is LiteralKind.BOOLEAN:
        return literal.text == "true"
    if literal.kind in (LiteralKind.NUMBER, LiteralKind.JSON):
        try:
            return cast("Value", json.loads(literal.text))
        except ValueError:
            return literal.text
    return literal.text


def canonical(literal: Literal) -> Literal:
    """The literal as stores hold it. Raises InvalidInput when nothing visible is left, TooLarge over the bound."""
    text = clean(literal.text).strip()
    if is_blank(text):
        raise InvalidInput("A value needs at least one visible character.", param="object")
    if len(text) > MAX_LITERAL_CHARS:
        raise TooLarge(f"A value may have {MAX_LITERAL_CHARS} characters, not {len(text)}.", param="object")
    return Literal(text, literal.kind)


def identity(literal: Literal) -> str:
    """What two literals share when they say the same: text regardless of case, width, accents and a final stop."""
    if literal.kind is LiteralKind.TEXT:
        return f"text:{fold(literal.text).rstrip(' .!') or literal.text}"
    return f"{literal.kind.value}:{literal.text}"


def _whole(value: int) -> Literal:
    if value in INT64:
        return Literal(str(value), LiteralKind.NUMBER)
    if value.bit_length() > 4 * MAX_LITERAL_CHARS // 2:
        raise TooLarge("The number has too many digits.", param="object")
    return Literal(str(value), LiteralKind.JSON)


def _dump(value: Value) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _cleaned(value: Value, depth: int) -> Value:
    """The value with its texts cleaned of what no store can hold."""
    if depth == 0:
        raise InvalidInput(f"A value may be nested {MAX_DEPTH} deep.", param="object")
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(f"{value} is no number that JSON can hold.", param="object")
    if isinstance(value, list):
        return [_cleaned(item, depth - 1) for item in value]
    if isinstance(value, dict):
        return {clean(name): _cleaned(item, depth - 1) for name, item in value.items()}
    return value
