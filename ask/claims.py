"""What a sentence states, as far as words show it: names, numbers, negated words, what it is about."""

# ruff: noqa: SIM905 - word lists read best as text

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from ask.dates import month_number
from doso.text import STOPWORDS, fold, search_tokens, stem
from graph.naming.lists import english_words, is_known_person_word

_CAPITALISED = regex.compile(r"(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{M}\p{N}]*(?:['’-]\p{L}[\p{L}\p{M}]*)*")
_SENTENCE_START = regex.compile(r"(?:^|[.!?:;\n]\s+|^[\s\-*•>#\d.)]+|[\"“«(]\s*)$")
_NUMBER = regex.compile(r"\d+(?:[.,:]\d+)*")
_AS_SUBJECT = regex.compile(
    r"['’]s\b| (?:and )?\p{Lu}\p{Ll}| \p{Ll}+(?:s|ed)\b| (?:did|had|lebt|wohnt|hat|ist|tinggal|adalah)\b"
)
_DAY = regex.compile(
    r"\b(\d{1,2})(?:st|nd|rd|th)?\.?(?: of)? (\p{L}{3,})|\b(\p{L}{3,})\.? (\d{1,2})(?:st|nd|rd|th)?\b(?!:)"
)
_ORDINAL = regex.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b(?! (?:of )?\p{Lu})")
_ISO_DAY = regex.compile(r"\b\d{4}-(\d{2})-(\d{2})")
#: Names of months beside those that questions are read for.
_MONTHS = {"januar": 1, "februar": 2, "märz": 3, "mai": 5, "juni": 6, "juli": 7, "oktober": 10, "dezember": 12}
_MONTHS |= {"janvier": 1, "février": 2, "mars": 3, "avril": 4, "juin": 6, "juillet": 7, "août": 8, "septembre": 9}
_MONTHS |= {"octobre": 10, "novembre": 11, "décembre": 12, "enero": 1, "febrero": 2, "marzo": 3, "abril": 4}
_MONTHS |= {"mayo": 5, "junio": 6, "julio": 7, "septiembre": 9, "octubre": 10, "noviembre": 11, "diciembre": 12}
_MONTHS = {fold(name): number for name, number in _MONTHS.items()}
_SCALE = regex.compile(r"\s*(million|juta|thousand|ribu|billion|miliar|k|m)\b", regex.IGNORECASE)
_SCALES = {"million": 6, "juta": 6, "m": 6, "thousand": 3, "ribu": 3, "k": 3, "billion": 9, "miliar": 9}
_GROUPED = regex.compile(r"\d{1,3}(?:[.,]\d{3})+")
_CLOCK = regex.compile(r"0*(\d{1,2}):(\d{2})(?::\d{2})?")
_HALF_DAY = regex.compile(r"\s*([ap])\.?m\b", regex.IGNORECASE)
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
_NUMBER_WORDS |= {
    word: str(number)
    for number, word in enumerate("nol satu dua tiga empat lima enam tujuh delapan sembilan sepuluh".split())
}
_NUMBER_WORDS |= {"once": "1", "twice": "2", "seminggu": "1", "sebulan": "1"}
_NEGATION = regex.compile(
    r"\b(?:not|never|no longer|no|nor|neither|without|cannot|\p{L}+n['’]t|tidak|bukan|belum|tak|nggak|gak|tanpa|jangan"
    r"|nicht|kein\w*|nie)\b"
)
_CLAUSE_END = regex.compile(r"[,;:.!?()]|\bbut\b|\bbut also\b|\btetapi\b|\btapi\b|\baber\b")
#: Content words after a negation that it denies: the first says what is not so.
_DENIED = 1
#: Words that are written with a capital and name nobody.
_NO_NAMES = frozenset(
    "i im ive you your yours he she it we they my his her our their this that these those the a an there here yes no "
    "mr mrs ms dr prof pak bu ibu bapak mas mbak tante om kak kakak adik sir madam st jl jalan street road "
    "monday tuesday wednesday thursday friday saturday sunday senin selasa rabu kamis jumat sabtu minggu ahad "
    "am pm utc gmt wib ok okay etc eg ie rp idr usd eur gbp sgd aud km kg cm "
    "ich du er sie es wir ihr dia ia kami kita mereka elle il ils nous vous ella el ellos".split()
)
_GERMAN = frozenset("der die das und ist ein eine einen nicht mit für dem den auf im am von zu wohnt hat".split())
#: Function words that only one of these languages has.
_TELLING = {
    "en": frozenset("the is are were of and to for with from have she they it her his this that you your".split()),
    "id": frozenset("yang di ke dari dan ini itu adalah untuk dengan pada tidak sudah akan dia".split()),
    "de": _GERMAN | frozenset("sie er es wir ihr sein wird bei nach".split()),
}
#: English ones that other languages have too.
_ENGLISH_TOO = frozenset("in at on a an was i me my we".split())
_UNCASED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Arabic}\p{Hebrew}\p{Devanagari}]")
_STOPSTEMS = STOPWORDS | {stem(word) for word in STOPWORDS}


