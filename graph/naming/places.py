"""Names of places in other languages: Munich is München, as far as everybody means the same town by both."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping

from graph.keys import name_key
from graph.naming.lists import countries, packed_lines

#: Shorter names in an alphabet are codes and abbreviations.
MIN_ALPHABETIC = 3


def place_id(name: str) -> str | None:
    """What the whole world means by this name of a country or large town, or None when it is small or ambiguous."""
    key = name_key(name)
    country = countries().get(key)
    if country:
        return f"country {country}"
    if key.isascii() and len(key) < MIN_ALPHABETIC:
        return None
    return _towns().get(town_key(name)) or _towns().get(key)


@functools.cache
def region_names() -> Mapping[str, str]:
    """Folded codes of the states of the USA to their names, as they follow a comma."""
    pairs = (line.split(": ", 1) for line in packed_lines("us_states"))
    return {code.casefold(): name_key(state) for code, state in pairs}


@functools.cache
def _towns() -> Mapping[str, str]:
    """Names of large towns, a hundred thousand of them, to the town: keyed by case alone, for the list has the
    spellings without diacritics as well. tools/make_word_lists.py says which."""
    lines = packed_lines("towns")
    return dict(zip(lines[::2], lines[1::2], strict=True))


def town_key(name: str) -> str:
    """A town's name as the list holds it."""
    return unicodedata.normalize("NFC", name).casefold().strip()
