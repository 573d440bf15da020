"""Orders passages by what was found and what stands around it; decision 060 says where the weights are from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from ask.relevance import UNJUDGED, Judge, Verdict, author_words
from ask.words import QuestionWords, has_time_words
from doso.records import Passage
from doso.records.evidence import TimeRange
from doso.records.passages import PassageHit

Column = NDArray[np.float64]

#: What each sign adds to a passage's rank. Own score is text search plus DENSE times vector search, both standardised.
OWN, NEXT_TO, NEAR_BY = 0.37, 0.13, 0.16
SPEAKER, LENGTH, QUESTION, ANSWER = 1.5, 1.1, -0.75, 0.12
SAYS_WHEN, WHEN_WANTED, IN_RANGE = 0.65, 1.5, 2.0
#: What a stretch of talk adds to all of its passages, from the best of them.
SESSION, SESSION_OWN, SESSION_SPEAKER = 0.3, 0.8, 2.0
DENSE_SEMANTIC, DENSE_SPELLING = 1.2, 0.25
#: Clip of a standardised score, both ends.
_LEAST, _MOST = -4.0, 8.0
#: A pause longer than this ends what counts as one stretch of talk.
SESSION_GAP_S = 3 * 3600
SESSION_BEST = 3
#: Longer texts than this have said enough; log characters that count as neither short nor long.
LONG_CHARS, USUAL_LOG_CHARS = 250, 4.5
#: Candidates whose text is read for signs and judged for relevance.
READ, JUDGED = 80, 40


@dataclass(frozen=True, slots=True)
class RankedPassage:
    """A passage in rank order, with how relevant it is in itself and how recent (0 to 1)."""

    passage: Passage
    rank: float
    verdict: Verdict
    recency: float | None


@dataclass(frozen=True, slots=True)
class Arms:
    """What both searches found for one question. `limit` is what each was asked for."""

    lexical: Sequence[PassageHit]
    vector: Sequence[PassageHit]
    limit: int
    is_semantic: bool


def rank_passages(
    arms: Arms, question: QuestionWords, judge: Judge, *, time_range: TimeRange | None, now: datetime, limit: int
) -> list[RankedPassage]:
    """All that was found, best first; only the best are judged, the rest has relevance 0."""
    found = _Candidates.of(arms)
    if not found.passages:
        return []
    rank = found.scored(found.own(arms), question, time_range)
    for at in np.argsort(-rank, kind="stable")[:READ]:
        if has_time_words(found.passages[at].text):
            rank[at] += SAYS_WHEN + (WHEN_WANTED if question.asks_when else 0.0)
    best = np.argsort(-rank, kind="stable")[:limit].tolist()
    verdicts = judge.passages([(found.passages[at], found.cosine(at)) for at in best[:JUDGED]])
    verdicts += [UNJUDGED] * (len(best) - len(verdicts))
    return [
        RankedPassage(found.passages[at], float(rank[at]), verdict, recency(found.passages[at].occurred_at, now))
        for at, verdict in zip(best, verdicts, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class _Candidates:
    """The union of both arms in document order, with the columns that ranking adds up."""

    passages: list[Passage]
    lexical: Column  # engine score, nan where text search did not find it
    vector: Column  # cosine, nan where vector search did not find it
    around: tuple[NDArray[np.intp], ...]  # positions of the passages at -1, +1, -2, +2; -1 for none
    session: NDArray[np.intp]

    @classmethod
    def of(cls, arms: Arms) -> _Candidates:
        lexical = {hit.passage.id: hit.score for hit in arms.lexical}
        vector = {hit.passage.id: hit.score for hit in arms.vector}
        unique = {hit.passage.id: hit.passage for hit in (*arms.lexical, *arms.vector)}
        passages = sorted(unique.values(), key=lambda passage: (passage.document_id, passage.ordinal))
        nan = float("nan")
        session = _sessions(passages)
        return cls(
            passages,
            np.array([lexical.get(passage.id, nan) for passage in passages]),
            np.array([vector.get(passage.id, nan) for passage in passages]),
            _around(passages, session),
            session,
        )

    def own(self, arms: Arms) -> Column:
        """Both arms on one scale. A passage that text search would have listed and did not scores 0 there."""
        dense = DENSE_SEMANTIC if arms.is_semantic else DENSE_SPELLING
        is_complete = len(arms.lexical) < arms.limit
        return _standard(self.lexical, missing=0.0 if is_complete else None) + dense * _standard(self.vector)

    def scored(self, own: Column, question: QuestionWords, time_range: TimeRange | None) -> Column:
        """Everything that needs no look into the text."""
        usual = min(_median(own), 0.0)
        before, after, two_before, two_after = (self._at(own, step, usual) for step in range(4))
        asks = np.array([passage.text.rstrip()[-1:] in "?？" for passage in self.passages], dtype=float)
        is_talk = np.array([passage.chat_id is not None for passage in self.passages], dtype=float)
        length = np.log([min(len(passage.text), LONG_CHARS) + 1 for passage in self.passages])
        rank = OWN * own + NEXT_TO * np.maximum(before, after) + NEAR_BY * np.maximum(two_before, two_after)
        rank += ANSWER * self._at(asks, 0, 0.0) * before * is_talk + QUESTION * asks * is_talk
        rank += SPEAKER * self._speaker(question) + LENGTH * (length - USUAL_LOG_CHARS)
        if time_range is not None:
            rank += IN_RANGE * np.array([is_within(passage, time_range) for passage in self.passages], dtype=float)
        return rank + SESSION * self._session_score(SESSION_OWN * own + SESSION_SPEAKER * self._speaker(question))

    def cosine(self, at: int) -> float | None:
        return None if np.isnan(self.vector[at]) else float(self.vector[at])

    def _at(self, column: Column, step: int, otherwise: float) -> Column:
        place = self.around[step]
        return np.where(place >= 0, column[place], otherwise)

    def _speaker(self, question: QuestionWords) -> Column:
        """1 where the one person asked about speaks, half where there are several of them."""
        named = {
            author: author_words(author) & question.words for author in {p.author for p in self.passages} if author
        }
        names = {word for found in named.values() for word in found}
        full = 1.0 if len(names) <= 1 or any(names <= found for found in named.values()) else 0.5
        said = np.array([full if p.author and named[p.author] else 0.0 for p in self.passages])
        if question.is_first_person and not names:
            said = np.array([1.0 if p.is_owner and p.chat_id is not None else 0.0 for p in self.passages])
        return said

    def _session_score(self, base: Column) -> Column:
        """How good the best of the same stretch of talk are."""
        order = np.lexsort((-base, self.session))
        session = self.session[order]
        first = np.searchsorted(session, session)
        is_best = np.arange(len(order)) - first < SESSION_BEST
        totals = np.bincount(session[is_best], base[order][is_best])
        counts = np.bincount(session[is_best])
        usual = _median(base)
        score: Column = (totals + (SESSION_BEST - np.minimum(counts, SESSION_BEST)) * usual)[
            self.session
        ] / SESSION_BEST
        return score - float(np.mean(score))


def is_within(passage: Passage, time_range: TimeRange) -> bool:
    """Whether it was said in the range."""
    return passage.occurred_at is not None and time_range.start <= passage.occurred_at < time_range.end


def recency(moment: datetime | None, now: datetime) -> float | None:
    """1 for now, a half after a year, falling on; None where no moment is known."""
    if moment is None:
        return None
    days = max(0.0, (now - moment).total_seconds() / 86_400)
    return round(1 / (1 + days / 365), 4)


def _standard(column: Column, *, missing: float | None = None) -> Column:
    """Standardised over what was found; what was not takes `missing`, or the least that was found."""
    known = column[~np.isnan(column)]
    if not len(known):
        return np.zeros(len(column))
    filled = np.where(np.isnan(column), known.min() if missing is None else missing, column)
    scaled: Column = (filled - known.mean()) / (known.std() + 1e-9)
    return np.clip(scaled, _LEAST, _MOST)


def _median(column: Column) -> float:
    """As numpy's own, which loads its masked arrays for it: a tenth of a second of the first answer."""
    ordered, half = np.sort(column), len(column) // 2
    return float(ordered[half] if len(column) % 2 else (ordered[half - 1] + ordered[half]) / 2)


