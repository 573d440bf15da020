"""The graph as the rest of Doso uses it: binding, asserting, correcting, reading and forgetting over any store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from doso.clock import Clock, system_clock
from doso.ids import ChangeId, DocumentId, EntityId, FactId, OwnerId
from doso.llm.ports import Embedder
from doso.records import (
    Actor,
    Binding,
    Change,
    Entity,
    EntityType,
    Fact,
    FactDraft,
    FactHit,
    ForgetReceipt,
    Mention,
    Neighbourhood,
    Page,
    Status,
    StoredFact,
)
from graph.corrections import Correction
from graph.ports import GraphStore, View


@dataclass(frozen=True, slots=True)
class Graph:
    """All verbs of the memory. `owner` comes first everywhere; a foreign id raises NotFound like an unknown one."""

    store: GraphStore
    configured_aliases: Mapping[str, str]  # alias key -> key of the name it stands for
    clock: Clock = system_clock

    # -- reading
    def view(
        self,
        *,
        include_candidates: bool = False,
        as_of: datetime | None = None,
        statuses: Collection[Status] | None = None,
    ) -> View: ...

    async def find_entities(
        self, owner: OwnerId, name: str, *, type: EntityType | None = None, limit: int = 20
    ) -> tuple[Entity, ...]:
        """Entities of this name: exact alias key first, else by the words of the name. One per group."""
        ...

    async def seeds(self, owner: OwnerId, question: str, *, limit: int) -> tuple[Entity, ...]:
        """Entities a question names by any alias (longest first), first person → owner. One per group."""
        ...

    async def entity(self, owner: OwnerId, entity_id: EntityId) -> Entity: ...

    async def owner_entity(self, owner: OwnerId) -> Entity | None: ...

    async def neighbours(
        self, owner: OwnerId, ids: Collection[EntityId], view: View, *, per_predicate: int = 25, per_entity: int = 200
    ) -> Neighbourhood: ...

    async def search_facts(self, owner: OwnerId, question: str, view: View, *, limit: int) -> tuple[FactHit, ...]: ...

    async def near_facts(
        self, owner: OwnerId, question_vector: object, embedder: Embedder, view: View, *, limit: int
    ) -> tuple[FactHit, ...]: ...

    async def paths(
        self, owner: OwnerId, start: EntityId, end: EntityId, view: View, *, max_depth: int
    ) -> tuple[tuple[Fact, ...], ...]:
        """Shortest chains of facts between two entities, breadth first under a bound on facts read."""
        ...

    async def list_facts(
        self,
        owner: OwnerId,
        view: View,
        *,
        entity_id: EntityId | None = None,
        predicate: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
    ) -> Page[Fact]: ...

    async def history(self, owner: OwnerId, fact_id: FactId) -> tuple[Change, ...]: ...

    # -- writing
    async def bind(self, owner: OwnerId, mentions: Sequence[Mention]) -> tuple[Binding, ...]:
        """Bind without storing a fact; creates entities that are new."""
        ...

    async def assert_facts(
        self, owner: OwnerId, drafts: Sequence[FactDraft], actor: Actor, *, request_id: str | None = None
    ) -> tuple[StoredFact, ...]:
        """Bind and store a batch in one transaction; a request id that was done before returns its first answer."""
        ...

    async def correct(
        self,
        owner: OwnerId,
        corrections: Sequence[Correction],
        actor: Actor,
        *,
        dry_run: bool = False,
        request_id: str | None = None,
    ) -> tuple[Change, ...]: ...

    async def undo(self, owner: OwnerId, change_id: ChangeId, actor: Actor) -> Change: ...

    async def forget_document(
        self, owner: OwnerId, document_id: DocumentId, *, passage_ids: Collection[str] | None = None
    ) -> ForgetReceipt:
        """Remove what only this document (or only these passages of it) supported: facts, entities, aliases."""
        ...

    # -- vectors
    async def embed_missing(self, owner: OwnerId, embedder: Embedder, *, batch: int = 64) -> int: ...
