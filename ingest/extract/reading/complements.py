"""What stands behind "is": a relation, an age, a name, an occupation, a nationality, a kind of thing."""

# ruff: noqa: PLR0911 - a rule of grammar returns at the first form that fits
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import regex

from ingest.extract.reading.kinds import is_nationality
from ingest.extract.reading.line import Line, Timed
from ingest.extract.reading.names import CLOSED, is_person_word, is_place, name_at
from ingest.extract.reading.nouns import FORMER, PET, bond_of
from ingest.extract.reading.objects import object_at
from ingest.extract.reading.phrase import Phrase
from ingest.extract.reading.phrases import phrase_at
from ingest.extract.reading.predicates import FRAMES, Kind, Mode
from ingest.extract.reading.records import Stated, Term
from ingest.extract.reading.sorts import sort_of
from ingest.extract.reading.verbs import INDONESIAN
from ingest.extract.reading.words import ADVERBS, ARTICLES, BE, STOPS, number_at
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import World

MAX_PARTS = 8


_PLURAL_BONDS = word_set("friends colleagues neighbours cousins siblings flatmates roommates teammates classmates")


_ADJECTIVES_OF_AGE = regex.compile(r"^(?P<n>[\p{L}\d]+(?:-[\p{L}]+)?)-(?P<unit>year|month|week|day)s?-old$")


_AT_WORK = word_set("colleague boss manager supervisor rekan atasan teammate")


_SKIPPED = frozenset(
    {
        "also",
        "still",
        "now",
        "only",
        "just",
        "currently",
        "about",
        "around",
        "nearly",
        "almost",
        "both",
        "actually",
        "be",
        "am",
        "is",
        "are",
    }
)


def complement_facts(clause: Timed, start: int, subject: Phrase, world: World) -> Iterator[Stated]:
    """The facts of the complements, which commas and "and" part."""
    line, at = clause.line, start
    for _ in range(MAX_PARTS):
        while line.norm(at) in _SKIPPED | {",", "and", "dan"} and at < len(line):
            at += 1
        found = _one(line, at, subject, world)
        if found is None:
            return
        facts, end = found
        yield from facts
        if end <= at or line.norm(end) not in (",", "and", "dan", "from"):
            return
        at = end


def _one(line: Line, at: int, subject: Phrase, world: World) -> tuple[list[Stated], int] | None:
    if at >= len(line):
        return None
    for reader in (_bond, _plural_bond, _measured, _framed, _aged, sort_of, _person_name):
        found = reader(line, at, subject, world)
        if found is not None:
            return found
    return None


def _bond(line: Line, at: int, subject: Phrase, world: World) -> tuple[list[Stated], int] | None:
    """ "my brother", "Mia's mother", "a cousin of Budi's", "tetangga saya"."""
    phrase = phrase_at(line, at, world)
    if phrase is not None and _is_trade(phrase) and subject.is_named and not subject.is_thing:
        world.rename(phrase.term, subject.term)
        return [_trade_of(phrase, term, line) for term in subject.terms], phrase.end
    if phrase is not None and phrase.attribute is None and phrase.facts and not phrase.is_unclear:
        if phrase.is_named:
            is_pointing = line.norm(0) in ("that", "this", "ini", "itu") or subject.is_thing
            return (list(phrase.facts), phrase.end) if is_pointing else None
        facts = [_rebound(fact, phrase.term, term) for fact in phrase.facts for term in subject.terms]
        if not subject.is_named or subject.is_thing:
            return None
        world.rename(phrase.term, subject.term)
        end = phrase.end
        if phrase.noun in _AT_WORK and line.norm(end) in ("at", "di", "from"):
            where = object_at(Kind.ORG, line, end + 1, world)
            if where is not None:
                facts += [
                    Stated(term, "works_at", org, span=line.span()) for term in subject.terms for org in where.terms
                ]
                end = where.end
        return _typed(facts, subject, phrase), end
    return _bond_of(line, at, subject, world)


