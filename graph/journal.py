"""The change log's own language: rows before and after as JSON, and what they say when a change is taken back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from doso.ids import ChangeId, OwnerId, new_id
from doso.records import Actor, Change, ChangeOp, Entity, Fact
from graph.ports import Link


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that a change touched, as they were or as they are."""

    facts: tuple[Fact, ...] = ()
    entities: tuple[Entity, ...] = ()
    links: tuple[Link, ...] = ()


_ENCODER = msgspec.json.Encoder(order="deterministic")
_ROWS = msgspec.json.Decoder(Rows)


def encoded(value: object) -> str:
    """Any record as JSON, the same text for the same record."""
    return _ENCODER.encode(value).decode()


def rows_text(rows: Rows) -> str:
    """Rows as the log holds them, without provenance, which has rows of its own."""
    return encoded(replace(rows, facts=tuple(replace(fact, provenance=()) for fact in rows.facts)))


def rows_of(text: str) -> Rows:
    """Rows out of the log."""
    return _ROWS.decode(text) if text else Rows()


def a_change(
    owner: OwnerId,
    op: ChangeOp,
    now: datetime,
    actor: Actor,
    *,
    target_id: str,
    summary: str,
    before: Rows,
    after: Rows,
) -> Change:
    """A new row of the log."""
    return Change(
        id=ChangeId(new_id()),
        owner=owner,
        op=op,
        at=now,
        actor=actor,
        summary=summary,
        target_id=target_id,
        before=rows_text(before),
        after=rows_text(after),
    )


def differs(held: Fact | None, logged: Fact) -> bool:
    """Whether a fact has moved on since the log last saw it; wording and support don't count."""
    if held is None:
        return True
    plain = replace(held, provenance=(), text=logged.text, confidence=logged.confidence, trust=logged.trust)
    return plain != replace(logged, provenance=())


def told(facts: Sequence[Fact]) -> str:
    """The facts in words, a few of them."""
    texts = [fact.text for fact in facts[:3] if fact.text]
    more = len(facts) - len(texts)
    return "; ".join(texts) + (f" and {more} more" if texts and more else "")
