"""Where in a text a model's words stand: what does not stand there, the model made up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import regex

from doso.text import fold, stem

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:['’](?=\p{L}{2}))?")
_POSSESSIVE = frozenset({"s"})
Span = tuple[int, int]


@dataclass(frozen=True)
class Ground:
    """A text by its words, each folded and stemmed, with where it stands."""

    text: str
    _tokens: tuple[str, ...] = field(init=False)
    _spans: tuple[Span, ...] = field(init=False)

    def __post_init__(self) -> None:
        found = [(_normal(match.group()), match.span()) for match in _WORD.finditer(self.text)]
        object.__setattr__(self, "_tokens", tuple(token for token, _ in found))
        object.__setattr__(self, "_spans", tuple(span for _, span in found))

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the text."""
        return frozenset(self._tokens)

    def span_of(self, phrase: str) -> Span | None:
        """Where the words of the phrase stand one after the other, whatever is between them but words."""
        wanted = tokens_of(phrase)
        if not wanted:
            return None
        for start in range(len(self._tokens) - len(wanted) + 1):
            if self._tokens[start] == wanted[0] and self._tokens[start : start + len(wanted)] == wanted:
                return self._spans[start][0], self._spans[start + len(wanted) - 1][1]
        at = self.text.find(phrase.strip())  # scripts that put no blanks between words
        return (at, at + len(phrase.strip())) if at >= 0 and phrase.strip() else None

    def share_of(self, phrase: str) -> float:
        """How much of the phrase's words the text has, 0 to 1."""
        return 1.0 if self.span_of(phrase) else share(phrase, self.words)

    def nearest(self, phrase: str) -> Span | None:
        """The phrase, else the stretch from the first to the last of its words that the text has."""
        exact = self.span_of(phrase)
        if exact is not None:
            return exact
        wanted = set(tokens_of(phrase))
        spans = [span for token, span in zip(self._tokens, self._spans, strict=True) if token in wanted]
        return (spans[0][0], spans[-1][1]) if spans else None


def tokens_of(text: str) -> tuple[str, ...]:
    """The words of a text, folded and stemmed."""
    return tuple(_normal(match.group()) for match in _WORD.finditer(text))


def share(phrase: str, words: Iterable[str]) -> float:
    """How many of the phrase's distinct words are among these."""
    wanted = set(tokens_of(phrase)) - _POSSESSIVE
    return len(wanted & set(words)) / len(wanted) if wanted else 0.0


def _normal(word: str) -> str:
    return stem(fold(word).strip("'’"))
