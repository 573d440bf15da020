"""Whether a passage has to do with the question at all: absolute, from 0 to 1, whatever else the memory holds.

Rank compares passages with each other; relevance decides whether the best of them is evidence (decision 061).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from ask.calibrate import Calibration
from ask.words import QuestionWords, coverage, rarity, tokens_in
from doso.records import Passage
from doso.text import search_tokens, words

#: Below this nothing is evidence.
RELEVANCE_FLOOR = 0.03
#: Log-odds of an answer: by closeness, by share of words held, and at neither.
_CLOSE, _HELD, _BASE = 6.0, 5.0, -6.6
#: Where one person is asked about: what it takes from all when another one said the words, and from that other one.
_ELSEWHERE, _OTHER_SPEAKER = -3.0, -1.5
#: The same where vectors say nothing of meaning.
_HELD_ALONE, _BASE_ALONE = 9.0, -3.2


@dataclass(frozen=True, slots=True)
class Verdict:
    """How relevant one passage is and why."""

    relevance: float
    lexical: float
    vector: float | None
    held: frozenset[str]
    is_evidence: bool = False  # passes the floor, whoever said it


#: What ranks so low that it was not looked at.
UNJUDGED = Verdict(0.0, 0.0, None, frozenset())


@dataclass(frozen=True, slots=True)
class Judge:
    """Judges passages for one question. `calibration` is None where there are no vectors with a meaning."""

    question: QuestionWords
    calibration: Calibration | None

    def passages(self, found: Sequence[tuple[Passage, float | None]]) -> list[Verdict]:
        """Verdicts in the given order; the passages are judged together, since rarity is a matter of them all."""
        tokens = self.question.subject or self.question.tokens
        held = [self._held(passage, tokens) for passage, _ in found]
        weights = rarity(tokens, held)
        covered = [coverage(each, weights) for each in held]
        speaks = self._speaks(found)
        elsewhere = max((share for share, said in zip(covered, speaks, strict=True) if not said), default=0.0)
        return [
            self._verdict(share, cosine, each, elsewhere, is_other=not said)
            for share, (_, cosine), each, said in zip(covered, found, held, speaks, strict=True)
        ]

    def _verdict(
        self, share: float, cosine: float | None, held: frozenset[str], elsewhere: float, *, is_other: bool
    ) -> Verdict:
        close = None if cosine is None or self.calibration is None else self.calibration.closeness(cosine)
        if self.calibration is None:
            odds = _HELD_ALONE * share + _BASE_ALONE if share else -math.inf
        else:
            odds = _CLOSE * (close or 0.0) + _HELD * share + _BASE
        is_evidence = _chance(odds) >= RELEVANCE_FLOOR
        odds += _ELSEWHERE * elsewhere + (_OTHER_SPEAKER if is_other else 0.0)
        vector = None if close is None else round(min(max(close, 0.0), 1.0), 4)
        return Verdict(_chance(odds), round(share, 4), vector, held, is_evidence)

    def _held(self, passage: Passage, tokens: Sequence[str]) -> frozenset[str]:
        found = tokens_in(passage.text, tokens)
        named = author_words(passage.author) & self.question.words if passage.author else frozenset()
        return found.union(*(search_tokens(name) for name in named)) if named else found

    def _speaks(self, found: Sequence[tuple[Passage, float | None]]) -> list[bool]:
        """Whether each is said by the one person asked about; all are where it is not one person, or no talk."""
        names = {word for passage, _ in found for word in author_words(passage.author or "") & self.question.words}
        if len(names) != 1:
            return [True] * len(found)
        return [passage.chat_id is None or bool(author_words(passage.author or "") & names) for passage, _ in found]


@functools.lru_cache(maxsize=4096)
def author_words(author: str) -> frozenset[str]:
    """The words of a speaker's name that tell people apart."""
    return frozenset(word for word in words(author) if len(word) > 1)


def _chance(odds: float) -> float:
    """Log-odds as a share of one."""
    return 0.0 if odds < -50 else round(1 / (1 + math.exp(-odds)), 4)
