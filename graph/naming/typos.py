"""Whether two spellings differ by a slip of the keyboard alone, never by being two words."""

from __future__ import annotations

import functools
import zlib

import numpy as np
from numpy.typing import NDArray

from graph.naming.lists import is_known_person_word, is_known_word

#: Shorter words differ by one letter too often for it to be a slip; the word with a letter lost may be one shorter.
MIN_LETTERS = 7
#: A wrong letter (unlike a lost, doubled or swapped one) needs a longer word still.
MIN_LETTERS_WRONG = 8
#: Likeness of the whole names, below which one slip is not the whole difference.
MIN_COSINE = 0.5
GRAM_SIZES = (2, 3)
GRAM_DIMENSIONS = 512
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def is_typo(a: str, b: str, *, of_person: bool) -> bool:
    """Whether one of two folded words is a mistyped form of the other.

    Two words that are both known differ on purpose; of two unknown ones nothing can be said, save that letters of a
    long word changed places.
    """
    kind = slip(a, b)
    if kind is None or max(len(a), len(b)) < MIN_LETTERS or not (a + b).isalpha():
        return False
    known = is_known_person_word if of_person else is_known_word
    knows_a, knows_b = known(a), known(b)
    if knows_a == knows_b:
        return not knows_a and kind == "swapped" and not of_person and len(a) > MIN_LETTERS
    if kind == "wrong":
        return not of_person and min(len(a), len(b)) >= MIN_LETTERS_WRONG
    return True


def slip(a: str, b: str) -> str | None:
    """How two words differ: "swapped", "lost" (one letter more or less) or "wrong" (a neighbour on the keyboard).

    None when they differ by more, or in the first or the last letter, where another word begins or ends.
    """
    if a == b or abs(len(a) - len(b)) > 1 or a[:1] != b[:1] or a[-1:] != b[-1:]:
        return None
    short, long = sorted((a, b), key=len)
    at = next((i for i, letter in enumerate(short) if letter != long[i]), len(short))
    if len(short) < len(long):
        return "lost" if short[at:] == long[at + 1 :] else None
    if short[at + 1 :] == long[at + 1 :]:
        return "wrong" if _are_neighbours(short[at], long[at]) else None
    is_swap = short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    return "swapped" if is_swap else None


def cosine(a: str, b: str) -> float:
    """Likeness of two folded names by their hashed character n-grams, 0 to 1; the same on every installation."""
    return float(_grams(a) @ _grams(b))


@functools.lru_cache(maxsize=4096)
def _grams(text: str) -> NDArray[np.float32]:
    vector = np.zeros(GRAM_DIMENSIONS, dtype=np.float32)
    padded = f" {text} "
    for size in GRAM_SIZES:
        for i in range(max(1, len(padded) - size + 1)):
            vector[zlib.crc32(padded[i : i + size].encode()) % GRAM_DIMENSIONS] += 1
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


def _are_neighbours(a: str, b: str) -> bool:
    places = [(row, line.find(letter)) for letter in (a, b) for row, line in enumerate(_ROWS) if letter in line]
    return len(places) == 2 and abs(places[0][0] - places[1][0]) <= 1 and abs(places[0][1] - places[1][1]) <= 1
