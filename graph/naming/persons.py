"""Names of people and pets: what is a title, an initial or a suffix, and when two spellings are one bearer."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import regex

from doso.text import fold
from graph.keys import name_key
from graph.naming.blocking import Blocks, initial_pair, slips, sound_pair
from graph.naming.lists import family_names, full_names, given_names, titles, word_set
from graph.naming.scripts import is_other_alphabet, is_romanised, is_unspaced, skeleton
from graph.naming.typos import MIN_COSINE, MIN_LETTERS, cosine, is_typo

#: Titles of which a person bears those of one set only.
_GENDERED = (frozenset({"mr"}), frozenset({"mrs", "ms"}))
#: Titles that are given names elsewhere (Om Prakash Sharma): shown as written unless a full stop marks them.
_ALSO_GIVEN = frozenset({"don", "om", "bang", "gen", "pa", "mas", "kang", "hon", "ny"})
_GLUED_TITLES = regex.compile(r"(?:さん|さま|様|氏|君|くん|ちゃん|先生|님|씨|先輩)$")
_SUFFIXES = {
    "sr": "sr", "senior": "sr", "jr": "jr", "junior": "jr", "ii": "2", "iii": "3", "iv": "4", "2nd": "2", "3rd": "3",
}  # fmt: skip
_HANDLE = regex.compile(r"^@[\p{L}\p{N}._-]+$")
_MAIL = regex.compile(r"^[^\s@]+@[^\s@]+\.[^\s@]+$")
_ROLE_BOX = regex.compile(
    r"^(?:info|admin|office|mail|contact|hello|support|sales|team|no-?reply|postmaster|billing|jobs|hr|press)$"
)
#: Words that make a phrase about a person, not a name.
_RELATION = regex.compile(
    r"^(?:my|our|your|his|her|their|the|a|an|some|another)\s"
    r"|^\p{L}[\p{L} .-]*['’]s\s+\p{Ll}"
    r"|\s(?:saya|aku|gue|gw|kami|kita|nya|of|from|at)(?:\s|$)",
    regex.IGNORECASE,
)
_GLUED_DASH = regex.compile(r"(?<=\p{L})-(?=(?:san|sama|kun|chan|sensei)\b)", regex.IGNORECASE)
_HYPHENED_TITLE = regex.compile(r"(?<=\p{L}{2})-(?:san|sama|kun|chan|sensei|ji)$", regex.IGNORECASE)
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
    spaced = _DOTTED.sub(r"\1 ", _GLUED_DASH.sub(" ", _first_name_first(text)))
    words = [part for word in regex.split(r"[\s,]+", spaced) for part in _word(word).split()]
    found, words = _split_titles(words)
    suffix = ""
    if len(words) > 1 and words[-1] in _SUFFIXES:
        suffix = _SUFFIXES[words.pop()]
    return PersonName(key, tuple(words) or (key,), found, suffix)


def untitled(name: str) -> str:
    """A person's name as written, without the titles around it where two words of it remain."""
    person = read_person(name)
    words = name.split()
    if person.is_phrase or person.is_handle or len(person.tokens) < 2:
        return name
    while len(words) > 2 and _is_shown_title(words[0]):
        words = words[1:]
    while len(words) > 2 and _word(words[-1]) in word_set("trailing_titles"):
        words = words[:-1]
    words[-1] = _HYPHENED_TITLE.sub("", words[-1]).rstrip(",")
    plain = " ".join(words)
    return plain if read_person(plain).tokens == person.tokens else name


def _is_shown_title(word: str) -> bool:
    folded = _word(word)
    return folded in titles() and (folded not in _ALSO_GIVEN or word.endswith("."))


def _first_name_first(text: str) -> str:
    """ "Stone, Elizabeth" turned; "King, Jr." and "Tan, PhD" are no such thing."""
    last, comma, first = text.partition(",")
    if not comma or not first.strip() or "," in first:
        return text
    head = _word(first.split()[0])
    is_trimming = head in _SUFFIXES or head in titles() or head in word_set("trailing_titles")
    return text if is_trimming else f"{first} {last}"


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


