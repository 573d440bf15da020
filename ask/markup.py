"""Takes the text of a draft apart as it comes: marks, code, and links and pictures that lead out of the evidence.

A piece is given out as soon as nothing that may follow could change it; how the text was cut changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

import regex

from ask.links import allows, shown
from ask.mark_forms import MARK, ROUND, is_mark, numbers_in

#: The longest that is held back while it may still become one thing.
MAX_HELD = 2_500
#: A code span longer than this is one without waiting for its end.
_MAX_SPAN = 1_000
_TAIL_CHARS = 48


@dataclass(frozen=True, slots=True)
class Plain:
    """Text as it is shown."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """A piece of a code span or block, not to be touched."""

    text: str


@dataclass(frozen=True, slots=True)
class Marks:
    """One or more marks in a row by number; none where there was something else that must go, such as a picture."""

    numbers: tuple[int, ...]
    raw: str = ""


Piece = Plain | Code | Marks


class _Reader(Protocol):
    """Reads what begins at the front of the buffer: the piece and its length; None while more may change it."""

    def __call__(self, *, is_end: bool) -> tuple[Piece, int] | None: ...


_DESTINATION = r"\(\s*(?:<[^<>\n]{0,2000}>|[^\s()<>]{0,2000}(?:\([^\s()]{0,500}\)[^\s()<>]{0,500})?)"
_LINK_TAIL = regex.compile(_DESTINATION + r"(?:\s+(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|\([^()\n]{0,200}\)))?\s*\)")
_PICTURE = regex.compile(r"!\[(?:[^\[\]\\]|\\.|\[[^\[\]]{0,200}\]){0,500}\]")
_REFERENCE = regex.compile(r"\[[^\[\]\n]{0,200}\]")
_BRACKETS = regex.compile(r"\[((?:[^\[\]\\\n]|\\.|\[[^\[\]\n]{0,200}\]){0,400})\]")
_IN_TAG = r"(?:\"[^\"]{0,600}\"|'[^']{0,600}'|[^<>\"']){0,600}"
_TAG = regex.compile(rf"<(?:/?[a-zA-Z][a-zA-Z0-9:-]{{0,40}}(?:[\s/]{_IN_TAG})?|!--{_IN_TAG})>")
_AUTOLINK = regex.compile(r"<((?:https?|ftp|mailto|javascript|data):[^<>\s]{0,2000})>", regex.IGNORECASE)
#: Tags that fetch, run or lead somewhere; others stay while they bear no attribute.
_ACTIVE = regex.compile(
    r"</?(?:a|applet|audio|base|button|embed|form|frame|frameset|iframe|image|img|input|link|math|meta|object|picture"
    r"|portal|script|source|style|svg|template|track|video)\b|<!--",
    regex.IGNORECASE,
)
_ADDRESS = regex.compile(r"(?:https?://|www\.)[^\s<>\"'`\[\]{}|\\^]{1,2000}", regex.IGNORECASE)
_ADDRESS_ENDS = regex.compile(r"[\s<>\"'`\[\]{}|\\^]")
_SPECIAL = regex.compile(r"[\\`!\[【［<(]|https?://|www\.", regex.IGNORECASE)
_BEGINNINGS = tuple(word[:n] for word in ("https://", "http://", "www.") for n in range(1, len(word)))
_TICKS = regex.compile(r"`+")


class Markup:
    """One draft. `count` is how many marks there are; `addresses` are those that the evidence and the asker know."""

    def __init__(self, count: int, addresses: Collection[str]) -> None:
        self._count = count
        self._addresses = addresses
        self._buffer = ""
        self._before = ""  # the end of what was taken, to see what a bracket is glued to
        self._after_code_bracket = False
        self._fence = ""  # the backticks that close the code block we are in
        self._readers: dict[str, _Reader] = {
            "\\": self._escaped,
            "`": self._code,
            "!": self._picture,
            "<": self._tag,
            "(": self._round,
            "[": self._bracket,
            "【": self._bracket,
            "［": self._bracket,
        }

    def feed(self, text: str) -> list[Piece]:
        """The pieces that are certain now."""
        self._buffer += text
        return self._taken(is_end=False)

    def finish(self) -> list[Piece]:
        """What is left."""
        return self._taken(is_end=True)

    def _taken(self, *, is_end: bool) -> list[Piece]:
        pieces: list[Piece] = []
        while self._buffer:
            found = self._block(is_end=is_end) if self._fence else self._next(is_end=is_end)
            if found is None:
                break
            piece, length = found
            self._took(piece, length)
            if not isinstance(piece, Plain) or piece.text:
                pieces.append(piece)
        return pieces

    def _took(self, piece: Piece, length: int) -> None:
        taken = self._buffer[:length]
        self._buffer = self._buffer[length:]
        if taken:
            self._before = (self._before + taken)[-_TAIL_CHARS:]
            self._after_code_bracket = False if isinstance(piece, Marks) else self._after_code_bracket

    def _next(self, *, is_end: bool) -> tuple[Piece, int] | None:
        special = _SPECIAL.search(self._buffer)
        if special is None:
            end = len(self._buffer) if is_end else len(self._buffer) - _beginning_at_end(self._buffer)
            return (Plain(self._buffer[:end]), end) if end else None
        if special.start():
            return Plain(self._buffer[: special.start()]), special.start()
        read = self._readers.get(self._buffer[0], self._address)
        return read(is_end=is_end or len(self._buffer) > MAX_HELD)

    def _escaped(self, *, is_end: bool) -> tuple[Piece, int] | None:
        return (Plain(self._buffer[:2]), 2) if len(self._buffer) > 1 or is_end else None

    # -- code

    def _code(self, *, is_end: bool) -> tuple[Piece, int] | None:
        ticks = _TICKS.match(self._buffer)
        assert ticks is not None
        run = ticks.group()
        if ticks.end() == len(self._buffer) and not is_end:
            return None
        if len(run) >= 3 and not self._before.rpartition("\n")[2].strip(" >-*\t"):
            self._fence = run
            return Code(run), len(run)
        close = regex.compile(rf"(?<!`){run}(?!`)").search(self._buffer, ticks.end())
        blank = self._buffer.find("\n\n")
        if close is not None and not 0 <= blank < close.start():
            if close.end() == len(self._buffer) and not is_end:
                return None  # a further backtick would make it another run
            return Code(self._buffer[: close.end()]), close.end()
        if is_end or blank >= 0 or len(self._buffer) > _MAX_SPAN:
            return Plain(run), len(run)
        return None

    def _block(self, *, is_end: bool) -> tuple[Piece, int] | None:
        """Lines of a code block up to the one that closes it."""
        end = self._buffer.find("\n") + 1
        if not end:
            if not is_end:
                return None
            end = len(self._buffer)
        line = self._buffer[:end]
        body = line.strip()
        is_opening = not self._before.endswith("\n")
        if not is_opening and body and set(body) == {"`"} and len(body) >= len(self._fence):
            self._fence = ""
        return Code(line), end

    # -- what leads out

    def _picture(self, *, is_end: bool) -> tuple[Piece, int] | None:
        match = _PICTURE.match(self._buffer, partial=not is_end)
        if match is None:
            return Plain("!"), 1
        if match.partial or (match.end() == len(self._buffer) and not is_end):
            return None
        end = match.end()
        following = self._buffer[end : end + 1]
        if following in ("(", "["):
            tail = (_LINK_TAIL if following == "(" else _REFERENCE).match(self._buffer, end, partial=not is_end)
            if tail is not None and tail.partial:
                return None
            end = end if tail is None else tail.end()
        return Marks(()), end

    def _tag(self, *, is_end: bool) -> tuple[Piece, int] | None:
        link = _AUTOLINK.match(self._buffer, partial=not is_end)
        if link is not None and link.partial:
            return None
        if link is not None:
            return Plain(shown(link[1], self._addresses)), link.end()
        tag = _TAG.match(self._buffer, partial=not is_end)
        if tag is not None and tag.partial:
            return None
        if tag is None:  # an open tag that is never closed loses what makes it one
            return Plain("" if _ACTIVE.match(self._buffer) else "<"), 1
        is_kept = "=" not in tag.group() and not _ACTIVE.match(tag.group())
        return Plain(tag.group() if is_kept else ""), tag.end()

    def _address(self, *, is_end: bool) -> tuple[Piece, int] | None:
        end = _ADDRESS_ENDS.search(self._buffer)
        if end is None and not is_end and len(self._buffer) < MAX_HELD:
            return None
        match = _ADDRESS.match(self._buffer)
        if match is None:
            return Plain(self._buffer[:1]), 1
        return Plain(shown(match.group(), self._addresses)), match.end()

    # -- marks and links

    def _round(self, *, is_end: bool) -> tuple[Piece, int] | None:
        match = ROUND.match(self._buffer, partial=not is_end)
        if match is None:
            return Plain("("), 1
        if match.partial:
            return None
        numbers = numbers_in(match.group(), self._count)
        is_bare = "[" not in match.group() and "【" not in match.group() and "［" not in match.group()
        if is_bare and not all(1 <= number <= self._count for number in numbers):
            return Plain("("), 1
        return Marks(numbers, match.group()), match.end()

    def _bracket(self, *, is_end: bool) -> tuple[Piece, int] | None:
        mark = MARK.match(self._buffer, partial=not is_end)
        if mark is not None and (mark.partial or (mark.end() == len(self._buffer) and not is_end)):
            return None
        if mark is not None and self._is_mark(mark.group(), self._buffer[mark.end() : mark.end() + 1]):
            end = mark.end()
            if self._buffer[end : end + 1] == "(":
                tail = _LINK_TAIL.match(self._buffer, end, partial=not is_end)
                if tail is not None and tail.partial:
                    return None
                end = end if tail is None else tail.end()
            return Marks(numbers_in(mark.group(), self._count), self._buffer[:end]), end
        if self._buffer[0] != "[":
            return Plain(self._buffer[0]), 1
        return self._link(is_end=is_end, is_index=mark is not None)

    def _link(self, *, is_end: bool, is_index: bool) -> tuple[Piece, int] | None:
        match = _BRACKETS.match(self._buffer, partial=not is_end)
        if match is None:
            return Plain("["), 1
        if match.partial or (match.end() == len(self._buffer) and not is_end):
            return None
        if self._buffer[match.end() : match.end() + 1] == "(":
            tail = _LINK_TAIL.match(self._buffer, match.end(), partial=not is_end)
            if tail is not None and tail.partial:
                return None
            if tail is not None:
                return self._linked(match[1], tail.group(), tail.end())
        if is_index:
            self._after_code_bracket = True
            return Plain(match.group()), match.end()
        return Plain("["), 1

    def _is_mark(self, text: str, following: str) -> bool:
        if self._after_code_bracket and self._before.endswith("]"):
            return False  # the second index of the same expression
        return is_mark(text, self._before, following, self._count)

    def _linked(self, text: str, tail: str, end: int) -> tuple[Piece, int]:
        """A link that the evidence knows stays; of any other the text alone, read on as text."""
        address = tail[1:-1].split(maxsplit=1)[0].strip("<>") if tail[1:-1].strip() else ""
        if allows(address, self._addresses) and not regex.search(r"[\[\]!<]", text):
            return Plain(self._buffer[:end]), end
        self._buffer = text + self._buffer[end:]
        return Plain(""), 0


def _beginning_at_end(text: str) -> int:
    """How much of the end may be the beginning of an address."""
    tail = text[-8:].lower()
    return max((len(word) for word in _BEGINNINGS if tail.endswith(word)), default=0)
