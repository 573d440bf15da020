"""Names across scripts: whether a Latin spelling is a standard romanisation of another script's spelling."""

from __future__ import annotations

import functools
import itertools

import regex
from anyascii import anyascii

from doso.text import fold

_VOWELS = "[aeiouy]"
#: Letters, as keys hold them (short i and yo without their marks), with every rendering of some common romanisation.
_CYRILLIC = {
    "а": "a", "б": "b", "в": "v|w", "г": "g|h", "ґ": "g", "д": "d", "е": "e|ye|je|yo|jo|io", "є": "ye|ie|je|e",
    "ж": "zh|j|z", "з": "z", "и": "i|y|j", "і": "i", "ї": "yi|i|ji", "к": "k|c", "л": "l", "м": "m", "н": "n",
    "о": "o", "п": "p", "р": "r", "с": "s|ss", "т": "t", "у": "u|ou", "ф": "f|ph", "х": "kh|h|ch|x", "ц": "ts|c|tz",
    "ч": "ch|c|tch", "ш": "sh|s|sch", "щ": "shch|sch|sc|sht", "ъ": "|a", "ы": "y|i", "ь": "|i|y", "э": "e",
    "ю": "yu|iu|ju",
    "я": "ya|ia|ja", "ј": "j|y", "љ": "lj|ly", "њ": "nj|ny", "ћ": "c|ch", "ђ": "dj|d", "џ": "dz|dzh", "ў": "w|u",
}  # fmt: skip
_CYRILLIC_CLUSTERS = {"кс": "ks|x", "ии": "iy|y|i|ii|ij", "ыи": "yy|y|yi|ij", "еи": "ey|ei|ej|ay", "аи": "ay|ai|aj|y"}
_GREEK = {
    "α": "a", "β": "v|b", "γ": "g|y|gh", "δ": "d|dh", "ε": "e", "ζ": "z", "η": "i|e", "θ": "th", "ι": "i", "κ": "k|c",
    "λ": "l|ll", "μ": "m", "ν": "n", "ξ": "x|ks", "ο": "o", "π": "p", "ρ": "r|rh", "σ": "s|ss", "ς": "s", "τ": "t",
    "υ": "y|i|u", "φ": "f|ph", "χ": "ch|h|kh", "ψ": "ps", "ω": "o",
}  # fmt: skip
_GREEK_CLUSTERS = {
    "ου": "ou|u",
    "γγ": "ng|gg",
    "γκ": "gk|g|nk",
    "ντ": "nt|d",
    "μπ": "mp|b",
    "ευ": "ef|ev|eu",
    "αυ": "af|av|au",
}
_ARABIC = {
    "ا": "a|e|i|o|u|aa", "آ": "a|aa", "أ": "a|e|i|o|u", "إ": "i|e|a", "ب": "b", "ة": "a|ah|e|eh|at|et", "ت": "t",
    "ث": "th|s", "ج": "j|g|dj", "ح": "h", "خ": "kh|h|x", "د": "d", "ذ": "dh|z|d|th", "ر": "r", "ز": "z", "س": "s",
    "ش": "sh|ch", "ص": "s", "ض": "d|dh|z", "ط": "t", "ظ": "z|dh", "ع": "|a|e|i|o|u|aa", "غ": "gh|g", "ف": "f",
    "ق": "q|k|g", "ك": "k|c", "ک": "k|c", "ل": "l", "م": "m", "ن": "n", "ه": "h|a|eh", "و": "w|u|o|oo|ou|v",
    "ى": "a|i|y", "ي": "y|i|ee|ie|e", "ی": "y|i|ee|e", "ئ": "|i|e|y", "ء": "|a", "ؤ": "|u|o", "گ": "g", "پ": "p",
    "چ": "ch",
}  # fmt: skip
_ARABIC_ARTICLE = "(?:a[a-z]|el|ul|oul)"
#: Consonants that romanisations exchange for each other, by class; vowels and half-vowels have none.
_SKELETON = {
    **dict.fromkeys("bpfv", "1"), **dict.fromkeys("ckqgjxsz", "2"), **dict.fromkeys("dt", "3"), "l": "4",
    **dict.fromkeys("mn", "5"), "r": "6",
}  # fmt: skip
_OTHER_ALPHABET = regex.compile(r"[\p{Cyrillic}\p{Greek}\p{Arabic}]")
_LATIN = regex.compile(r"^[\p{Latin}\p{M}\p{N} ]+$")
_BLOCK_SCRIPT = regex.compile(r"^[\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}ー ]+$")


def is_romanised(a: str, b: str) -> bool:
    """Whether, of two keys in different scripts, the Latin one spells the other by standard rules, word by word."""
    if _LATIN.match(a):
        a, b = b, a
    if not (_LATIN.match(b) and _OTHER_ALPHABET.search(a)):
        return False
    theirs, ours = a.split(), b.split()
    return len(theirs) == len(ours) and all(
        _pattern(word).fullmatch(other) is not None for word, other in zip(theirs, ours, strict=True)
    )


def skeleton(key: str) -> str:
    """The consonant classes of a name in any alphabet: what its romanisations have in common."""
    plain = key if _LATIN.match(key) else fold(anyascii(key))
    classes = ("".join(_SKELETON.get(letter, "") for letter in word) for word in plain.split())
    return " ".join("".join(letter for letter, _ in itertools.groupby(word)) for word in classes)


def is_unspaced(key: str) -> bool:
    """Whether the name is in a script that puts no blanks within names, so that blanks tell nothing."""
    return _BLOCK_SCRIPT.match(key) is not None


def is_other_alphabet(key: str) -> bool:
    """Whether the name is in an alphabet that romanises letter by letter."""
    return _OTHER_ALPHABET.search(key) is not None


@functools.lru_cache(maxsize=4096)
def _pattern(word: str) -> regex.Pattern[str]:
    if regex.search(r"\p{Arabic}", word):
        return regex.compile(_arabic(word))
    letters, clusters = (
        (_GREEK, _GREEK_CLUSTERS) if regex.search(r"\p{Greek}", word) else (_CYRILLIC, _CYRILLIC_CLUSTERS)
    )
    parts: list[str] = []
    at = 0
    while at < len(word):
        pair = word[at : at + 2]
        both = "".join(f"(?:{letters.get(letter, regex.escape(letter))})" for letter in pair)
        if pair in clusters:
            parts.append(f"(?:{clusters[pair]}|{both})")
            at += 2
        else:
            parts.append(f"(?:{letters.get(word[at], regex.escape(word[at]))})")
            at += 1
    return regex.compile("".join(parts))


def _arabic(word: str) -> str:
    """Short vowels go unwritten and a consonant may be doubled; the word's own long vowels must show."""
    prefix = ""
    if word.startswith("ال") and len(word) > 3:
        prefix, word = f"(?:{_ARABIC_ARTICLE}[ -]?)?", word[2:]
    spelled = (
        f"(?P<l{i}>{_ARABIC.get(letter, regex.escape(letter))}){_doubled(letter, i)}" for i, letter in enumerate(word)
    )
    return prefix + f"(?:{_VOWELS}{{0,1}})".join(spelled)


def _doubled(letter: str, at: int) -> str:
    return "" if letter in "اآأإعويىیةه" else f"(?P=l{at})?"
