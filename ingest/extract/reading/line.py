"""A run of tokens that the grammar reads as one, with its plain words as one string."""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ingest.extract.reading.times import TimePhrase, time_phrases
from ingest.extract.reading.tokens import Token
from ingest.extract.reading.verbs import lemma
from ingest.extract.reading.words import FILLERS

#: Words that a clause may have; what is longer is no plain statement.
MAX_WORDS = 120


@dataclass(frozen=True)
class Line:
    """Tokens in order. Where words were cut out of the middle (time phrases), the neighbours just close up."""

    tokens: tuple[Token, ...]
    source: str = field(repr=False)  # the whole text that the offsets point into

    def __len__(self) -> int:
        return len(self.tokens)

    @cached_property
    def norms(self) -> list[str]:
        return [token.norm for token in self.tokens]

    @cached_property
    def lemmas(self) -> list[str]:
        return [lemma(norm) for norm in self.norms]

    @cached_property
    def text(self) -> str:
        return " ".join(self.norms)

    @cached_property
    def _starts(self) -> list[int]:
        found, at = [], 0
        for norm in self.norms:
            found.append(at)
            at += len(norm) + 1
        return found

    def char(self, index: int) -> int:
        """Where the token begins in `text`; its length for the end."""
        return self._starts[index] if index < len(self.tokens) else len(self.text) + 1

    def index(self, char: int) -> int:
        """The token that holds or follows a character of `text`."""
        return bisect.bisect_left(self._starts, char)

    def norm(self, index: int) -> str:
        """The plain word at this place, "" outside."""
        return self.norms[index] if 0 <= index < len(self.tokens) else ""

    def lemma(self, index: int) -> str:
        return self.lemmas[index] if 0 <= index < len(self.tokens) else ""

    def slice(self, start: int, end: int | None = None) -> Line:
        return Line(self.tokens[start:end], self.source)

    def without(self, dropped: Iterable[int]) -> Line:
        gone = set(dropped)
        return Line(tuple(token for at, token in enumerate(self.tokens) if at not in gone), self.source)

    def span(self, start: int = 0, end: int | None = None) -> tuple[int, int]:
        """Offsets in the source of these tokens."""
        chosen = self.tokens[start:end]
        return (chosen[0].start, chosen[-1].end) if chosen else (0, 0)

    def said(self, start: int, end: int) -> str:
        """The words as they were written, single blanks between those that were apart."""
        shown = ""
        for before, token in zip((None, *self.tokens[start:end]), self.tokens[start:end], strict=False):
            is_glued = before is not None and before.end == token.start
            shown += ("" if before is None or is_glued else " ") + token.text
        return shown.strip()


@dataclass(frozen=True)
class Timed:
    """A clause without its time phrases, and these."""

    line: Line
    phrases: tuple[TimePhrase, ...]
    whole: Line


def timed(line: Line) -> Timed:
    """Take time phrases (and the small talk of chats) out of a clause."""
    bare = line.without(at for at, token in enumerate(line.tokens) if token.norm in FILLERS)
    phrases = time_phrases(bare.text)
    dropped: list[int] = []
    for phrase in phrases:
        dropped.extend(range(bare.index(phrase.start), bare.index(phrase.end)))
    return Timed(bare.without(dropped), tuple(phrases), bare)


def trimmed(
    line: Line, signs: Sequence[str] = (",", ".", "!", ";", ":", "-", "–", "—", "…", "?", "(", ")", '"')
) -> Line:
    """The line without signs at its ends."""
    start, end = 0, len(line)
    while start < end and line.tokens[start].norm in signs:
        start += 1
    while end > start and line.tokens[end - 1].norm in signs:
        end -= 1
    return line.slice(start, end)
