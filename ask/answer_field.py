"""Reads the `answer` of a model's JSON reply while it is still being written; a reply in plain prose is all answer.

What it gives does not depend on how the reply was cut: escapes, surrogate pairs and keys may be split anywhere.
"""

from __future__ import annotations

from enum import Enum, auto

import regex

from doso.llm.tolerant import read_json

ANSWER_KEY = "answer"
#: Keys under which other habits put the answer; read at the end, where there was no ANSWER_KEY.
_OTHER_KEYS = ("response", "text", "content", "reply", "message", "result", "output")
#: A reply that is no JSON object by here is prose; longer openings are not waited for.
_MAX_OPENING = 64
_OPENING = regex.compile(r"\s*(?:```[a-zA-Z]*\s*)?\{\s*(?:[\"']|\})")
#: An object that comes after some words, and where it may begin.
_LATER = regex.compile(rf"(?:```[a-zA-Z]*\s*)?\{{\s*\"{ANSWER_KEY}\"\s*:\s*\"")
_BRACE = regex.compile(r"[`{]")
_REPLACEMENT = "\ufffd"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/"}
_HEX = frozenset("0123456789abcdefABCDEF")
_PLAIN = regex.compile(r'[^"\\]+')
_SCALAR_END = regex.compile(r"[,}\]]")


class _In(Enum):
    """What the next character belongs to."""

    OPENING = auto()
    PROSE = auto()
    KEY_WANTED = auto()
    KEY = auto()
    COLON = auto()
    VALUE = auto()
    ANSWER = auto()
    STRING = auto()  # a string that is not the answer
    NESTED = auto()  # inside an object or list that is not the answer
    SCALAR = auto()
    AFTER_VALUE = auto()
    DONE = auto()
    ODD = auto()  # an object as no JSON is, {'answer': …}: read when it is whole


class AnswerField:
    """One reply. Feed it what comes, then finish; the texts it returns are the answer in order."""

    def __init__(self) -> None:
        self._state = _In.OPENING
        self._raw: list[str] = []
        self._opening = ""
        self._string = _StringReader()
        self._key: list[str] = []
        self._depth = 0
        self._in_nested_string = False
        self._has_answer = False

    def feed(self, text: str) -> str:
        """The part of the answer that this piece of the reply completes."""
        if self._state is _In.PROSE:
            return self._read_prose(text)
        if self._state is _In.OPENING:
            return self._open(text)
        if not self._has_answer:
            self._raw.append(text)
        return "" if self._state is _In.ODD else self._read(text)

    def finish(self) -> str:
        """What is left of the answer: the reply may be cut anywhere, or hold its answer under another name."""
        if self._state is _In.OPENING:
            return self._opening
        if self._state is _In.PROSE:
            return self._opening
        if self._state is _In.ODD:
            reply = "".join(self._raw)
            return _answer_elsewhere(reply) or reply
        if self._has_answer:
            return self._string.finish()
        return _answer_elsewhere("".join(self._raw))

    def _open(self, text: str) -> str:
        self._opening += text
        match = _OPENING.match(self._opening, partial=True)
        if match is None or (match.partial and len(self._opening) > _MAX_OPENING):
            self._state = _In.PROSE
            opening, self._opening = self._opening, ""
            return self._read_prose(opening)
        if match.partial:
            return ""
        self._raw.append(self._opening)
        if match.group().endswith("'"):
            self._state = _In.ODD
            return ""
        self._state = _In.KEY_WANTED
        return self._read(self._opening[self._opening.index("{") + 1 :])

    def _read_prose(self, text: str) -> str:
        """Prose flows; an object with an answer that comes after some words ("Here you are: {…") is read as one."""
        self._opening += text
        out = []
        while True:
            found = _BRACE.search(self._opening)
            if found is None:
                out.append(self._opening)
                self._opening = ""
                return "".join(out)
            out.append(self._opening[: found.start()])
            self._opening = self._opening[found.start() :]
            match = _LATER.match(self._opening, partial=True)
            if match is not None and match.partial and len(self._opening) <= _MAX_OPENING:
                return "".join(out)
            if match is not None and not match.partial:
                self._state = _In.KEY_WANTED
                self._raw.append(self._opening)
                return "".join([*out, self._read(self._opening[self._opening.index("{") + 1 :])])
            out.append(self._opening[:1])
            self._opening = self._opening[1:]

    def _read(self, text: str) -> str:
        out: list[str] = []
        at = 0
        while at < len(text) and self._state is not _In.DONE:
            at = self._step(text, at, out)
        return "".join(out)

    def _step(self, text: str, at: int, out: list[str]) -> int:
        """Take what belongs together from `at` on; returns where to go on."""
        state, char = self._state, text[at]
        if state is _In.ANSWER:
            at, piece, is_over = self._string.read(text, at)
            out.append(piece)
            if is_over:
                self._state = _In.DONE  # keys after the answer say nothing that is shown
            return at
        if state in (_In.KEY, _In.STRING):
            return self._string_step(text, at)
        if state is _In.NESTED:
            return self._nested_step(text, at)
        if state is _In.SCALAR:
            end = _SCALAR_END.search(text, at)
            if end is None:
                return len(text)
            self._state = _In.AFTER_VALUE
            return end.start()
        self._between(state, char)
        return at + 1

    def _string_step(self, text: str, at: int) -> int:
        at, piece, is_over = self._string.read(text, at)
        if self._state is _In.KEY:
            self._key.append(piece)
        if is_over:
            self._state = _In.COLON if self._state is _In.KEY else _In.AFTER_VALUE
        return at

    def _nested_step(self, text: str, at: int) -> int:
        if self._in_nested_string:
            at, _, is_over = self._string.read(text, at)
            self._in_nested_string = not is_over
            return at
        char = text[at]
        if char == '"':
            self._string = _StringReader()
            self._in_nested_string = True
        elif char in "{[":
            self._depth += 1
        elif char in "}]":
            self._depth -= 1
            if self._depth == 0:
                self._state = _In.AFTER_VALUE
        return at + 1

    def _between(self, state: _In, char: str) -> None:
        """A character outside of values: only structure counts, anything else is passed over."""
        if char.isspace():
            return
        if state is _In.KEY_WANTED and char == '"':
            self._string, self._key, self._state = _StringReader(), [], _In.KEY
        elif state is _In.COLON and char == ":":
            self._state = _In.VALUE
        elif state is _In.VALUE:
            self._begin_value(char)
        elif state is _In.AFTER_VALUE and char == ",":
            self._state = _In.KEY_WANTED
        elif char == "}":
            self._state = _In.DONE

    def _begin_value(self, char: str) -> None:
        if char == '"':
            self._string = _StringReader()
            self._has_answer = "".join(self._key) == ANSWER_KEY
            self._state = _In.ANSWER if self._has_answer else _In.STRING
        elif char in "{[":
            self._depth, self._state = 1, _In.NESTED
        else:
            self._state = _In.SCALAR


