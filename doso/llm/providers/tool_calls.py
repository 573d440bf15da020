"""Putting together of the pieces of tool calls, in the many ways in which servers send them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from doso.ids import new_id
from doso.llm.chat import ToolCallDelta

MAX_TOOL_CALLS = 128


class ToolCalls:
    """Puts tool calls in order: an id, a name and a place each, whatever came."""

    def __init__(self) -> None:
        self._pieces: list[list[str]] = []  # of the arguments of each
        self._ids: list[str] = []
        self._names: list[str] = []
        self._places: dict[int, int] = {}  # the server's index to ours

    @property
    def count(self) -> int:
        return len(self._ids)

    @property
    def is_cut(self) -> bool:
        return any(not _is_json("".join(pieces)) for pieces in self._pieces)

    def read(self, calls: list[Any], *, is_whole: bool) -> Iterator[ToolCallDelta]:
        """The pieces of calls in one delta, or the whole calls of a message."""
        for call in calls:
            if isinstance(call, dict):
                function = call.get("function")
                yield from self._piece(call, function if isinstance(function, dict) else {}, is_whole=is_whole)

    def finish(self) -> Iterator[ToolCallDelta]:
        """A call without arguments gets empty ones, which clients can read."""
        for place, pieces in enumerate(self._pieces):
            if not any(piece.strip() for piece in pieces):
                pieces.append("{}")
                yield ToolCallDelta(place, "{}")

    def _piece(self, call: dict[str, Any], function: dict[str, Any], *, is_whole: bool) -> Iterator[ToolCallDelta]:
        index, arguments = call.get("index"), function.get("arguments")
        given_id, name = _text(call.get("id")), _text(function.get("name"))
        if isinstance(arguments, dict | list):
            arguments = json.dumps(arguments, ensure_ascii=False)
        piece = without_surrogates(_text(arguments))
        place = None if is_whole else self._place(index, given_id, name)
        if place is None:
            if name and self.count < MAX_TOOL_CALLS:
                place = self._open(index, given_id, name)
                self._pieces[place].append(piece)
                yield ToolCallDelta(place, piece, id=self._ids[place], name=name)
        elif piece:
            self._pieces[place].append(piece)
            yield ToolCallDelta(place, piece)

    def _place(self, index: object, given_id: str, name: str) -> int | None:
        """Which known call a piece belongs to; None for a new one."""
        if given_id and given_id in self._ids:
            return self._ids.index(given_id)
        known = self._places.get(index) if isinstance(index, int) else (self.count - 1 if self.count else None)
        return None if known is None or self._is_other(known, index, given_id, name) else known

    def _is_other(self, known: int, index: object, given_id: str, name: str) -> bool:
        """Whether a piece with the number of a known call begins another: some servers number every call 0, some none.

        A name alone does not tell: others repeat it with each piece, and make up a new id each time.
        """
        if not name:
            return False
        arguments = "".join(self._pieces[known])
        if not arguments.strip():
            return name != self._names[known]
        return _is_json(arguments) and (bool(given_id) or not isinstance(index, int))

    def _open(self, index: object, given_id: str, name: str) -> int:
        place = self.count
        self._ids.append(given_id or f"call_{new_id().replace('-', '')}")
        self._names.append(name)
        self._pieces.append([])
        if isinstance(index, int):
            self._places[index] = place
        return place


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def without_surrogates(text: str) -> str:
    """The text without halves of characters, whole pairs put together."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
