"""Text at the door and in the indexes: cleaning, folding, search tokens, token estimate."""

from __future__ import annotations

import functools
import math
import unicodedata

import regex
import Stemmer

#: Letters that no Unicode decomposition turns into their base letters.
_LETTERS = str.maketrans(
    {"ø": "o", "æ": "ae", "œ": "oe", "ß": "ss", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ħ": "h", "ŋ": "n"}
)
#: Marks that only vowel or accent a base letter in these scripts; elsewhere (kana, Indic) a mark is a letter's part.
_FOLDED_MARKS = regex.compile(
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0640"
    "\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f"
    "\ufe20-\ufe2f]"
)
_UNSTORABLE = regex.compile(r"[\p{Cs}\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_INVISIBLE = regex.compile(r"[\p{Cf}\u034f\u115f\u1160\u17b4\u17b5]")
#: Scripts written without blanks between words, or with particles glued to them: searched by pairs of characters.
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_WORD = regex.compile(rf"[{_UNSPACED}]+|[\p{{L}}\p{{M}}\p{{N}}_--[{_UNSPACED}]]+", regex.V1)
_ASCII_WORD = regex.compile(r"[a-z0-9_]+")
_RUN = regex.compile(rf"[{_UNSPACED}]+", regex.V1)
_ACRONYM = regex.compile(r"(?<![\p{L}\p{N}.])(?:\p{L}\.){2,}(?:\p{L}(?![\p{L}\p{N}]))?")
_POSSESSIVE = regex.compile(r"(?<=\p{L})['’ʼ`](?:s\b)")
_APOSTROPHE = regex.compile(r"(?<=\p{L})['’ʼ`](?=\p{L})")
_STEMMER = Stemmer.Stemmer("english")

#: Words too common to rank by; kept when a query has nothing else.
_ENGLISH_STOPWORDS = """
a an and are as at be been but by can could did do does for from had has have he her him his how i if in into is it its
me my of on or our she so that the their them they this to was we were what when where which who whom whose why will
with would you your
"""
_INDONESIAN_STOPWORDS = """
yang di ke dari dan apa siapa kapan mana saya aku kamu itu ini adalah pada untuk
"""
STOPWORDS = frozenset((_ENGLISH_STOPWORDS + _INDONESIAN_STOPWORDS).split())


def clean(text: str) -> str:
    """The text without what no store can hold: lone surrogates and control characters other than tab and newline.

    Line ends become a newline. Everything else, emoji and direction marks included, stays as it was written.
    """
    return _UNSTORABLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def fold(text: str) -> str:
    """Case, width, diacritics and invisible characters folded away; blanks collapsed; punctuation stays.

    Works for any script: marks that carry meaning (kana voicing, Indic vowels) are kept.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    flat = unicodedata.normalize("NFKC", text).replace("İ", "i").casefold()
    flat = _FOLDED_MARKS.sub("", unicodedata.normalize("NFKD", flat)).translate(_LETTERS)
    return " ".join(_INVISIBLE.sub("", unicodedata.normalize("NFC", flat)).split())


def is_blank(text: str) -> bool:
    """Whether nothing visible is left of the text."""
    return not _INVISIBLE.sub("", _UNSTORABLE.sub("", text)).strip()


def words(text: str) -> list[str]:
    """Folded words in order: dotted acronyms and apostrophes joined, possessive 's dropped, not stemmed.

    A run of an unspaced script stays one word.
    """
    joined = _ACRONYM.sub(lambda m: m.group().replace(".", ""), _POSSESSIVE.sub("", fold(text)))
    return (_ASCII_WORD if joined.isascii() else _WORD).findall(_APOSTROPHE.sub("", joined))


@functools.lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The English (Porter 2) stem of a folded word."""
    return str(_STEMMER.stemWord(word))


def search_tokens(text: str) -> list[str]:
    """What an index holds of a text and a query asks for: stems, and pairs of characters for unspaced scripts."""
    tokens: list[str] = []
    for word in words(text):
        if not word.isascii() and _RUN.fullmatch(word):
            tokens.extend(word[i : i + 2] for i in range(len(word) - 1)) if len(word) > 1 else tokens.append(word)
        else:
            tokens.append(stem(word))
    return tokens


def query_tokens(text: str, *, limit: int) -> list[str]:
    """Distinct search tokens of a question, at most `limit`, without stopwords unless it has nothing else."""
    seen = list(dict.fromkeys(search_tokens(text)))
    telling = [token for token in seen if token not in _STOPSTEMS]
    return (telling or seen)[:limit]


def token_count(text: str) -> int:
    """The token estimate used everywhere: characters by four, rounded up."""
    return math.ceil(len(text) / 4)


_STOPSTEMS = STOPWORDS | {stem(word) for word in STOPWORDS}
