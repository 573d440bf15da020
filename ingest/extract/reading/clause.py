"""One clause read: its subject, its verb's frame, and the facts or withdrawals that they state."""

# ruff: noqa: PLR0911, PLR0917 - a rule of grammar returns at the first form that fits
from __future__ import annotations

from dataclasses import replace

from ingest.extract.reading.attributes import attribute_facts, rebound
from ingest.extract.reading.complements import complement_facts
from ingest.extract.reading.line import Line, Timed
from ingest.extract.reading.nouns import ORG, PLURALS, attribute_at
from ingest.extract.reading.object import Object
from ingest.extract.reading.objects import object_at
from ingest.extract.reading.pairing import is_firm, pairs_of, predicate_of, tail_pairs
from ingest.extract.reading.phrase import Phrase
from ingest.extract.reading.predicates import FRAMES, Frame, Kind, Mode
from ingest.extract.reading.preferences import preference
from ingest.extract.reading.records import Stated
from ingest.extract.reading.said import Said
from ingest.extract.reading.special import DATED, born, expect_pet, pronouns_used, said_again, turned
from ingest.extract.reading.tenses import in_time, retractions
from ingest.extract.reading.things import day_of_event, place_of_thing
from ingest.extract.reading.times import Days, days_of
from ingest.extract.reading.verbphrase import VerbPhrase, verb_phrase
from ingest.extract.reading.verbs import tense_of
from ingest.extract.reading.words import STOPS
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import World


def predicate_said(clause: Timed, at: int, subject: Phrase, world: World) -> Said:
    """What the words from `at` on say of the subject."""
    line = clause.line
    if subject.attribute is not None:
        return Said(facts=list(attribute_facts(clause, at, subject, world)))
    owned = attribute_at(line.norms, at)
    if owned is not None and owned[0] and line.norm(owned[1]) == "dia" and at > 0:
        inner = replace(subject, attribute=owned[0], noun=line.norm(at), end=owned[1] + 1)
        return Said(facts=list(attribute_facts(clause, inner.end, inner, world)))
    verb = verb_phrase(line, at)
    if verb is None:
        return Said()
    if verb.words[:2] == ("be", "one") and verb.is_perfect:
        return said_again(clause, subject, world)
    for reader in (born, turned, pronouns_used, day_of_event, preference, place_of_thing):
        found = reader(clause, verb, subject, world)
        if found:
            return Said(facts=list(found))
    said = _framed(clause, verb, subject, world)
    if said:
        return said
    expect_pet(line, verb, subject, world)
    if verb.words[0] == "be" or line.norm(at) in ("adalah", "bukan") or _is_bare_indonesian(line, at):
        return _copular(clause, at, verb, subject, world)
    return _planned(clause, verb, subject, world)


def _is_bare_indonesian(line: Line, at: int) -> bool:
    """Indonesian has no "is": "Saya guru", "Miso kucing"."""
    return 0 < at < len(line) and tense_of(line.norm(at)) is None and any(norm in _INDONESIAN for norm in line.norms)


_INDONESIAN = word_set(
    "saya kami kita dia beliau mereka itu ini adalah bukan sudah tidak bu pak mas mbak seorang seekor"
)


def _framed(clause: Timed, verb: VerbPhrase, subject: Phrase, world: World) -> Said:
    for frame in FRAMES:
        match = frame.pattern.match(verb.text)
        if not match or (frame.only_negated and not verb.is_negated):
            continue
        if frame.needs_end and not _is_bounded(clause):
            continue
        object = object_at(frame.kind, clause.line, verb.place(match.end() + 1), world)
        if object is None or not _fits(frame, subject, object, verb):
            continue
        said = stated(frame, verb, subject, object, clause, world)
        if said:
            return said
    return Said()


def _is_bounded(clause: Timed) -> bool:
    """Whether a stay is said to end: from … to, until, this week, for three days."""
    for phrase in clause.phrases:
        if phrase.role in ("span", "until", "for"):
            return True
        if (
            phrase.role == "at"
            and phrase.first is not None
            and phrase.first.kind in ("unit", "weekday", "offset", "date", "ahead")
        ):
            return phrase.first.parts.get("u") not in ("year", "tahun")
    return False


def _fits(frame: Frame, subject: Phrase, object: Object, verb: VerbPhrase) -> bool:
    """Whether subject and object may stand in this frame together."""
    if any(term.is_me for term in object.terms) and any(term.is_me for term in subject.terms):
        return False
    if frame.kind is Kind.NONE:
        return len(subject.terms) == 2 or frame.predicate == "has_condition"
    if subject.is_thing:
        return frame.predicate in (
            "located_in",
            "sells",
            "founded_by",
            "uses",
            "owns",
            "color",
            "weight",
        ) and not subject.term.text.startswith("my ")
    if not subject.is_sure:
        return (
            frame.predicate in ("located_in", "sells", "founded_by", "weight", "named", "is_a")
            or frame.kind is Kind.MEASURE
        )
    return not (frame.predicate == "located_in" and frame.kind is Kind.PLACE and subject.term.is_me)


