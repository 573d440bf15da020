"""Names of organisations, places, events, products and topics, and when two spellings are one of them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import regex

from doso.records import EntityType
from graph.keys import name_key
from graph.naming.blocking import Blocks, acronym_pair, slips, sound_pair
from graph.naming.lists import abbreviations, acronyms, word_pairs, word_set
from graph.naming.places import place_id, region_names
from graph.naming.scripts import is_other_alphabet, is_romanised, is_unspaced, skeleton
from graph.naming.typos import MIN_COSINE, MIN_LETTERS, cosine, is_typo

_AND = frozenset({"and", "und", "et", "en", "og", "och"})
_SMALL_WORD = regex.compile(
    r"^(?:of|the|and|for|in|on|at|to|a|d[eu]r?|des|den|und|et|l[ae]s?|los|y|e|d[aio]|del|dan|van|von)$"
)
_DETERMINER = regex.compile(r"^(?:my|our|your|his|her|their|its|the|this|that|an?|saya|kami|kita)$")
_NUMBER = regex.compile(r"\p{N}+")
_ROMAN = {"ii": "2", "iii": "3", "iv": "4", "vi": "6", "vii": "7", "viii": "8", "ix": "9", "xi": "11", "xii": "12"}
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
#: Letters of a name without digits, below which two words run together may be another word.
MIN_JOINED = 5
MAX_ACRONYM = 8


@dataclass(frozen=True, slots=True)
class ThingName:
    """A thing's name taken apart. `core` is its folded words without article and legal form."""

    name: str
    key: str
    type: EntityType
    core: tuple[str, ...]
    forms: frozenset[str]  # legal forms
    region: str  # what follows the comma of a place
    numbers: tuple[str, ...]
    is_generic: bool
    letters: frozenset[str]  # first letters of its words, with and without the small ones and the legal form

    @property
    def plain(self) -> str:
        return " ".join(self.core)

    @property
    def joined(self) -> str:
        return "".join(self.core)


@functools.lru_cache(maxsize=16384)
def read_thing(name: str, type: EntityType) -> ThingName:
    """Take a thing's name apart by the rules of its type."""
    key = name_key(name)
    region = ""
    if type is EntityType.PLACE and "," in name:
        _, _, after = name.partition(",")
        region = _region(name_key(after))
    ampersand = regex.sub(r"\s*[&＆+]\s*(?=\p{L})", " and ", name) if type is EntityType.ORG else name
    words = name_key(regex.split(",", ampersand)[0] if region else ampersand).split() or [key]
    whole = words
    words, forms = _without_legal_form(words) if type is EntityType.ORG else (words, frozenset())
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    words = _expanded(words, type)
    if type in (EntityType.TOPIC, EntityType.PRODUCT):
        words = [*words[:-1], singular(words[-1])]
    core = tuple("and" if word in _AND and 0 < i < len(words) - 1 else word for i, word in enumerate(words))
    return ThingName(
        name, key, type, core, forms, region, _numbers(words), is_generic(name), _letters(whole) | _letters(words)
    )


def is_generic(name: str) -> bool:
    """Whether this is a word for a kind of thing ("the bank", "my office"), not a name."""
    words = name_key(name).split()
    while len(words) > 1 and _DETERMINER.match(words[0]):
        words = words[1:]
    if len(words) > 1 and _DETERMINER.match(words[-1]):
        words = words[:-1]
    return len(words) == 1 and bool({words[0], singular(words[0])} & word_set("generic_words"))


def thing_certain(thing: ThingName) -> frozenset[str]:
    """Keys of spellings of the same name: without article, legal form and abbreviation."""
    if thing.is_generic:
        return frozenset({thing.key, f"generic {thing.plain}"})
    return frozenset({thing.key, f"{thing.plain}, {thing.region}" if thing.region else thing.plain})


def thing_blocks(thing: ThingName) -> Blocks:
    """Blocking keys of a thing's name."""
    shared = set(thing_certain(thing))
    if thing.is_generic:
        return Blocks.of(shared)
    shared.add(f"joined {thing.joined}")
    if thing.type is EntityType.PLACE:
        place = place_id(thing.name)
        shared |= {f"place {place}"} if place else set()
    for i, word in enumerate(thing.core):
        rest = " ".join((*thing.core[:i], "_", *thing.core[i + 1 :]))
        shared |= {f"typo {rest} {part}" for part in slips(word, MIN_LETTERS - 1)}
    pairs = [acronym_pair(letters, is_acronym=True) for letters in _own_acronym(thing)]
    pairs += [acronym_pair(letters, is_acronym=False) for letters in _acronyms_for(thing)]
    sound = skeleton(thing.plain)
    if len(sound) > 1:
        pairs.append(sound_pair(" ".join((sound, *thing.numbers)), is_foreign=is_other_alphabet(thing.key)))
    return Blocks.of(shared).with_pairs(*pairs)


def same_thing(a: ThingName, b: ThingName) -> str | None:
    """Why two names are one thing's, or None."""
    if a.is_generic or b.is_generic:
        return "variant" if a.is_generic and b.is_generic and a.plain == b.plain else None
    if a.region != b.region or (a.forms and b.forms and not (a.forms <= b.forms or b.forms <= a.forms)):
        return None
    if a.core == b.core or (a.numbers == b.numbers and _is_joined(a, b)):
        return "variant"
    if _same_place(a, b) or is_acronym(a, b) or is_acronym(b, a):
        return "near"
    return "near" if a.numbers == b.numbers and (_is_romanised(a, b) or _is_mistyped(a, b)) else None


