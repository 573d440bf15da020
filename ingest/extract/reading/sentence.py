"""One sentence read: what kind of speech it is, its clauses, and what they state."""

# ruff: noqa: PLR0911, PLR0912 - a rule of grammar returns at the first form that fits
from __future__ import annotations

from dataclasses import replace

import regex

from graph.names import name_key
from ingest.extract.reading.asides import calls_me, reached_at
from ingest.extract.reading.clause import predicate_said
from ingest.extract.reading.contrasts import amended, misstated, substituted, without_cue
from ingest.extract.reading.forgetting import forget_target, forgotten
from ingest.extract.reading.gate import is_secret
from ingest.extract.reading.line import MAX_WORDS, Line, Timed, timed, trimmed
from ingest.extract.reading.names import is_person_word, name_at
from ingest.extract.reading.nouns import ORG, PERSON, PET
from ingest.extract.reading.phrase import Phrase
from ingest.extract.reading.phrases import phrase_at
from ingest.extract.reading.preferences import my_favourite, my_thing
from ingest.extract.reading.quotes import reported
from ingest.extract.reading.records import Replacement, Retraction, Stated, Term
from ingest.extract.reading.said import Said
from ingest.extract.reading.segments import Sentence, clauses, opens_clause
from ingest.extract.reading.sides import name_statement
from ingest.extract.reading.speech import Act, act_of, asks, hedges, orders, without_doubt, without_lead
from ingest.extract.reading.things import fronted_place
from ingest.extract.reading.tokens import tokenize
from ingest.extract.reading.verbphrase import opens_verb
from ingest.extract.reading.verbs import Tense, tense_of
from ingest.extract.reading.words import ADVERBS, BE, FIRST, OPENERS
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import World

#: Readings on the side, for contrasts and the like, in one text.
MAX_TRIALS = 600


_STRIPPED = OPENERS | frozenset({",", "so", "and", "but", "also", "then", ":", "-", "—", "great", ".", "!", "*", "•"})


def reporter_of(who: str, world: World) -> Phrase | None:
    line = Line(tokenize(who), who)
    phrase = phrase_at(line, 0, world)
    if phrase is None or phrase.is_thing or phrase.attribute is not None or phrase.term.is_me or not phrase.is_sure:
        return None
    return phrase


def extend(found: Said, more: Said) -> None:
    found.facts.extend(more.facts)
    found.corrections.extend(more.corrections)
    found.candidates.extend(more.candidates)
    found.amending.extend(more.amending)


def read_sentence(sentence: Sentence, world: World) -> Said:
    line, ender = trimmed(sentence.line), sentence.ender
    if not len(line):
        return Said()
    if labels_another(line):
        return Said()
    raw = line.said(0, len(line))
    target = forget_target(line)
    if target is not None:
        return Said(corrections=list(forgotten(target, world, lambda part: _facts_of(part, world))))
    statement = (
        [] if len(line) > MAX_WORDS else name_statement(line, world) or name_statement(without_cue(line)[0], world)
    )
    if statement and ender != "?":
        return Said(corrections=statement)
    early = misstated(line, lambda part: _facts_of(part, world)) if ender != "?" else None
    if early:
        return Said(list(early.facts), list(early.corrections))
    line, is_freed = without_lead(line)
    bare, is_cued = without_cue(line)
    if is_cued:
        bare, was_led = without_lead(bare)
        is_freed = is_freed or was_led
    act = act_of(bare, ender, raw, is_freed=is_freed)
    if act in (Act.JESTS, Act.SUPPOSES) or (act is Act.ORDERS and not _names_speaker(bare)):
        return Said()
    who = reported(sentence.line.source[bare.tokens[0].start : bare.tokens[-1].end]) if len(bare) else None
    if who is not None and act is Act.ASSERTS:
        return _reported(bare, who, ender, world)
    if ender != "?" or is_freed:
        found = amended(bare, world, lambda part: _facts_of(part, world), is_cued=is_cued)
        if found:
            for fact in found.facts:
                world.name(fact.subject)
            return Said(list(found.facts), list(found.corrections))
    if act is Act.GUESSES:
        bare = without_doubt(bare)
    said = _clauses(bare, ender, world, act, is_freed=is_freed)
    if not is_cued:
        return said
    said = _amends_context(said, world)
    if not said.corrections:
        said.amending = list(said.facts)
    return said


