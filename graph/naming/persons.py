"""Names of people and pets: what is a title, an initial or a suffix, and when two spellings are one bearer."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import regex

from doso.text import fold
from graph.keys import name_key
from graph.naming.lists import family_names, full_names, given_names
from graph.naming.scripts import is_other_alphabet, is_romanised, is_unspaced, skeleton
from graph.naming.typos import MIN_COSINE, MIN_LETTERS, cosine, is_typo

#: Titles, folded; those in one group are one title, and titles of different groups of `_GENDERED` contradict.
_TITLES = {
    word: line.split()[0]
    for line in (
        "mr mister herr monsieur m senor sr. sig signor signore pak bapak pa mas bang kang tuan dhr don sri shri",
        "mrs madame mme frau senora sra signora bu ibu bunda nyonya ny mevrouw mw",
        "ms miss mlle mademoiselle fraulein senorita srta mbak mba neng nona nn smt kumari",
        "dr doctor doktor doc dokter drg drh docteur dra", "prof professor profesor", "ir insinyur ing", "sir", "dame",
        "lord", "lady", "rev reverend pastor pdt romo father", "hon honorable", "capt captain kapten", "col colonel",
        "gen general jenderal", "lt lieutenant", "sgt sergeant", "president presiden", "haji h hj hajah", "ustadz ustad",
        "kak kakak", "om uncle paman", "tante aunt auntie bibi", "coach", "kyai gus", "sheikh shaikh syekh", "mx",
    )
    for word in line.split()
}  # fmt: skip
_GENDERED = (frozenset({"mr"}), frozenset({"mrs", "ms"}))
_TRAILING_TITLES = frozenset(
    [
        "san",
        "sama",
        "kun",
        "chan",
        "sensei",
        "ji",
        "bey",
        "hanim",
        "phd",
        "md",
        "esq",
        "mba",
        "msc",
        "bsc",
        "dds",
        "jd",
        "cpa",
    ]
)
_GLUED_TITLES = regex.compile(r"(?:さん|さま|様|氏|君|くん|ちゃん|先生|님|씨|先輩)$")
_SUFFIXES = {
    "sr": "sr", "senior": "sr", "jr": "jr", "junior": "jr", "ii": "2", "iii": "3", "iv": "4", "2nd": "2", "3rd": "3",
}  # fmt: skip
_HANDLE = regex.compile(r"^@[\p{L}\p{N}._-]+$")
_MAIL = regex.compile(r"^[^\s@]+@[^\s@]+\.[^\s@]+$")
_ROLE_BOXES = frozenset(
    [
        "info",
        "admin",
        "office",
        "mail",
        "contact",
        "hello",
        "support",
        "sales",
        "team",
        "noreply",
        "no-reply",
        "postmaster",
        "billing",
        "jobs",
        "hr",
        "press",
    ]
)
#: Words that make a phrase about a person, not a name.
_RELATION = regex.compile(
    r"^(?:my|our|your|his|her|their|the|a|an|some|another)\s|^\p{L}[\p{L} .-]*['’]s\s+\p{Ll}|\s(?:saya|aku|gue|gw|kami|kita|nya|of|from|at)(?:\s|$)",
    regex.IGNORECASE,
)
_DOTTED = regex.compile(r"(?<!\p{L})(\p{L})\.(?=\s|\p{L}|$)")


@dataclass(frozen=True, slots=True)
class PersonName:
    """A person's name taken apart. `tokens` are its folded words without title and suffix, given name first."""

    key: str
    tokens: tuple[str, ...]
    titles: frozenset[str]
    suffix: str
    is_phrase: bool = False  # "my sister", "Ana's mother": no name at all
    is_handle: bool = False

    @property
    def joined(self) -> str:
        return "".join(self.tokens)


@functools.lru_cache(maxsize=16384)
def read_person(name: str) -> PersonName:
    """Take a person's name apart."""
    key, text = name_key(name), name.strip()
    if _MAIL.match(text) or _HANDLE.match(text):
        return _address(text, key)
    if _RELATION.search(text):
        return PersonName(key, (key,), frozenset(), "", is_phrase=True)
    last, comma, first = text.partition(",")
    if comma and first.strip() and _word(first.split()[0]) not in _SUFFIXES | _TITLES and "," not in first:
        if _word(first.split()[0]) not in _TRAILING_TITLES:
            text = f"{first} {last}"
    spaced = _DOTTED.sub(r"\1 ", text)
    words = [
        _word(word)
        for word in regex.split(
            r"[\s,]+", regex.sub(r"(?<=\p{L})-(?=(?:san|sama|kun|chan|sensei)\b)", " ", spaced, flags=regex.I)
        )
    ]
    words = [part for word in words for part in word.split()]
    titles, words = _split_titles(words)
    suffix = ""
    if len(words) > 1 and words[-1] in _SUFFIXES:
        suffix = _SUFFIXES[words.pop()]
    return PersonName(key, tuple(words) or (key,), titles, suffix)


