"""Reads what a person states: facts, corrections, requests to forget; the one door of the grammar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import regex

from graph.names import name_key
from ingest.extract.reading.answers import as_first_person, as_statement
from ingest.extract.reading.gate import Own, own_words
from ingest.extract.reading.line import Line
from ingest.extract.reading.lists import listed
from ingest.extract.reading.names import is_person_word, is_place, name_at
from ingest.extract.reading.nouns import PERSON
from ingest.extract.reading.quotes import quotes
from ingest.extract.reading.records import Amendment, Reading, Replacement, Stated, Term, Turn
from ingest.extract.reading.said import Said
from ingest.extract.reading.segments import sentences
from ingest.extract.reading.sentence import extend, read_sentence, reporter_of
from ingest.extract.reading.tokens import tokenize
from ingest.extract.reading.world import OWNER, Known, World

MAX_FACTS = 60


MAX_EARLIER_TURNS = 6


def read(
    text: str,
    *,
    said_at: datetime | None = None,
    zone: str | None = None,
    context: Sequence[Turn] = (),
    speaker: Term | None = OWNER,
) -> Reading:
    """What the text states. `said_at` and `zone` anchor relative days; `context`: the turns before, the latest last."""
    text = text.replace("\u0000", " ")
    world = _world(text, said_at, zone, context, speaker)
    own = own_words(text)
    if own.is_empty:
        return Reading(why=own.why)
    statement = _answer(text, context)
    found = _Collected(world)
    if statement is not None:
        answer = replace_spans(_read_own(Own(statement), world), (0, len(text)))
        found.add(answer)
    else:
        found.add(_read_own(own, world))
    return found.reading(own.why)


def _world(
    text: str, said_at: datetime | None, zone: str | None, context: Sequence[Turn], speaker: Term | None
) -> World:
    today = None if said_at is None else said_at.astimezone(_zone(zone, said_at)).date()
    letters = regex.findall(r"\p{L}", text[:2_000])
    world = World(today, speaker, is_lower=not any(letter.isupper() for letter in letters))
    for number, turn in enumerate(context[-MAX_EARLIER_TURNS:], 1):
        _hear(turn, number, world)
    return world


def _zone(zone: str | None, said_at: datetime) -> tzinfo | None:
    try:
        return ZoneInfo(zone) if zone else said_at.tzinfo
    except (ZoneInfoNotFoundError, ValueError):
        return said_at.tzinfo


def _hear(turn: Turn, number: int, world: World) -> None:
    """Who is named in an earlier turn, and what it states."""
    inner = World(world.today, world.speaker)
    text = turn.text[:4_000]
    said = _read_own(Own(as_first_person(text) if turn.role == "assistant" else text), inner)
    world.sayings = (*world.sayings, *said.facts)
    for known in inner.known:
        world.earlier = [one for one in world.earlier if name_key(one.term.text) != name_key(known.term.text)]
        known.turn = number
        world.earlier.append(known)
    for name in _names(text):
        if not any(name_key(one.term.text) == name_key(name.text) for one in world.earlier):
            world.earlier.append(Known(name, turn=number))


def _names(text: str) -> Iterator[Term]:
    """Names of people anywhere in a turn."""
    line = Line(tokenize(text), text)
    at = 0
    while at < len(line):
        name = name_at(line, at)
        if name is None:
            at += 1
            continue
        words = name_key(name.text).split()
        titled = line.tokens[name.start].kind == "title"
        if titled or (
            any(is_person_word(word) for word in words)
            and not (is_place(name.text) and len(words) == 1 and not is_person_word(words[0]))
        ):
            yield Term(name.text, PERSON)
        at = name.end


def _answer(text: str, context: Sequence[Turn]) -> str | None:
    last = context[-1] if context else None
    return as_statement(text, last.text) if last is not None and last.role == "assistant" else None


class _Collected:
    """Facts and corrections as they are found, each once."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.facts: list[Stated] = []
        self.corrections: list[Amendment] = []
        self.candidates: list[Stated] = []
        self.amending: list[Stated] = []

    def add(self, said: Said) -> None:
        for fact in said.facts:
            known = next((at for at, one in enumerate(self.facts) if one.triple == fact.triple), None)
            if known is not None and self.facts[known].valid_from is None and fact.valid_from is not None:
                self.facts[known] = fact
            elif known is None and len(self.facts) < MAX_FACTS:
                self.facts.append(fact)
        self.corrections.extend(one for one in said.corrections if one not in self.corrections)
        self.amending.extend(said.amending)
        self.candidates.extend(one for one in said.candidates if one not in self.candidates)

    def reading(self, why: str) -> Reading:
        gone = {
            one.old.subject.text + one.old.predicate + one.old.object.text
            for one in self.corrections
            if isinstance(one, Replacement) and one.old.subject and one.old.object and one.old.predicate
        }
        facts = tuple(
            fact for fact in self.facts if "".join((fact.subject.text, fact.predicate, fact.object.text)) not in gone
        )
        stated = {fact.triple for fact in facts}
        return Reading(
            facts,
            tuple(self.corrections),
            tuple(one for one in self.candidates if one.triple not in stated)[:MAX_FACTS],
            why,
            tuple(one for one in self.amending if one in facts),
        )


def replace_spans(said: Said, span: tuple[int, int]) -> Said:
    """Everything at one place of another text."""

    def moved(fact: Stated) -> Stated:
        return replace(
            fact, subject=replace(fact.subject, span=span), object=replace(fact.object, span=span), span=span
        )

    return Said([moved(fact) for fact in said.facts], said.corrections, [moved(fact) for fact in said.candidates])


def _read_own(own: Own, world: World) -> Said:
    found = Said()
    text = own.text
    for quote in quotes(text):
        inner = text[quote.start : quote.end]
        if quote.who:
            extend(found, _of_another(inner, quote.start, quote.who, own.text, world))
        elif is_title_in_marks(inner):
            for mark in (quote.outer_start, quote.outer_end - 1):
                text = f"{text[:mark]} {text[mark + 1 :]}"
            continue
        text = text[: quote.outer_start] + "\u0000" * (quote.outer_end - quote.outer_start) + text[quote.outer_end :]
    rest, items = listed(text, world)
    extend(found, Said(facts=items))
    for sentence in sentences(tokenize(rest), rest):
        extend(found, read_sentence(sentence, world))
        world.facts = list(found.facts)
    return found


def is_title_in_marks(inner: str) -> bool:
    """Whether what stands between marks is a word or a title, and no speech."""
    words = inner.split()
    if regex.search(r"[.!?]", inner) or len(words) > 7:
        return False
    return len(words) <= 2 or all(word[:1].isupper() or len(word) < 4 for word in words)


def _of_another(inner: str, offset: int, who: str, source: str, world: World) -> Said:
    """Another person's words: the first person is they."""
    phrase = reporter_of(who, world)
    if phrase is None:
        return Said()
    speaker = phrase.term
    padded = " " * offset + inner
    within = World(world.today, speaker, known=list(world.known))
    said = Said()
    for sentence in sentences(tokenize(padded), padded):
        extend(said, read_sentence(sentence, within))
    world.name(speaker)
    if said:
        said.facts[:0] = phrase.facts
    return said
