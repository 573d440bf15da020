"""One word or noun phrase behind "is": an animal, a diet, an occupation, a nationality, a colour."""

from __future__ import annotations

from dataclasses import replace

from ingest.extract.reading.animals import animal_at, species_of
from ingest.extract.reading.kinds import (
    COLOURS,
    ORG_KINDS,
    PLACE_KINDS,
    PRODUCT_KINDS,
    condition_of,
    is_diet,
    is_nationality,
)
from ingest.extract.reading.line import Line
from ingest.extract.reading.names import CLOSED, shown
from ingest.extract.reading.nouns import BREEDS, ORG, PERSON, PET, PLACE, PRODUCT, TOPIC
from ingest.extract.reading.object import Object
from ingest.extract.reading.objects import object_at
from ingest.extract.reading.phrase import Phrase
from ingest.extract.reading.predicates import Kind
from ingest.extract.reading.records import Stated, Term
from ingest.extract.reading.words import ADVERBS, ARTICLES, STOPS
from ingest.extract.reading.world import World


def sort_of(line: Line, at: int, subject: Phrase, world: World) -> tuple[list[Stated], int] | None:
    """One word or noun phrase that says what kind of person, animal or thing it is."""
    i = at
    while line.norm(i) in ARTICLES | {
        "very",
        "really",
        "strictly",
        "totally",
        "fully",
        "lifelong",
        "proud",
        "adalah",
        "professional",
    } and i < len(line):
        i += 1
    has_article = i > at and any(line.norm(k) in ARTICLES for k in range(at, i))
    for reader in (_animal, _diet_or_condition, _nationality, _work, _sort, _colour):
        found = reader(line, i, subject, world, has_article)
        if found is not None:
            return found
    return None


def _animal(line: Line, at: int, subject: Phrase, world: World, has_article: bool) -> tuple[list[Stated], int] | None:
    i = at
    for _ in range(3):
        animal = animal_at(line, i)
        if animal is not None or i + 1 >= len(line) or line.norm(i) in STOPS:
            break
        i += 1
    animal = animal_at(line, i)
    if animal is None or subject.term.is_me or not (has_article or line.norm(0) not in ("he", "she")):
        return None
    if i > at and any(line.norm(k) in CLOSED for k in range(at, i)):
        return None
    colours = [line.norm(k) for k in range(at, i) if line.norm(k) in COLOURS]
    facts = []
    for term in subject.terms:
        pet = replace(term, type=PET)
        world.name(pet)
        facts += [Stated(pet, "color", Term(colour), span=line.span()) for colour in colours]
        if animal.breed:
            facts.append(
                Stated(
                    pet,
                    "breed",
                    Term(_as_said(line, animal.breed, i), None, line.span(i, animal.end)),
                    span=line.span(),
                )
            )
        if species_of(animal) and animal.species:
            facts.append(Stated(pet, "species", Term(animal.species, None, line.span(i, animal.end)), span=line.span()))
    return facts, animal.end


def _as_said(line: Line, breed: str, at: int) -> str:
    return line.said(at, at + len(breed.split())) if breed in BREEDS else breed


def _diet_or_condition(
    line: Line, at: int, subject: Phrase, world: World, has_article: bool
) -> tuple[list[Stated], int] | None:
    for size in (2, 1):
        phrase = " ".join(line.norms[at : at + size])
        if len(line.norms[at : at + size]) < size:
            continue
        if is_diet(phrase):
            value = Term(line.said(at, at + size), None, line.span(at, at + size))
            return [Stated(term, "follows_diet", value, span=line.span()) for term in subject.terms], at + size
        condition = condition_of(phrase)
        if condition is not None:
            ill = Term(condition, TOPIC, line.span(at, at + size))
            return [Stated(term, "has_condition", ill, span=line.span()) for term in subject.terms], at + size
    return None


