"""Taking a change back: the rows as they were, provided that nothing has moved since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from doso.errors import Conflict, NotFound
from doso.ids import ChangeId, OwnerId
from doso.records import Actor, Change, ChangeOp, Entity, Fact
from graph import status
from graph.grouping import regroup
from graph.journal import Rows, a_change, differs, rows_of
from graph.owner import name_owner
from graph.ports import GraphTx
from graph.wording import respell, reworded

#: Ops that nothing takes back: what is forgotten is gone, and an undo is itself the way back.
FINAL = frozenset({ChangeOp.FORGET, ChangeOp.UNDO})


async def undo(tx: GraphTx, owner: OwnerId, change_id: ChangeId, actor: Actor, now: datetime) -> Change:
    """Restore what the change touched. Raises NotFound, and Conflict when it can't be undone (any more)."""
    change = await tx.change(change_id)
    if change is None:
        raise NotFound(f"No change {change_id}.", param="change_id")
    if change.op in FINAL:
        raise Conflict(f"A change of kind {change.op.value} can't be undone.", param="change_id")
    if change.undone_by is not None:
        raise Conflict("The change is undone already.", param="change_id")
    if not change.before:
        raise Conflict("What the change touched is forgotten.", param="change_id")
    before, after = rows_of(change.before), rows_of(change.after)
    restored = Rows(
        facts=await _restore_facts(tx, before.facts, after.facts, now),
        entities=await _restore_entities(tx, before.entities, after.entities, now),
        links=before.links,
    )
    await _restore_links(tx, before, after, now)
    await name_owner(tx)
    undoing = a_change(
        owner,
        ChangeOp.UNDO,
        now,
        actor,
        target_id=change.target_id,
        summary=f"Undone: {change.summary}",
        before=after,
        after=restored,
    )
    await tx.append_changes([undoing])
    await tx.mark_undone(change.id, undoing.id)
    return undoing


async def _restore_facts(tx: GraphTx, before: Sequence[Fact], after: Sequence[Fact], now: datetime) -> tuple[Fact, ...]:
    held = await tx.facts([fact.id for fact in after])
    for logged in after:
        if differs(held.get(logged.id), logged):
            raise Conflict(f"Changed again since: {logged.text}. Undo that first.", param="change_id")
    was = {fact.id: fact for fact in before}
    made = [fact for fact in after if fact.id not in was]
    restored = [_as_before(held[id], fact) if id in held else fact for id, fact in was.items()]
    restored += [status.forgotten(held[fact.id], now) for fact in made]
    freed = [fact for fact in await tx.facts_superseded_by([fact.id for fact in made]) if fact.id not in was]
    restored += [status.revived(fact) for fact in freed]
    settled = await reworded(tx, restored, now)
    await tx.put_facts(settled)
    return settled


def _as_before(held: Fact, was: Fact) -> Fact:
    """The fact with the fields that changes turn; trust and support grow on their own and stay."""
    return replace(
        held,
        status=was.status,
        verified_at=was.verified_at,
        retired_at=was.retired_at,
        superseded_by=was.superseded_by,
        valid_from=was.valid_from,
        valid_until=was.valid_until,
    )


async def _restore_entities(
    tx: GraphTx, before: Sequence[Entity], after: Sequence[Entity], now_at: datetime
) -> tuple[Entity, ...]:
    """Names and aliases as they were; aliases that came since stay."""
    held = await tx.entities([entity.id for entity in after])
    was = {entity.id: entity for entity in before}
    gone = [entity for entity in after if entity.id not in was]
    await tx.delete_entities(await tx.without_facts([entity.id for entity in gone]))
    restored = []
    for logged in after:
        now, old = held.get(logged.id), was.get(logged.id)
        if old is None:
            continue
        if now is None or now.name != logged.name:
            raise Conflict(f"{logged.name!r} was renamed or forgotten since. Undo that first.", param="change_id")
        added, dropped = set(logged.aliases) - set(old.aliases), set(old.aliases) - set(logged.aliases)
        kept = tuple(alias for alias in now.aliases if alias not in added)
        back = tuple(alias for alias in old.aliases if alias in dropped and alias not in kept)
        restored.append(replace(now, name=old.name, aliases=(*kept, *back)))
    await tx.put_entities(restored)
    await respell(tx, [entity.id for entity in restored], now_at)
    return tuple(restored)


async def _restore_links(tx: GraphTx, before: Rows, after: Rows, now: datetime) -> None:
    touched = {id for link in (*before.links, *after.links) for id in (link.a, link.b)}
    if not touched:
        return
    present = set(await tx.entities(touched))
    for link in after.links:
        if link not in before.links:
            await tx.delete_link(link)
    for link in before.links:
        if {link.a, link.b} <= present:
            await tx.put_link(link)
    await respell(tx, await regroup(tx, present), now)
