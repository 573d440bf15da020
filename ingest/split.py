"""Cuts a text into passages of about 900 characters whose ends lie where a reader would pause."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

TARGET_CHARS = 900
#: A text up to this long stays whole; no passage is longer unless one single character is.
MAX_CHARS = 1100
#: No border before this is taken while a better kind of border could follow.
MIN_CHARS = 450

_CLOSERS = "\"'”’»)\\]】』」"
#: Kinds of border, best first; a piece ends where the match ends.
_BORDERS = (
    regex.compile(r"\n[^\S\n]*\n\s*"),
    regex.compile(rf"[.!?…][{_CLOSERS}]*\s+|[。！？][{_CLOSERS}]*\s*|\n\s*"),
    regex.compile(r"[,;:、，；：][^\S\n]*(?=\s|\p{Han}|\p{Hiragana}|\p{Katakana})\s*"),
    regex.compile(r"\s+"),
)
_GRAPHEME = regex.compile(r"\X")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
#: What a cut must not stand before: it belongs to the character in front of it.
_JOINED = regex.compile(r"[\p{M}\p{Cf}\U0001F3FB-\U0001F3FF]")
#: A joiner binds what follows it too.
_JOINERS = ("\u200d",)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a text: `text` is exactly the original from `start` to `end`."""

    start: int
    end: int
    text: str


def split(text: str) -> list[Piece]:
    """The pieces of a text in order; only blanks between them are left out."""
    return list(_pieces(text))


def _pieces(text: str) -> Iterator[Piece]:
    position = 0
    while position < len(text):
        cut = _cut(text, position)
        start, end = _trimmed(text, position, cut)
        if start < end:
            yield Piece(start, end, text[start:end])
        position = cut


def _cut(text: str, position: int) -> int:
    """Where the piece that begins here ends, the blanks behind it included."""
    while position < len(text) and text[position].isspace():
        position += 1
    if len(text) - position <= MAX_CHARS:
        return len(text)
    window = text[position : position + MAX_CHARS + 1]
    for border in _BORDERS:
        ends = [match.end() for match in border.finditer(window, MIN_CHARS) if _is_clean(window, match.end())]
        ends = [end for end in ends if end <= MAX_CHARS]
        if ends:
            return position + min(ends, key=lambda end: (abs(end - TARGET_CHARS), end))
    early = [m.end() for m in _BORDERS[-1].finditer(window, 0, MIN_CHARS) if _is_clean(window, m.end())]
    if early and not _UNSPACED.search(window, early[-1]):
        return position + early[-1]
    return _hard_cut(text, position)


def _is_clean(window: str, end: int) -> bool:
    return end < len(window) and not _JOINED.match(window, end) and not window[:end].endswith(_JOINERS)


def _hard_cut(text: str, position: int) -> int:
    """No blank in reach: between two whole characters, the first of them however long it is."""
    end = position
    for grapheme in _GRAPHEME.finditer(text, position):
        if end > position and grapheme.end() - position > MAX_CHARS:
            break
        end = grapheme.end()
        if end - position >= MAX_CHARS:
            break
    return end


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
