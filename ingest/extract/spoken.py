"""What the owner says in their own name: facts as drafts, corrections as operations of the graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from doso.ids import DocumentId
from doso.records import (
    FactDraft,
    Incoming,
    Literal,
    LiteralKind,
    Mention,
    Passage,
    Provenance,
    Source,
    Status,
)
from graph.corrections import Correction, Distinguish, EntityRef, Equate, Rename, Replace, Retract
from graph.predicates import describe
from ingest.extract.reading.nouns import PERSON, PET, RELATIONS
from ingest.extract.reading.reader import read
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
from ingest.extract.support import support_of
from ingest.extract.when import Anchor

EXTRACTOR = "statement"
#: What has no beginning or end worth keeping.
TIMELESS = frozenset({"named", "nickname", "pronouns", "birthday", "email", "phone", "founded_in", "breed", "species"})


#: What people are to each other; of two, a person rarely is both.
BONDS = frozenset(predicate.lstrip("~") for predicate in RELATIONS.values())


def is_spoken(document: Incoming) -> bool:
    """Whether the owner says this here and now, so that the first person is theirs."""
    return document.source is Source.CHAT and document.is_owner


def reading_of(document: Incoming) -> Reading:
    """What the document's text states."""
    return read(document.text, said_at=document.occurred_at, zone=document.zone)


@dataclass(frozen=True, slots=True)
class Told:
    """Where and when something was told: what a draft needs besides its triple."""

    passage: Passage
    thread: str
    anchor: Anchor
    offset: int  # of the passage in the text that was read

    def draft(self, fact: Stated) -> FactDraft:
        """A stated fact as a draft. A state that was said without a day holds from the day of the message."""
        first, last = fact.valid_from, fact.valid_until
        if first is None and last is None and not fact.is_ended and describe(fact.predicate).is_state:
            first = self.anchor.day
        if fact.predicate in TIMELESS:
            first, last = None, None
        until = self._moment(last)
        if fact.is_ended and until is None and self.anchor.at is not None:
            until = self.anchor.at.astimezone(UTC)
        has_day = first is not None or last is not None
        return FactDraft(
            subject=self.mention(fact.subject),
            predicate=fact.predicate,
            object=self.object(fact),
            provenance=self._provenance(fact),
            status=Status.VERIFIED,
            valid_from=self._moment(first),
            valid_until=until,
            zone=(self.anchor.zone or "UTC") if has_day else None,
        )

    def mention(self, term: Term) -> Mention:
        """A term as a name to be bound."""
        role = "owner" if term.is_me else None
        thread = self.thread if term.type in (PERSON, PET) else None
        return Mention(
            term.text, term.type or PERSON, thread=thread, role=role, context=term.context, document_id=self._document
        )

    def object(self, fact: Stated) -> Mention | Literal:
        """The object as an entity or a value."""
        return literal(fact.predicate, fact.object) if fact.object.type is None else self.mention(fact.object)

    @property
    def _document(self) -> DocumentId:
        return self.passage.document_id

    def _moment(self, day: date | None) -> datetime | None:
        return None if day is None else self.anchor.moment(day)

    def _provenance(self, fact: Stated) -> Provenance:
        passage = self.passage
        start = min(max(fact.span[0] - self.offset, 0), max(len(passage.text) - 1, 0))
        end = min(max(fact.span[1] - self.offset, start + 1), len(passage.text))
        return support_of(passage, EXTRACTOR, span=(start, end))


def spoken(document: Incoming, passages: Sequence[Passage]) -> Iterator[FactDraft]:
    """The facts of what the owner said, each shown by the passage that holds it."""
    for fact in reading_of(document).facts:
        passage = _holder(fact, passages)
        if passage is not None:
            thread = passage.chat_id or document.chat_id or document.uri
            anchor = Anchor(document.occurred_at, document.zone)
            yield Told(passage, thread, anchor, passage.start).draft(fact)


def _holder(fact: Stated, passages: Sequence[Passage]) -> Passage | None:
    holding = (one for one in passages if one.start <= fact.span[0] < one.end)
    return next(holding, passages[0] if passages else None)


def literal(predicate: str, term: Term) -> Literal:
    """A value of this predicate."""
    is_date = describe(predicate).literal_kind is LiteralKind.DATE
    return Literal(term.text, LiteralKind.DATE if is_date else LiteralKind.TEXT)


def corrections_of(reading: Reading) -> list[Correction]:
    """The corrections of a reading as operations of the graph."""
    return [_operation(one) for one in reading.corrections]


def rivals_of(reading: Reading) -> list[Retract]:
    """What "That's wrong: Ana is my cousin" takes back: whatever else the two may be to each other on file."""
    return [
        Retract(subject=_ref(a), predicate=predicate, object=_ref(b), why="wrong")
        for fact in reading.amending
        if fact.predicate in BONDS
        for predicate in sorted(BONDS - {fact.predicate})
        for a, b in ((fact.subject, fact.object),)
    ]


def _operation(one: Amendment) -> Correction:
    match one:
        case Retraction():
            return _retract(one)
        case Replacement():
            new = one.new
            subject = Mention(new.subject.text, new.subject.type or PERSON, role="owner" if new.subject.is_me else None)
            return Replace(_retract(one.old), subject, new.predicate, _value(new))
        case Equation():
            return Equate(_ref(one.a), _ref(one.b))
        case Distinction():
            return Distinguish(_ref(one.a), _ref(one.b))
        case Renaming():
            return Rename(_ref(one.entity), one.to)


def _retract(one: Retraction) -> Retract:
    subject = _ref(one.subject) if one.subject is not None else None
    object: EntityRef | Literal | None = None
    if one.object is not None:
        object = literal(one.predicate or "", one.object) if one.object.type is None else _ref(one.object)
    until = one.valid_until.isoformat() if one.valid_until is not None else None
    return Retract(subject=subject, predicate=one.predicate, object=object, why=one.why, valid_until=until)


def _value(fact: Stated) -> Mention | Literal:
    if fact.object.type is None:
        return literal(fact.predicate, fact.object)
    return Mention(fact.object.text, fact.object.type, role="owner" if fact.object.is_me else None)


def _ref(term: Term) -> EntityRef:
    return EntityRef(name=term.text, type=term.type)
