"""What a graph store must do: plain storage primitives, the same on every backend.

All rules (binding, status, supersede, corrections) live above, in graph.service and its neighbours, and are written
against these primitives only. A backend stores records, finds them by key, by text, by vector and by hop, and gives
one owner's writes a serial order.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeVar

from doso.ids import ChangeId, DocumentId, EntityId, FactId, OwnerId, PassageId
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import Alias, Change, Entity, EntityType, Fact, FactHit, GraphCounts, Page, Provenance, Status

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class View:
    """Which facts a read sees. Default: verified and current. `sees` is the meaning; a backend says the same in its
    own language.

    A fact that is CANDIDATE or VERIFIED is unretired, one that is REJECTED or SUPERSEDED is retired. `as_of` reads what
    Doso knew and held true at that moment; it needs no status of retired facts to see what was retired since.
    """

    now: datetime
    statuses: frozenset[Status] = frozenset({Status.VERIFIED})
    as_of: datetime | None = None
    is_current_only: bool = True

    def sees(self, fact: Fact) -> bool:
        """Whether a read with this view returns the fact."""
        if self.as_of is None:
            ended = self.is_current_only and fact.valid_until is not None and fact.valid_until <= self.now
            return fact.status in self.statuses and (fact.retired_at is not None or not ended)
        if fact.recorded_at > self.as_of or (fact.retired_at is not None and fact.retired_at <= self.as_of):
            return False
        if fact.valid_from is not None and fact.valid_from > self.as_of:
            return False
        if fact.valid_until is not None and fact.valid_until <= self.as_of:
            return False
        was_verified = fact.verified_at is not None and fact.verified_at <= self.as_of
        return (Status.VERIFIED if was_verified else Status.CANDIDATE) in self.statuses


@dataclass(frozen=True, slots=True)
class Link:
    """An edge between two entities that a person (or a rule) drew: `equate` or `distinguish`; a < b."""

    kind: str
    a: EntityId
    b: EntityId


class GraphTx(Protocol):
    """One owner's write transaction. Writes of one owner never overlap; reads inside see all earlier commits and the
    transaction's own writes. Entities come with their own aliases, facts with all of their provenance."""

    async def entities(self, ids: Collection[EntityId]) -> dict[EntityId, Entity]: ...

    async def entities_by_key(self, keys: Collection[str]) -> dict[str, tuple[Entity, ...]]:
        """Entities of any type that carry one of these alias keys, by key; a key without any is absent."""
        ...

    async def entities_by_block(self, blocks: Collection[str], *, per_block: int) -> dict[str, tuple[Entity, ...]]:
        """Entities that carry these blocking keys, the oldest `per_block` of each; a block without any is absent."""
        ...

    async def entities_from(self, document_id: DocumentId) -> tuple[Entity, ...]:
        """Entities with an alias that this document gave."""
        ...

    async def group(self, ids: Collection[EntityId]) -> tuple[Entity, ...]:
        """All members of the groups that these entities are in, oldest (smallest id) first."""
        ...

    async def owner_entity(self) -> Entity | None:
        """The entity whose role is "owner"."""
        ...

    async def put_entities(self, rows: Sequence[Entity]) -> None:
        """Insert or replace entities with exactly these aliases. Of one entity several aliases may share a key: one
        for each document and passage that gave it. A key belongs to one entity per (owner, type, context): raises
        Conflict when one belongs to another entity."""
        ...

    async def put_blocks(self, blocks: Mapping[EntityId, Collection[str]]) -> None:
        """Add blocking keys to entities; those it carries already change nothing."""
        ...

    async def delete_entities(self, ids: Collection[EntityId]) -> None:
        """Remove entities with aliases, blocking keys and links; no fact names them any more."""
        ...

    async def without_facts(self, ids: Collection[EntityId]) -> frozenset[EntityId]:
        """Those of these entities that no fact of any status names, as subject or object."""
        ...

    async def facts(self, ids: Collection[FactId]) -> dict[FactId, Fact]: ...

    async def facts_by_key(self, keys: Collection[str]) -> dict[str, tuple[Fact, ...]]:
        """Facts of any status by their key, newest (largest id) first; a key without any is absent."""
        ...

    async def facts_of(
        self, entity_ids: Collection[EntityId], predicates: Collection[str] | None = None, *, as_object: bool = False
    ) -> tuple[Fact, ...]:
        """Unretired facts with one of these subjects (or objects), oldest first."""
        ...

    async def facts_from(
        self, document_id: DocumentId, *, passage_ids: Collection[PassageId] | None = None
    ) -> tuple[Fact, ...]:
        """Facts of any status that this document (only these passages of it, unless None) supports, with all of their
        provenance, oldest first."""
        ...

    async def facts_superseded_by(self, ids: Collection[FactId]) -> tuple[Fact, ...]: ...

    async def put_facts(self, rows: Sequence[Fact]) -> None:
        """Insert or replace fact rows with their search text, never touching provenance. A changed text drops the
        fact's vectors."""
        ...

    async def delete_facts(self, ids: Collection[FactId]) -> None:
        """Remove facts with provenance, vectors and search rows: only forgetting does this."""
        ...

    async def add_provenance(self, rows: Sequence[tuple[FactId, Provenance]]) -> None:
        """Add supports; the same (fact, document, passage, extractor) again changes nothing."""
        ...

    async def delete_provenance(self, document_id: DocumentId, *, passage_ids: Collection[PassageId] | None) -> int:
        """Drop what this document (only these passages of it, unless None) supports; returns how many rows."""
        ...

    async def drop_supports(self, rows: Sequence[tuple[FactId, Provenance]]) -> None:
        """Drop exactly these supports (same fact, document, passage, extractor); one that is not there is no fault."""
        ...

    async def links(self, ids: Collection[EntityId]) -> tuple[Link, ...]:
        """Links with one of these entities at either end."""
        ...

    async def put_link(self, link: Link) -> None: ...

    async def delete_link(self, link: Link) -> None: ...

    async def append_changes(self, rows: Sequence[Change]) -> None: ...

    async def change(self, change_id: ChangeId) -> Change | None: ...

    async def mark_undone(self, change_id: ChangeId, by: ChangeId) -> None: ...

    async def scrub_changes(self, target_ids: Collection[str]) -> None:
        """Blank summary, reason, before and after of changes to forgotten targets; the rows stay as proof that they
        were."""
        ...

    async def receipt(self, request_id: str) -> tuple[str, str] | None:
        """(body digest, stored answer) of a request that was done before."""
        ...

    async def put_receipt(self, request_id: str, body_digest: str, answer: str) -> None: ...


