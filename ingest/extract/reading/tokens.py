"""A text as tokens: words with their plain form, spoken contractions taken apart, slips of the keyboard mended."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import regex

from doso.text import fold
from ingest.extract.reading.nouns import ATTRIBUTES, OTHER_PEOPLE, RELATIONS, SPECIES
from ingest.extract.reading.spelling import mended
from ingest.extract.reading.words import CLITICS, CONTRACTED, SLANG

MAX_TOKENS = 4_000

_TOKEN = regex.compile(
    r"(?P<mail>[\w.+-]++@[\w-]++(?:\.[\w-]++)+)"
    r"|(?P<url>(?:https?://|www\.)\S++)"
    r"|(?P<date>\d{4}-\d\d-\d\d(?!\d))"
    r"|(?P<phone>\+\d[\d ()-]{5,20}\d|\(?\d{2,5}\)?[ -]\d{3,4}[ -]?\d{3,5}(?!\d)|\d{9,14}(?!\d))"
    r"|(?P<slash>\p{L}{1,12}/\p{L}{1,12}(?:/\p{L}{1,12})?)"
    r"|(?P<number>\d++(?:[.,:]\d++)*+(?:st|nd|rd|th)?+(?!\p{L}))"
    r"|(?P<title>(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Ir|Drs|H|Hj)\.(?=\s))"
    r"|(?P<initials>(?<!\p{L})(?:\p{Lu}\.){2,})"
    r"|(?P<initial>(?<!\p{L})\p{Lu}\.(?=\s+\p{Lu}))"
    r"|(?P<word>[\p{L}\p{N}][\p{L}\p{M}\p{N}]*+(?:[\p{Cf}]*+[-'’.][\p{L}\p{N}][\p{L}\p{M}\p{N}]*+)*+(?:\+\+|#)?)"
    r"|(?P<heart>[\u2764\u2665\U0001F60D\U0001F970\U0001F49A-\U0001F49C\U0001F496\U0001F495])"
    r"|(?P<break>\n+)"
    r"|(?P<sign>[^\s\p{Cf}\uFE0F])"
)
_APOSTROPHE = regex.compile(r"['’]")
#: Indonesian possessors that are glued to their noun.
_OWNERS = {"ku": "saya", "nya": "dia", "mu": "kamu"}


@dataclass(frozen=True, slots=True)
class Token:
    """One word or sign. `norm` is its plain form that the grammar reads, `text` what was written."""

    text: str
    norm: str
    start: int
    end: int
    kind: str = "word"

    @property
    def is_word(self) -> bool:
        return self.kind in _WORDS

    @property
    def is_capital(self) -> bool:
        """Whether it is written as names are: with a capital, or in a script that has none."""
        first = self.text[:1]
        return self.kind in _NAMELIKE and (
            first.isupper() or first.istitle() or not (first.islower() or first.isdigit())
        )


_WORDS = frozenset({"word", "initials", "number", "title", "initial", "slash", "date", "mail", "phone", "url", "heart"})
_NAMELIKE = frozenset({"word", "initials", "title", "initial"})


def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of a text, at most MAX_TOKENS."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        found.extend(_read(match))
        if len(found) >= MAX_TOKENS:
            break
    return tuple(found[:MAX_TOKENS])


def _read(match: regex.Match[str]) -> list[Token]:
    kind, text, start = match.lastgroup or "sign", match.group(), match.start()
    if kind == "heart":
        return [Token(text, "love", start, match.end(), kind)]
    if kind != "word":
        return [
            Token(
                text,
                fold(text).rstrip(".") if kind in ("title", "initial") else text.casefold(),
                start,
                match.end(),
                kind,
            )
        ]
    plain = _APOSTROPHE.sub("'", text).casefold()
    if plain in CONTRACTED:
        return _apart(text, CONTRACTED[plain].split(), start)
    for clitic, full in CLITICS.items():
        if plain.endswith(clitic) and len(plain) > len(clitic):
            head = text[: len(text) - len(clitic)]
            return [*_word(head, start), Token(text[len(head) :], full, start + len(head), match.end())]
    return _word(text, start)


def _apart(text: str, norms: list[str], start: int) -> list[Token]:
    """The words that one written word stands for; the letters go to the first, the rest to the last."""
    cut = min(max(1, len(text) - 2), len(text) - 1) if len(text) > 1 else 1
    first = Token(text[:cut], norms[0], start, start + cut)
    rest = [Token(text[cut:], norm, start + cut, start + len(text)) for norm in norms[1:]]
    return [first, *rest]


def _word(text: str, start: int) -> list[Token]:
    norm = fold(_APOSTROPHE.sub("'", text))
    norm = SLANG.get(norm, norm)
    if " " in norm:
        return _apart(text, norm.split(), start)
    for ending, owner in _OWNERS.items():
        stem = norm.removesuffix(ending)
        if stem != norm and len(stem) > 2 and (SLANG.get(stem, stem)) in _nouns():
            cut = len(text) - len(ending)
            return [
                Token(text[:cut], SLANG.get(stem, stem), start, start + cut),
                Token(text[cut:], owner, start + cut, start + len(text)),
            ]
    is_plain = text[:1].islower() or start == 0
    return [Token(text, mended(norm) if is_plain else mended(norm, is_name_likely=True), start, start + len(text))]


@functools.cache
def _nouns() -> frozenset[str]:
    return frozenset({*RELATIONS, *ATTRIBUTES, *SPECIES, *OTHER_PEOPLE}) - {"laki"}
