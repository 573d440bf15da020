"""Slips of the keyboard in the words that the grammar leans on."""

from __future__ import annotations

import functools

from graph.naming.lists import english_words, is_known_person_word
from graph.naming.places import place_id

MIN_LETTERS, MIN_LETTERS_OF_NAME = 4, 6


@functools.lru_cache(maxsize=8192)
def mended(word: str, *, is_name_likely: bool = False) -> str:
    """The word itself, or the one word of the grammar that it is a slip of: a letter lost, doubled or swapped."""
    least = MIN_LETTERS_OF_NAME if is_name_likely else MIN_LETTERS
    if len(word) < least or not word.isascii() or not word.isalpha():
        return word
    if word in _vocabulary():
        return word
    found = _slips().get(word) or _without_one(word)
    if found is None or word in english_words():
        return word
    if is_name_likely and (is_known_person_word(word) or place_id(word) is not None):
        return word
    return found


def _without_one(word: str) -> str | None:
    """The word of the grammar that has one letter fewer."""
    for at in range(1, len(word)):
        shorter = word[:at] + word[at + 1 :]
        if (
            shorter in _vocabulary()
            and len(shorter) >= MIN_LETTERS
            and word[at] in word[max(0, at - 1) : at] + word[at + 1 : at + 2]
        ):
            return shorter
    return None


@functools.cache
def _vocabulary() -> frozenset[str]:
    from ingest.extract.reading import nouns, times, verbs  # noqa: PLC0415 - built at first use

    words = {
        *nouns.RELATIONS,
        *nouns.ATTRIBUTES,
        *nouns.SPECIES,
        *verbs.FORMS,
        *times.MONTHS,
        *times.DAYS,
        *_FRAME_WORDS,
    }
    return frozenset(word for word in words if word.isascii() and word.isalpha())


_FRAME_WORDS = [
    "allergic",
    "called",
    "named",
    "favourite",
    "vegetarian",
    "vegan",
    "married",
    "because",
    "since",
    "until",
    "really",
    "called",
    "there",
    "where",
    "their",
    "about",
    "years",
    "months",
    "weeks",
    "yesterday",
    "tomorrow",
    "language",
    "number",
]


@functools.cache
def _slips() -> dict[str, str]:
    """Every word with a letter lost or two swapped, to the word; only those of one word."""
    found: dict[str, str | None] = {}
    for word in sorted(_vocabulary()):
        if len(word) < MIN_LETTERS:
            continue
        near = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1)}
        if len(word) > MIN_LETTERS:
            near |= {word[:at] + word[at + 1 :] for at in range(1, len(word))}
        for slip in near - {word}:
            found[slip] = None if slip in found and found[slip] != word else word
    return {slip: word for slip, word in found.items() if word is not None and slip not in _vocabulary()}
