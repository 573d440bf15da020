"""Attributes: "my birthday is …", "Ana's email: …", "hobi saya …", and lines of a list that name one."""

# ruff: noqa: PLR0917 - a rule of grammar needs the line, the place, the bearer and what is known
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import regex

from ingest.extract.reading.kinds import is_diet, is_illness, is_language, is_nationality, is_occupation
from ingest.extract.reading.line import Line, Timed
from ingest.extract.reading.names import CLOSED, called_at, shown
from ingest.extract.reading.nouns import BREEDS, ORG, PERSON, PET, PLACE, PRODUCT, SPECIES, TOPIC
from ingest.extract.reading.objects import object_at
from ingest.extract.reading.phrase import Phrase
from ingest.extract.reading.predicates import Kind
from ingest.extract.reading.records import Stated, Term
from ingest.extract.reading.times import literal_day
from ingest.extract.reading.words import ADVERBS, ARTICLES, BE
from ingest.extract.reading.world import World

_LINKS = BE | {
    ":",
    "=",
    "adalah",
    "ialah",
    "itu",
    "-",
    "yaitu",
    "called",
    "falls",
    "fall",
    "on",
    "to",
    "jatuh",
    "tanggal",
    "pada",
    "now",
}
_KINDS = {
    "lives_in": Kind.PLACE,
    "from": Kind.PLACE,
    "works_at": Kind.ORG,
    "studies_at": Kind.ORG,
    "works_on": Kind.TOOL,
    "studies": Kind.TOPIC,
    "speaks": Kind.LANGUAGE,
    "likes": Kind.TOPIC,
    "dislikes": Kind.TOPIC,
    "allergic_to": Kind.TOPIC,
    "follows_diet": Kind.DIET,
    "has_condition": Kind.ILLNESS,
    "height": Kind.MEASURE,
    "weight": Kind.MEASURE,
    "age": Kind.AGE,
    "drives": Kind.THING,
    "plays": Kind.TOPIC,
    "works_as": Kind.ROLE,
    "has_pet": Kind.PET,
}
_PHONE = regex.compile(r"\+?[\d(][\d ()./-]{4,22}\d")
_MAIL = regex.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PRONOUNS = regex.compile(r"\p{L}+/\p{L}+(?:/\p{L}+)?")


def attribute_facts(clause: Timed, at: int, subject: Phrase, world: World) -> Iterator[Stated]:
    """The facts of "<bearer>'s <attribute> <link> <value>"."""
    line, whole = clause.line, clause.whole
    predicate = subject.attribute
    if not predicate or "not" in line.norms[at : at + 3] or "bukan" in line.norms[at : at + 2]:
        return
    if subject.noun in ("fur", "coat", "feathers", "bulu", "plumage", "mane") and (
        subject.term.is_me or line.norm(at) not in _LINKS
    ):
        return
    facts = tuple(subject.facts) if subject.is_sure else ()
    found: tuple[Stated, ...]
    if predicate == "named" and not subject.is_named and subject.facts:
        names = [fact.object.text for fact in valued(predicate, line, whole, at, subject, world)]
        for name in names[:1]:
            yield from rebound(subject, name, whole.span(), world)
        return
    found = tuple(valued(predicate, line, whole, at, subject, world))
    if found:
        yield from (fact for fact in facts if fact not in found)
        yield from found


def valued(predicate: str, line: Line, whole: Line, at: int, subject: Phrase, world: World) -> Iterator[Stated]:
    """The values of an attribute that stand from `at` on."""
    i = at
    while (
        line.norm(i) in _LINKS | ADVERBS
        and i < len(line)
        and not (line.norm(i) == "to" and predicate not in ("allergic_to", "birthday"))
    ):
        i += 1
    for owner in subject.terms:
        bearer = _bearer(owner, predicate)
        for term, more in _terms(predicate, line, whole, i, subject, world):
            yield Stated(bearer, predicate if predicate != "from" else "from", term, span=whole.span())
            yield from more