def person_certain(person: PersonName) -> frozenset[str]:
    """Keys of spellings of the same name: with and without title, last name first, initials joined."""
    if person.is_phrase:
        return frozenset({person.key})
    plain = " ".join((*person.tokens, *([person.suffix] if person.suffix else ())))
    title = " ".join(sorted(person.titles))
    if len(person.tokens) == 1 and title:
        plain = f"{title} {plain}"
    elif person.is_handle and len(person.tokens) == 1:
        return frozenset({person.key})
    return frozenset({person.key, plain})


def person_blocks(person: PersonName) -> frozenset[str]:
    """Blocking keys of a person's name: by initial and last name, by full given name, by sound, by its long words."""
    found = set(person_certain(person))
    tokens = person.tokens
    if person.is_phrase:
        return frozenset(found)
    if is_unspaced(person.key):
        found.add(f"set {''.join(sorted(person.joined))}")
        return frozenset(found)
    if len(tokens) < 2:
        return frozenset(found | ({f"joined {person.joined}"} if len(person.joined) >= MIN_LETTERS else set()))
    first, last = tokens[0], tokens[-1]
    found |= {
        f"initial {first[0]} {last}",
        f"short {first} {last[0]}",
        f"joined {person.joined}",
        f"set {' '.join(sorted(tokens))}",
    }
    found |= {f"full {full} {last}" for full in (first, *full_names().get(first, ()))}
    found.add(f"sound {skeleton(' '.join(tokens))}")
    if len(last) >= MIN_LETTERS:
        found.add(f"typo {first} {last[:2]}{len(last) // 2}")
        found.add(f"typo {first} {last[:2]}{(len(last) + 1) // 2}")
    return frozenset(found)


def same_person(a: PersonName, b: PersonName) -> str | None:
    """Why two names are one bearer's: "variant", "near", "short" (a short form), "initial"; or None.

    Never decides on a bare first name.
    """
    if a.is_phrase or b.is_phrase or contradict(a, b):
        return None
    if person_certain(a) & person_certain(b):
        return "variant"
    if is_unspaced(a.key) and is_unspaced(b.key):
        return "variant" if _same_unspaced(a, b) else None
    if _same_handle(a, b):
        return "variant"
    if min(len(a.tokens), len(b.tokens)) < 2:
        return None
    if is_other_alphabet(a.key) != is_other_alphabet(b.key):
        return "near" if is_romanised(" ".join(a.tokens), " ".join(b.tokens)) else None
    if _is_swapped(a.tokens, b.tokens):
        return "near"
    return _same_parts(a.tokens, b.tokens)


def contradict(a: PersonName, b: PersonName) -> bool:
    """Whether a generation or a title tells two names apart."""
    if a.suffix != b.suffix:
        return True
    mine, theirs = _GENDERED
    return bool((a.titles & mine and b.titles & theirs) or (a.titles & theirs and b.titles & mine))


def clash(a: PersonName, b: PersonName) -> bool:
    """Whether two spelled-out names can't be one person's: same last name, given or middle names that differ."""
    if contradict(a, b):
        return True
    if a.is_phrase or b.is_phrase or min(len(a.tokens), len(b.tokens)) < 2 or a.tokens[-1] != b.tokens[-1]:
        return False
    return _same_parts(a.tokens, b.tokens) is None and not _is_nested(a.tokens, b.tokens)


def is_vaguer(a: PersonName, b: PersonName) -> bool:
    """Whether a says less than b of the same person: an initial, a short form or no middle name."""
    first_a, first_b = a.tokens[0], b.tokens[0]
    if len(first_a) == 1 < len(first_b) or first_b in full_names().get(first_a, ()):
        return True
    return first_a == first_b and len(a.tokens) < len(b.tokens)


def first_name_of(person: PersonName) -> str:
    """The name by which others may call this person in talk: the given name, or the last one behind a title."""
    return person.tokens[0]


