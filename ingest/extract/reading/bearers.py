"""People, animals and belongings as objects."""

from __future__ import annotations

from graph.names import name_key
from ingest.extract.reading.animals import animal_at, pet_facts
from ingest.extract.reading.kinds import BELONGINGS, COLOURS, VEHICLES
from ingest.extract.reading.line import Line
from ingest.extract.reading.names import CLOSED, called_at, is_person_word, is_place, name_at, shown
from ingest.extract.reading.nouns import MODIFIERS, PERSON, PET, PRODUCT, bond_of
from ingest.extract.reading.object import OPEN, Object
from ingest.extract.reading.phrases import owned_at, phrase_at
from ingest.extract.reading.records import Term
from ingest.extract.reading.words import ARTICLES, MY, NUMBER_WORDS, STOPS
from ingest.extract.reading.world import World


def read_relative(line: Line, at: int, world: World) -> Object | None:
    """ "a sister named Ana", "two sons, Leo and Max": whom one has, by name."""
    start = at
    while start < len(line) and line.norm(start) in OPEN | MODIFIERS | NUMBER_WORDS.keys() | {"orang", "only"}:
        start += 1
    if start >= len(line) or bond_of(line.norm(start)) is None or world.speaker is None:
        return None
    phrase = owned_at(line, start, world.speaker, world)
    return (
        Object(phrase.terms, phrase.end, phrase.facts)
        if phrase is not None and phrase.is_named and phrase.facts
        else None
    )


def _is_only_place(name: str) -> bool:
    """Whether the world knows a place, and nobody a person, of this name."""
    return is_place(name) and not any(is_person_word(word) for word in name_key(name).split())


def read_person(line: Line, at: int, world: World) -> Object | None:
    phrase = phrase_at(line, at, world)
    if phrase is None or phrase.is_thing or phrase.is_unclear or phrase.attribute is not None:
        return None
    if not phrase.is_sure or any(term.type is not PERSON for term in phrase.terms):
        return None
    if not phrase.noun and any(_is_only_place(term.text) for term in phrase.terms):
        return None
    if not phrase.is_named and phrase.facts == () and phrase.noun == "":
        return None
    return Object(phrase.terms, phrase.end, phrase.facts)


def read_thing(line: Line, at: int, world: World) -> Object | None:
    """A belonging: a product by its name, or a vehicle, house or instrument."""
    start = at
    is_owned = False
    while line.norm(start) in OPEN | MY | {
        "new",
        "second-hand",
        "used",
        "own",
        "old",
        "brand-new",
        "little",
        "his",
        "her",
        "their",
        "saya",
        "the",
    }:
        is_owned = is_owned or line.norm(start) in MY
        start += 1
    while line.norm(start) in COLOURS and start + 1 < len(line) and line.tokens[start + 1].is_capital:
        start += 1
    stop = start
    while stop < len(line) and line.tokens[stop].is_word and line.norm(stop) not in STOPS and stop - start < 6:
        stop += 1
    if stop == start:
        return None
    words = line.norms[start:stop]
    is_name = line.tokens[start].is_capital and (name_at(line, start) is not None)
    number = words[0] in NUMBER_WORDS or words[0].isdecimal()
    is_belonging = words[-1] in BELONGINGS or (words[0] in BELONGINGS and len(words) < 4)
    is_typed_small = world.is_lower and start > at and words[0] in VEHICLES
    if (number or not (is_name or is_belonging)) and not is_typed_small:
        return None
    if is_name and start == at and is_place(line.said(start, stop)):
        return None
    return Object((Term(line.said(start, stop), PRODUCT, line.span(start, stop)),), stop)


def read_pet(line: Line, at: int, world: World) -> Object | None:
    """ "a beagle called Biscuit", "two cats, Miso and Nori"; without a name there is nothing to know them by."""
    subject = world.speaker
    start = at
    while line.norm(start) in OPEN | ARTICLES | NUMBER_WORDS.keys() | {
        "new",
        "little",
        "old",
        "small",
        "big",
        "rescue",
        "young",
        "cute",
        "pet",
        "black",
        "white",
        "ginger",
        "lovely",
        "baby",
    }:
        start += 1
    animal = animal_at(line, start) or animal_at(line, start + 1)
    if animal is None or subject is None or (animal.start > start and line.norm(start) in CLOSED):
        return None
    end = animal.end
    while line.norm(end) in (
        ",",
        "named",
        "called",
        "bernama",
        "nama",
        "dia",
        "-",
        ":",
        "whose",
        "name",
        "is",
        "yang",
    ) and end < len(line):
        end += 1
    if end == animal.end:
        return None
    terms: list[Term] = []
    while True:
        name = called_at(line, end)
        if name is None:
            break
        terms.append(Term(name.text if not world.is_lower else shown(name.text), PET, line.span(name.start, name.end)))
        end = name.end
        if line.norm(end) in ("and", "dan", "&", ",") and end + 1 < len(line):
            end += 1 + (line.norm(end) == "," and line.norm(end + 1) == "and")
            continue
        break
    for term in terms:
        world.name(term)
    facts = tuple(fact for term in terms for fact in pet_facts(subject, term, animal, term.span)[1:])
    return Object(tuple(terms), end, facts) if terms else None