def person_blocks(person: PersonName) -> Blocks:
    """Blocking keys of a person's name: by initials, by full given name, by sound, by its long words."""
    shared = set(person_certain(person))
    tokens = person.tokens
    if person.is_phrase:
        return Blocks.of(shared)
    if is_unspaced(person.key):
        return Blocks.of(shared | {f"set {''.join(sorted(person.joined))}"})
    if len(tokens) < 2:
        return Blocks.of(shared | ({f"joined {person.joined}"} if len(person.joined) >= MIN_LETTERS else set()))
    first, last, before = tokens[0], tokens[-1], " ".join(tokens[:-1])
    shared |= {f"joined {person.joined}", f"set {' '.join(sorted(tokens))}"}
    shared |= {f"full {full} {last}" for full in (first, *full_names().get(first, ()))}
    shared |= {f"typo {part} {last}" for part in slips(first, MIN_LETTERS - 1)}
    shared |= {f"typo {before} {part}" for part in slips(last, MIN_LETTERS)}
    # An initial stands for any name that begins so, which says nothing of two such names: only unlike forms meet.
    return Blocks.of(shared).with_pairs(
        initial_pair(f"{first[0]} {last}", is_initial=len(first) == 1),
        initial_pair(f"{before} {last[0]}.", is_initial=len(last) == 1),
        sound_pair(skeleton(" ".join(tokens)), is_foreign=is_other_alphabet(person.key)),
    )


def same_person(a: PersonName, b: PersonName) -> str | None:
    """Why two names are one bearer's: "variant", "near", "short" (a short form), "initial"; or None.

    Never decides on a bare first name.
    """
    if a.is_phrase or b.is_phrase or contradict(a, b):
        return None
    if person_certain(a) & person_certain(b) or _same_unspaced(a, b) or _same_handle(a, b):
        return "variant"
    if is_unspaced(a.key) and is_unspaced(b.key):
        return None
    return _same_full(a, b) if min(len(a.tokens), len(b.tokens)) > 1 else None


def _same_full(a: PersonName, b: PersonName) -> str | None:
    if is_other_alphabet(a.key) != is_other_alphabet(b.key):
        return "near" if is_romanised(" ".join(a.tokens), " ".join(b.tokens)) else None
    return "near" if _is_swapped(a.tokens, b.tokens) else _same_parts(a.tokens, b.tokens)


def contradict(a: PersonName, b: PersonName) -> bool:
    """Whether a generation, a number or a title tells two names apart."""
    return a.suffix != b.suffix or _numbers(a) != _numbers(b) or titles_clash(a, b)


def titles_clash(a: PersonName, b: PersonName) -> bool:
    """Whether one is a man's title and the other a woman's."""
    mine, theirs = _GENDERED
    return bool((a.titles & mine and b.titles & theirs) or (a.titles & theirs and b.titles & mine))


def _numbers(person: PersonName) -> list[str]:
    return [word for word in person.tokens if any(letter.isdigit() for letter in word)]


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
    if not (is_unspaced(a.key) and is_unspaced(b.key)):
        return False
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
    if not words or any(_ROLE_BOX.match(word) for word in (fold(local), *words)):
        return PersonName(key, (key,), frozenset(), "", is_handle=True)
    return PersonName(key, tuple(words), frozenset(), "", is_handle=True)


def _split_titles(words: list[str]) -> tuple[frozenset[str], list[str]]:
    known, found = titles(), set()
    while len(words) > 1 and words[0] in known and (len(words[0]) > 1 or len(words) > 2):
        found.add(known[words.pop(0)])
    while len(words) > 2 and words[-1] in word_set("trailing_titles"):
        words.pop()
    if words and is_unspaced("".join(words)):
        last = _GLUED_TITLES.sub("", words[-1])
        if len("".join(words[:-1]) + last) >= 3 and last != words[-1]:
            words = [*words[:-1], last] if last else words[:-1]
    return frozenset(found), words


def _word(word: str) -> str:
    return name_key(word) if word.strip(".,;:!?\"'()") else ""
