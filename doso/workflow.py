"""What the server is doing for an owner, told as it happens: names of stages, ids and counts, never content."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from doso.ids import OwnerId

#: Bounded by this when events are told faster than they can be stored; the oldest wait, the newest are left out.
MAX_WAITING = 10_000

Field = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class WorkflowEvent:
    """One step of some work. `name` is `noun.action`; `work_id` is shared by all events of one ask or operation."""

    owner: OwnerId
    name: str
    at: datetime
    work_id: str
    conversation_id: str | None = None
    fields: Mapping[str, Field] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NumberedEvent:
    """A stored event and its place among all."""

    number: int
    event: WorkflowEvent


class Workflow(Protocol):
    """Where events go. Telling one costs next to nothing, never waits and never fails."""

    def tell(
        self, owner: OwnerId, name: str, work_id: str, *, conversation_id: str | None = None, **fields: Field
    ) -> None:
        """Tell one event, as of now."""
        ...


class Silent:
    """Implements Workflow for where nobody listens."""

    def tell(
        self, owner: OwnerId, name: str, work_id: str, *, conversation_id: str | None = None, **fields: Field
    ) -> None:
        """Nothing."""