def _sessions(passages: Sequence[Passage]) -> NDArray[np.intp]:
    """A number per stretch of talk: a new one for each document and after each long pause."""
    number, numbers = 0, []
    for at, passage in enumerate(passages):
        if at:
            last = passages[at - 1]
            number += last.document_id != passage.document_id or _is_apart(last.occurred_at, passage.occurred_at)
        numbers.append(number)
    return np.array(numbers, dtype=np.intp)


def _is_apart(one: datetime | None, other: datetime | None) -> bool:
    return one is not None and other is not None and abs((other - one).total_seconds()) > SESSION_GAP_S


def _around(passages: Sequence[Passage], session: NDArray[np.intp]) -> tuple[NDArray[np.intp], ...]:
    """Positions of the passages before, after, two before and two after, -1 where that was not found."""
    here = np.arange(len(passages))
    ordinal = np.array([passage.ordinal for passage in passages])
    found = tuple(np.full(len(passages), -1, dtype=np.intp) for _ in range(4))
    for step in (1, 2):  # in document order what is two ordinals away is at most two places away
        for places in range(1, step + 1):
            earlier, later = here[:-places], here[places:]
            is_near = (session[later] == session[earlier]) & (ordinal[later] - ordinal[earlier] == step)
            found[2 * step - 2][later[is_near]] = earlier[is_near]
            found[2 * step - 1][earlier[is_near]] = later[is_near]
    return found
