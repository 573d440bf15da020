"""Whatever JSON a model answered with, read as claims; what can't be one falls away alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import regex

from doso.errors import InvalidInput
from doso.records import EntityType, Literal
from doso.text import clean, fold
from graph.predicates import parse_type
from graph.values import Value, to_literal

#: Claims that one reply may hold; a model that runs on repeats itself.
MAX_CLAIMS = 400
MAX_NAME_CHARS = 120
MAX_VALUE_CHARS = 1_000
MAX_LISTED = 20
_LISTS = ("facts", "triples", "relations", "relationships", "edges", "statements", "items", "data", "result", "results")
_SUBJECT = ("subject", "s", "from", "head", "source", "entity")
_PREDICATE = ("predicate", "p", "relation", "relationship", "type", "label", "property", "verb")
_OBJECT = ("object", "o", "to", "tail", "target", "value")
#: Keys whose numbers point into the reply's own list of entities.
_POINTERS = frozenset({"source", "target", "from", "to", "head", "tail"})
_ENTITIES = ("entities", "nodes")
_SCHEMA_TYPES = frozenset({"string", "number", "integer", "boolean", "object", "array", "null"})
_MARK = regex.compile(r"\bP?(\d{1,4})\b", regex.IGNORECASE)

Items = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Claim:
    """A triple as a model put it. `mark` is the number of the passage that it names, None where it names none."""

    subject: str
    predicate: str
    object: str | Literal
    subject_type: EntityType | None = None
    object_type: EntityType | None = None
    is_value: bool = False  # the model calls the object a value
    mark: int | None = None
    quote: str = ""
    confidence: float | None = None
    valid_from: str | None = None
    valid_until: str | None = None
    is_negated: bool = False

    @property
    def identity(self) -> tuple[str, str, str, bool]:
        """The same for what says the same."""
        object = self.object if isinstance(self.object, str) else self.object.text
        return fold(self.subject), fold(self.predicate), fold(object), self.is_negated


def claims_of(reply: object) -> tuple[Claim, ...]:
    """The claims of a reply: objects or triples, in a list or under one of the usual names; each once."""
    names = _entity_names(reply) if isinstance(reply, Mapping) else {}
    found: dict[tuple[str, str, str, bool], Claim] = {}
    for item in _items(reply):
        for claim in _claims(item, names):
            found.setdefault(claim.identity, claim)
        if len(found) >= MAX_CLAIMS:
            break
    return tuple(found.values())[:MAX_CLAIMS]


def read_claims(reply: object) -> tuple[Claim, ...] | None:
    """The claims of a reply, None for what has not the form of a list of facts at all; an empty one has."""
    if isinstance(reply, Mapping):
        is_one = _one(reply, _SUBJECT) is not None and _one(reply, _PREDICATE) is not None
        return claims_of(reply) if is_one or any(_is_list(reply.get(name)) for name in _LISTS) else None
    return claims_of(reply) if _is_list(reply) else None


def _is_list(value: object) -> bool:
    """Whether this may be a list of facts: empty, or of objects or lists."""
    return isinstance(value, list) and (not value or any(isinstance(item, list | Mapping) for item in value))


def _items(reply: object) -> Sequence[object]:
    if isinstance(reply, Mapping):
        lists = [reply[name] for name in _LISTS if _is_list(reply.get(name))]
        return [item for items in lists for item in items] if lists else [reply]
    return reply if isinstance(reply, list) else ()


def _claims(item: object, names: Mapping[str, str]) -> Iterator[Claim]:
    """The claims of one item: several where its object is a list."""
    parts = _triple(item, names)
    if parts is None:
        return
    subject, predicate, object = parts
    more = item if isinstance(item, Mapping) else {}
    for value in object if isinstance(object, list) else [object]:
        held = _value(value)
        if held is None:
            continue
        yield Claim(
            subject=subject,
            predicate=predicate,
            object=held,
            subject_type=_type(more.get("subject_type")),
            object_type=_type(more.get("object_type")),
            is_value=str(more.get("object_type", "")).upper() == "LITERAL",
            mark=_mark(more.get("passage")),
            quote=_text(more.get("quote")) or "",
            confidence=_share(more.get("confidence")),
            valid_from=_text(more.get("valid_from")),
            valid_until=_text(more.get("valid_until")),
            is_negated=more.get("negated") is True,
        )


def _triple(item: object, names: Mapping[str, str]) -> tuple[str, str, object] | None:
    """Subject, predicate and object; None where one is missing, no text, or points at nothing."""
    if isinstance(item, list):
        sides: tuple[object, object, object] | None = (item[0], item[1], item[2]) if len(item) >= 3 else None
    elif isinstance(item, Mapping):
        sides = (_pointed(item, _SUBJECT, names), _one(item, _PREDICATE), _pointed(item, _OBJECT, names))
    else:
        sides = None
    if sides is None:
        return None
    subject, predicate, object = _text(sides[0]), _text(sides[1]), sides[2]
    if not subject or not predicate or object is None or len(subject) > MAX_NAME_CHARS:
        return None
    values = object[:MAX_LISTED] if isinstance(object, list) else object
    return subject, predicate, values


def _pointed(item: Items, keys: Sequence[str], names: Mapping[str, str]) -> object:
    """The side of this item; a number under a pointing key is the entity of that number, or nothing."""
    for key in keys:
        value = item.get(key)
        if value is None:
            continue
        if key in _POINTERS and (names or isinstance(value, int)):
            known = names.get(str(value))
            return known if known is not None or isinstance(value, int) else value
        return value
    return None


def _entity_names(reply: Items) -> dict[str, str]:
    """The reply's own list of entities, by id."""
    rows = next((rows for key in _ENTITIES if isinstance(rows := reply.get(key), list)), [])
    named = [row for row in rows if isinstance(row, Mapping) and isinstance(row.get("name"), str)]
    return {str(row["id"]): str(row["name"]) for row in named if row.get("id") is not None}


def _value(value: object) -> str | Literal | None:
    """A text, or a literal in the stores' own form; None for what says nothing or echoes a schema."""
    if isinstance(value, str):
        text = clean(value).strip()
        return text if 0 < len(text) <= MAX_VALUE_CHARS else None
    if not isinstance(value, bool | int | float | Mapping) or _is_schema(value):
        return None
    try:
        literal = to_literal(_without_nulls(value))
    except (InvalidInput, RecursionError):
        return None
    return literal if len(literal.text) <= MAX_VALUE_CHARS and literal.text not in ("{}", "[]") else None


def _is_schema(value: object) -> bool:
    """Whether a model echoes the JSON schema back as data."""
    return isinstance(value, Mapping) and (
        value.get("type") in _SCHEMA_TYPES or "properties" in value or "$ref" in value or "anyOf" in value
    )


def _without_nulls(value: object) -> Value:
    if isinstance(value, Mapping):
        return {str(key): _without_nulls(held) for key, held in value.items() if held is not None}
    if isinstance(value, list):
        return [_without_nulls(held) for held in value if held is not None]
    return value if isinstance(value, str | bool | int | float) else str(value)


def _one(item: Items, keys: Sequence[str]) -> object:
    return next((item[key] for key in keys if item.get(key) is not None), None)


def _text(value: object) -> str | None:
    return clean(value).strip() if isinstance(value, str) and value.strip() else None


def _type(value: object) -> EntityType | None:
    try:
        return parse_type(value) if isinstance(value, str) else None
    except InvalidInput:
        return None


def _mark(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    match = _MARK.search(value) if isinstance(value, str) else None
    return int(match[1]) if match else None


def _share(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1 else None