def stated(frame: Frame, verb: VerbPhrase, subject: Phrase, object: Object, clause: Timed, world: World) -> Said:
    """The facts of a frame in the tense, negation and time in which they were said."""
    if frame.kind is Kind.RELATIVE:
        return _has_relative(verb, subject, object)
    predicate = predicate_of(frame, object, subject, verb)
    facts = [*object.facts] if not verb.is_negated and not verb.is_withdrawn else []
    more = tuple(tail_pairs(frame, subject, object, clause.line, world))
    pairs = list(pairs_of(frame, predicate, subject, object, world))
    if frame.kind is Kind.NONE and len(subject.terms) == 2:
        pairs = [(subject.terms[0], subject.terms[1])]
    if frame.predicate == "named" and not subject.is_named and verb.words[0] in ("be", "bernama", "nama"):
        names = object.terms if subject.noun in PLURALS else object.terms[:1]
        return Said(facts=[fact for name in names for fact in rebound(subject, name.text, clause.line.span(), world)])
    if frame.predicate in ("lives_in", "located_in") and is_firm(
        subject, world, is_move=frame.mode is Mode.CHANGE or verb.words[:2] == ("be", "base")
    ):
        predicate = "located_in"
        pairs = [(replace(a, type=ORG), b) for a, b in pairs]
    base = [Stated(a, predicate, b, over=object.over, span=clause.whole.span()) for a, b in pairs]
    base += [Stated(a, other, b, span=clause.whole.span()) for a, other, b in more]
    said = in_time(frame, verb, clause, base, world)
    if said.facts or said.candidates:
        said.facts[:0] = list(subject.facts)
        said.facts.extend(facts)
    elif said.corrections and subject.is_named:
        said.facts[:0] = list(subject.facts)
    return said


def _has_relative(verb: VerbPhrase, subject: Phrase, object: Object) -> Said:
    """ "I have a sister named Ida", "Femi has two sons, …": theirs who has them."""
    if verb.is_negated or verb.modal or verb.is_past or verb.is_withdrawn:
        return Said()
    owner = subject.terms[0]
    facts = []
    for fact in object.facts:
        is_turned = fact.subject not in object.terms
        facts.append(replace(fact, subject=owner) if is_turned else replace(fact, object=owner))
    return Said(facts=[*subject.facts, *facts])


def _copular(clause: Timed, at: int, verb: VerbPhrase, subject: Phrase, world: World) -> Said:
    if verb.modal:
        return Said()
    start = verb.places[0]
    while clause.line.norm(start) in ("adalah", "bukan", "tidak", "itu", "merupakan", "seorang"):
        start += 1
    is_negated = verb.is_negated or "bukan" in clause.line.norms[at:start]
    found = list(complement_facts(clause, start, subject, world))
    if not found:
        return Said()
    if verb.is_withdrawn:
        return Said(corrections=[*retractions(found, "ended", None)])
    if is_negated:
        wrong = [fact for fact in found if fact not in subject.facts]
        return Said(corrections=[*retractions(wrong, "wrong", None)])
    is_dated = not (verb.is_ahead or verb.modal)
    days = days_of(clause.phrases, world.today, is_lasting=not verb.is_past) if is_dated else Days()
    own = [fact for fact in found if fact not in subject.facts]
    if verb.is_past or verb.is_over:
        own = [
            replace(fact, valid_from=days.first, valid_until=days.last, is_ended=days.last is None)
            for fact in own
            if fact.predicate not in ("age", "named")
        ]
        return Said(facts=[*subject.facts, *own]) if own else Said()
    dated = [
        replace(fact, valid_from=days.first, valid_until=days.last) if fact.predicate in DATED else fact for fact in own
    ]
    kept = [
        fact
        for fact in subject.facts
        if fact in found or subject.is_named or subject.term in (fact.subject, fact.object)
    ]
    if any(fact.predicate in ("*bearer",) for fact in found):
        kept = []
    return Said(facts=[*(fact for fact in kept if not _is_rebound(found, subject)), *dated])


def _is_rebound(found: list[Stated], subject: Phrase) -> bool:
    """Whether the complement gave an unnamed bearer a name ("My boss is Ingrid")."""
    return (
        not subject.is_named
        and bool(subject.facts)
        and any(
            fact.predicate == subject.facts[0].predicate
            and subject.term.text not in (fact.subject.text, fact.object.text)
            for fact in found
        )
    )


def _planned(clause: Timed, verb: VerbPhrase, subject: Phrase, world: World) -> Said:
    """ "I'm going to learn Welsh": an intention that fits nothing else."""
    if not verb.is_ahead or verb.is_negated or verb.modal or not verb.places:
        return Said()
    act = object_at(Kind.ACT, clause.line, verb.places[0], world)
    if act is None or clause.line.norm(verb.places[0]) in STOPS:
        return Said()
    facts = [Stated(owner, "plans_to", act.terms[0], span=clause.whole.span()) for owner in subject.terms]
    is_soon = any(phrase.first is not None and phrase.first.kind in ("offset",) for phrase in clause.phrases)
    is_plan = "going" in clause.whole.norms or "akan" in clause.whole.norms
    return Said(facts=facts) if is_plan and not is_soon else Said(candidates=facts)
