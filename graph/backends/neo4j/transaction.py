"""One owner's write transaction in Neo4j."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from doso.ids import ChangeId, DocumentId, EntityId, FactId, PassageId
from doso.records import Change, Entity, Fact, Provenance
from graph.backends.neo4j import changes as log
from graph.backends.neo4j import entities as entity_rows
from graph.backends.neo4j import facts as fact_rows
from graph.backends.neo4j.connection import Statements
from graph.ports import Link


class Neo4jTx:
    """The port's GraphTx over the statements of one transaction."""

    def __init__(self, run: Statements) -> None:
        self._run = run

    async def entities(self, ids: Collection[EntityId]) -> dict[EntityId, Entity]:
        return await entity_rows.by_id(self._run, ids)

    async def entities_by_key(self, keys: Collection[str]) -> dict[str, tuple[Entity, ...]]:
        return await entity_rows.by_key(self._run, keys)

    async def entities_by_block(self, blocks: Collection[str], *, per_block: int) -> dict[str, tuple[Entity, ...]]:
        return await entity_rows.by_block(self._run, blocks, per_block)

    async def entities_from(self, document_id: DocumentId) -> tuple[Entity, ...]:
        return await entity_rows.from_document(self._run, document_id)

    async def group(self, ids: Collection[EntityId]) -> tuple[Entity, ...]:
        return await entity_rows.group(self._run, ids)

    async def owner_entity(self) -> Entity | None:
        return await entity_rows.owner_entity(self._run)

    async def put_entities(self, rows: Sequence[Entity]) -> None:
        await entity_rows.put(self._run, rows)

    async def put_blocks(self, blocks: Mapping[EntityId, Collection[str]]) -> None:
        await entity_rows.put_blocks(self._run, blocks)

    async def delete_entities(self, ids: Collection[EntityId]) -> None:
        await entity_rows.delete(self._run, ids)

    async def without_facts(self, ids: Collection[EntityId]) -> frozenset[EntityId]:
        return await entity_rows.without_facts(self._run, ids)

    async def facts(self, ids: Collection[FactId]) -> dict[FactId, Fact]:
        return await fact_rows.by_id(self._run, ids)

    async def facts_by_key(self, keys: Collection[str]) -> dict[str, tuple[Fact, ...]]:
        return await fact_rows.by_key(self._run, keys)

    async def facts_of(
        self, entity_ids: Collection[EntityId], predicates: Collection[str] | None = None, *, as_object: bool = False
    ) -> tuple[Fact, ...]:
        return await fact_rows.of(self._run, entity_ids, predicates, as_object=as_object)

    async def facts_from(
        self, document_id: DocumentId, *, passage_ids: Collection[PassageId] | None = None
    ) -> tuple[Fact, ...]:
        return await fact_rows.from_document(self._run, document_id, passage_ids)

    async def facts_superseded_by(self, ids: Collection[FactId]) -> tuple[Fact, ...]:
        return await fact_rows.superseded_by(self._run, ids)

    async def put_facts(self, rows: Sequence[Fact]) -> None:
        await fact_rows.put(self._run, rows)

    async def delete_facts(self, ids: Collection[FactId]) -> None:
        await fact_rows.delete(self._run, ids)

    async def add_provenance(self, rows: Sequence[tuple[FactId, Provenance]]) -> None:
        await fact_rows.add_provenance(self._run, rows)

    async def delete_provenance(self, document_id: DocumentId, *, passage_ids: Collection[PassageId] | None) -> int:
        return await fact_rows.delete_provenance(self._run, document_id, passage_ids)

    async def drop_supports(self, rows: Sequence[tuple[FactId, Provenance]]) -> None:
        await fact_rows.drop_supports(self._run, rows)

    async def links(self, ids: Collection[EntityId]) -> tuple[Link, ...]:
        return await entity_rows.links(self._run, ids)

    async def put_link(self, link: Link) -> None:
        await entity_rows.put_link(self._run, link)

    async def delete_link(self, link: Link) -> None:
        await entity_rows.delete_link(self._run, link)

    async def append_changes(self, rows: Sequence[Change]) -> None:
        await log.append(self._run, rows)

    async def change(self, change_id: ChangeId) -> Change | None:
        return await log.by_id(self._run, change_id)

    async def mark_undone(self, change_id: ChangeId, by: ChangeId) -> None:
        await log.mark_undone(self._run, change_id, by)

    async def scrub_changes(self, target_ids: Collection[str]) -> None:
        await log.scrub(self._run, target_ids)

    async def receipt(self, request_id: str) -> tuple[str, str] | None:
        return await log.receipt(self._run, request_id)

    async def put_receipt(self, request_id: str, body_digest: str, answer: str) -> None:
        await log.put_receipt(self._run, request_id, body_digest, answer)
