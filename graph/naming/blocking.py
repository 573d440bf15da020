"""Blocking keys: which names are looked at together, so that nobody compares a name with every other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

#: Longer words would be kept under too many keys.
LONGEST_MISTYPED = 32


@dataclass(frozen=True, slots=True)
class Pair:
    """Two forms of which only unlike ones may be one name ("IBM" and its long form): each keeps its own key and asks
    for the other's, so that thousands of one form never meet each other."""

    kept: str
    asked: str


@dataclass(frozen=True, slots=True)
class Blocks:
    """The keys that a name is kept under, and those to look for what is near it."""

    kept: frozenset[str]
    asked: frozenset[str]

    @classmethod
    def of(cls, shared: Iterable[str]) -> Self:
        """Keys under which like meets like."""
        keys = frozenset(shared)
        return cls(keys, keys)

    def with_pairs(self, *pairs: Pair) -> Self:
        """Also the keys under which only unlike forms meet."""
        kept, asked = (pair.kept for pair in pairs), (pair.asked for pair in pairs)
        return replace(self, kept=self.kept.union(kept), asked=self.asked.union(asked))


def initial_pair(text: str, *, is_initial: bool) -> Pair:
    """An initial, and the names that begin with it."""
    return _pair("initial", "spelled", text, is_first=is_initial)


def sound_pair(text: str, *, is_foreign: bool) -> Pair:
    """A name in another alphabet, and its romanisations."""
    return _pair("foreign", "sound", text, is_first=is_foreign)


def acronym_pair(text: str, *, is_acronym: bool) -> Pair:
    """An acronym, and the names whose words begin so."""
    return _pair("acronym", "letters", text, is_first=is_acronym)


def slips(word: str, shortest: int) -> frozenset[str]:
    """The word and what is left of it without one inner letter: two words that one slip of the pen tells apart (a
    letter lost, wrong or swapped with its neighbour) share one of these, others hardly ever."""
    if not shortest <= len(word) <= LONGEST_MISTYPED or not word.isalpha():
        return frozenset()
    return frozenset({word} | {word[:at] + word[at + 1 :] for at in range(1, len(word) - 1)})


def _pair(one: str, other: str, text: str, *, is_first: bool) -> Pair:
    return Pair(f"{one} {text}", f"{other} {text}") if is_first else Pair(f"{other} {text}", f"{one} {text}")
