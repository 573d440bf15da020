"""Word lists that the naming rules lean on, read once when first asked for."""

from __future__ import annotations

import functools
import gzip
from importlib.resources import files

from doso.text import fold, words

_DIMINUTIVE_ENDINGS = ("ie", "ey", "ee", "y", "i", "e")
#: Letters that a short form needs in common with the beginning of the full name.
_MIN_SHARED = 3


@functools.cache
def _lines(name: str) -> tuple[str, ...]:
    text = files("graph.naming").joinpath("data", name).read_text(encoding="utf-8")
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


@functools.cache
def word_set(name: str) -> frozenset[str]:
    """The folded words of one list: legal_forms, generic_words, trailing_titles, formal_names."""
    return frozenset(fold(word) for line in _lines(f"{name}.txt") for word in line.split())


@functools.cache
def titles() -> dict[str, str]:
    """Folded titles before a name, each to the first one of its kind."""
    return {word: line.split()[0] for line in _lines("titles.txt") for word in line.split()}


@functools.cache
def word_pairs(name: str) -> dict[str, str]:
    """Word to word: plurals."""
    return {word: other.strip() for word, _, other in (line.partition(":") for line in _lines(f"{name}.txt"))}


@functools.cache
def abbreviations(type_name: str) -> dict[str, str]:
    """Abbreviations within names of a type, with the words they stand for."""
    found: dict[str, str] = {}
    for line in _lines("abbreviations.txt"):
        short, _, rest = line.partition(":")
        word, _, unsafe_types = rest.partition("|")
        if type_name not in unsafe_types.split():
            found[short] = word.strip()
    return found


@functools.cache
def full_names() -> dict[str, frozenset[str]]:
    """Given names by short form: "bob" -> {"robert"}.

    Forms that begin the full name come from the `nicknames` tables, unless they are names of their own; the rest is
    our own list, because those tables are genealogical and pair names that nobody would call alike today.
    """
    found: dict[str, set[str]] = {}
    for line in _lines("short_names.txt"):
        full, _, shorts = line.partition(":")
        for short in shorts.split():
            found.setdefault(short, set()).add(full.strip())
    formal = word_set("formal_names")
    for line in packed_lines("nicknames"):
        short, _, fulls = line.partition(": ")
        if short not in formal:
            found.setdefault(short, set()).update(full for full in fulls.split() if _begins(short, full))
    return {short: frozenset(fulls) for short, fulls in found.items() if fulls}


def _begins(short: str, full: str) -> bool:
    if short.endswith(_DIMINUTIVE_ENDINGS[:-1]) and full.endswith(_DIMINUTIVE_ENDINGS):
        return False
    stem = short
    for ending in _DIMINUTIVE_ENDINGS:
        if short.endswith(ending) and len(short) - len(ending) >= _MIN_SHARED:
            stem = short.removesuffix(ending)
            break
    if len(stem) > _MIN_SHARED and stem[-1] == stem[-2]:
        stem = stem[:-1]
    return full.startswith(stem) and len(full) >= len(stem) + 2 and len(stem) >= min(_MIN_SHARED, len(short))


@functools.cache
def acronyms(type_name: str) -> dict[str, frozenset[str]]:
    """Commonly known acronyms of a type, with the folded names they stand for."""
    found: dict[str, frozenset[str]] = {}
    for line in _lines("acronyms.txt"):
        head, _, fulls = line.partition(":")
        type_word, acronym = head.split()
        if type_word == type_name:
            found[acronym] = frozenset(full.strip() for full in fulls.split("|"))
    return found


@functools.cache
def countries() -> dict[str, str]:
    """Folded names of countries in several languages, to one of them."""
    found: dict[str, str] = {}
    for line in _lines("countries.txt"):
        names = [" ".join(words(name)) for name in (line.split("|") if "|" in line else line.split())]
        found.update(dict.fromkeys(names, names[0]))
    return found


@functools.cache
def given_names() -> frozenset[str]:
    """Folded given names of many countries."""
    return frozenset(packed_lines("given_names"))


@functools.cache
def family_names() -> frozenset[str]:
    """Folded family names of many countries."""
    return frozenset(packed_lines("family_names"))


@functools.cache
def english_words() -> frozenset[str]:
    """Folded English words and well-known proper nouns, three letters and longer."""
    return frozenset(packed_lines("english_words"))


def packed_lines(name: str) -> list[str]:
    """The lines of a list that tools/make_word_lists.py made."""
    packed = files("graph.naming").joinpath("data", f"{name}.txt.gz").read_bytes()
    return gzip.decompress(packed).decode().split("\n")


def is_known_person_word(word: str) -> bool:
    """Whether a word is a given, short or family name that people bear."""
    return word in given_names() or word in family_names() or word in full_names()


def is_known_word(word: str) -> bool:
    """Whether a word is one of the language or a name."""
    return word in english_words() or is_known_person_word(word)
