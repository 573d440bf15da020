"""The forms in which models write marks, and how they differ from an index in code."""

# ruff: noqa: SIM905 - word lists read best as text

from __future__ import annotations

import regex

_PREFIX = r"(?:(?:sources?|citations?|cite|refs?|references?|doc|document|evidence|item|passage|fact)\s*[:#]?\s*)?"
_NUMBER = r"(?:[Ss]\s?|[#^])?[-−–]?\d{1,40}"
_BETWEEN = r"(?:\s*[,;&/]\s*|\s*[-–—]\s*|\s+and\s+|\s+)"
_INSIDE = rf"\s*{_PREFIX}{_NUMBER}(?:{_BETWEEN}{_PREFIX}{_NUMBER}){{0,30}}\s*"
_NOTE = r"(?:\s*[:|†][^\[\]【】\n]{0,80})?"
_ONE = rf"\[\[{_INSIDE}\]\]|\[(?:\[{_INSIDE}\]{_BETWEEN}?){{1,20}}\]|\[{_INSIDE}\]|\[\s*[Ss]\d{{1,6}}{_NOTE}\]"
_ONE += rf"|［{_INSIDE}］|【{_INSIDE}(?:[:†][^【】\n]{{0,80}})?】"
MARK = regex.compile(_ONE, regex.IGNORECASE)
#: Marks in round brackets, and the bare form "(S1)".
ROUND = regex.compile(
    rf"\(\s*(?:(?:{_ONE})(?:\s*[,;]?\s*(?:{_ONE})){{0,20}}|S\d{{1,6}}(?:{_BETWEEN}S?\d{{1,6}}){{0,20}})\s*\)",
    regex.IGNORECASE,
)
_NUMBERS = regex.compile(r"([-−–—]?)\s*(?:[Ss]\s?|[#^])?([-−–]?)(\d+)")
_NOTED = regex.compile(r"[\[【]\s*[Ss]?\d+\s*[:|†]")
_SAYS_MARK = regex.compile(r"[Ss]\s?\d|[a-z]{3}|[【［]")
_WORD_BEFORE = regex.compile(r"[\p{L}\p{N}_.]+$")
_MOST = 10**9
#: Names that stand before an index in code rather than before a mark.
_CODE_WORDS = frozenset(
    "arr array args argv argc buf buffer bytes cell cells char chars col cols column columns data dict elem elems "
    "element elements entries env field fields idx index input item items key keys kwargs len line lines list lists "
    "map matrix name names node nodes nums number numbers obj object output params parts path points props queue "
    "result results row rows self set slice stack str string strings sum table tab tmp token tokens tuple users val "
    "value values vec vector word words".split()
)


def numbers_in(text: str, count: int) -> tuple[int, ...]:
    """The numbers of a mark in order, ranges between known ones spelled out; -1 for what has a sign before it."""
    inside = regex.split(r"[:|†]", text)[0] if _NOTED.match(text) else text
    numbers: list[int] = []
    for dash, sign, digits in _NUMBERS.findall(inside):
        number = int(digits) if len(digits) < 10 else _MOST
        if sign or (dash and not numbers):
            number = -1
        elif dash and 1 <= numbers[-1] <= count and 1 <= number <= count:
            numbers.extend(range(numbers[-1] + 1, number))
        numbers.append(number)
    return tuple(dict.fromkeys(numbers))


def is_mark(text: str, before: str, following: str, count: int) -> bool:
    """Whether numbers in brackets are a mark. Glued to a word they may be an index in code: `a[0]`, `items[2]`."""
    if _SAYS_MARK.search(text) or text.startswith("[["):
        return True
    last = before[-1:]
    if not last.isascii() or not (last.isalnum() or last in ("_", ")")):
        return True
    found = _WORD_BEFORE.search(before)
    word = "" if found is None else found.group().strip(".")
    is_name = len(word) >= 3 and word.isalpha() and word.casefold() not in _CODE_WORDS
    is_written_so = word[1:] == word[1:].lower() or word.isupper()
    is_glued_on = following.isalnum() or following in ("_", "=", "(")
    return is_name and is_written_so and not is_glued_on and all(1 <= n <= count for n in numbers_in(text, count))