def _is_trade(phrase: Phrase) -> bool:
    """Whether it is somebody's plumber or tutor: a bond without a predicate of the vocabulary."""
    owner = phrase.owner.text if phrase.owner is not None else ""
    return not phrase.is_named and not phrase.facts and bool(phrase.noun and owner) and phrase.noun not in FORMER


def _trade_of(phrase: Phrase, bearer: Term, line: Line) -> Stated:
    """ "Mara is my tutor": the noun itself is the predicate."""
    return Stated(bearer, f"{phrase.noun}_of", phrase.owner or bearer, span=line.span())


def _typed(facts: list[Stated], subject: Phrase, phrase: Phrase) -> list[Stated]:
    kept = []
    for fact in facts:
        if fact.predicate in ("species", "breed") or (fact.predicate == "has_pet"):
            one = replace(fact.subject, type=PET) if fact.predicate != "has_pet" else fact.subject
            other = replace(fact.object, type=PET) if fact.predicate == "has_pet" else fact.object
            kept.append(replace(fact, subject=one, object=other))
        else:
            kept.append(fact)
    return kept


def _rebound(fact: Stated, old: Term, new: Term) -> Stated:
    if fact.subject == old:
        return replace(fact, subject=replace(new, span=new.span))
    return replace(fact, object=new) if fact.object == old else fact


def _bond_of(line: Line, at: int, subject: Phrase, world: World) -> tuple[list[Stated], int] | None:
    """ "a friend of mine", "the sister of Ana"."""
    i = at + (line.norm(at) in ARTICLES)
    while line.norm(i) in ("good", "close", "old", "best", "distant", "dear", "new") and i < len(line):
        i += 1
    bond = bond_of(line.norm(i))
    if bond is None or not bond.predicate or line.norm(i + 1) != "of":
        return None
    if line.norm(i + 2) in ("mine", "ours") and world.speaker is not None:
        owner, end = world.speaker, i + 3
    else:
        phrase = phrase_at(line, i + 2, world)
        if phrase is None or not phrase.is_sure or phrase.is_thing:
            return None
        owner, end = phrase.term, phrase.end
    pairs = [(owner, term) if bond.is_turned else (term, owner) for term in subject.terms]
    return [Stated(a, bond.predicate, b, span=line.span()) for a, b in pairs], end


def _plural_bond(line: Line, at: int, subject: Phrase, world: World) -> tuple[list[Stated], int] | None:
    """ "Sofie and I are colleagues"."""
    i = at
    while line.norm(i) in ("good", "close", "old", "best", "great", "next-door") and i < len(line):
        i += 1
    if len(subject.terms) != 2:
        return None
    if line.norm(i) in ("married", "engaged"):
        predicate = "married_to" if line.norm(i) == "married" else "partner_of"
        return [Stated(subject.terms[0], predicate, subject.terms[1], span=line.span())], i + 1
    bond = bond_of(line.norm(i)) if line.norm(i) in _PLURAL_BONDS else None
    if bond is None or not bond.predicate:
        return None
    return [Stated(subject.terms[0], bond.predicate, subject.terms[1], span=line.span())], i + 1


def _framed(line: Line, at: int, subject: Phrase, world: World) -> tuple[list[Stated], int] | None:
    """A later complement that has a frame of its own: "…, from Recife", "… and allergic to nuts", "…, umur 30"."""
    if at == 0 or line.norm(at) not in INDONESIAN | {"from", "allergic", "based", "married", "fluent", "into", "dari"}:
        return None
    words = list(line.lemmas[at:])
    lead = [] if line.norm(at) in INDONESIAN else ["asal"] if line.norm(at) == "dari" else ["be"]
    text = " ".join([*lead, *words])
    for frame in FRAMES:
        match = frame.pattern.match(text)
        if not match or frame.kind is Kind.NONE or frame.mode is Mode.END:
            continue
        object = object_at(frame.kind, line, at + match.group().count(" ") + 1 - len(lead), world)
        if object is not None:
            pairs = [(a, b) for a in subject.terms for b in object.terms]
            return [Stated(a, frame.predicate, b, span=line.span()) for a, b in pairs], object.end
    return None


