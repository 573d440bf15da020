"""Corrections as data: what a person may change in the graph, one frozen record per operation."""

from __future__ import annotations

from dataclasses import dataclass

from doso.ids import EntityId, FactId
from doso.records import EntityType, Literal, Mention


@dataclass(frozen=True, slots=True)
class EntityRef:
    """An entity by id, or by a name (with a type where several bear it)."""

    id: EntityId | None = None
    name: str | None = None
    type: EntityType | None = None


@dataclass(frozen=True, slots=True)
class Retract:
    """A fact goes, by id or by triple; None stands for whatever is on file.

    `why`: "ended" (was true: valid_until is set, history stays), "wrong" (never true: rejected), "forget".
    """

    fact_id: FactId | None = None
    subject: EntityRef | None = None
    predicate: str | None = None
    object: EntityRef | Literal | None = None
    why: str = "wrong"
    valid_until: str | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Replace:
    """The old fact was wrong and the new triple stands instead."""

    old: Retract
    subject: Mention
    predicate: str
    object: Mention | Literal
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Equate:
    """Two entities are one."""

    a: EntityRef
    b: EntityRef
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Distinguish:
    """Two entities are never one; takes an `equate` between them back."""

    a: EntityRef
    b: EntityRef
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Rename:
    """Same entity, better spelling; the old name stays an alias."""

    entity: EntityRef
    to: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Split:
    """`alias` no longer names `entity`: the equate between them goes, or the alias becomes an entity of its own. Unlike
    `distinguish` it forbids nothing."""

    entity: EntityRef
    alias: EntityRef
    reason: str = ""


Correction = Retract | Replace | Equate | Distinguish | Rename | Split