def labels_another(line: Line) -> bool:
    """Whether a name and a colon lead: "Ana: I live in Rome" is a line of a chat, and Ana's word."""
    name = name_at(line, 0)
    if name is None or line.norm(name.end) != ":" or name.end + 1 >= len(line):
        return False
    return any(is_person_word(word) for word in line.norms[: name.end])


def _names_speaker(line: Line) -> bool:
    """ "Call me Raf" is no order to work."""
    return any(line.norm(at) in ("call", "panggil") and line.norm(at + 1) in ("me", "saya") for at in range(4))


def _reported(line: Line, who: tuple[str, int], ender: str, world: World) -> Said:
    phrase = reporter_of(who[0], world)
    if phrase is None:
        return Said()
    speaker = phrase.term
    start = line.tokens[0].start + who[1]
    rest = line.slice(next((i for i, token in enumerate(line.tokens) if token.start >= start), len(line)))
    world.name(speaker)
    world.reporter = speaker
    said = _clauses(rest, ender, world, Act.GUESSES if hedges(rest) else Act.ASSERTS, is_freed=True)
    world.reporter = None
    mine = [fact for fact in said.facts if fact.subject.is_me and fact.object.type is not PERSON]
    kept = [fact for fact in said.facts if fact not in mine]
    return Said([*(phrase.facts if kept else ()), *kept], said.corrections, [*said.candidates, *mine])


def _amends_context(said: Said, world: World) -> Said:
    """ "No, I live in Lisbon", after the assistant said Porto."""
    for fact in list(said.facts):
        for old in reversed(world.sayings):
            same = old.subject.text == fact.subject.text and old.predicate == fact.predicate
            if same and name_key(old.object.text) != name_key(fact.object.text):
                said.corrections.append(Replacement(Retraction(old.subject, old.predicate, old.object, "wrong"), fact))
                break
    return said


def _facts_of(line: Line, world: World) -> list[Stated]:
    """The facts of a clause read on the side; so many times a text, then none."""
    world.trials.append(line.span())
    if len(world.trials) > MAX_TRIALS:
        return []
    return _clauses(line, "", world.scratch(), Act.ASSERTS, is_freed=True).facts


def _clauses(line: Line, ender: str, world: World, act: Act, *, is_freed: bool) -> Said:
    found = Said()
    subject: Phrase | None = None
    parts = clauses(line, world)
    is_supposed = False
    for number, clause in enumerate(parts):
        is_supposed = clause.link in ("if", "unless", "whether", "kalau", "jika", "when", "ketika", "saat") or (
            is_supposed and not clause.has_subject
        )
        part = clause.line
        is_asked = asks(part) and not (is_freed and number == 0)
        if (
            is_asked
            or is_supposed
            or (ender == "?" and clause.is_last and not is_freed and not (len(parts) > 1 and number == 0))
        ):
            continue
        if is_secret(part.said(0, len(part))) or (orders(part) and number > 0 and clause.has_subject):
            continue
        part = _stripped(part)
        if clause.link == "who" and world.known:
            subject = Phrase((world.known[-1].term,), 0)
        said, subject = _clause(
            part, subject if not clause.has_subject or number else None, world, is_first=number == 0
        )
        if act is Act.GUESSES or hedges(part):
            said = Said(candidates=[*said.facts, *said.candidates])
        extend(found, said)
        world.facts.extend(said.facts)
    return found


def _stripped(line: Line) -> Line:
    start = 0
    while (
        start < len(line) - 1
        and line.norm(start) in _STRIPPED | ADVERBS - {"pernah", "dulu"}
        and not (line.norm(start) in ("in", "the", "right") and start == 0)
    ):
        start += 1
    return trimmed(line.slice(start))


