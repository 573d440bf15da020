"""One clause read: its subject, its verb's frame, and the facts or withdrawals that they state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from graph.names import name_key
from ingest.extract.reading.attributes import attribute_facts, rebound
from ingest.extract.reading.complements import complement_facts
from ingest.extract.reading.kinds import GROUPS, ORG_KINDS
from ingest.extract.reading.line import Line, Timed
from ingest.extract.reading.names import TITLES, is_person_word
from ingest.extract.reading.nouns import ORG, PERSON, PET, PLACE, PLURALS, attribute_at
from ingest.extract.reading.objects import Object, object_at
from ingest.extract.reading.phrases import Phrase, animal_at, pet_facts
from ingest.extract.reading.predicates import FRAMES, Frame, Kind, Mode
from ingest.extract.reading.preferences import preference
from ingest.extract.reading.records import Amendment, Retraction, Stated, Term
from ingest.extract.reading.things import day_of_event, place_of_thing
from ingest.extract.reading.times import Days, TimePhrase, days_of, literal_day, resolved
from ingest.extract.reading.verbphrase import VerbPhrase, verb_phrase
from ingest.extract.reading.verbs import tense_of
from ingest.extract.reading.words import STOPS
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import World


@dataclass(slots=True)
class Said:
    """What a clause states."""

    facts: list[Stated] = field(default_factory=list)
    corrections: list[Amendment] = field(default_factory=list)
    candidates: list[Stated] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.facts or self.corrections or self.candidates)


def predicate_said(clause: Timed, at: int, subject: Phrase, world: World) -> Said:
    """What the words from `at` on say of the subject."""
    line = clause.line
    if subject.attribute is not None:
        return Said(facts=list(attribute_facts(clause, at, subject, world)))
    owned = attribute_at(line.norms, at)
    if owned is not None and owned[0] and line.norm(owned[1]) == "dia" and 0 < at:
        inner = replace(subject, attribute=owned[0], noun=line.norm(at), end=owned[1] + 1)
        return Said(facts=list(attribute_facts(clause, inner.end, inner, world)))
    verb = verb_phrase(line, at)
    if verb is None:
        return Said()
    if verb.words[:2] == ("be", "one") and verb.is_perfect:
        return _again(clause, subject, world)
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


def _again(clause: Timed, subject: Phrase, world: World) -> Said:
    """ "… and I've been one since 2015"."""
    days = days_of(clause.phrases, world.today)
    last = next(
        (fact for fact in reversed(world.facts) if fact.subject == subject.term and fact.predicate in _DATED), None
    )
    return Said(facts=[replace(last, valid_from=days.first, valid_until=days.last)]) if last is not None else Said()


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
    if frame.predicate == "located_in" and frame.kind is Kind.PLACE and subject.term.is_me:
        return False
    return True


def stated(frame: Frame, verb: VerbPhrase, subject: Phrase, object: Object, clause: Timed, world: World) -> Said:
    """The facts of a frame in the tense, negation and time in which they were said."""
    if frame.kind is Kind.RELATIVE:
        return _has_relative(verb, subject, object)
    predicate = _predicate(frame, object, subject, verb)
    facts = [*object.facts] if not verb.is_negated and not verb.is_withdrawn else []
    more = tuple(tail_pairs(frame, subject, object, clause.line, world))
    pairs = list(_pairs(frame, predicate, subject, object, world))
    if frame.kind is Kind.NONE and len(subject.terms) == 2:
        pairs = [(subject.terms[0], subject.terms[1])]
    if frame.predicate == "named" and not subject.is_named and verb.words[0] in ("be", "bernama", "nama"):
        names = object.terms if subject.noun in PLURALS else object.terms[:1]
        return Said(facts=[fact for name in names for fact in rebound(subject, name.text, clause.line.span(), world)])
    if frame.predicate in ("lives_in", "located_in") and frame.mode is Mode.STATE and _is_firm(subject, world):
        predicate = "located_in"
        pairs = [(replace(a, type=ORG), b) for a, b in pairs]
    base = [Stated(a, predicate, b, over=object.over, span=clause.whole.span()) for a, b in pairs]
    base += [Stated(a, other, b, span=clause.whole.span()) for a, other, b in more]
    said = _timed(frame, verb, clause, base, world)
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


_TAILS = {"studies_at": (("jurusan",), "studies", Kind.TOPIC), "studies": (("at", "di"), "studies_at", Kind.ORG), "works_as": (("at", "for", "di", "with"), "works_at", Kind.ORG),
          "works_at": (("as", "sebagai"), "works_as", Kind.ROLE)}  # fmt: skip


def tail_pairs(
    frame: Frame, subject: Phrase, object: Object, line: Line, world: World
) -> Iterator[tuple[Term, str, Term]]:
    """A second object behind the first: "physics at Leiden University", "at Vantera as a data analyst"."""
    tail = _TAILS.get(frame.predicate)
    if tail is None or frame.mode is Mode.END or line.norm(object.end) not in tail[0]:
        return
    found = object_at(tail[2], line, object.end + 1, world)
    if found is not None:
        yield from ((owner, tail[1], term) for owner in subject.terms for term in found.terms)


def _is_firm(subject: Phrase, world: World) -> bool:
    words = subject.term.text.casefold().split()
    return (
        subject.term.type is ORG
        or (world.type_of(subject.term.text) is ORG)
        or (len(words) > 1 and _is_org_like(words))
    )


def _is_org_like(words: Sequence[str]) -> bool:
    more = {
        "labs",
        "rail",
        "air",
        "pharma",
        "dental",
        "insurance",
        "media",
        "inc",
        "ltd",
        "gmbh",
        "group",
        "freight",
        "systems",
        "technologies",
        "motors",
        "studio",
        "studios",
        "partners",
        "holdings",
        "energy",
        "foods",
        "pt",
        "cv",
        "kopi",
    }
    return words[-1] in ORG_KINDS | more or words[0] in ("pt", "cv", "kopi", "studio", "toko", "bank")


def _predicate(frame: Frame, object: Object, subject: Phrase, verb: VerbPhrase) -> str:
    """The predicate, chosen by the object where the verb leaves it open."""
    if verb.is_negated and frame.negated:
        return frame.negated
    first = object.terms[0] if object.terms else None
    words = set(first.text.casefold().split()) if first is not None else set()
    if frame.kind is Kind.GROUP and frame.predicate in ("works_at", "member_of") and frame.mode is Mode.CHANGE:
        return "member_of" if words & GROUPS else "works_at"
    if frame.kind is Kind.ILLNESS and first is not None and first.text.casefold().endswith(" allergy"):
        return "allergic_to"
    if frame.predicate == "*left":
        if words & GROUPS:
            return "member_of"
        return "lives_in" if first is not None and first.type is PLACE else "works_at"
    return frame.predicate


def _pairs(frame: Frame, predicate: str, subject: Phrase, object: Object, world: World) -> Iterator[tuple[Term, Term]]:
    for owner in subject.terms:
        for thing in object.terms:
            one = owner
            if predicate == "allergic_to" and thing.text.casefold().endswith(" allergy"):
                thing = replace(thing, text=thing.text[: -len(" allergy")])  # noqa: PLW2901
            if predicate in ("breed", "species"):
                one = replace(owner, type=PET)
            elif (
                predicate in ("founded_by", "sells") and not frame.is_turned and not _is_someone(owner, subject, world)
            ):
                one = replace(owner, type=ORG)
            elif predicate == "located_in" and owner.type is PERSON:
                one = replace(owner, type=ORG)
            other = thing
            yield (replace(other, type=ORG), one) if frame.is_turned else (one, other)


def _is_someone(owner: Term, subject: Phrase, world: World) -> bool:
    """Whether a seller is a person, not a firm."""
    words = name_key(owner.text).split()
    known = any(name_key(one.term.text) == name_key(owner.text) for one in (*world.known, *world.earlier))
    return (
        owner.is_me
        or bool(subject.noun)
        or known
        or words[0] in TITLES
        or (is_person_word(words[0]) and not _is_org_like(words))
    )


def _timed(frame: Frame, verb: VerbPhrase, clause: Timed, base: list[Stated], world: World) -> Said:
    """The same facts with their days, or their withdrawal."""
    is_ahead = _is_ahead(frame, verb, clause)
    if verb.modal and not (verb.modal in ("can", "bisa") and frame.may_can):
        return _wished(frame, verb, clause, base)
    if verb.is_withdrawn:
        return Said(corrections=[*_retracted(base, "ended", None)])
    if frame.mode is Mode.END:
        return _ended(verb, clause, base, world)
    if verb.is_negated and not (frame.negated and base and base[0].predicate == frame.negated):
        return Said(corrections=[*_retracted(base, "wrong", None)]) if not verb.is_perfect or verb.is_never else Said()
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


def _retracted(base: list[Stated], why: str, until: date | None) -> Iterator[Retraction]:
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
    return Said(corrections=[*_retracted(base, "ended", until)])


def _is_done(clause: Timed, verb: VerbPhrase) -> bool:
    """Indonesian verbs have no past: "sudah", or nothing at all."""
    return verb.words[0] not in _ENGLISH_END


_ENGLISH_END = word_set(
    "leave quit give resign retire stop finish lose move drop graduate sell trade scrap wreck divorce get break split separate be total"
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
        return Said(corrections=[*_retracted(found, "ended", None)])
    if is_negated:
        wrong = [fact for fact in found if fact not in subject.facts]
        return Said(corrections=[*_retracted(wrong, "wrong", None)])
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
        replace(fact, valid_from=days.first, valid_until=days.last) if fact.predicate in _DATED else fact
        for fact in own
    ]
    kept = [
        fact
        for fact in subject.facts
        if fact in found or subject.is_named or fact.subject == subject.term or fact.object == subject.term
    ]
    if any(fact.predicate in ("*bearer",) for fact in found):
        kept = []
    return Said(facts=[*(fact for fact in kept if not _is_rebound(found, subject)), *dated])


_DATED = word_set(
    "works_as works_at follows_diet has_condition married_to partner_of member_of studies_at ceo_of lives_in"
)


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
