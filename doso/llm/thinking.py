"""Telling a model's thinking from its answer, where both come in one text."""

from __future__ import annotations

import re
from dataclasses import dataclass

#: Tags that models put around their thinking.
_TAG = re.compile(r"</?(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_MARKS = re.compile(r"`+|\n|</?(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_LONGEST_TAG = len("</reasoning>")
_FENCE = 3


@dataclass(frozen=True, slots=True)
class Split:
    """A piece of text: what of it is thinking and what is answer."""

    reasoning: str
    text: str


class ThinkingSplitter:
    """Takes a text piece by piece; tags may be split over pieces, and count for nothing inside code.

    In JSON only a tag at the start of a line counts: inside a string it is content. Thinking that opens in the middle
    of a line and never ends was none: its text is given out again as answer.
    """

    def __init__(self) -> None:
        self._held = ""  # the end of a piece that may become a tag or a run of backticks
        self._is_thinking = False
        self._fence = 0  # backticks of the code that is open, 0 outside of code
        self._is_line_start = True
        self._has_text = False
        self._is_json = False
        self._doubtful: list[str] | None = None  # of thinking that opened in the middle of a line

    def feed(self, piece: str) -> Split:
        """What of the text so far is certain."""
        if not self._held and not self._is_thinking and self._has_text and not ("<" in piece or "`" in piece):
            if "\n" in piece:
                self._newline(piece)
            elif piece:
                self._is_line_start = False
            return Split("", piece)
        text = self._held + piece
        cut = _certain(text)
        self._held = text[cut:]
        return self._split(text[:cut])

    def finish(self) -> Split:
        """The rest."""
        text, self._held = self._held, ""
        rest = self._split(text)
        if self._is_thinking and self._doubtful:
            return Split(rest.reasoning, rest.text + "".join(self._doubtful))
        return rest

    def _split(self, text: str) -> Split:
        reasoning: list[str] = []
        answer: list[str] = []
        place = 0
        for mark in _MARKS.finditer(text):
            self._put(text[place : mark.start()], reasoning, answer)
            place = mark.end()
            found = mark.group()
            if found[0] == "<" and self._is_switch(found):
                continue
            self._put(found, reasoning, answer)
            if not self._is_thinking:
                self._code(found)
        self._put(text[place:], reasoning, answer)
        return Split("".join(reasoning), "".join(answer))

    def _is_switch(self, tag: str) -> bool:
        """Whether the tag begins or ends thinking; then it does."""
        is_closing = tag[1] == "/"
        if self._is_thinking:
            if is_closing:
                self._is_thinking, self._doubtful = False, None
            return is_closing
        is_first = self._is_line_start or not self._has_text
        if self._fence or not (is_first or (not self._is_json and not is_closing)):
            return False
        if not is_closing:
            self._is_thinking, self._doubtful = True, None if is_first else [tag]
        return True

    def _put(self, text: str, reasoning: list[str], answer: list[str]) -> None:
        if self._is_thinking:
            reasoning.append(text)
            if self._doubtful is not None:
                self._doubtful.append(text)
            return
        if not self._has_text:  # blank lines between the thinking and the answer belong to neither
            text = text.lstrip()
            self._has_text = bool(text)
            self._is_json = text[:1] in ("{", "[")
        if text:
            answer.append(text)
            if text[0] != "`" and text != "\n":
                self._is_line_start = self._is_line_start and text.isspace()

    def _code(self, mark: str) -> None:
        """Follow code: a fence from the start of a line to another, a span to as many backticks or the line's end."""
        if mark == "\n":
            self._newline(mark)
        elif self._fence >= _FENCE:
            if self._is_line_start and len(mark) >= self._fence:
                self._fence = 0
        elif self._fence:
            self._fence = 0 if len(mark) == self._fence else self._fence
        elif len(mark) < _FENCE or self._is_line_start:
            self._fence = len(mark)
        if mark[0] == "`":
            self._is_line_start = False

    def _newline(self, text: str) -> None:
        if self._fence < _FENCE:
            self._fence = 0
        self._is_line_start = not text[text.rfind("\n") + 1 :].strip()


def without_thinking(text: str) -> str:
    """A whole text without its thinking; also where only the end of the thinking is marked."""
    first = _TAG.search(text)
    if first is not None and first.group()[1] == "/":
        text = text[first.end() :]
    splitter = ThinkingSplitter()
    return splitter.feed(text).text + splitter.finish().text


def _certain(text: str) -> int:
    """How much of the text no later piece can change the meaning of."""
    end = len(text.rstrip("`"))
    opening = text.rfind("<", max(0, end - _LONGEST_TAG), end)
    if opening < 0 or ">" in text[opening:end]:
        return end
    tail = text[opening:end].lower()
    return opening if _may_be_tag(tail) else end


def _may_be_tag(tail: str) -> bool:
    return any(tag.startswith(tail) for tag in _TAGS)


_TAGS = tuple(f"<{slash}{name}>" for slash in ("", "/") for name in ("think", "thinking", "thought", "reasoning"))
