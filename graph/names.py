"""Names as the graph sees them: their normal form, the keys under which variants meet, the keys to look near with."""

from __future__ import annotations

import functools
import itertools
import unicodedata
from collections.abc import Iterable

from doso.records import Entity, EntityType
from graph.keys import display_name, name_key, stored_key
from graph.naming.blocking import Blocks
from graph.naming.persons import (
    calls,
    clash,
    is_vaguer,
    person_blocks,
    person_certain,
    read_person,
    same_person,
    titles_clash,
    untitled,
)
from graph.naming.things import is_generic, read_thing, same_thing, thing_blocks, thing_certain

#: Types whose names are read as people's.
LIVING = frozenset({EntityType.PERSON, EntityType.PET})

_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Å": "Aa"})
#: Why two spellings may be one bearer's, the surest first.
LIKENESSES = ("key", "variant", "near", "short", "initial")
#: Those that hold whatever other names a person bears; a short form or an initial fits several people.
SURE = frozenset({"key", "variant", "near"})


def variants(name: str, type: EntityType) -> frozenset[str]:
    """Keys of spellings that certainly mean the same bearer: without honorific or legal form, "Last, First" turned."""
    return frozenset(key for spelling in _spellings(name) for key in _certain(spelling, type))


def blocks(name: str, type: EntityType) -> frozenset[str]:
    """Keys that a name is kept under, for near ones to find it; whether they are one is for graph.binding to say.

    Holds every variant as well.
    """
    return _keyed(type, (variants(name, type), *(found.kept for found in _blocks(name, type))))


def near_blocks(name: str, type: EntityType) -> frozenset[str]:
    """Keys that near names are kept under: each name that `same_name` takes for this one has one of them."""
    return _keyed(type, (variants(name, type), *(found.asked for found in _blocks(name, type))))


def _keyed(type: EntityType, keys: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset(f"{type.value}:{key}" for some in keys for key in some)


@functools.lru_cache(maxsize=4096)
def _blocks(name: str, type: EntityType) -> tuple[Blocks, ...]:
    return tuple(
        person_blocks(read_person(spelling)) if type in LIVING else thing_blocks(read_thing(spelling, type))
        for spelling in _spellings(name)
    )


@functools.lru_cache(maxsize=16384)
def same_name(a: str, b: str, type: EntityType) -> str | None:
    """Why two spellings are one bearer's, the surest reason that holds of LIKENESSES; None when none. Symmetric."""
    if name_key(a) == name_key(b):
        return "key"
    reasons = {_same(x, y, type) for x, y in itertools.product(_spellings(a), _spellings(b))}
    return next((likeness for likeness in LIKENESSES if likeness in reasons), None)


def _same(a: str, b: str, type: EntityType) -> str | None:
    if type in LIVING:
        return same_person(read_person(a), read_person(b))
    return same_thing(read_thing(a, type), read_thing(b, type))


def _certain(name: str, type: EntityType) -> frozenset[str]:
    return person_certain(read_person(name)) if type in LIVING else thing_certain(read_thing(name, type))


def _spellings(name: str) -> tuple[str, ...]:
    """The name as written, and with its umlauts spelled out as those write them who lack the keys."""
    spelled = unicodedata.normalize("NFC", name).translate(_UMLAUTS)
    return (name,) if spelled == unicodedata.normalize("NFC", name) else (name, spelled)


def names_clash(a: str, b: str, type: EntityType) -> bool:
    """Whether two spellings can't be one bearer's, although each resembles a third."""
    if type in LIVING:
        return clash(read_person(a), read_person(b))
    one, other = read_thing(a, type), read_thing(b, type)
    return bool(one.forms and other.forms and not (one.forms <= other.forms or other.forms <= one.forms))


def titles_differ(a: str, b: str, type: EntityType) -> bool:
    """Whether the titles of two names can't be one person's."""
    return type in LIVING and titles_clash(read_person(a), read_person(b))


def shown_name(name: str, type: EntityType) -> str:
    """What an entity is called that was first met by this name: a person's full name goes without its titles."""
    return untitled(name) if type is EntityType.PERSON else name


def giving(entity: Entity) -> frozenset[str]:
    """The spellings that an entity has its name from: the name itself, else those that it is without a title."""
    spellings = {alias.name for alias in entity.aliases}
    if entity.name in spellings:
        return frozenset({entity.name})
    return frozenset(name for name in spellings if shown_name(name, entity.type) == entity.name)


def is_vaguer_name(a: str, b: str, type: EntityType) -> bool:
    """Whether a, of two names that may be one bearer's, says less than b."""
    return type in LIVING and is_vaguer(read_person(a), read_person(b))


def may_call(short: str, full: str) -> bool:
    """Whether a bare first name, or a title with a last name, may mean the person of that full name."""
    return calls(read_person(short), read_person(full))


def is_bare(name: str) -> bool:
    """Whether a person's name is one word, with or without a title."""
    person = read_person(name)
    return not person.is_phrase and len(person.tokens) == 1


__all__ = [
    "blocks",
    "display_name",
    "giving",
    "is_bare",
    "is_generic",
    "is_vaguer_name",
    "may_call",
    "name_key",
    "names_clash",
    "near_blocks",
    "same_name",
    "shown_name",
    "stored_key",
    "titles_differ",
    "variants",
]
