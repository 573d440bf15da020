"""Clauses with a form of their own: births, birthdays, pronouns, animals whose name follows."""

from __future__ import annotations

from dataclasses import replace

from ingest.extract.reading.animals import animal_at, pet_facts
from ingest.extract.reading.line import Line, Timed
from ingest.extract.reading.nouns import PET
from ingest.extract.reading.objects import object_at
from ingest.extract.reading.phrase import Phrase
from ingest.extract.reading.predicates import Kind
from ingest.extract.reading.records import Stated, Term
from ingest.extract.reading.said import Said
from ingest.extract.reading.times import days_of, literal_day, resolved
from ingest.extract.reading.verbphrase import VerbPhrase
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import World


def born(clause: Timed, verb: VerbPhrase, subject: Phrase, world: World) -> list[Stated]:
    """ "I was born on 3 May 1990", "born in 1990", "saya lahir tanggal 5 Mei"."""
    if verb.is_negated or not (verb.words[:2] == ("be", "born") or verb.words[0] in ("lahir", "ultah", "born")):
        return []
    day = literal_day(clause.whole.text)
    if day is None:
        year = next(
            (
                phrase.first.parts["y"]
                for phrase in clause.phrases
                if phrase.first is not None and phrase.first.kind == "year"
            ),
            None,
        )
        day = year
    if day is None or subject.is_thing:
        return []
    facts = [
        Stated(owner, "birthday", Term(day, None, clause.whole.span()), span=clause.whole.span())
        for owner in subject.terms
    ]
    at = verb.places[0] + (verb.words[0] == "be")
    if clause.line.norm(at + 1) in ("in", "di"):
        where = object_at(Kind.PLACE, clause.line, at + 2, world)
        facts += [
            Stated(owner, "from", term, span=clause.whole.span())
            for owner in subject.terms
            for term in (where.terms if where else ())
        ]
    return [*subject.facts, *facts]


def turned(clause: Timed, verb: VerbPhrase, subject: Phrase, world: World) -> list[Stated]:
    """ "Leo turns 7 on Saturday", "I turned 34 yesterday": an age, and the birthday that it tells."""
    if verb.words[0] != "turn" or verb.is_negated or verb.modal or not verb.places or subject.is_thing:
        return []
    age = object_at(Kind.AGE, clause.line, verb.places[0] + 1, world)
    if age is None:
        return []
    is_past = verb.is_past or verb.is_perfect
    point = next(
        (
            phrase.first
            for phrase in clause.phrases
            if phrase.role == "at" and phrase.first is not None and phrase.first.kind in _EXACT
        ),
        None,
    )
    days = resolved(point, world.today, is_ahead=not is_past) if point is not None else None
    found: list[Stated] = []
    for owner in subject.terms:
        found.append(
            Stated(
                owner,
                "age",
                age.terms[0],
                valid_from=None if is_past or days is None else days[0],
                span=clause.whole.span(),
            )
        )
        if days is not None and age.terms[0].text.isdecimal() and (year := days[0].year - int(age.terms[0].text)) > 0:
            born_on = Term(f"{year:04}-{days[0].month:02}-{days[0].day:02}", None, clause.whole.span())
            found.append(Stated(owner, "birthday", born_on, span=clause.whole.span()))
    return [*subject.facts, *found]


_EXACT = frozenset({"offset", "weekday", "date", "iso", "feast"})


def pronouns_used(clause: Timed, verb: VerbPhrase, subject: Phrase, world: World) -> list[Stated]:
    """ "I use they/them pronouns"."""
    at = verb.places[0] + 1 if verb.places else 0
    if verb.is_negated or verb.words[0] not in ("use", "go", "prefer") or verb.modal:
        return []
    at += clause.line.norm(at) in ("by", "the")
    if (
        at >= len(clause.line)
        or clause.line.tokens[at].kind != "slash"
        or clause.line.norm(at).split("/")[0] not in ("he", "she", "they", "ze", "xe", "it", "any")
    ):
        return []
    value = Term(clause.line.tokens[at].text, None, clause.line.span(at, at + 1))
    return [Stated(owner, "pronouns", value, span=clause.whole.span()) for owner in subject.terms]


def expect_pet(line: Line, verb: VerbPhrase, subject: Phrase, world: World) -> None:
    """ "Got a new kitten": its name may follow."""
    for at in range(len(line)):
        animal = animal_at(line, at) if line.lemma(verb.places[0] if verb.places else 0) in _GETTING else None
        if animal is not None and not verb.is_negated and not verb.modal:
            pet = Term(line.said(animal.start, animal.end), PET, line.span(animal.start, animal.end))
            world.pending = (pet, pet_facts(subject.term, pet, animal, pet.span))
            return


_GETTING = word_set("get have adopt buy own rescue punya pelihara adopsi beli")


def said_again(clause: Timed, subject: Phrase, world: World) -> Said:
    """ "… and I've been one since 2015"."""
    days = days_of(clause.phrases, world.today)
    last = next(
        (fact for fact in reversed(world.facts) if fact.subject == subject.term and fact.predicate in DATED), None
    )
    return Said(facts=[replace(last, valid_from=days.first, valid_until=days.last)]) if last is not None else Said()


DATED = word_set(
    "works_as works_at follows_diet has_condition married_to partner_of member_of studies_at ceo_of lives_in"
)