class _StringReader:
    """The inside of one JSON string, decoded as far as it is there."""

    def __init__(self) -> None:
        self._escape = ""  # an escape that is not whole yet, from its backslash on
        self._high = ""  # the first half of a surrogate pair

    def read(self, text: str, at: int) -> tuple[int, str, bool]:
        """From `at` on: where it stopped, the text that became whole, whether the string is over."""
        out: list[str] = []
        while at < len(text):
            if self._escape:
                out.append(self._escaped(text[at]))
                at += 1
                continue
            plain = _PLAIN.match(text, at)
            if plain is not None:
                out.append(self._unpaired())
                out.append(_without_surrogates(plain.group()))
                at = plain.end()
            elif text[at] == '"':
                return at + 1, "".join([*out, self._unpaired()]), True
            else:
                self._escape = "\\"
                at += 1
        return at, "".join(out), False

    def finish(self) -> str:
        """What a cut string still owes."""
        return self._unpaired()

    def _unpaired(self) -> str:
        if not self._high:
            return ""
        self._high = ""
        return _REPLACEMENT

    def _escaped(self, char: str) -> str:
        escape = self._escape + char
        if len(escape) == 2 and char == "u":
            self._escape = escape
            return ""
        if len(escape) == 2:
            self._escape = ""
            # a backslash before anything else is one that the model forgot to double
            return self._unpaired() + _ESCAPES.get(char, escape)
        if char not in _HEX:
            self._escape = ""
            return self._unpaired() + escape if char not in '"\\' else self._broken(char)
        self._escape = escape
        return self._code_unit(int(escape[2:], 16)) if len(escape) == 6 else ""

    def _broken(self, char: str) -> str:
        """An escape that ends too early: what stands there is kept, the character is read anew as a plain one."""
        return self._unpaired() + char

    def _code_unit(self, unit: int) -> str:
        self._escape = ""
        if 0xD800 <= unit < 0xDC00:
            before = self._unpaired()
            self._high = chr(unit)
            return before
        if 0xDC00 <= unit < 0xE000:
            if not self._high:
                return _REPLACEMENT
            pair = 0x10000 + ((ord(self._high) - 0xD800) << 10) + (unit - 0xDC00)
            self._high = ""
            return chr(pair)
        return self._unpaired() + chr(unit)


def _without_surrogates(text: str) -> str:
    return text if text.isascii() else regex.sub(r"\p{Cs}", _REPLACEMENT, text)


def _answer_elsewhere(reply: str) -> str:
    """The answer of an object that was not read on its way; "" where nothing in it is one."""
    found = read_json(reply, _answer_in)
    return "" if found is None else _without_surrogates(found.value)


def _answer_in(value: object) -> str | None:
    """The answer as text: under its own key, as a list of lines, or under another habit's key."""
    if not isinstance(value, dict):
        return None
    answer = value.get(ANSWER_KEY)
    lines = answer if isinstance(answer, list) else [answer, *(value.get(key) for key in _OTHER_KEYS)]
    told = [line for line in lines if isinstance(line, str)]
    return "\n".join(told if isinstance(answer, list) else told[:1]) or None
