"""The graph as the rest of Doso uses it: binding, asserting, correcting, reading and forgetting over any store."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from doso.clock import Clock, system_clock
from doso.errors import InvalidInput, NotFound
from doso.foreground import Foreground
from doso.ids import ChangeId, DocumentId, EntityId, FactId, OwnerId, PassageId
from doso.llm.ports import Embedder, Vectors
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
    GraphCounts,
    Mention,
    Neighbourhood,
    Page,
    Status,
    StoredFact,
)
from doso.text import query_tokens
from graph import reading, wiki
from graph.assembly import Assembly
from graph.correcting import Correcting
from graph.corrections import Correction
from graph.forgetting import Reading, forget, outdate
from graph.ports import GraphStore, GraphTx, View
from graph.receipts import once_for_changes, once_for_facts
from graph.resolving import Named, Resolver
from graph.undoing import undo

#: Search tokens of a question.
MAX_TOKENS = 32
#: Drafts of one transaction: a longer batch is several.
MAX_DRAFTS = 2_000
#: Facts embedded at a time, and while somebody is being answered.
MAX_EMBEDDED = 256
FEW_EMBEDDED = 32


@dataclass(frozen=True, slots=True)
class Graph:
    """All verbs of the memory. `owner` comes first everywhere; a foreign id raises NotFound like an unknown one."""

    store: GraphStore
    configured_aliases: Mapping[str, str]  # name key -> name key of what it stands for
    clock: Clock = system_clock

    # -- reading
    def view(
        self,
        *,
        include_candidates: bool = False,
        as_of: datetime | None = None,
        statuses: Collection[Status] | None = None,
    ) -> View:
        """What a read sees: verified and current, unless told otherwise. Asked for statuses, it shows ended facts."""
        if statuses is not None:
            return View(self.clock(), frozenset(statuses), as_of, is_current_only=False)
        seen = {Status.VERIFIED, Status.CANDIDATE} if include_candidates else {Status.VERIFIED}
        return View(self.clock(), frozenset(seen), as_of)

    async def find_entities(
        self, owner: OwnerId, name: str, *, type: EntityType | None = None, limit: int = 20
    ) -> tuple[Entity, ...]:
        """Entities of this name: exact alias key first, else by the words of the name. One per group."""
        return await reading.find(self.store, owner, name, self.configured_aliases, type=type, limit=limit)

    async def seeds(self, owner: OwnerId, question: str, *, limit: int) -> tuple[Entity, ...]:
        """Entities a question names by any alias (longest first), first person → owner. One per group."""
        return await reading.seeds(self.store, owner, question, self.configured_aliases, limit=limit)

    async def entity(self, owner: OwnerId, entity_id: EntityId) -> Entity:
        """The entity with the aliases of its group. Raises NotFound."""
        return await reading.entity(self.store, owner, entity_id)

    async def wiki(self, owner: OwnerId, entity_id: EntityId, view: View) -> wiki.WikiPage:
        """Everything known about an entity, grouped. Raises NotFound."""
        return await wiki.page(self.store, owner, entity_id, view)

    async def list_entities(
        self, owner: OwnerId, *, type: EntityType | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Entity]:
        """Entities newest first, one per group."""
        return await reading.list_entities(self.store, owner, type=type, cursor=cursor, limit=limit)

    async def owner_entity(self, owner: OwnerId) -> Entity | None:
        """The person whose memory this is, None before they said anything."""
        you = await self.store.owner_entity(owner)
        return None if you is None else await self.entity(owner, you.id)

    async def neighbours(
        self, owner: OwnerId, ids: Collection[EntityId], view: View, *, per_predicate: int = 25, per_entity: int = 200
    ) -> Neighbourhood:
        """One hop around these entities and their groups, bounded. Unknown ids have no neighbours."""
        return await reading.neighbours(
            self.store, owner, ids, view, per_predicate=per_predicate, per_entity=per_entity
        )

    async def named_in(self, owner: OwnerId, facts: Sequence[Fact]) -> dict[EntityId, Entity]:
        """Every entity that these facts name, by the id they name it with."""
        return await reading.named(self.store, owner, facts)

    async def search_facts(self, owner: OwnerId, question: str, view: View, *, limit: int) -> tuple[FactHit, ...]:
        """Facts by the words of a question, best first."""
        return await self.store.search_facts(owner, query_tokens(question, limit=MAX_TOKENS), view, limit=limit)

    async def near_facts(
        self, owner: OwnerId, question_vector: object, embedder: Embedder, view: View, *, limit: int
    ) -> tuple[FactHit, ...]:
        """Facts nearest to a question's vector. Raises IndexMismatch."""
        vector = cast("Vectors", question_vector)
        return await self.store.near_facts(owner, vector, embedder.info, view, limit=limit)

    async def paths(
        self, owner: OwnerId, start: EntityId, end: EntityId, view: View, *, max_depth: int
    ) -> tuple[tuple[Fact, ...], ...]:
        """Shortest chains of facts between two entities, breadth first under a bound on facts read."""
        return await reading.paths(self.store, owner, start, end, view, max_depth=max_depth)

    async def fact(self, owner: OwnerId, fact_id: FactId) -> Fact:
        """One fact, whatever its status. Raises NotFound."""
        found = (await self.store.facts(owner, [fact_id])).get(fact_id)
        if found is None:
            raise NotFound(f"No fact {fact_id}.", param="fact_id")
        return found

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
    ) -> Page[Fact]:
        """Facts newest first; of an entity those of its group, in either direction. Raises NotFound."""
        members = None if entity_id is None else await reading.member_ids(self.store, owner, entity_id)
        return await self.store.list_facts(
            owner,
            view,
            entity_ids=members,
            predicate=predicate,
            cursor=cursor,
            limit=limit,
            valid_from=valid_from,
            valid_until=valid_until,
        )

    async def history(self, owner: OwnerId, fact_id: FactId) -> tuple[Change, ...]:
        """The changes of a fact, oldest first. Raises NotFound."""
        await self.fact(owner, fact_id)
        page = await self.store.list_changes(owner, target_id=fact_id, cursor=None, limit=200)
        return tuple(reversed(page.data))

    async def list_changes(
        self, owner: OwnerId, *, target_id: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> Page[Change]:
        """Every mutation, newest first."""
        return await self.store.list_changes(owner, target_id=target_id, cursor=cursor, limit=limit)

    async def counts(self, owner: OwnerId) -> GraphCounts:
        """How much the owner's graph holds, from counters."""
        return await self.store.counts(owner)

    # -- writing
    async def bind(self, owner: OwnerId, mentions: Sequence[Mention]) -> tuple[Binding, ...]:
        """Bind without storing a fact; creates entities that are new. Raises InvalidInput for a blank name."""

        async def work(tx: GraphTx) -> tuple[Binding, ...]:
            resolver = self._resolver(tx, owner)
            await resolver.load(mentions)
            bindings = tuple(resolver.bind(Named(mention)) for mention in mentions)
            await resolver.save()
            return bindings

        return await self.store.transact(owner, work)

    async def assert_facts(
        self,
        owner: OwnerId,
        drafts: Sequence[FactDraft],
        actor: Actor,
        *,
        request_id: str | None = None,
        all_or_none: bool = False,
    ) -> tuple[StoredFact, ...]:
        """Bind and store a batch in one transaction; a request id that was done before returns its first answer.

        A draft that can't be a fact is skipped; with `all_or_none` it raises InvalidInput and nothing is stored.
        """

        async def work(tx: GraphTx) -> tuple[StoredFact, ...]:
            async def store() -> tuple[StoredFact, ...]:
                outcomes = await Assembly(tx, self._resolver(tx, owner), actor).run(drafts)
                return _none_skipped(outcomes) if all_or_none else outcomes

            return await once_for_facts(tx, request_id, drafts, store)

        if not drafts:
            return ()
        if request_id is None and len(drafts) > MAX_DRAFTS:
            parts = [drafts[start : start + MAX_DRAFTS] for start in range(0, len(drafts), MAX_DRAFTS)]
            return tuple([row for part in parts for row in await self.assert_facts(owner, part, actor)])
        return await self.store.transact(owner, work)

    async def assert_reading(
        self, owner: OwnerId, reading: Reading, drafts: Sequence[FactDraft]
    ) -> tuple[StoredFact, ...]:
        """Store what a reading of some passages gave, in place of the candidates that its family's earlier readings of
        them gave; nothing else changes. Both in one transaction."""

        async def work(tx: GraphTx) -> tuple[StoredFact, ...]:
            outcomes = await Assembly(tx, self._resolver(tx, owner), reading.actor).run(drafts) if drafts else ()
            await outdate(tx, owner, reading, outcomes, self.clock())
            return outcomes

        return await self.store.transact(owner, work)

    async def correct(
        self,
        owner: OwnerId,
        corrections: Sequence[Correction],
        actor: Actor,
        *,
        dry_run: bool = False,
        request_id: str | None = None,
    ) -> tuple[Change, ...]:
        """Carry corrections out, all or none. Raises AmbiguousTarget, NotFound, Conflict or InvalidInput."""

        async def work(tx: GraphTx) -> tuple[Change, ...]:
            async def carry_out() -> tuple[Change, ...]:
                correcting = Correcting(tx, owner, self.configured_aliases, actor, self.clock())
                return await correcting.run(corrections)

            if dry_run:
                raise _DryRun(await carry_out())
            return await once_for_changes(tx, request_id, corrections, carry_out)

        try:
            return await self.store.transact(owner, work)
        except _DryRun as planned:
            return planned.changes

    async def undo(self, owner: OwnerId, change_id: ChangeId, actor: Actor, *, request_id: str | None = None) -> Change:
        """Take a change back. Raises NotFound, and Conflict when it can't be undone (any more)."""

        async def work(tx: GraphTx) -> Change:
            async def take_back() -> tuple[Change, ...]:
                return (await undo(tx, owner, change_id, actor, self.clock()),)

            (undoing,) = await once_for_changes(tx, request_id, [change_id], take_back)
            return undoing

        return await self.store.transact(owner, work)

    async def forget_document(
        self,
        owner: OwnerId,
        document_id: DocumentId,
        *,
        passage_ids: Collection[PassageId] | None = None,
        actor: Actor | None = None,
    ) -> ForgetReceipt:
        """Remove what only this document (or only these passages of it) supported: facts, entities, aliases."""
        who = actor or Actor("user", "", document_id)

        async def work(tx: GraphTx) -> ForgetReceipt:
            return await forget(tx, owner, document_id, passage_ids=passage_ids, actor=who, now=self.clock())

        return await self.store.transact(owner, work)

    # -- vectors
    async def embed_missing(
        self, owner: OwnerId, embedder: Embedder, *, batch: int = MAX_EMBEDDED, foreground: Foreground | None = None
    ) -> int:
        """Embed every fact that has no vector of this embedder, then drop other embedders' vectors; returns how many.
        Less at a time while `foreground` answers somebody.

        Raises EmbedderUnavailable; what was embedded until then stays.
        """
        turns = foreground or Foreground()
        count, tried = 0, set[FactId]()
        while await self.store.facts_without_vectors(owner, embedder.info, limit=1):
            limit = await turns.turn(most=batch, least=min(batch, FEW_EMBEDDED))
            facts = await self.store.facts_without_vectors(owner, embedder.info, limit=limit)
            fresh = [fact for fact in facts if fact.id not in tried]
            if not fresh:
                break
            tried |= {fact.id for fact in fresh}
            texts = [fact.text or fact.predicate.replace("_", " ") for fact in fresh]
            vectors = await embedder.embed_passages(texts)
            await self.store.put_fact_vectors(owner, embedder.info, [fact.id for fact in fresh], vectors)
            count += len(fresh)
        await self.store.drop_other_vectors(owner, embedder.info)
        return count

    def _resolver(self, tx: GraphTx, owner: OwnerId) -> Resolver:
        return Resolver(tx, owner, self.configured_aliases, self.clock())


def _none_skipped(outcomes: tuple[StoredFact, ...]) -> tuple[StoredFact, ...]:
    for at, outcome in enumerate(outcomes):
        if outcome.outcome == "skipped":
            raise InvalidInput(f"This can't be a fact: {outcome.why}", param=f"facts[{at}]")
    return outcomes


class _DryRun(Exception):
    """Carries planned changes out of a transaction that must not count."""

    def __init__(self, changes: tuple[Change, ...]) -> None:
        super().__init__()
        self.changes = changes