class GraphStore(Protocol):
    """A backend. `owner` scopes every call: a foreign id is an unknown id. Entities come with their own aliases, facts
    with all of their provenance; every moment is UTC-aware. A cursor is the id of the last row; pages go from the
    newest (largest) id down. Any call raises Unavailable when the database does not answer within its bounds."""

    async def prepare(self) -> None:
        """Create constraints and indexes before any data; safe to repeat."""
        ...

    async def transact(self, owner: OwnerId, work: Callable[[GraphTx], Awaitable[T]]) -> T:
        """Run `work` in a write transaction, serial per owner: committed when it returns, rolled back when it raises.

        After a transient fault of the database `work` runs anew in a fresh transaction, so it keeps no state.
        """
        ...

    async def entities(self, owner: OwnerId, ids: Collection[EntityId]) -> dict[EntityId, Entity]: ...

    async def entities_by_key(self, owner: OwnerId, keys: Collection[str]) -> dict[str, tuple[Entity, ...]]: ...

    async def entities_by_block(
        self, owner: OwnerId, blocks: Collection[str], *, per_block: int
    ) -> dict[str, tuple[Entity, ...]]: ...

    async def group(self, owner: OwnerId, ids: Collection[EntityId]) -> tuple[Entity, ...]:
        """All members of the groups that these entities are in, oldest (smallest id) first."""
        ...

    async def search_entities(self, owner: OwnerId, tokens: Sequence[str], *, limit: int) -> tuple[Entity, ...]:
        """Entities whose alias names hold most of these search tokens (doso.text), best first. No tokens, no hits."""
        ...

    async def list_entities(
        self, owner: OwnerId, *, type: EntityType | None, cursor: str | None, limit: int
    ) -> Page[Entity]:
        """The representatives of groups (id == group_id)."""
        ...

    async def owner_entity(self, owner: OwnerId) -> Entity | None: ...

    async def neighbours(
        self, owner: OwnerId, ids: Collection[EntityId], view: View, *, per_predicate: int, per_entity: int
    ) -> tuple[tuple[Fact, ...], bool]:
        """Facts in both directions of exactly these entities, newest first: at most the newest `per_predicate` of each
        (entity, direction, predicate), then at most the newest `per_entity` of each entity, each fact once; True when a
        bound cut some off. A hub costs what it returns, not what it has."""
        ...

    async def search_facts(
        self, owner: OwnerId, tokens: Sequence[str], view: View, *, limit: int
    ) -> tuple[FactHit, ...]:
        """Full-text over fact prose; BM25, best first. No tokens, no hits."""
        ...

    async def near_facts(
        self, owner: OwnerId, vector: Vectors, info: EmbedderInfo, view: View, *, limit: int
    ) -> tuple[FactHit, ...]:
        """Nearest facts by cosine in the index of this embedder. Raises IndexMismatch when this owner has vectors of
        another embedder and none of this one; without any vectors, no hits."""
        ...

    async def facts(self, owner: OwnerId, ids: Collection[FactId]) -> dict[FactId, Fact]: ...

    async def list_facts(
        self,
        owner: OwnerId,
        view: View,
        *,
        entity_ids: Collection[EntityId] | None,
        predicate: str | None,
        cursor: str | None,
        limit: int,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
    ) -> Page[Fact]:
        """Facts newest first, of these entities in either direction; `valid_from`/`valid_until` keep those whose
        valid_from lies in that half-open range."""
        ...

    async def list_changes(
        self, owner: OwnerId, *, target_id: str | None, cursor: str | None, limit: int
    ) -> Page[Change]: ...

    async def facts_without_vectors(self, owner: OwnerId, info: EmbedderInfo, *, limit: int) -> tuple[Fact, ...]:
        """Unretired facts without a vector of this embedder, oldest first."""
        ...

    async def put_fact_vectors(self, owner: OwnerId, info: EmbedderInfo, ids: Sequence[FactId], rows: Vectors) -> None:
        """Store vectors; a fact that is gone by now is left out. Raises IndexMismatch for vectors of another size than
        the embedder's, storing none."""
        ...

    async def drop_other_vectors(self, owner: OwnerId, keep: EmbedderInfo) -> None:
        """Remove the vectors of every other embedder: the cut-over after re-embedding."""
        ...

    async def counts(self, owner: OwnerId) -> GraphCounts:
        """Entities, and unretired facts; in `detail` "candidates", and "vectors:<model>" for each embedder."""
        ...

    async def owners(self) -> tuple[OwnerId, ...]: ...

    async def check(self) -> None:
        """Raises Unavailable when the store can't answer."""
        ...

    async def aclose(self) -> None: ...


__all__ = ["Alias", "GraphStore", "GraphTx", "Link", "View"]