def calls(short: PersonName, full: PersonName) -> bool:
    """Whether a bare first name (or a title with a last name) may mean the bearer of a full name."""
    if short.is_phrase or full.is_phrase or len(short.tokens) != 1 or len(full.tokens) < 2 or short.suffix:
        return False
    if contradict(short, PersonName(full.key, full.tokens, full.titles, "")):
        return False
    word = short.tokens[0]
    if short.titles:
        return (word == full.tokens[-1] and (not full.titles or short.titles <= full.titles)) or word == full.tokens[0]
    return word == full.tokens[0] or full.tokens[0] in full_names().get(word, ())


def _same_parts(a: tuple[str, ...], b: tuple[str, ...]) -> str | None:
    if a[-1] != b[-1]:
        return _same_with_other_last(a, b)
    if not _middles_fit(a[1:-1], b[1:-1]):
        return None
    first_a, first_b = a[0], b[0]
    if first_a == first_b:
        return "near" if len(a) == len(b) and len(first_a) > 1 else "initial"
    if len(first_a) == 1 or len(first_b) == 1:
        return "initial" if first_a[0] == first_b[0] and len(a[-1]) > 1 else None
    short_for = full_names()
    if first_b in short_for.get(first_a, ()) or first_a in short_for.get(first_b, ()):
        return "short"
    is_slip = is_typo(first_a, first_b, of_person=True) and cosine(" ".join(a), " ".join(b)) >= MIN_COSINE
    return "near" if is_slip else None


def _same_with_other_last(a: tuple[str, ...], b: tuple[str, ...]) -> str | None:
    """Last names that differ: one of them an initial, or letters of it changed places."""
    if a[:-1] != b[:-1] or len(a[0]) < 3:
        return None
    if len(a[-1]) == 1 or len(b[-1]) == 1:
        return "initial" if a[-1][0] == b[-1][0] else None
    is_swap = len(a[-1]) == len(b[-1]) and is_typo(a[-1], b[-1], of_person=True)
    return "near" if is_swap and cosine(" ".join(a), " ".join(b)) >= MIN_COSINE else None


def _middles_fit(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Middle names agree letter for letter as far as both go, and only initials may be missing."""
    if len(a) == len(b):
        return all(x == y or (x[0] == y[0] and 1 in (len(x), len(y))) for x, y in zip(a, b, strict=True))
    rest = a if not b else b if not a else ("long",)
    return all(len(word) == 1 for word in rest)


def _is_nested(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    return a[0] == b[0] and a[-1] == b[-1] and (not a[1:-1] or not b[1:-1])


def _is_swapped(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """ "Tanaka Kenji" and "Kenji Tanaka", where one word is only ever a family name and the other a given one."""
    if len(a) != 2 or a != b[::-1]:
        return False
    families, givens = family_names(), given_names()
    kinds = [(word in families, word in givens) for word in a]
    return sorted(kinds) == [(False, True), (True, False)]


def _same_unspaced(a: PersonName, b: PersonName) -> bool:
    if a.joined == b.joined:
        return True
    for split, whole in ((a, b), (b, a)):
        if len(split.tokens) == 2 and 1 in map(len, split.tokens) and split.tokens[1] + split.tokens[0] == whole.joined:
            return True
    return False


def _same_handle(a: PersonName, b: PersonName) -> bool:
    """ "@lizstone" for "Liz Stone": the words run together, long enough to be no accident."""
    is_one = a.is_handle != b.is_handle and a.joined == b.joined
    return is_one and len(a.joined) >= MIN_LETTERS and max(len(a.tokens), len(b.tokens)) > 1


def _address(text: str, key: str) -> PersonName:
    local = text.partition("@")[0] if not text.startswith("@") else text[1:]
    words = [part for part in regex.split(r"[._\-]+", fold(local.partition("+")[0])) if part]
    if not words or fold(local) in _ROLE_BOXES or any(word in _ROLE_BOXES for word in words):
        return PersonName(key, (key,), frozenset(), "", is_handle=True)
    return PersonName(key, tuple(words), frozenset(), "", is_handle=True)


def _split_titles(words: list[str]) -> tuple[frozenset[str], list[str]]:
    titles: set[str] = set()
    while len(words) > 1 and words[0] in _TITLES and (len(words[0]) > 1 or len(words) > 2):
        titles.add(_TITLES[words.pop(0)])
    while len(words) > 2 and words[-1] in _TRAILING_TITLES:
        words.pop()
    if words and is_unspaced("".join(words)):
        last = _GLUED_TITLES.sub("", words[-1])
        if len("".join(words[:-1]) + last) >= 3 and last != words[-1]:
            words = [*words[:-1], last] if last else words[:-1]
    return frozenset(titles), words


def _word(word: str) -> str:
    return name_key(word) if word.strip(".,;:!?\"'()") else ""
