"""Corrections on the wire: one operation, several, or a list with a dry run."""

from typing import Annotated, Any, Literal

import msgspec

from api.schemas.common import MAX_NAME_CHARS, Moment, Name, Reason, RequestId, is_id, visible
from api.schemas.facts_in import EndIn, to_mention, to_object
from api.schemas.graph import ChangeOut
from doso.errors import InvalidInput
from doso.ids import EntityId, FactId
from doso.records import EntityType, Mention
from doso.records import Literal as FactLiteral
from graph.corrections import Correction, Distinguish, EntityRef, Equate, Rename, Replace, Retract
from graph.predicates import canonical, describe, parse_type

MAX_CORRECTIONS = 100


class RefIn(msgspec.Struct, frozen=True):
    """An entity by id, or by name and type."""

    id: str | None = None
    name: Name | None = None
    type: str | None = None


class TripleIn(msgspec.Struct, frozen=True):
    """A triple, or the id of a fact; what is absent stands for whatever is on file."""

    fact_id: str | None = None
    subject: Name | RefIn | None = None
    predicate: Name | None = None
    object: Any = None
    type: str | None = None
    object_type: str | None = None


class CorrectionIn(msgspec.Struct, frozen=True):
    """One operation; which fields it needs depends on `op`."""

    op: Literal["retract", "replace", "equate", "distinguish", "split", "rename"]
    reason: Reason = ""
    fact_id: str | None = None
    subject: Name | RefIn | None = None
    predicate: Name | None = None
    object: Any = None
    why: Literal["ended", "wrong", "forget"] = "wrong"
    valid_to: Moment | None = None
    old: TripleIn | None = None
    new: TripleIn | None = None
    a: Name | RefIn | None = None
    b: Name | RefIn | None = None
    entity: Name | RefIn | None = None
    alias: Name | RefIn | None = None
    to: Name | None = None


class CorrectionsIn(msgspec.Struct, frozen=True):
    """Several operations, done together or not at all."""

    corrections: Annotated[list[CorrectionIn], msgspec.Meta(min_length=1, max_length=MAX_CORRECTIONS)]
    dry_run: bool = False
    request_id: RequestId | None = None


class CorrectionsOut(msgspec.Struct, frozen=True):
    """The changes made, or planned when `dry_run`."""

    changes: list[ChangeOut]
    dry_run: bool


def to_batch(body: object) -> CorrectionsIn:
    """The three accepted forms as one: an object with `corrections`, a bare list, a single operation."""
    if isinstance(body, list):
        body = {"corrections": body}
    elif isinstance(body, dict) and "corrections" not in body:
        shared = {name: body[name] for name in ("dry_run", "request_id") if name in body}
        body = {"corrections": [{k: v for k, v in body.items() if k not in shared}], **shared}
    try:
        return msgspec.convert(body, CorrectionsIn)
    except msgspec.ValidationError as error:
        raise InvalidInput(str(error).splitlines()[0][:300], param="corrections") from error


def to_correction(body: CorrectionIn) -> Correction:
    """The operation as the graph takes it. Raises InvalidInput naming the field that is missing."""
    match body.op:
        case "retract":
            return _retract(_triple(body), body)
        case "replace":
            return _replace(body)
        case "equate":
            return Equate(_ref(body.a, "a"), _ref(body.b, "b"), body.reason)
        case "distinguish":
            return Distinguish(_ref(body.a, "a"), _ref(body.b, "b"), body.reason)
        case "split":
            return Distinguish(_ref(body.entity or body.a, "entity"), _ref(body.alias or body.b, "alias"), body.reason)
        case "rename":
            if body.to is None:
                raise InvalidInput("rename needs `to`, the better name.", param="to")
            return Rename(_ref(body.entity, "entity"), visible(body.to, param="to"), body.reason)


def _triple(body: CorrectionIn) -> TripleIn:
    return body.old or TripleIn(body.fact_id, body.subject, body.predicate, body.object)


def _retract(old: TripleIn, body: CorrectionIn) -> Retract:
    if old.fact_id is None and old.subject is None and old.predicate is None and old.object is None:
        raise InvalidInput("retract needs a fact_id or a part of the triple.", param="fact_id")
    return Retract(
        fact_id=None if old.fact_id is None else FactId(old.fact_id),
        subject=None if old.subject is None else _ref(old.subject, "subject"),
        predicate=old.predicate,
        object=None if old.object is None else _object_ref(old),
        why=body.why,
        valid_until=body.valid_to,
        reason=body.reason,
    )


def _replace(body: CorrectionIn) -> Replace:
    old, new = _triple(body), body.new
    if new is None or new.object is None:
        raise InvalidInput("replace needs `new` with at least the right object.", param="new")
    subject, predicate = new.subject or old.subject, new.predicate or old.predicate
    if subject is None or predicate is None:
        raise InvalidInput("replace needs the subject and predicate of the new fact.", param="new")
    known = describe(canonical(predicate).name)
    return Replace(
        old=_retract(old, body),
        subject=_mention(subject, new.type, known.subject_types),
        predicate=predicate,
        object=to_object(new.object, new.object_type, known.object_types),
        reason=body.reason,
    )


def _mention(subject: str | RefIn, type_name: str | None, types: tuple[EntityType, ...]) -> Mention:
    name = subject if isinstance(subject, str) else subject.name
    if name is None:
        raise InvalidInput("replace names the new subject by its name.", param="subject")
    stated = type_name or (None if isinstance(subject, str) else subject.type)
    return to_mention(EndIn(name), stated, types, param="subject")


def _object_ref(old: TripleIn) -> EntityRef | FactLiteral:
    known = describe(canonical(old.predicate).name) if old.predicate else None
    if isinstance(old.object, dict) and old.object.keys() <= {"id", "name", "type"}:
        return _ref(msgspec.convert(old.object, RefIn), "object")
    if isinstance(old.object, str) and (known is None or known.object_types):
        return _ref(old.object, "object")
    made = to_object(old.object, old.object_type, ())
    return made if isinstance(made, FactLiteral) else EntityRef(name=made.name, type=made.type)


def _ref(ref: str | RefIn | None, param: str) -> EntityRef:
    if isinstance(ref, str):
        ref = RefIn(id=ref) if is_id(ref) else RefIn(name=ref)
    if ref is None or (ref.id is None and ref.name is None) or len(ref.name or "") > MAX_NAME_CHARS:
        raise InvalidInput(f"{param} names no entity.", param=param)
    return EntityRef(
        id=None if ref.id is None else EntityId(ref.id),
        name=None if ref.name is None else visible(ref.name, param=param),
        type=None if ref.type is None else parse_type(ref.type),
    )
