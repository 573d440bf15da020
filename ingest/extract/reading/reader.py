"""Reads what a person states: facts, corrections, requests to forget; the one door of the grammar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import regex

from graph.names import name_key
from ingest.extract.reading.answers import as_first_person, as_statement
from ingest.extract.reading.clause import Said, predicate_said
from ingest.extract.reading.contrasts import amended, misstated, substituted, without_cue
from ingest.extract.reading.forgetting import forget_target, forgotten
from ingest.extract.reading.gate import Own, is_secret, own_words
from ingest.extract.reading.line import MAX_WORDS, Line, Timed, timed, trimmed
from ingest.extract.reading.lists import listed
from ingest.extract.reading.names import is_person_word, is_place, name_at, shown
from ingest.extract.reading.nouns import ORG, PERSON, PET
from ingest.extract.reading.phrases import Phrase, phrase_at
from ingest.extract.reading.preferences import my_favourite, my_thing
from ingest.extract.reading.quotes import quotes, reported
from ingest.extract.reading.records import Amendment, Reading, Replacement, Retraction, Stated, Term, Turn
from ingest.extract.reading.segments import Sentence, clauses, opens_clause, sentences
from ingest.extract.reading.sides import name_statement
from ingest.extract.reading.speech import Act, act_of, asks, hedges, orders, without_lead
from ingest.extract.reading.things import fronted_place
from ingest.extract.reading.tokens import tokenize
from ingest.extract.reading.verbphrase import opens_verb
from ingest.extract.reading.verbs import Tense, tense_of
from ingest.extract.reading.words import ADVERBS, BE, FIRST, OPENERS
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import OWNER, Known, World

MAX_FACTS = 60
#: Readings on the side, for contrasts and the like, in one text.
MAX_TRIALS = 600
MAX_EARLIER_TURNS = 6
_STRIPPED = OPENERS | frozenset({",", "so", "and", "but", "also", "then", ":", "-", "—", "great", ".", "!", "*", "•"})


def read(
    text: str,
    *,
    said_at: datetime | None = None,
    zone: str | None = None,
    context: Sequence[Turn] = (),
    speaker: Term | None = OWNER,
) -> Reading:
    """What the text states. `said_at` and `zone` anchor relative days; `context`: the turns before, the latest last."""
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

    def add(self, said: Said) -> None:
        for fact in said.facts:
            known = next((at for at, one in enumerate(self.facts) if one.triple == fact.triple), None)
            if known is not None and self.facts[known].valid_from is None and fact.valid_from is not None:
                self.facts[known] = fact
            elif known is None and len(self.facts) < MAX_FACTS:
                self.facts.append(fact)
        self.corrections.extend(one for one in said.corrections if one not in self.corrections)
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
            _extend(found, _of_another(inner, quote.start, quote.who, own.text, world))
        elif is_title_in_marks(inner):
            for mark in (quote.outer_start, quote.outer_end - 1):
                text = f"{text[:mark]} {text[mark + 1 :]}"
            continue
        text = text[: quote.outer_start] + "\u0000" * (quote.outer_end - quote.outer_start) + text[quote.outer_end :]
    rest, items = listed(text, world)
    _extend(found, Said(facts=items))
    for sentence in sentences(tokenize(rest), rest):
        _extend(found, _sentence(sentence, world))
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
    phrase = _reporter(who, world)
    if phrase is None:
        return Said()
    speaker = phrase.term
    padded = " " * offset + inner
    within = World(world.today, speaker, known=list(world.known))
    said = Said()
    for sentence in sentences(tokenize(padded), padded):
        _extend(said, _sentence(sentence, within))
    world.name(speaker)
    if said:
        said.facts[:0] = phrase.facts
    return said


def _reporter(who: str, world: World) -> Phrase | None:
    line = Line(tokenize(who), who)
    phrase = phrase_at(line, 0, world)
    if phrase is None or phrase.is_thing or phrase.attribute is not None or phrase.term.is_me or not phrase.is_sure:
        return None
    return phrase


def _extend(found: Said, more: Said) -> None:
    found.facts.extend(more.facts)
    found.corrections.extend(more.corrections)
    found.candidates.extend(more.candidates)


def _sentence(sentence: Sentence, world: World) -> Said:
    line, ender = trimmed(sentence.line), sentence.ender
    if not len(line):
        return Said()
    raw = line.said(0, len(line))
    target = forget_target(line)
    if target is not None:
        return Said(corrections=list(forgotten(target, world, lambda part: _facts_of(part, world))))
    statement = [] if len(line) > MAX_WORDS else name_statement(line, world) or name_statement(without_cue(line)[0], world)
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
    said = _clauses(bare, ender, world, act, is_freed=is_freed)
    return _amends_context(said, world) if is_cued else said


def _names_speaker(line: Line) -> bool:
    """ "Call me Raf" is no order to work."""
    return any(line.norm(at) in ("call", "panggil") and line.norm(at + 1) in ("me", "saya") for at in range(4))


def _reported(line: Line, who: tuple[str, int], ender: str, world: World) -> Said:
    phrase = _reporter(who[0], world)
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
        if is_secret(part.said(0, len(part))) or (orders(part) and number > 0):
            continue
        part = _stripped(part)
        if clause.link == "who" and world.known:
            subject = Phrase((world.known[-1].term,), 0)
        said, subject = _clause(
            part, subject if not clause.has_subject or number else None, world, is_first=number == 0
        )
        if act is Act.GUESSES or hedges(part):
            said = Said(candidates=[*said.facts, *said.candidates])
        _extend(found, said)
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


_CALLS = regex.compile(
    r"(?:^|.* )(?:calls?|panggil|call) (?:me|saya)(?: (?:just|by my nickname|simply|dengan|sebagai))? "
)
_BESIDES = regex.compile(r"^(?:besides|apart from|aside from|in addition to|other than|as well as|on top of|selain) ")


def calls_me(line: Line, world: World) -> list[Stated]:
    """ "Call me Raf", "everybody calls me Raf"."""
    match = _CALLS.match(line.text + " ")
    if not match or world.speaker is None or "not" in line.norms or "tidak" in line.norms:
        return []
    name = name_at(line, line.index(match.end()), is_lower=True)
    if name is None or (
        name.end < len(line) and line.norm(name.end) not in (",", "for", "because", "and", "everyone", "instead")
    ):
        return []
    return [
        Stated(
            world.speaker, "nickname", Term(shown(name.text), None, line.span(name.start, name.end)), span=line.span()
        )
    ]


_REACH = regex.compile(
    r"(?:reach|contact|e-?mail|mail|call|text|phone|write|whatsapp|hubungi|kontak|wa|telepon|message|ping) (?:to )?(?:me|saya)(?: (?:at|on|via|di|ke|lewat|by|under|anytime|email|phone|nomor))* $"
)


def reached_at(line: Line, world: World) -> list[Stated]:
    """ "You can reach me at …"."""
    for at, token in enumerate(line.tokens):
        if (
            token.kind in ("mail", "phone")
            and _REACH.search(" ".join(line.norms[:at]) + " ")
            and world.speaker is not None
        ):
            value = Term(token.text, None, line.span(at, at + 1))
            return [Stated(world.speaker, "email" if token.kind == "mail" else "phone", value, span=line.span())]
    return []


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
        or first in ("call", "panggil")
        and line.norm(1) in ("me", "saya")
    )


