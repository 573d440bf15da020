"""Replies in the JSON form that the client asked for: passed on as they are written, without a fence around them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import regex

from ask.wish import Wish
from doso.errors import InvalidInput

_FENCE = regex.compile(r"\s*```[a-zA-Z]*[ \t]*\n?")
_MAX_OPENING = 24
_END = "```"


class ClientJson:
    """One reply. What may be the fence at its end is held back."""

    def __init__(self) -> None:
        self._opening: str | None = ""
        self._is_fenced = False
        self._tail = ""

    def feed(self, text: str) -> str:
        """The part of the object that came."""
        if self._opening is not None:
            self._opening += text
            match = _FENCE.match(self._opening, partial=True)
            if (
                match is not None
                and (match.partial or match.end() == len(self._opening))
                and len(self._opening) < _MAX_OPENING
            ):
                return ""
            self._is_fenced = match is not None and not match.partial
            text = self._opening[match.end() :] if self._is_fenced and match is not None else self._opening
            self._opening = None
        if not self._is_fenced:
            return text
        return self._before_end(text)

    def finish(self) -> str:
        """What is left without the fence."""
        text = self._tail if self._opening is None else self._opening
        return text.rstrip().removesuffix(_END).rstrip() if self._is_fenced else text

    def _before_end(self, text: str) -> str:
        """Hold back the blanks and backticks at the end."""
        text = self._tail + text
        kept = len(text.rstrip("` \n\t\r"))
        self._tail = text[kept:]
        return text[:kept]


def json_without_model(wish: Wish, answer: str, marks: Sequence[str]) -> str:
    """The answer as a JSON object. Raises InvalidInput where the client's schema would need a model to fill it."""
    if wish.shape is not None:
        raise InvalidInput("A reply by a JSON schema needs a model, and none is configured.", param="response_format")
    return json.dumps({"answer": answer, "citations": list(marks)}, ensure_ascii=False)