@dataclass(frozen=True, slots=True)
class Stated:
    """A sentence or an item taken apart. `names` and `starters` are stems by the word as written; a starter stands
    first in its sentence and may be no name. `numbers` are all forms of each number."""

    tokens: frozenset[str]
    content: frozenset[str]
    names: dict[str, str]
    starters: dict[str, str]
    numbers: dict[str, frozenset[str]]
    days: frozenset[tuple[int, int]]
    ordinals: frozenset[int]  # days without a month: "the 28th"
    denied: frozenset[str]
    languages: frozenset[str]


def prepare() -> None:
    """Read the lists of names and words, a third of a second when they are first asked for."""
    _is_person("nina", "")


def stated(text: str) -> Stated:
    """Take a text apart."""
    tokens = frozenset(_with_months(search_tokens(text)))
    names, starters = _names(text)
    numbers = dict(_numbers(text))
    content = frozenset(token for token in tokens if token not in _STOPSTEMS and not token.isdecimal())
    return Stated(
        tokens, content, names, starters, numbers, _days(text), _ordinals(text), denied(text), languages_of(text)
    )


def languages_of(text: str) -> frozenset[str]:
    """What tells whether two texts can be compared by words: the languages that show, and scripts without blanks."""
    heard = set(fold(text).split())
    found = {language for language, telling in _TELLING.items() if telling & heard}
    if not found and heard & _ENGLISH_TOO:
        found = {"en"}
    return frozenset(found | ({"uncased"} if _UNCASED.search(text) else set()))


def is_noun_capitalising(text: str) -> bool:
    """Whether a capital says nothing of a name here."""
    return languages_of(text) == {"de"}


def denied(text: str) -> frozenset[str]:
    """The content words that a negation stands before."""
    folded = fold(text)
    found: set[str] = set()
    for match in _NEGATION.finditer(folded):
        rest = folded[match.end() : match.end() + 80]
        end = _CLAUSE_END.search(rest)
        clause = rest if end is None else rest[: end.start()]
        found.update([token for token in search_tokens(clause) if token not in _STOPSTEMS][:_DENIED])
    return frozenset(found)


def _month(word: str) -> int | None:
    return month_number(word) or _MONTHS.get(word)


def _days(text: str) -> frozenset[tuple[int, int]]:
    """Day and month of every date."""
    folded = fold(text)
    found = {(int(day), int(month)) for month, day in _ISO_DAY.findall(folded)}
    for day_first, month_after, month_first, day_after in _DAY.findall(folded, overlapped=True):
        month = _month(month_after or month_first)
        if month is not None:
            found.add((int(day_first or day_after), month))
    return frozenset(found)


def _ordinals(text: str) -> frozenset[int]:
    return frozenset(int(day) for day in _ORDINAL.findall(text) if int(day) <= 31)


def _is_person(word: str, following: str) -> bool:
    """Whether a word that opens a sentence is a name all the same: "Nina lives", "Mark's", but not "Will they"."""
    return is_known_person_word(word) and (word not in english_words() or _AS_SUBJECT.match(following) is not None)


def _names(text: str) -> tuple[dict[str, str], dict[str, str]]:
    names: dict[str, str] = {}
    starters: dict[str, str] = {}
    for match in _CAPITALISED.finditer(text):
        word = fold(match.group()).replace("'", "").replace("’", "")
        word = word.removesuffix("s") if match.group().endswith(("'s", "’s")) else word
        if len(word) < 2 or word in _NO_NAMES:
            continue
        month = _month(word)
        form = stem(word) if month is None else f"month:{month}"
        is_first = _SENTENCE_START.search(text[: match.start()]) is not None
        is_plain = is_first and month is None and not _is_person(word, text[match.end() : match.end() + 16])
        (starters if is_plain else names).setdefault(match.group(), form)
    return names, starters


def _with_months(tokens: list[str]) -> Iterator[str]:
    for token in tokens:
        yield token
        month = _month(token)
        if month is not None:
            yield f"month:{month}"
        if token in _NUMBER_WORDS:
            yield _NUMBER_WORDS[token]


def _numbers(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    for match in _NUMBER.finditer(text):
        yield match.group(), frozenset(_forms(match.group(), text[match.end() : match.end() + 12]))
    for word in fold(text).split():
        bare = word.strip(".,;:!?\"'()")
        if bare in _NUMBER_WORDS:
            yield bare, frozenset((_NUMBER_WORDS[bare],))


def _forms(number: str, following: str) -> Iterator[str]:
    """Every way in which the same number may be written elsewhere."""
    clock = _CLOCK.fullmatch(number)
    if clock is not None:
        hour, minute = int(clock[1]), clock[2]
        half = _HALF_DAY.match(following)
        hours = {hour} if half is None else {hour % 12 + (12 if half[1].lower() == "p" else 0)}
        hours |= {each + 12 for each in hours if each < 12} if half is None else set()
        for each in hours | {each - 12 for each in hours if each > 12}:
            yield f"{each}:{minute}"
            if minute == "00":
                yield str(each)
        return
    if _GROUPED.fullmatch(number):
        yield regex.sub(r"[.,]", "", number)
        return
    plain = number.replace(",", ".").lstrip("0") or "0"
    plain = f"0{plain}" if plain.startswith(".") else plain
    yield plain
    scale = _SCALE.match(following)
    if scale is not None and plain.count(".") <= 1:
        yield f"{float(plain) * 10 ** _SCALES[scale[1].lower()]:.0f}"
