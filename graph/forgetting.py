"""Forgetting what only one document (or some of its passages) said."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from doso.ids import DocumentId, EntityId, FactId, OwnerId, PassageId
from doso.records import (
    Actor,
    Alias,
    ChangeOp,
    Entity,
    Fact,
    ForgetReceipt,
    Literal,
    Provenance,
    Status,
    StoredFact,
)
from graph import status
from graph.grouping import ALIKE, regroup
from graph.journal import Rows, a_change
from graph.names import giving
from graph.owner import name_owner
from graph.ports import GraphTx
from graph.wording import respell


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of some passages by an extractor. `family`: how the names of those begin whose earlier readings it
    replaces."""

    document_id: DocumentId
    passage_ids: frozenset[PassageId]
    family: str
    actor: Actor

    def gave(self, support: Provenance) -> bool:
        """Whether a support is of an earlier reading of these passages."""
        return (
            support.document_id == self.document_id
            and support.passage_id in self.passage_ids
            and support.extractor.startswith(self.family)
        )


async def forget(
    tx: GraphTx,
    owner: OwnerId,
    document_id: DocumentId,
    *,
    passage_ids: Collection[PassageId] | None,
    actor: Actor,
    now: datetime,
) -> ForgetReceipt:
    """Drop the support, then the facts, aliases and entities that nothing else supports."""
    held = await tx.facts_from(document_id)
    named = await tx.entities_from(document_id)
    dropped = await tx.delete_provenance(document_id, passage_ids=passage_ids)
    left = await tx.facts([fact.id for fact in held])
    gone = [fact for fact in left.values() if not fact.provenance]
    await _bring_back(tx, owner, [fact.id for fact in gone], actor, now)
    await tx.delete_facts([fact.id for fact in gone])
    await tx.put_facts([_less_trusted(fact) for fact in left.values() if fact.provenance])
    await name_owner(tx)
    named = tuple((await tx.entities([entity.id for entity in named])).values())
    touched = {id for fact in gone for id in _ends(fact)} | {entity.id for entity in named}
    aliases = await _drop_aliases(tx, named, document_id, passage_ids)
    entities = await _drop_orphans(tx, touched, document_id, now)
    await tx.scrub_changes([*(fact.id for fact in gone), *entities])
    if gone or entities or aliases or dropped:
        summary = f"Forgot a document: {len(gone)} facts, {len(entities)} entities."
        change = a_change(
            owner, ChangeOp.FORGET, now, actor, target_id=document_id, summary=summary, before=Rows(), after=Rows()
        )
        await tx.append_changes([change])
    return ForgetReceipt(len(gone), len(entities), aliases, dropped)


async def outdate(tx: GraphTx, owner: OwnerId, reading: Reading, stated: Sequence[StoredFact], now: datetime) -> int:
    """Drop the candidates that earlier readings gave from these passages and this one does not; returns how many.

    What counts by now, what was rejected, and what anything else supports stays as it is.
    """
    again = {
        (item.fact.id, item.draft.provenance.passage_id, item.draft.provenance.extractor)
        for item in stated
        if item.fact is not None
    }
    held = await tx.facts_from(reading.document_id, passage_ids=reading.passage_ids)
    stale = [
        (fact.id, support)
        for fact in held
        if fact.status is Status.CANDIDATE
        for support in fact.provenance
        if reading.gave(support) and (fact.id, support.passage_id, support.extractor) not in again
    ]
    if not stale:
        return 0
    await tx.drop_supports(stale)
    left = await tx.facts({id for id, _ in stale})
    gone = [fact for fact in left.values() if not fact.provenance]
    await tx.delete_facts([fact.id for fact in gone])
    await tx.put_facts([_less_trusted(fact) for fact in left.values() if fact.provenance])
    touched = {id for fact in gone for id in _ends(fact)}
    entities = await _drop_orphans(tx, touched, reading.document_id, now)
    await tx.scrub_changes([*(fact.id for fact in gone), *entities])
    summary = f"Read a document anew: {len(gone)} candidates are gone."
    change = a_change(
        owner,
        ChangeOp.FORGET,
        now,
        reading.actor,
        target_id=reading.document_id,
        summary=summary,
        before=Rows(),
        after=Rows(),
    )
    await tx.append_changes([change])
    return len(gone)


async def _drop_orphans(
    tx: GraphTx, touched: Collection[EntityId], document_id: DocumentId, now: datetime
) -> tuple[EntityId, ...]:
    """Remove those of the touched entities that nothing holds any more; who was joined through them is told apart."""
    entities = await _orphans(tx, touched, document_id)
    joined = {id for link in await tx.links(entities) for id in (link.a, link.b)} - set(entities)
    await tx.delete_entities(entities)
    await respell(tx, await regroup(tx, joined), now)
    return entities


async def _bring_back(tx: GraphTx, owner: OwnerId, gone: Sequence[FactId], actor: Actor, now: datetime) -> None:
    """What a forgotten fact superseded stands again, unless it is forgotten too."""
    freed = [fact for fact in await tx.facts_superseded_by(gone) if fact.id not in gone and fact.provenance]
    standing = [status.revived(fact) for fact in freed]
    await tx.put_facts(standing)
    changes = [
        a_change(
            owner,
            ChangeOp.VERIFY,
            now,
            actor,
            target_id=after.id,
            summary=f"Stands again: {after.text}.",
            before=Rows((before,)),
            after=Rows((after,)),
        )
        for before, after in zip(freed, standing, strict=True)
    ]
    await tx.append_changes(changes)


def _less_trusted(fact: Fact) -> Fact:
    """The fact with the trust of what still supports it."""
    return replace(fact, trust=max(support.trust for support in fact.provenance))


async def _drop_aliases(
    tx: GraphTx, named: Iterable[Entity], document_id: DocumentId, passage_ids: Collection[PassageId] | None
) -> int:
    """Take away spellings that only this gave; the display name stays as long as its entity does."""

    def goes(alias: Alias, entity: Entity) -> bool:
        if alias.document_id != document_id or alias.name in giving(entity):
            return False
        return passage_ids is None or alias.passage_id in passage_ids

    count = 0
    for entity in named:
        kept = tuple(alias for alias in entity.aliases if not goes(alias, entity))
        if len(kept) < len(entity.aliases):
            count += len({a.key for a in entity.aliases} - {a.key for a in kept})
            await tx.put_entities([replace(entity, aliases=kept)])
    return count


async def _orphans(tx: GraphTx, touched: Collection[EntityId], document_id: DocumentId) -> tuple[EntityId, ...]:
    """Entities that no fact names, no person linked, and no other document gave a name."""
    bare = await tx.without_facts(touched)
    linked = {id for link in await tx.links(bare) if link.kind != ALIKE for id in (link.a, link.b)}
    entities = await tx.entities(bare - linked)
    return tuple(entity.id for entity in entities.values() if not entity.role and not _is_stated(entity, document_id))


def _is_stated(entity: Entity, document_id: DocumentId) -> bool:
    """Whether another document or a person gave it a name."""
    return any(alias.document_id != document_id for alias in entity.aliases)


def _ends(fact: Fact) -> tuple[EntityId, ...]:
    return (fact.subject_id,) if isinstance(fact.object, Literal) else (fact.subject_id, fact.object)
