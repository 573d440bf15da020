"""What a graph store must do: plain storage primitives, the same on every backend.

All rules (binding, status, supersede, corrections) live above, in graph.service and its neighbours, and are written
against these primitives only. A backend stores records, finds them by key, by text, by vector and by hop, and gives
one owner's writes a serial order.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from doso.ids import ChangeId, DocumentId, EntityId, FactId, OwnerId
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import Alias, Change, Entity, EntityType, Fact, FactHit, GraphCounts, Page, Provenance, Status


@dataclass(frozen=True, slots=True)
class View:
    """Which facts a read sees. Default: verified and current.

    `as_of` reads what Doso knew and held true at that moment: recorded by then, not retired by then, valid then.
    Without it: not retired, and `valid_until` open or in the future of `now` where `is_current_only`.
    """

    now: datetime
    statuses: frozenset[Status] = frozenset({Status.VERIFIED})
    as_of: datetime | None = None
    is_current_only: bool = True


@dataclass(frozen=True, slots=True)
class Link:
    """An edge between two entities that a person (or a rule) drew: `equate` or `distinguish`. Ids sorted."""

    kind: str
    a: EntityId
    b: EntityId


class GraphTx(Protocol):
    """One owner's write transaction. Writes of one owner never overlap; reads inside see all earlier commits."""

    async def entities(self, ids: Collection[EntityId]) -> dict[EntityId, Entity]: ...

    async def entities_by_key(self, keys: Collection[str]) -> dict[str, tuple[Entity, ...]]:
        """Entities of any type that carry one of these alias keys, by key."""
        ...

    async def entities_by_block(self, blocks: Collection[str], *, limit: int) -> tuple[Entity, ...]:
        """Entities that share a blocking key (graph.names.blocks), those sharing most first."""
        ...

    async def group(self, group_ids: Collection[EntityId]) -> tuple[Entity, ...]:
        """All members of these groups."""
        ...

    async def owner_entity(self) -> Entity | None: ...

    async def put_entities(self, entities: Sequence[Entity], blocks: Mapping[EntityId, frozenset[str]]) -> None:
        """Insert or replace entities with their aliases and blocking keys. Alias keys are unique per (owner, type,
        key, context)."""
        ...

    async def delete_entities(self, ids: Collection[EntityId]) -> None: ...

    async def delete_aliases_of(self, document_id: DocumentId) -> int:
        """Drop aliases that only this document gave; returns how many."""
        ...

    async def facts(self, ids: Collection[FactId]) -> dict[FactId, Fact]: ...

    async def facts_by_key(self, keys: Collection[str]) -> dict[str, Fact]:
        """Facts by their key, whatever their status; the unretired one where there are several."""
        ...

    async def facts_of(
        self, entity_ids: Collection[EntityId], predicates: Collection[str] | None = None, *, as_object: bool = False
    ) -> tuple[Fact, ...]:
        """Unretired facts with one of these subjects (or objects), any status, provenance included."""
        ...

    async def facts_from(self, document_id: DocumentId) -> tuple[Fact, ...]:
        """Facts of any status that this document supports, with all of their provenance."""
        ...

    async def put_facts(self, facts: Sequence[Fact]) -> None:
        """Insert or replace fact rows (not their provenance) with their search text."""
        ...

    async def delete_facts(self, ids: Collection[FactId]) -> None:
        """Remove facts with provenance, vectors and search rows: only forgetting does this."""
        ...

    async def add_provenance(self, rows: Sequence[tuple[FactId, Provenance]]) -> None:
        """Add supports; the same (fact, passage, extractor) again changes nothing."""
        ...

    async def delete_provenance(self, document_id: DocumentId) -> int: ...

    async def links(self, ids: Collection[EntityId]) -> tuple[Link, ...]: ...

    async def put_link(self, link: Link) -> None: ...

    async def delete_link(self, link: Link) -> None: ...

    async def append_changes(self, changes: Sequence[Change]) -> None: ...

    async def change(self, change_id: ChangeId) -> Change | None: ...

    async def mark_undone(self, change_id: ChangeId, by: ChangeId) -> None: ...

    async def scrub_changes(self, target_ids: Collection[str]) -> None:
        """Blank summary, before and after of changes to forgotten targets; the rows stay as proof that they were."""
        ...

    async def receipt(self, request_id: str) -> tuple[str, str] | None:
        """(body digest, stored answer) of a request that was done before."""
        ...

    async def put_receipt(self, request_id: str, body_digest: str, answer: str) -> None: ...