def rebound(subject: Phrase, name: str, span: tuple[int, int], world: World) -> Iterator[Stated]:
    """ "My sister is called Ana": what was said of "my sister" holds of Ana."""
    world.rename(subject.term, Term(name, subject.term.type, span))
    for fact in subject.facts:
        if fact.subject.text == subject.term.text:
            yield replace(fact, subject=Term(name, fact.subject.type, span))
        elif fact.object.text == subject.term.text:
            yield replace(fact, object=Term(name, fact.object.type, span))


def _bearer(owner: Term, predicate: str) -> Term:
    return replace(owner, type=PET) if predicate in ("breed", "species", "color") and not owner.is_me else owner


def _terms(
    predicate: str, line: Line, whole: Line, at: int, subject: Phrase, world: World
) -> Iterator[tuple[Term, tuple[Stated, ...]]]:
    if predicate == "birthday":
        day = literal_day(whole.text)
        if day is not None:
            yield Term(day, None, whole.span()), ()
        return
    if predicate in ("phone", "email", "pronouns"):
        pattern = {"phone": _PHONE, "email": _MAIL, "pronouns": _PRONOUNS}[predicate]
        start = line.tokens[at].start if at < len(line) else len(line.source)
        stop = line.tokens[-1].end if line.tokens else start
        match = pattern.search(line.source, start, stop)
        if match and match.start() <= start + 12:
            yield Term(match.group().strip(), None, match.span()), ()
        return
    if predicate in ("named", "nickname"):
        name = called_at(line, at)
        if name is not None and not (predicate == "named" and subject.term.is_me and line.norm(at) in CLOSED):
            yield (
                Term(shown(name.text) if name.text.islower() else name.text, None, line.span(name.start, name.end)),
                (),
            )
        return
    yield from _by_kind(predicate, line, at, world)


def _by_kind(predicate: str, line: Line, at: int, world: World) -> Iterator[tuple[Term, tuple[Stated, ...]]]:
    kind = _KINDS.get(predicate)
    if predicate == "nationality" and is_nationality(line.norm(at)):
        yield Term(shown(line.tokens[at].text), None, line.span(at, at + 1)), ()
    elif predicate.startswith("favorite_") or predicate in ("breed", "species", "color"):
        yield from _plain(line, at)
    elif predicate == "works_as":
        yield from _job(line, at)
    elif kind is not None:
        found = object_at(kind, line, at, world)
        if found is not None:
            for term in found.terms:
                yield term, tuple(fact for fact in found.facts if fact.subject == term)


def _job(line: Line, at: int) -> Iterator[tuple[Term, tuple[Stated, ...]]]:
    for term, more in _plain(line, at):
        if is_occupation(" ".join(line.norms[at:]).strip(" .!")) or is_occupation(term.text.casefold()):
            yield term, more


def _plain(line: Line, at: int) -> Iterator[tuple[Term, tuple[Stated, ...]]]:
    """A value in its own words, up to the next sign."""
    start = at
    while line.norm(start) in ARTICLES - {"another"} and start < len(line):
        start += 1
    stop = start
    while stop < len(line) and (line.tokens[stop].is_word or line.norm(stop) in ("'s", "&")) and stop - start < 10:
        if (
            line.norm(stop) in ("and", "but", "because", "which", "so", "since", "dan", "karena", "tapi", "not", "who")
            and stop > start
        ):
            break
        stop += 1
    while stop > start and line.norm(stop - 1) in ADVERBS | {"now", "too"}:
        stop -= 1
    if stop > start:
        yield Term(line.said(start, stop), None, line.span(start, stop)), ()


__all__ = [
    "BREEDS",
    "ORG",
    "PERSON",
    "PLACE",
    "PRODUCT",
    "SPECIES",
    "TOPIC",
    "attribute_facts",
    "is_diet",
    "is_illness",
    "is_language",
    "valued",
]
