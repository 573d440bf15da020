"""Reading of the JSON in a model's answer: between prose, in fences, after thinking, with a cut end."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from doso.llm.lenient import NotJsonError, Parsed, parse
from doso.llm.ports import Reply
from doso.llm.thinking import without_thinking

if TYPE_CHECKING:
    import pydantic

#: Braces in a text that are looked at; prose has few.
MAX_STARTS = 256
#: Characters that are read in vain: a text of nothing but half-open braces is given up.
MAX_VAIN_CHARS = 500_000
#: Rounds of leaving out items that don't fit, each of which may bring others to light.
MAX_ROUNDS = 4
#: About as deep as the strict reader goes.
MAX_NESTED = 1_000
_STRICT = json.JSONDecoder(strict=False)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Found(Generic[T]):
    """What was read. `is_cut`: the text ended before the JSON did, and only whole items are in it."""

    value: T
    is_cut: bool = False


def read_json(text: str, accepts: Callable[[object], T | None]) -> Found[T] | None:
    """The JSON in the text that `accepts` makes something of: whole rather than cut, then the longest; None without.

    Nothing is ever evaluated.
    """
    answer = without_thinking(text)
    found = _best(answer, accepts)
    return _best(text, accepts) if found is None and answer != text else found


def read_as(text: str, kind: type[Reply]) -> Found[Reply] | None:
    """The reply of this kind in the text. Items of lists that don't fit are left out, unless none is left."""
    return read_json(text, lambda value: fitted(value, kind))


def fitted(value: object, kind: type[Reply]) -> Reply | None:
    """The value as this kind, None when it is none."""
    from pydantic import ValidationError  # noqa: PLC0415 - loaded with `kind`

    names = {alias for name, field in kind.model_fields.items() for alias in (name, field.alias or name)}
    if isinstance(value, list) and len(kind.model_fields) == 1:
        value = dict.fromkeys(names, value)  # the list alone, without the object around it
    if not isinstance(value, dict) or (names and names.isdisjoint(value)):
        return None
    for _ in range(MAX_ROUNDS):
        try:
            return kind.model_validate(value)
        except ValidationError as error:
            value = _without_misfits(value, error)
            if value is None:
                return None
    return None


def _best(text: str, accepts: Callable[[object], T | None]) -> Found[T] | None:
    best: Found[T] | None = None
    best_rank = (False, 0)
    for start, parsed in _parts(text):
        if parsed.has_whole_items and not _has_item(parsed.value):
            continue  # it was cut before its first item was whole: that is no list of nothing
        rank = (not parsed.is_cut, parsed.end - start)
        if best is None or rank >= best_rank:
            value = accepts(parsed.value)
            if value is not None:
                best, best_rank = Found(value, parsed.is_cut), rank
    return best


def _parts(text: str) -> Iterator[tuple[int, Parsed]]:
    """What stands in the text as an object or a list, outermost only."""
    place = vain = 0
    for _ in range(MAX_STARTS):
        places = [found for found in (text.find("{", place), text.find("[", place)) if found >= 0]
        if not places or vain > MAX_VAIN_CHARS:
            return
        start = min(places)
        parsed, until = _parsed(text, start)
        vain += until - start
        place = start + 1
        if parsed is not None:
            yield start, parsed
            place = max(parsed.end, place)


def _parsed(text: str, start: int) -> tuple[Parsed | None, int]:
    """What begins there, and how far was read in vain."""
    vain = start
    try:
        value, end = _STRICT.raw_decode(text, start)
        return Parsed(_cleaned(value), end), vain
    except RecursionError:
        return None, vain + MAX_NESTED
    except json.JSONDecodeError as error:
        vain = error.pos
    except ValueError:
        pass  # a number of thousands of digits
    try:
        parsed = parse(text, start)
    except NotJsonError as error:
        return None, max(vain, error.place)
    return Parsed(_cleaned(parsed.value), parsed.end, parsed.is_cut, parsed.has_whole_items), vain


def _has_item(value: object) -> bool:
    """Whether any list in the value has something in it."""
    if isinstance(value, list):
        return bool(value)
    return isinstance(value, dict) and any(map(_has_item, value.values()))


def _cleaned(value: object) -> object:
    """The value without halves of characters, and without numbers that no JSON has."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {str(_cleaned(name)): _cleaned(item) for name, item in value.items()}
    return value


def _without_misfits(value: dict[str, object], error: pydantic.ValidationError) -> dict[str, object] | None:
    """The object without the items that the error names; None when it is about more than items, or none are left."""
    misfits: dict[str, set[int]] = {}
    for problem in error.errors(include_url=False, include_context=False, include_input=False):
        match problem["loc"]:
            case (str() as name, int() as place, *_) if isinstance(value.get(name), list):
                misfits.setdefault(name, set()).add(place)
            case _:
                return None
    fitting = dict(value)
    for name, places in misfits.items():
        items = value[name]
        kept = [item for place, item in enumerate(items) if place not in places] if isinstance(items, list) else []
        if not kept:
            return None
        fitting[name] = kept
    return fitting
