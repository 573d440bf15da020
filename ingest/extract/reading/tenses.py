"""The facts of a frame in the tense, the negation and the time in which they were said."""

# ruff: noqa: PLR0911, PLR0917 - a rule of grammar returns at the first form that fits
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from ingest.extract.reading.line import Timed
from ingest.extract.reading.predicates import Frame, Mode
from ingest.extract.reading.records import Retraction, Stated, Term
from ingest.extract.reading.said import Said
from ingest.extract.reading.times import Days, TimePhrase, days_of, resolved
from ingest.extract.reading.verbphrase import VerbPhrase
from ingest.extract.reading.verbs import tense_of
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import World


def in_time(frame: Frame, verb: VerbPhrase, clause: Timed, base: list[Stated], world: World) -> Said:
    """The same facts with their days, or their withdrawal."""
    is_ahead = _is_ahead(frame, verb, clause)
    if verb.modal and not (verb.modal in ("can", "bisa") and frame.may_can):
        return _wished(frame, verb, clause, base)
    if verb.is_withdrawn:
        return Said(corrections=[*retractions(base, "ended", None)])
    if frame.mode is Mode.END:
        return _ended(verb, clause, base, world)
    if verb.is_negated and not (frame.negated and base and base[0].predicate == frame.negated):
        return Said(corrections=[*retractions(base, "wrong", None)]) if not verb.is_perfect or verb.is_never else Said()
    days = days_of(clause.phrases, world.today, is_ahead=is_ahead, is_lasting=not verb.is_past and not is_ahead)
    if frame.mode is Mode.EVENT:
        return _event(frame, verb, clause, base, days, world, is_ahead=is_ahead)
    if frame.mode is Mode.STATE:
        return _state(verb, clause, base, days, world)
    if is_ahead and verb.is_progressive and days.first is None:
        return _planned_change(verb, clause, base)
    if verb.is_over:
        return Said(facts=[replace(fact, is_ended=True) for fact in base])
    kept = [replace(fact, valid_from=days.first if _takes_days(fact) else None, valid_until=days.last) for fact in base]
    return Said(facts=kept)


def _is_ahead(frame: Frame, verb: VerbPhrase, clause: Timed) -> bool:
    """Whether the days of a clause lie ahead: will, going to, "I'm flying", "I start"; Indonesian has no tense."""
    if verb.is_ahead or (verb.is_progressive and frame.mode in (Mode.CHANGE, Mode.EVENT)):
        return True
    is_english = tense_of(clause.line.norm(verb.places[0])) is not None
    return (frame.mode is Mode.EVENT or (frame.mode is Mode.CHANGE and is_english)) and not (
        verb.is_past or verb.is_perfect
    )


def _takes_days(fact: Stated) -> bool:
    return fact.predicate not in ("from", "founded_by")


def _planned_change(verb: VerbPhrase, clause: Timed, base: list[Stated]) -> Said:
    """ "I'm moving to Berlin": planned, not so yet."""
    text = clause.line.said(verb.places[0] + 1, len(clause.line)).strip(" .,!")
    act = Term(f"{verb.words[0]} {text}".strip(), None, base[0].span)
    return Said(facts=[Stated(base[0].subject, "plans_to", act, span=base[0].span)])


def _wished(frame: Frame, verb: VerbPhrase, clause: Timed, base: list[Stated]) -> Said:
    if verb.is_negated or frame.mode is Mode.END:
        return Said()
    return Said(candidates=base)


def retractions(base: list[Stated], why: str, until: date | None) -> Iterator[Retraction]:
    for fact in base:
        yield Retraction(fact.subject, fact.predicate, fact.object, why, until)


