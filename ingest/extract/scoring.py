"""How a reading of a labelled statement scores: what was found, missed and made up, as the labels' conventions say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import msgspec
import regex

from doso.records import EntityType
from graph.names import name_key
from graph.predicates import describe
from ingest.extract.reading.records import (
    Amendment,
    Distinction,
    Equation,
    Reading,
    Renaming,
    Replacement,
    Retraction,
    Stated,
    Term,
)

_ARTICLE = regex.compile(r"^(?:the|a|an) (?=\S)")
_LITERALS = frozenset({"VALUE", "DATE"})
ANY = "*"

Key = tuple[str, ...]


class LabelledFact(msgspec.Struct, frozen=True):
    """A fact of a label; `o` may be "*"."""

    s: str
    p: str
    o: str
    s_type: str = ""
    o_type: str = ""
    valid_from: str | None = None
    valid_until: str | None = None
    ended: bool = False
    over: str = ""


class LabelledTriple(msgspec.Struct, frozen=True):
    """A bare triple."""

    s: str
    p: str
    o: str


class LabelledCorrection(msgspec.Struct, frozen=True):
    """A correction of a label, whatever its operation."""

    op: str
    s: str = ""
    p: str = ""
    o: str = ""
    why: str = ""
    valid_until: str | None = None
    new: LabelledTriple | None = None
    a: str = ""
    b: str = ""
    entity: str = ""
    to: str = ""
    type: str = ""


class LabelledTurn(msgspec.Struct, frozen=True):
    """A turn before the statement."""

    role: str
    text: str


class Label(msgspec.Struct, frozen=True):
    """One line of the labelled file."""

    id: str
    text: str
    remember: bool
    facts: tuple[LabelledFact, ...]
    corrections: tuple[LabelledCorrection, ...] = ()
    kind: str = ""
    lang: str = ""
    at: str = ""
    tz: str = ""
    context: tuple[LabelledTurn, ...] = ()
    optional: tuple[LabelledFact, ...] = ()
    optional_corrections: tuple[LabelledCorrection, ...] = ()
    candidates: tuple[LabelledFact, ...] = ()
    accept: tuple[tuple[LabelledFact, ...], ...] = ()
    accept_corrections: tuple[tuple[LabelledCorrection, ...], ...] = ()
    never: tuple[LabelledFact, ...] = ()
    never_text: tuple[str, ...] = ()
    remember_either: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Score:
    """One line's outcome. `corrections_right` is None where the line has nothing to do with corrections."""

    label: Label
    reading: Reading
    gate_right: bool
    found: int
    made_up: tuple[str, ...]
    missed: tuple[str, ...]
    corrections_right: bool | None

    @property
    def is_right(self) -> bool:
        return self.gate_right and not self.made_up and not self.missed and self.corrections_right is not False


def plain(text: str) -> str:
    """A name or value as labels are compared: its normal form without a leading article."""
    return _ARTICLE.sub("", name_key(text)) if text.strip() else ""


def score(label: Label, reading: Reading, today: date | None) -> Score:
    """Score a reading by the alternative of the label that suits it best."""
    best = min(
        (_against(label, reading, today, facts, corrections) for facts, corrections in _alternatives(label)),
        key=_badness,
    )
    gate = label.remember_either or reading.is_share == label.remember
    forbidden = tuple(_forbidden(label, reading))
    return Score(label, reading, gate, best[0], (*best[1], *forbidden), best[2], best[3])


def _alternatives(label: Label) -> Iterable[tuple[Sequence[LabelledFact], Sequence[LabelledCorrection]]]:
    yield label.facts, label.corrections
    for at, facts in enumerate(label.accept):
        yield facts, label.accept_corrections[at] if label.accept_corrections else label.corrections
    if label.remember_either:
        yield (), ()


Outcome = tuple[int, tuple[str, ...], tuple[str, ...], bool | None]


def _badness(outcome: Outcome) -> tuple[int, int]:
    return len(outcome[1]) + len(outcome[2]) + (outcome[3] is False), -outcome[0]


def _against(
    label: Label,
    reading: Reading,
    today: date | None,
    facts: Sequence[LabelledFact],
    corrections: Sequence[LabelledCorrection],
) -> Outcome:
    left = list(reading.facts)
    missed: list[str] = []
    found = 0
    for wanted in facts:
        match = next((one for one in left if says(one, wanted, today)), None)
        if match is None:
            missed.append(
                f"{wanted.s} {wanted.p} {wanted.o}{_when(wanted.valid_from, wanted.valid_until, wanted.ended)}"
            )
        else:
            found += 1
            left.remove(match)
    made_up = [shown(one) for one in left if not any(says(one, fact, today) for fact in label.optional)]
    allowed = (*label.candidates, *label.facts, *label.optional, *(fact for some in label.accept for fact in some))
    made_up += [
        f"{shown(one)} (candidate)" for one in reading.candidates if not any(_same(one, fact) for fact in allowed)
    ]
    return found, tuple(made_up), tuple(missed), _corrections_right(label, reading, corrections)


