"""Triples on their way in: what a caller may assert, as drafts the graph can bind."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, cast

import msgspec

from api.schemas.common import Moment, Name, Reason, RequestId, to_moment, visible
from doso.errors import InvalidInput
from doso.records import EntityType, FactDraft, Literal, Mention, Provenance, Source, Status, Trust
from graph.predicates import canonical, describe, parse_type
from graph.values import MAX_LITERAL_CHARS, Value, to_literal

MAX_FACTS = 2_000
#: The names a person uses for themselves.
_SELF = frozenset({"me", "i", "myself"})


class EndIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entity written out."""

    name: Name
    type: str | None = None
    context: Annotated[str, msgspec.Meta(max_length=200)] = ""


class LiteralIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A literal written out, where a bare value would be read as an entity."""

    literal: str | int | float | bool


class FactIn(msgspec.Struct, frozen=True):
    """One triple. A text object is an entity where the predicate takes one, else a literal; any other JSON value is a
    literal. `type` is the subject's."""

    subject: Name | EndIn
    predicate: Name
    object: Any
    type: str | None = None
    object_type: str | None = None
    status: str = "verified"
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    timezone: str | None = None


class FactsIn(msgspec.Struct, frozen=True):
    """One triple, or many in `facts`."""

    facts: Annotated[list[FactIn], msgspec.Meta(min_length=1, max_length=MAX_FACTS)] | None = None
    subject: Name | EndIn | None = None
    predicate: Name | None = None
    object: Any = msgspec.UNSET
    type: str | None = None
    object_type: str | None = None
    status: str = "verified"
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] = 1.0
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    timezone: str | None = None
    reason: Reason = ""
    request_id: RequestId | None = None


@dataclass(frozen=True, slots=True)
class Stated:
    """What all triples of one request share."""

    zone: str
    now: datetime


def to_drafts(body: FactsIn, stated: Stated) -> list[FactDraft]:
    """Drafts of all triples of the body. Raises InvalidInput naming the field."""
    if body.facts is not None:
        return [to_draft(fact, stated) for fact in body.facts]
    if body.subject is None or body.predicate is None or body.object is msgspec.UNSET:
        raise InvalidInput("A fact needs subject, predicate and object.", param="subject")
    single = FactIn(
        subject=body.subject,
        predicate=body.predicate,
        object=body.object,
        type=body.type,
        object_type=body.object_type,
        status=body.status,
        confidence=body.confidence,
        valid_from=body.valid_from,
        valid_to=body.valid_to,
        timezone=body.timezone,
    )
    return [to_draft(single, stated)]


def to_draft(fact: FactIn, stated: Stated) -> FactDraft:
    """A draft said by the user in person."""
    if fact.status not in (Status.VERIFIED, Status.CANDIDATE):
        raise InvalidInput("A new fact is verified or candidate.", param="status")
    subject, subject_types, object_types = _subject(fact.subject), *_types(fact.predicate)
    zone = fact.timezone or stated.zone
    return FactDraft(
        subject=to_mention(subject, fact.type, subject_types, param="subject"),
        predicate=fact.predicate,
        object=to_object(fact.object, fact.object_type, object_types),
        provenance=Provenance(
            document_id=None,
            passage_id=None,
            source=Source.CHAT,
            trust=Trust.USER,
            extractor="person",
            occurred_at=stated.now,
        ),
        status=Status(fact.status),
        confidence=fact.confidence,
        valid_from=to_moment(fact.valid_from, zone=zone, param="valid_from"),
        valid_until=to_moment(fact.valid_to, zone=zone, param="valid_to"),
        zone=zone if _is_day(fact.valid_from) or _is_day(fact.valid_to) else None,
    )


def to_mention(end: EndIn, type_name: str | None, defaults: tuple[EntityType, ...], *, param: str) -> Mention:
    """A name to bind; of the stated type, else of the type the predicate takes."""
    name = visible(end.name, param=param)
    stated = end.type or type_name
    default = defaults[0] if defaults else EntityType.TOPIC
    kind = default if stated is None else parse_type(stated)
    if name.strip().casefold() in _SELF and EntityType.PERSON in (kind, *defaults):
        return Mention(name=name, type=EntityType.PERSON, role="owner", context=end.context)
    return Mention(name=name, type=kind, context=end.context)


def to_object(value: object, type_name: str | None, types: tuple[EntityType, ...]) -> Mention | Literal:
    """The object of a triple: an entity where one is meant, else a literal in its one canonical text."""
    end = _converted(value, EndIn) if isinstance(value, dict) and "name" in value else None
    if end is not None:
        return to_mention(end, type_name, types, param="object")
    written = _converted(value, LiteralIn) if isinstance(value, dict) and "literal" in value else None
    if written is not None:
        return _literal(written.literal)
    if isinstance(value, str) and (types or type_name) and type_name not in ("literal", "text"):
        return to_mention(EndIn(value[: MAX_LITERAL_CHARS + 1]), type_name, types, param="object")
    return _literal(value)


def _literal(value: object) -> Literal:
    if value is None:
        raise InvalidInput("object is null; a fact needs one.", param="object")
    return to_literal(cast("Value", value))  # it came off the wire as JSON


def _subject(subject: str | EndIn) -> EndIn:
    return EndIn(subject) if isinstance(subject, str) else subject


def _types(predicate: str) -> tuple[tuple[EntityType, ...], tuple[EntityType, ...]]:
    visible(predicate, param="predicate")
    reading = canonical(predicate)
    known = describe(reading.name)
    if reading.is_inverse:
        return known.object_types, known.subject_types
    return known.subject_types, known.object_types


def _converted(value: object, kind: type[Any]) -> Any:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return None


def _is_day(moment: str | None) -> bool:
    return moment is not None and len(moment.strip()) == 10
