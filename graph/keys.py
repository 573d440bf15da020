"""The identity normal form of a name, the one string by which equal spellings meet."""

from __future__ import annotations

import functools
import unicodedata

import regex

from doso.ids import digest
from doso.text import clean, fold, words

#: Readable characters of a stored key; the digest before them keeps it unique.
READABLE_CHARS = 64
#: Rounds after which a key that still changes is taken as it is (each round only drops characters).
MAX_ROUNDS = 8

#: "C++", "F#", "Disney+": marks glued behind a letter that make another name of it.
_TELLING_MARK = regex.compile(r"(?<=[\p{L}\p{N}])(?:\++|#)(?![\p{L}\p{N}])")
_PLUS, _SHARP = "plus", "sharp"
#: Marks that turn or hide text and belong to no name; joiners stay, some scripts and emoji need them.
_DIRECTION_MARKS = regex.compile(r"[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_OUTER_QUOTES = regex.compile(r"""^["“”„«»'‘]+|["“”„«»'’]+$""")


@functools.lru_cache(maxsize=65536)
def name_key(name: str) -> str:
    """The normal form for identity: case, width, diacritics, punctuation and possessives gone, blanks collapsed.

    Non-empty for every non-blank name of any script: a name of signs alone (an emoji) keeps its signs.
    """
    key = _one_round(name)
    for _ in range(MAX_ROUNDS):
        again = _one_round(key)
        if again == key:
            break
        key = again
    return key


@functools.lru_cache(maxsize=65536)
def stored_key(name: str) -> str:
    """The key as stores hold it: a digest of the whole and a readable, bounded beginning."""
    key = name_key(name)
    return f"{digest(key)[:32]}:{key[:READABLE_CHARS]}"


@functools.lru_cache(maxsize=65536)
def display_name(name: str) -> str:
    """The name as it was written, without what no store holds, outer quotes and surplus blanks."""
    plain = " ".join(unicodedata.normalize("NFC", _DIRECTION_MARKS.sub("", clean(name))).split())
    return _OUTER_QUOTES.sub("", plain).strip() or plain


def _one_round(name: str) -> str:
    text = _TELLING_MARK.sub(_spell_mark, fold(clean(name)))
    parts = [part for word in words(text) for part in word.split("_") if part]
    if parts:
        return " ".join(parts)
    return "".join(fold(name).split()) or name.strip()


def _spell_mark(match: regex.Match[str]) -> str:
    return _SHARP if match.group() == "#" else _PLUS * len(match.group())