def _forbidden(label: Label, reading: Reading) -> Iterable[str]:
    for fact in (*reading.facts, *reading.candidates):
        if any(_same(fact, never) for never in label.never) and not fact.is_ended and not _is_allowed(fact, label):
            yield f"never: {shown(fact)}"
        if any(text.casefold() in shown(fact).casefold() for text in label.never_text):
            yield "never: a secret"


def _is_allowed(fact: Stated, label: Label) -> bool:
    """Whether a wildcard forbids what the label itself expects."""
    return any(_same(fact, one) for one in (*label.facts, *label.candidates))


def says(fact: Stated, wanted: LabelledFact, today: date | None) -> bool:
    """Whether a fact is the labelled one: triple, types and days."""
    if not _same(fact, wanted):
        return False
    if wanted.valid_from != (_iso(fact.valid_from)) and not (wanted.valid_from is None and fact.valid_from == today):
        return False
    return wanted.valid_until == (_iso(fact.valid_until)) and wanted.ended == fact.is_ended


def _same(fact: Stated, wanted: LabelledFact) -> bool:
    stated = {_side(fact.subject, fact.predicate, fact.object), _side(*_mirrored(fact))}
    if wanted.o == ANY:
        return plain(wanted.s) == plain(fact.subject.text) and wanted.p == fact.predicate
    key = (plain(wanted.s), _kind(wanted.s_type), wanted.p, plain(wanted.o), _kind(wanted.o_type))
    if not wanted.s_type:
        return (key[0], key[2], key[3]) in {(one[0], one[2], one[3]) for one in stated}
    return key in stated


def _side(subject: Term, predicate: str, object: Term) -> tuple[str, str, str, str, str]:
    return plain(subject.text), _type(subject.type), predicate, plain(object.text), _type(object.type)


def _mirrored(fact: Stated) -> tuple[Term, str, Term]:
    """The same fact from the other side, where it has one."""
    row = describe(fact.predicate)
    turned = {"manages": "reports_to", "reports_to": "manages"}
    if row.is_symmetric:
        return fact.object, fact.predicate, fact.subject
    if fact.predicate in turned and fact.subject.type is EntityType.PERSON and fact.object.type is EntityType.PERSON:
        return fact.object, turned[fact.predicate], fact.subject
    return fact.subject, fact.predicate, fact.object


def _kind(type: str) -> str:
    return "" if type in _LITERALS else type


def _type(type: EntityType | None) -> str:
    return "" if type is None else type.value


def _corrections_right(label: Label, reading: Reading, wanted: Sequence[LabelledCorrection]) -> bool | None:
    made = {key for one in reading.corrections for key in amendment_keys(one)}
    expected = {key for one in wanted for key in _label_keys(one)}
    optional = {key for one in label.optional_corrections for key in _label_keys(one)}
    if not label.corrections and not made:
        return None
    return expected <= made and made - expected <= optional


def _label_keys(one: LabelledCorrection) -> list[Key]:
    if one.op == "retract":
        return [_retract_key(one.s, one.p, one.o, one.why, one.valid_until)]
    if one.op == "replace":
        return [_retract_key(one.s, one.p, one.o, "wrong", None)]
    if one.op == "rename":
        return [("rename", plain(one.entity), one.to.casefold(), one.type)]
    return [(one.op, *sorted((plain(one.a), plain(one.b))), one.type)]


def amendment_keys(one: Amendment) -> list[Key]:
    """What a correction comes to: a replacement is a retraction (its new fact stands among the facts)."""
    match one:
        case Retraction():
            return [
                _retract_key(
                    _text(one.subject),
                    one.predicate or ANY,
                    _text(one.object),
                    one.why,
                    _iso(one.valid_until),
                )
            ]
        case Replacement():
            return amendment_keys(one.old)
        case Renaming():
            return [("rename", plain(one.entity.text), one.to.casefold(), _type(one.entity.type))]
        case Equation() | Distinction():
            op = "equate" if isinstance(one, Equation) else "distinguish"
            return [(op, *sorted((plain(one.a.text), plain(one.b.text))), _type(one.a.type))]


def _text(term: Term | None) -> str:
    return ANY if term is None else term.text


def _retract_key(s: str, p: str, o: str, why: str, until: str | None) -> Key:
    a, b = (part if part == ANY else plain(part) for part in (s, o))
    if p == "manages" and ANY not in (a, b):
        p, a, b = "reports_to", b, a
    if p != ANY and describe(p).is_symmetric:
        a, b = sorted((a, b))
    return ("retract", a, p, b, why, until or "")


def shown(fact: Stated) -> str:
    """A fact on one line."""
    types = f"[{_type(fact.subject.type)}→{_type(fact.object.type) or 'VALUE'}]"
    days = _when(
        _iso(fact.valid_from),
        _iso(fact.valid_until),
        fact.is_ended,
    )
    return f"{fact.subject.text} {fact.predicate} {fact.object.text} {types}{days}"


def _when(first: str | None, last: str | None, is_ended: bool) -> str:
    return f" ({first or ''}..{last or ''}{' ended' if is_ended else ''})" if first or last or is_ended else ""


def _iso(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