def _nationality(
    line: Line, at: int, subject: Phrase, world: World, has_article: bool
) -> tuple[list[Stated], int] | None:
    if not is_nationality(line.norm(at)) or subject.is_thing:
        return None
    after = line.norm(at + 1)
    if after and after not in STOPS | {",", ".", "!", "citizen", "national", "and"} | ADVERBS:
        return None
    value = Term(shown(line.tokens[at].text), None, line.span(at, at + 1))
    end = at + 1 + (after in ("citizen", "national"))
    return [Stated(term, "nationality", value, span=line.span()) for term in subject.terms], end


def _work(line: Line, at: int, subject: Phrase, world: World, has_article: bool) -> tuple[list[Stated], int] | None:
    if line.norm(at) in ("ceo", "chief") and subject.terms:
        return _chief(line, at, subject, world)
    role = object_at(Kind.ROLE, line, at, world)
    if role is None or subject.is_thing or not subject.is_sure:
        return None
    if (
        not has_article
        and line.norm(at) not in ("ceo", "head", "director", "president")
        and line.tokens[at].is_capital
        and not line.tokens[at].text.isupper()
    ):
        return None
    facts = [Stated(term, "works_as", role.terms[0], span=line.span()) for term in subject.terms]
    end = role.end
    if line.norm(end) in ("at", "with", "for", "di"):
        where = object_at(Kind.ORG, line, end + 1, world)
        if where is not None:
            facts += [Stated(term, "works_at", org, span=line.span()) for term in subject.terms for org in where.terms]
            end = where.end
    return facts, end


def _chief(line: Line, at: int, subject: Phrase, world: World) -> tuple[list[Stated], int] | None:
    i = at
    while line.norm(i) in ("ceo", "chief", "executive", "officer") and i < len(line):
        i += 1
    if line.norm(i) not in ("of", "at"):
        return None
    found: Object | None = object_at(Kind.ORG, line, i + 1, world)
    if found is None:
        return None
    return [Stated(term, "ceo_of", org, span=line.span()) for term in subject.terms for org in found.terms], found.end


def _sort(line: Line, at: int, subject: Phrase, world: World, has_article: bool) -> tuple[list[Stated], int] | None:
    """ "a payroll startup"."""
    if not has_article or subject.term.is_me or subject.noun or not subject.terms:
        return None
    stop = at
    while stop < len(line) and line.tokens[stop].is_word and line.norm(stop) not in STOPS and stop - at < 5:
        stop += 1
    head = line.norm(stop - 1)
    type = ORG if head in ORG_KINDS else PLACE if head in PLACE_KINDS else PRODUCT if head in PRODUCT_KINDS else None
    if type is None or stop == at:
        return None
    value = Term(line.said(at, stop), None, line.span(at, stop))
    facts = [Stated(replace(term, type=type), "is_a", value, span=line.span()) for term in subject.terms]
    if (type is ORG and line.norm(stop) in ("in", "from")) or (
        line.norm(stop) == "based" and line.norm(stop + 1) == "in"
    ):
        where = object_at(Kind.PLACE, line, stop + 1 + (line.norm(stop) == "based"), world)
        if where is not None:
            facts += [
                Stated(replace(term, type=type), "located_in", where.terms[0], span=line.span())
                for term in subject.terms
            ]
    return facts, stop


def _colour(line: Line, at: int, subject: Phrase, world: World, has_article: bool) -> tuple[list[Stated], int] | None:
    if subject.term.is_me or has_article or line.norm(at) not in COLOURS:
        return None
    end = at + 1
    if line.norm(end) in ("and", "dan") and line.norm(end + 1) in COLOURS:
        end += 2
    if line.norm(end) not in STOPS | {"", ",", ".", "!"}:
        return None
    known = [world.type_of(term.text) for term in subject.terms]
    if not subject.is_thing and PERSON in known and subject.noun:
        return None
    type = PRODUCT if subject.is_thing else PET
    value = Term(line.said(at, end), None, line.span(at, end))
    return [Stated(replace(term, type=type), "color", value, span=line.span()) for term in subject.terms], end