class GraphStore(Protocol):
    """A backend. `owner` scopes every call: a foreign id is an unknown id."""

    async def prepare(self) -> None:
        """Create constraints and indexes before any data; safe to repeat."""
        ...

    def write(self, owner: OwnerId) -> AbstractAsyncContextManager[GraphTx]:
        """A write transaction, serial per owner, committed at the end of the block, rolled back on an exception.

        Raises Unavailable when the database does not answer within its bounds.
        """
        ...

    async def entities(self, owner: OwnerId, ids: Collection[EntityId]) -> dict[EntityId, Entity]:
        """Entities with their own aliases, those of the whole group included for a group's representative."""
        ...

    async def entities_by_key(self, owner: OwnerId, keys: Collection[str]) -> dict[str, tuple[Entity, ...]]: ...

    async def search_entities(self, owner: OwnerId, tokens: Sequence[str], *, limit: int) -> tuple[Entity, ...]:
        """Entities whose names hold most of these search tokens (doso.text), best first. No tokens, no hits."""
        ...

    async def list_entities(
        self, owner: OwnerId, *, type: EntityType | None, cursor: str | None, limit: int
    ) -> Page[Entity]: ...

    async def owner_entity(self, owner: OwnerId) -> Entity | None: ...

    async def neighbours(
        self, owner: OwnerId, ids: Collection[EntityId], view: View, *, per_predicate: int, per_entity: int
    ) -> tuple[tuple[Fact, ...], bool]:
        """Facts in both directions of these entities and their group members, newest first per predicate and
        direction, bounded per predicate and per entity; True when a bound cut some off. Provenance included."""
        ...

    async def search_facts(
        self, owner: OwnerId, tokens: Sequence[str], view: View, *, limit: int
    ) -> tuple[FactHit, ...]:
        """Full-text over fact prose; BM25, best first."""
        ...

    async def near_facts(
        self, owner: OwnerId, vector: Vectors, info: EmbedderInfo, view: View, *, limit: int
    ) -> tuple[FactHit, ...]:
        """Nearest facts by cosine in the index of this embedder. Raises IndexMismatch when the index of the facts is
        of another model or size."""
        ...

    async def facts(self, owner: OwnerId, ids: Collection[FactId]) -> dict[FactId, Fact]: ...

    async def list_facts(
        self,
        owner: OwnerId,
        view: View,
        *,
        entity_id: EntityId | None,
        predicate: str | None,
        cursor: str | None,
        limit: int,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
    ) -> Page[Fact]:
        """Facts newest first; `valid_from`/`valid_until` keep those whose valid_from lies in that half-open range."""
        ...

    async def list_changes(
        self, owner: OwnerId, *, target_id: str | None, cursor: str | None, limit: int
    ) -> Page[Change]: ...

    async def facts_without_vectors(self, owner: OwnerId, info: EmbedderInfo, *, limit: int) -> tuple[Fact, ...]: ...

    async def put_fact_vectors(
        self, owner: OwnerId, info: EmbedderInfo, ids: Sequence[FactId], vectors: Vectors
    ) -> None: ...

    async def counts(self, owner: OwnerId) -> GraphCounts: ...

    async def owners(self) -> tuple[OwnerId, ...]: ...

    async def check(self) -> None:
        """Raises Unavailable when the store can't answer."""
        ...

    async def aclose(self) -> None: ...


__all__ = ["Alias", "GraphStore", "GraphTx", "Link", "View"]
