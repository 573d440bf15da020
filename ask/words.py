"""The words of a question and how much of them a text holds: cheap enough for every candidate worth a look."""

# ruff: noqa: SIM905 - word lists read best as text

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from doso.text import query_tokens, search_tokens, stem, words

MAX_TOKENS = 64
#: Candidates over which the rarity of a word is judged, at least: few candidates tell little about it.
_LEAST_SAMPLE = 40
_ASCII_WORD = re.compile(r"[a-z0-9_]+")
_FIRST_PERSON = frozenset("i me my mine myself im ive we us our ours saya aku ku gue gw kami kita".split())
#: Words by which one asks, not what one asks about.
_ASKING = frozenset(
    stem(word)
    for word in "know tell say said about anything everything info information remember think find show give list "
    "please today happen happened thing things someone people person tahu cerita bilang kata tentang".split()
)
_WHEN = re.compile(r"\b(?:when|since when|how long|how recently|kapan|sejak kapan|berapa lama)\b", re.IGNORECASE)
_WHICH_TIME = re.compile(r"\b(?:what|which) (?:day|date|month|year|week|time)\b", re.IGNORECASE)
_TIME_WORDS = frozenset(
    "yesterday today tonight tomorrow last next ago week weeks weekend month months year years morning since soon "
    "recently monday tuesday wednesday thursday friday saturday sunday january february march april may june july "
    "august september october november december kemarin besok lusa lalu depan tadi minggu bulan tahun senin selasa "
    "rabu kamis jumat sabtu januari februari maret mei juni juli agustus oktober desember".split()
)
_FIGURE = re.compile(r"\d{4}|\d{1,2}(?:st|nd|rd|th)")


@dataclass(frozen=True, slots=True)
class QuestionWords:
    """A question taken apart. `tokens` are its telling search tokens, `subject` those that say what it is about."""

    words: frozenset[str]
    tokens: tuple[str, ...]
    subject: tuple[str, ...]
    is_first_person: bool
    asks_when: bool

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it that a text could hold."""
        return not self.words


def question_words(text: str, *, without: str = "") -> QuestionWords:
    """Read a question once; `without` is a phrase in it (a time) that is answered by other means than words."""
    heard = frozenset(words(text))
    tokens = tuple(query_tokens(text, limit=MAX_TOKENS))
    skipped = _ASKING.union(search_tokens(without)) if without else _ASKING
    subject = tuple(token for token in tokens if token not in skipped)
    asks_when = _WHEN.search(text) is not None or _WHICH_TIME.search(text) is not None
    return QuestionWords(heard, tokens, subject, bool(heard & _FIRST_PERSON), asks_when)


def tokens_in(text: str, wanted: Collection[str]) -> frozenset[str]:
    """Which of the wanted search tokens a text holds."""
    return frozenset(wanted).intersection(search_tokens(text)) if wanted else frozenset()


def rarity(tokens: Sequence[str], held: Sequence[frozenset[str]]) -> dict[str, float]:
    """What each token tells, from how few of the texts hold it; `held` are the tokens of each text."""
    counts = Counter(token for found in held for token in found)
    sample = max(len(held), _LEAST_SAMPLE)
    return {token: math.log(1 + (sample - counts[token] + 0.5) / (counts[token] + 0.5)) for token in tokens}


def coverage(found: Collection[str], weights: Mapping[str, float]) -> float:
    """The weighted share of the question's tokens that were found, 0 to 1; 0 where there are none."""
    total = sum(weights.values())
    return sum(weights[token] for token in found if token in weights) / total if total else 0.0


def has_time_words(text: str) -> bool:
    """Whether a text says when."""
    heard = set(_ASCII_WORD.findall(text.lower()))
    return not heard.isdisjoint(_TIME_WORDS) or any(_FIGURE.fullmatch(word) for word in heard if word[0].isdigit())