def _clause(line: Line, inherited: Phrase | None, world: World, *, is_first: bool) -> tuple[Said, Phrase | None]:
    clause = timed(line)
    bare = _stripped(clause.line)
    clause = replace(clause, line=bare)
    if not len(bare):
        return Said(), inherited
    fronted = fronted_place(bare)
    if fronted:
        return Said(facts=fronted), inherited
    called = (
        calls_me(bare, world) or reached_at(clause.whole, world) or my_thing(bare, world) or my_favourite(bare, world)
    )
    if called:
        return Said(facts=called), inherited
    besides = _besides(clause, inherited, world)
    if besides is not None:
        return besides
    subject, at = _subject(bare, world)
    if subject is None and inherited is not None and (opens_verb(bare, 0) or bare.norm(0) in BE):
        subject, at = replace(inherited, facts=()), 0
    if subject is None and _drops_first_person(bare) and world.speaker is not None:
        subject, at = Phrase((world.speaker,), 0), 0
    if subject is None:
        return Said(), inherited
    if subject.is_unclear:
        said = predicate_said(clause, at, subject, world)
        return Said(candidates=[*said.facts, *said.candidates]), subject
    said = predicate_said(clause, at, subject, world)
    if not said and subject.facts and subject.is_named and (subject.is_claim or is_first_claim(bare, at)):
        said = Said(facts=list(subject.facts))
    for term in subject.terms:
        if term.type is PERSON and subject.is_sure and not subject.is_thing and subject.is_named:
            world.name(term)
    return said, subject if subject.attribute is None else inherited


_BESIDES = regex.compile(r"^(?:besides|apart from|aside from|in addition to|other than|as well as|on top of|selain) ")


def _besides(clause: Timed, inherited: Phrase | None, world: World) -> tuple[Said, Phrase | None] | None:
    """ "Besides Dutch I speak Frisian": the verb holds of both."""
    line = clause.line
    match = _BESIDES.match(line.text + " ")
    if not match:
        return None
    start = line.index(match.end())
    at = next(
        (
            i
            for i in range(start + 1, len(line))
            if opens_clause(line, i, world.scratch()) and not opens_clause(line, i - 1, world.scratch())
        ),
        None,
    )
    if at is None:
        return None
    main, other = line.slice(at), trimmed(line.slice(start, at))
    said, subject = _clause(main, inherited, world, is_first=False)
    also, _ = substituted(main, other, said.facts, lambda part: _facts_of(part, world))
    also = [fact for fact in also if fact.object.type is not PET or other.tokens[-1].is_capital]
    return Said([*also, *said.facts], said.corrections, said.candidates), subject


def is_first_claim(line: Line, at: int) -> bool:
    """Whether a verb of any kind follows, so that the noun phrase before it is asserted and not just listed."""
    return at < len(line) and any(token.is_word for token in line.tokens[at:])


def _subject(line: Line, world: World) -> tuple[Phrase | None, int]:
    first = line.norm(0)
    if first in ("that", "this", "these", "those", "it", "here", "ini", "itu") and line.norm(1) in BE:
        phrase = phrase_at(line, 2, world)
        if phrase is not None and phrase.facts and phrase.is_named and first != "it":
            return replace(phrase, is_thing=True), 1
    if first in ("at", "here") and (found := _at_firm(line, world)):
        return found
    phrase = phrase_at(line, 0, world)
    return (phrase, phrase.end) if phrase is not None else (None, 0)


def _at_firm(line: Line, world: World) -> tuple[Phrase, int] | None:
    """ "At Studio Quill we sell notebooks": the firm does."""
    name = name_at(line, 1, is_lower=world.is_lower)
    if name is None:
        return None
    at = name.end + (line.norm(name.end) == ",")
    if line.norm(at) not in ("we", "i"):
        return None
    return Phrase((Term(name.text, ORG, line.span(name.start, name.end)),), at + 1, span=line.span(0, at)), at + 1


_IMPLIED = word_set("allergic born based tinggal kerja kuliah suka alergi pindah punya benci lahir asal got")


def _drops_first_person(line: Line) -> bool:
    """Chats leave "I" out: "got a new kitten", "living in Porto now"."""
    first = line.norm(0)
    if first in FIRST:
        return False
    tense = tense_of(first)
    return (
        (tense in (Tense.PAST, Tense.PARTICIPLE, Tense.GERUND) and len(line) > 1)
        or first in _IMPLIED
        or line.lemma(0) in _IMPLIED
        or (first in ("call", "panggil") and line.norm(1) in ("me", "saya"))
    )
