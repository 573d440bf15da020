"""The write transaction of the SQLite graph: the port's verbs over one scope."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from doso.ids import ChangeId, DocumentId, EntityId, FactId, PassageId
from doso.records import Change, Entity, Fact, Provenance
from graph.backends.sqlite import changes, entities, facts
from graph.backends.sqlite.scope import Scope
from graph.ports import Link


class SqliteTx:
    """Writes of one owner within a transaction that began IMMEDIATE, so that they never overlap with others."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def entities(self, ids: Collection[EntityId]) -> dict[EntityId, Entity]:
        return await entities.by_id(self._scope, ids)

    async def entities_by_key(self, keys: Collection[str]) -> dict[str, tuple[Entity, ...]]:
        return await entities.by_key(self._scope, keys)

    async def entities_by_block(self, blocks: Collection[str], *, per_block: int) -> dict[str, tuple[Entity, ...]]:
        return await entities.by_block(self._scope, blocks, per_block)

    async def entities_from(self, document_id: DocumentId) -> tuple[Entity, ...]:
        return await entities.from_document(self._scope, document_id)

    async def group(self, ids: Collection[EntityId]) -> tuple[Entity, ...]:
        return await entities.group(self._scope, ids)

    async def owner_entity(self) -> Entity | None:
        return await entities.owner_entity(self._scope)

    async def put_entities(self, rows: Sequence[Entity]) -> None:
        await entities.put(self._scope, rows)

    async def put_blocks(self, blocks: Mapping[EntityId, Collection[str]]) -> None:
        await entities.put_blocks(self._scope, blocks)

    async def delete_entities(self, ids: Collection[EntityId]) -> None:
        await entities.delete(self._scope, ids)

    async def without_facts(self, ids: Collection[EntityId]) -> frozenset[EntityId]:
        return await entities.without_facts(self._scope, ids)

    async def facts(self, ids: Collection[FactId]) -> dict[FactId, Fact]:
        return await facts.by_id(self._scope, ids)

    async def facts_by_key(self, keys: Collection[str]) -> dict[str, tuple[Fact, ...]]:
        return await facts.by_key(self._scope, keys)

    async def facts_of(
        self, entity_ids: Collection[EntityId], predicates: Collection[str] | None = None, *, as_object: bool = False
    ) -> tuple[Fact, ...]:
        return await facts.of_entities(self._scope, entity_ids, predicates, as_object=as_object)

    async def facts_from(
        self, document_id: DocumentId, *, passage_ids: Collection[PassageId] | None = None
    ) -> tuple[Fact, ...]:
        return await facts.from_document(self._scope, document_id, passage_ids)

    async def facts_superseded_by(self, ids: Collection[FactId]) -> tuple[Fact, ...]:
        return await facts.superseded_by(self._scope, ids)

    async def put_facts(self, rows: Sequence[Fact]) -> None:
        await facts.put(self._scope, rows)

    async def delete_facts(self, ids: Collection[FactId]) -> None:
        await facts.delete(self._scope, ids)

    async def add_provenance(self, rows: Sequence[tuple[FactId, Provenance]]) -> None:
        await facts.add_provenance(self._scope, rows)

    async def delete_provenance(self, document_id: DocumentId, *, passage_ids: Collection[PassageId] | None) -> int:
        return await facts.drop_provenance(self._scope, document_id, passage_ids)

    async def drop_supports(self, rows: Sequence[tuple[FactId, Provenance]]) -> None:
        await facts.drop_supports(self._scope, rows)

    async def links(self, ids: Collection[EntityId]) -> tuple[Link, ...]:
        return await entities.links(self._scope, ids)

    async def put_link(self, link: Link) -> None:
        await entities.put_link(self._scope, link)

    async def delete_link(self, link: Link) -> None:
        await entities.delete_link(self._scope, link)

    async def append_changes(self, rows: Sequence[Change]) -> None:
        await changes.append(self._scope, rows)

    async def change(self, change_id: ChangeId) -> Change | None:
        return await changes.by_id(self._scope, change_id)

    async def mark_undone(self, change_id: ChangeId, by: ChangeId) -> None:
        await changes.mark_undone(self._scope, change_id, by)

    async def scrub_changes(self, target_ids: Collection[str]) -> None:
        await changes.scrub(self._scope, target_ids)

    async def receipt(self, request_id: str) -> tuple[str, str] | None:
        return await changes.receipt(self._scope, request_id)

    async def put_receipt(self, request_id: str, body_digest: str, answer: str) -> None:
        await changes.put_receipt(self._scope, request_id, body_digest, answer)