def _measured(line: Line, at: int, subject: Phrase, world: World) -> tuple[list[Stated], int] | None:
    """ "1.80 m tall", "5 ft 6", "72 kg"."""
    found = object_at(Kind.MEASURE, line, at, world)
    if found is None:
        return None
    text = found.terms[0].text.casefold()
    unit = regex.search(
        r"\d\s*(kgs?|kilos?|kilograms?|g|grams?|lbs?|pounds?|stones?|m|cm|metres?|meters?|ft|feet|foot|in(?:ch(?:es)?)?|['’])",
        text,
    )
    if unit is None:
        return None
    word = unit[1]
    predicate = "weight" if word[0] in ("k", "g", "l", "p", "s") else "height"
    if predicate == "height" and line.norm(found.end) in ("long", "wide", "deep", "away", "old", "from"):
        return None
    end = found.end + (line.norm(found.end) in ("tall", "high", "heavy"))
    return [Stated(term, predicate, found.terms[0], span=line.span()) for term in subject.terms], end


def _aged(line: Line, at: int, subject: Phrase, world: World) -> tuple[list[Stated], int] | None:
    """ "29", "six years old", "a four-month-old beagle"."""
    i = at + (line.norm(at) in ARTICLES)
    compound = _ADJECTIVES_OF_AGE.match(line.norm(i))
    if compound:
        count = number_at([compound["n"]], 0)
        if count is None:
            return None
        unit = compound["unit"]
        text = str(count[0]) if unit == "year" else f"{count[0]} {unit}{'s' if count[0] != 1 else ''}"
        rest = sort_of(line, i + 1, subject, world) if i + 1 < len(line) else None
        is_animal = rest is not None and any(fact.predicate in ("breed", "species") for fact in rest[0])
        terms = [replace(term, type=PET) if is_animal else term for term in subject.terms]
        ages = [Stated(term, "age", Term(text, None, line.span(i, i + 1)), span=line.span()) for term in terms]
        return (ages + (rest[0] if rest else []), rest[1] if rest else i + 1)
    found = object_at(Kind.AGE, line, at, world)
    if (
        found is None
        or subject.is_thing
        or (line.norm(at) == "one" and line.norm(at + 1) not in ("year", "today", "now"))
    ):
        return None
    is_english = any(norm in BE for norm in line.norms)
    if not is_english and "tahun" not in line.norms[at : found.end] and "umur" not in line.norms:
        return None
    after = line.norm(found.end)
    if after and after not in STOPS | ADVERBS | {",", ".", "!", "and", "dan", "old", ";", "today", ")"}:
        return None
    return [Stated(term, "age", found.terms[0], span=line.span()) for term in subject.terms], found.end


def _person_name(line: Line, at: int, subject: Phrase, world: World) -> tuple[list[Stated], int] | None:
    """ "I'm Rafael", "my dentist is Dr. Okafor"."""
    is_unnamed = not subject.is_named and bool(subject.noun)
    if not (subject.term.is_me or is_unnamed) or len(subject.terms) > 1:
        return None
    name = name_at(line, at, is_lower=world.is_lower)
    if name is None or line.norm(at) in CLOSED:
        return None
    words = [line.norm(k) for k in range(name.start, name.end)]
    if world.is_lower and not is_person_word(words[0]):
        return None
    after = line.norm(name.end)
    if after and after not in STOPS | {",", ".", "!", "(", ";", ")"} | ADVERBS:
        return None
    if subject.term.is_me and (
        is_nationality(words[0])
        or (len(words) == 1 and not name.is_sure)
        or (is_place(name.text) and not is_person_word(words[0]))
    ):
        return None
    term = Term(name.text, None, line.span(name.start, name.end))
    if subject.term.is_me:
        return [Stated(subject.term, "named", term, span=line.span())], name.end
    bearer = Term(name.text, subject.term.type, term.span)
    world.rename(subject.term, bearer)
    if _is_trade(subject):
        return [_trade_of(subject, bearer, line)], name.end
    return [_rebound(fact, subject.term, bearer) for fact in subject.facts], name.end