def _is_joined(a: ThingName, b: ThingName) -> bool:
    """ "You Tube" and "YouTube", "GPT-4" and "GPT4": one string without the blanks."""
    return a.joined == b.joined and (len(a.joined) >= MIN_JOINED or bool(a.numbers) or is_unspaced(a.key))


def _is_romanised(a: ThingName, b: ThingName) -> bool:
    has_two_alphabets = is_other_alphabet(a.key) != is_other_alphabet(b.key)
    return has_two_alphabets and len(skeleton(a.plain)) > 1 and is_romanised(a.plain, b.plain)


def is_acronym(short: ThingName, full: ThingName) -> bool:
    """Whether the first letters of the full name make the short one; a well-known acronym has its own names only."""
    letters = short.joined
    if not _own_acronym(short) or len(full.core) < 2:
        return False
    known = acronyms(short.type.value).get(letters)
    if known is not None:
        return any(full.plain == read_thing(name, short.type).plain for name in known)
    return short.type is EntityType.ORG and len(letters) > 2 and letters in full.letters


def _own_acronym(thing: ThingName) -> tuple[str, ...]:
    """The name itself where it may be an acronym."""
    if len(thing.core) != 1 and not all(len(word) == 1 for word in thing.core):
        return ()
    return (thing.joined,) if thing.joined.isalpha() and 2 <= len(thing.joined) <= MAX_ACRONYM else ()


def _acronyms_for(thing: ThingName) -> frozenset[str]:
    """Acronyms that may stand for the name; in other types than ORG only those that everybody knows."""
    if len(thing.core) < 2:
        return frozenset()
    known = _known_acronyms(thing.type).get(thing.plain, frozenset())
    if thing.type is not EntityType.ORG:
        return known
    return known | {letters for letters in thing.letters if letters.isalpha() and 2 < len(letters) <= MAX_ACRONYM}


@functools.cache
def _known_acronyms(type: EntityType) -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for acronym, fulls in acronyms(type.value).items():
        for full in fulls:
            found.setdefault(read_thing(full, type).plain, set()).add(acronym)
    return {plain: frozenset(short) for plain, short in found.items()}


def singular(word: str) -> str:
    """The singular of an English noun, as far as its spelling tells."""
    irregular = word_pairs("plurals").get(word)
    if irregular:
        return irregular
    if len(word) < 4 or not word.isascii() or word.endswith(("ss", "us", "is", "ics", "as", "os")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "xes", "sses", "zzes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def _same_place(a: ThingName, b: ThingName) -> bool:
    """Two names of one well-known place; a name within the other is a part of it or its surroundings."""
    if a.type is not EntityType.PLACE or a.region or _is_part(a, b) or _is_part(b, a):
        return False
    ours, theirs = place_id(a.name), place_id(b.name)
    return ours is not None and ours == theirs


def _is_part(a: ThingName, b: ThingName) -> bool:
    return a.joined in b.joined if is_unspaced(a.key) else set(a.core) <= set(b.core)


def _is_mistyped(a: ThingName, b: ThingName) -> bool:
    if len(a.core) != len(b.core):
        return False
    pairs = [(x, y) for x, y in zip(a.core, b.core, strict=True) if x != y]
    return len(pairs) == 1 and is_typo(*pairs[0], of_person=False) and cosine(a.plain, b.plain) >= MIN_COSINE


def _letters(words: Sequence[str]) -> frozenset[str]:
    """The first letters of the words, all and without the small ones."""
    telling = [word for word in words if not _SMALL_WORD.match(word)]
    return frozenset("".join(word[0] for word in some) for some in (words, telling) if len(some) > 1)


def _without_legal_form(words: list[str]) -> tuple[list[str], frozenset[str]]:
    known, generic, forms = word_set("legal_forms"), word_set("generic_words"), set()
    rest = [_GLUED_FORMS.sub("", word) or word for word in words] if is_unspaced("".join(words)) else list(words)
    while len(rest) > 1 and rest[-1] in known and " ".join(rest[:-1]) not in generic:
        forms.add(_FORM_SYNONYMS.get(rest[-1], rest[-1]))
        rest.pop()
    while len(rest) > 1 and _LEADING_FORM.match(rest[0]) and " ".join(rest[1:]) not in generic:
        forms.add(_FORM_SYNONYMS.get(rest[0], rest[0]))
        rest.pop(0)
    return rest, frozenset(forms)


_GLUED_FORMS = regex.compile(
    r"^(?:株式会社|有限会社|合同会社|주식회사)|(?:株式会社|有限会社|合同会社|股份有限公司|有限公司|주식회사)$"
)
_FORM_SYNONYMS = {"incorporated": "inc", "corporation": "corp", "limited": "ltd", "company": "co", "cos": "co"}
_LEADING_FORM = regex.compile(r"^(?:pt|cv|ooo|oao|zao|ооо|оао|зао|пао|ао|ип|ud|firma|perum)$")


def _expanded(words: list[str], type: EntityType) -> list[str]:
    if len(words) < 2:
        return words
    known = abbreviations(type.value)
    found = [known.get(word, word) for word in words]
    if type in (EntityType.PLACE, EntityType.ORG, EntityType.EVENT):
        found = ["saint" if word in ("st", "ste") and i < len(found) - 1 else word for i, word in enumerate(found)]
    return found


def _region(key: str) -> str:
    return region_names().get(key, key)


def _numbers(words: list[str]) -> tuple[str, ...]:
    found: list[str] = []
    for i, word in enumerate(words):
        found.extend(_NUMBER.findall(word))
        if i and word in _ROMAN:
            found.append(_ROMAN[word])
        elif word in _ORDINALS:
            found.append(str(_ORDINALS.index(word) + 1))
    return tuple(found)
