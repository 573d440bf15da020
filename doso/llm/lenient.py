"""A reader of JSON as models write it: trailing commas, stray quotes, comments, Python's words, a cut end."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_DEPTH = 64
_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/|\#[^\n]*)*", re.DOTALL)
_PLAIN = {'"': re.compile(r'[^"\\]*'), "'": re.compile(r"[^'\\]*")}
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD = re.compile(r"[A-Za-z_]\w*")
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
#: What may follow a comma: a value, a name, or the end of the list.
_BEGINS = re.compile(r"""["'{}\[\]\d-]|(?:true|false|null|True|False|None|NaN)\b|[A-Za-z_][\w-]*\s*:""")
_HEX = re.compile(r"[0-9a-fA-F]{4}")
_MAX_DIGITS = 300
_WORDS: dict[str, object] = {
    "true": True,
    "false": False,
    "null": None,
    "True": True,
    "False": False,
    "None": None,
    "NaN": None,
    "undefined": None,
}


class NotJsonError(Exception):
    """What stands there is not even nearly JSON; `place` is how far it was read."""

    def __init__(self, place: int) -> None:
        super().__init__()
        self.place = place


@dataclass(frozen=True, slots=True)
class Parsed:
    """A value and where it ends. `is_cut`: the text ended first; then only whole items are in it.

    `has_whole_items`: the text ended within a list, and what came before is whole.
    """

    value: object
    end: int
    is_cut: bool = False
    has_whole_items: bool = False


def parse(text: str, start: int) -> Parsed:
    """The object or list that begins at `start`. Raises NotJsonError."""
    return _Parser(text).value(start, 0)


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._size = len(text)

    def value(self, place: int, depth: int) -> Parsed:
        """The value at a place where no blank stands."""
        if place >= self._size:
            return Parsed(None, place, is_cut=True)
        char = self._text[place]
        if char in "{[":
            if depth == MAX_DEPTH:
                raise NotJsonError(place)
            return self._object(place + 1, depth + 1) if char == "{" else self._list(place + 1, depth + 1)
        if char in _PLAIN:
            return self._string(place)
        return self._scalar(place)

    def _skip(self, place: int) -> int:
        found = _BLANK.match(self._text, place)
        return place if found is None else found.end()

    def _object(self, place: int, depth: int) -> Parsed:
        members: dict[str, object] = {}
        while True:
            place = self._skip(place)
            if place >= self._size:
                return Parsed(members, place, is_cut=True)
            if self._text[place] == "}":
                return Parsed(members, place + 1)
            name = self._name(place)
            place = self._skip(name.end)
            if name.is_cut or place >= self._size:
                return Parsed(members, self._size, is_cut=True)
            if self._text[place] != ":":
                raise NotJsonError(place)
            member = self.value(self._skip(place + 1), depth)
            if not member.is_cut or member.has_whole_items:
                members[str(name.value)] = member.value
            if member.is_cut:
                return Parsed(members, member.end, is_cut=True, has_whole_items=member.has_whole_items)
            place = self._after(member.end, "}")

    def _list(self, place: int, depth: int) -> Parsed:
        items: list[object] = []
        while True:
            place = self._skip(place)
            if place >= self._size:
                return Parsed(items, place, is_cut=True, has_whole_items=True)
            if self._text[place] == "]":
                return Parsed(items, place + 1)
            item = self.value(place, depth)
            if item.is_cut:
                return Parsed(items, item.end, is_cut=True, has_whole_items=True)
            items.append(item.value)
            place = self._after(item.end, "]")

    def _after(self, place: int, closing: str) -> int:
        """The place after a comma, or of what closes the container. Raises NotJsonError for anything else."""
        place = self._skip(place)
        if place >= self._size or self._text[place] == closing:
            return place
        if self._text[place] != ",":
            raise NotJsonError(place)
        return place + 1

    def _name(self, place: int) -> Parsed:
        if self._text[place] in _PLAIN:
            return self._string(place)
        found = _NAME.match(self._text, place)
        if found is None:
            raise NotJsonError(place)
        return Parsed(found.group(), found.end())

    def _string(self, place: int) -> Parsed:
        quote = self._text[place]
        pieces: list[str] = []
        place += 1
        while True:
            plain = _PLAIN[quote].match(self._text, place)
            if plain is not None:
                pieces.append(plain.group())
                place = plain.end()
            if place >= self._size:
                return Parsed(None, place, is_cut=True)
            if self._text[place] == quote:
                if self._closes(place + 1):
                    return Parsed("".join(pieces), place + 1)
                pieces.append(quote)
                place += 1
                continue
            if place + 1 >= self._size:
                return Parsed(None, self._size, is_cut=True)
            char, place = self._text[place + 1], place + 2
            digits = _HEX.match(self._text, place) if char == "u" else None
            if digits is not None:
                pieces.append(chr(int(digits.group(), 16)))
                place = digits.end()
            else:
                pieces.append(_ESCAPES.get(char, char))

    def _closes(self, place: int) -> bool:
        """Whether a quote before this place ends its string: what follows is punctuation, and after a comma a value.
        Models forget to escape the quotes in what they quote."""
        place = self._skip(place)
        if place < self._size and self._text[place] == ",":
            place = self._skip(place + 1)
            return place >= self._size or _BEGINS.match(self._text, place) is not None
        return place >= self._size or self._text[place] in ":}]"

    def _scalar(self, place: int) -> Parsed:
        number = _NUMBER.match(self._text, place)
        if number is not None and number.end() > place:
            if number.end() >= self._size:
                return Parsed(None, self._size, is_cut=True)  # more digits may have been to come
            return Parsed(_number(number.group()), number.end())
        word = _WORD.match(self._text, place)
        if word is None:
            raise NotJsonError(place)
        if word.group() in _WORDS:
            return Parsed(_WORDS[word.group()], word.end())
        if word.end() >= self._size and any(known.startswith(word.group()) for known in _WORDS):
            return Parsed(None, self._size, is_cut=True)
        raise NotJsonError(place)


def _number(text: str) -> int | float | None:
    """The number, None for one that no computer has."""
    if len(text) > _MAX_DIGITS:
        return None
    return int(text) if text.lstrip("-").isdecimal() else float(text)