def _ended(verb: VerbPhrase, clause: Timed, base: list[Stated], world: World) -> Said:
    """Left, sold, broke up: what was so is over, since the end of the time that was said."""
    if verb.is_negated or not (
        verb.is_past or verb.is_perfect or verb.is_progressive or verb.is_ahead or _is_done(clause, verb)
    ):
        return Said()
    is_ahead = verb.is_ahead or verb.is_progressive
    until = None
    for phrase in clause.phrases:
        days = (
            resolved(phrase.last, world.today, is_ahead=is_ahead)
            if phrase.last is not None and phrase.role == "at"
            else None
        )
        until = days[1] if days else until
    if is_ahead:
        return Said(facts=[replace(fact, valid_until=until) for fact in base]) if until else Said()
    return Said(corrections=[*retractions(base, "ended", until)])


def _is_done(clause: Timed, verb: VerbPhrase) -> bool:
    """Indonesian verbs have no past: "sudah", or nothing at all."""
    return verb.words[0] not in _ENGLISH_END


_ENGLISH_END = word_set(
    "leave quit give resign retire stop finish lose move drop graduate sell trade scrap wreck "
    "divorce get break split separate be total"
)


def _event(
    frame: Frame, verb: VerbPhrase, clause: Timed, base: list[Stated], days: Days, world: World, *, is_ahead: bool
) -> Said:
    if frame.predicate == "plans_to":
        return Said(facts=base)
    if (
        frame.predicate == "attends"
        and days.first is None
        and clause.line.lemma(verb.places[0]) in ("have", "punya", "ada")
    ):
        return Said()
    named = [fact for fact in base if any(word[:1].isupper() for word in fact.object.text.split())]
    if frame.predicate == "attends" and days.first is None and not named:
        return Said()
    last = days.last
    if last is None and frame.needs_end:
        last = _last_of_unit(clause, world)
    return Said(facts=[replace(fact, valid_from=days.first, valid_until=last) for fact in base])


def _last_of_unit(clause: Timed, world: World) -> date | None:
    """A stay "this week" ends with it."""
    for phrase in clause.phrases:
        if (
            phrase.role == "at"
            and phrase.last is not None
            and phrase.last.kind == "unit"
            and phrase.last.parts.get("u") in ("week", "weekend")
        ):
            days = resolved(phrase.last, world.today, is_ahead=True)
            return days[1] if days else None
    return None


def _state(verb: VerbPhrase, clause: Timed, base: list[Stated], days: Days, world: World) -> Said:
    """Worked at, used to live in: over, on the last day that was said, if one was."""
    is_lasting = verb.is_perfect and any(phrase.role in ("since", "for") for phrase in clause.phrases)
    is_gone = any(phrase.role == "vague" and _is_gone(clause, phrase) for phrase in clause.phrases)
    if verb.is_over or verb.is_past or (is_gone and not verb.is_perfect):
        if (
            verb.is_past
            and base
            and base[0].predicate in ("likes", "dislikes", "knows", "uses", "located_in", "works_on", "works_as_")
        ):
            return Said()
        last = days.last or _span_end(clause.phrases, world.today)
        return Said(
            facts=[replace(fact, valid_from=days.first, valid_until=last, is_ended=last is None) for fact in base]
        )
    if (
        verb.is_perfect
        and not is_lasting
        and base
        and base[0].predicate in ("lives_in", "works_at", "studies_at", "plays_")
    ):
        return Said(facts=[replace(fact, is_ended=True) for fact in base])
    return Said(facts=[replace(fact, valid_from=days.first, valid_until=days.last) for fact in base])


def _is_gone(clause: Timed, phrase: TimePhrase) -> bool:
    text = clause.whole.text[phrase.start : phrase.end]
    return text in (
        "dulu",
        "dahulu",
        "once",
        "back then",
        "waktu itu",
        "as a child",
        "as a kid",
        "years ago",
    ) or text.startswith(("when i was", "as a ", "waktu ", "ketika ", "semasa "))


def _span_end(phrases: Sequence[TimePhrase], today: date | None) -> date | None:
    """ "in 2019" ends with the year."""
    for phrase in phrases:
        if phrase.role == "at" and phrase.last is not None and phrase.last.kind in ("year", "month", "season"):
            days = resolved(phrase.last, today, is_ahead=False)
            return days[1] if days else None
    return None
