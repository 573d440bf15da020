"""Corrections carried out within one transaction, each logged so that it can be taken back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from typing import assert_never

from doso.errors import Conflict, InvalidInput, NotFound
from doso.ids import EntityId, OwnerId, new_id
from doso.records import (
    Actor,
    Alias,
    Change,
    ChangeOp,
    Entity,
    Fact,
    FactDraft,
    Literal,
    Mention,
    Provenance,
    Source,
    Status,
    Trust,
)
from doso.text import clean
from graph import status
from graph.assembly import Assembly
from graph.corrections import Correction, Distinguish, EntityRef, Equate, Rename, Replace, Retract, Split
from graph.grouping import DISTINGUISH, EQUATE, link_between, path, regroup
from graph.identity import require_name
from graph.journal import Rows, a_change, told
from graph.names import blocks, display_name, stored_key
from graph.owner import name_owner
from graph.ports import GraphTx, Link
from graph.predicates import canonical
from graph.resolving import MAX_NAME_CHARS, Resolver
from graph.targets import Target, find_entity, find_facts, need_entity
from graph.wording import respell, reworded

ENDED, WRONG, FORGET = "ended", "wrong", "forget"
#: Corrections of one request.
MAX_CORRECTIONS = 100


@dataclass(slots=True)
class Correcting:
    """One request's corrections, in order."""

    tx: GraphTx
    owner: OwnerId
    configured: Mapping[str, str]
    actor: Actor
    now: datetime
    changes: list[Change] = field(default_factory=list)

    async def run(self, corrections: Sequence[Correction]) -> tuple[Change, ...]:
        """Carry them all out. Raises before anything counts: the transaction rolls back."""
        if not corrections or len(corrections) > MAX_CORRECTIONS:
            raise InvalidInput(f"Give 1 to {MAX_CORRECTIONS} corrections.", param="corrections")
        for correction in corrections:
            await self._one(correction)
        return tuple(self.changes)

    async def _one(self, op: Correction) -> None:
        if isinstance(op, Retract):
            await self._retract(op, brings_back=True)
        elif isinstance(op, Replace):
            await self._replace(op)
        elif isinstance(op, Equate):
            await self._equate(op)
        elif isinstance(op, Distinguish):
            await self._part(op.a, op.b, op.reason, is_for_good=True)
        elif isinstance(op, Split):
            await self._part(op.entity, op.alias, op.reason, is_for_good=False)
        elif isinstance(op, Rename):
            await self._rename(op)
        else:
            assert_never(op)

    # -- facts

    async def _retract(self, op: Retract, *, brings_back: bool) -> None:
        if op.why not in (ENDED, WRONG, FORGET):
            raise InvalidInput(f"why is {ENDED}, {WRONG} or {FORGET}, not {op.why!r}.", param="why")
        until = _moment(op.valid_until) or self.now
        facts = await find_facts(self.tx, op, self.configured)
        if not facts:
            await self._remember_rejection(op)
            return
        after = [self._retracted(fact, op.why, until) for fact in facts]
        after = list(await reworded(self.tx, after, self.now))
        await self.tx.put_facts(after)
        for before, now in zip(facts, after, strict=True):
            await self._log(
                ChangeOp.RETRACT, op.reason, before.id, _said(op.why, before), rows=(Rows((before,)), Rows((now,)))
            )
        if op.why == WRONG and brings_back:
            await self._bring_back(facts)
        await name_owner(self.tx)

    def _retracted(self, fact: Fact, why: str, until: datetime) -> Fact:
        if why == ENDED:
            return replace(fact, valid_until=until)
        return status.rejected(fact, self.now) if why == WRONG else status.forgotten(fact, self.now)

    async def _bring_back(self, gone: Sequence[Fact]) -> None:
        """What a wrong fact had replaced stands again."""
        for before in await self.tx.facts_superseded_by([fact.id for fact in gone]):
            after = replace(status.revived(before), valid_until=None)
            await self.tx.put_facts([after])
            summary = f"Stands again: {after.text}."
            await self._log(ChangeOp.VERIFY, "", after.id, summary, rows=(Rows((before,)), Rows((after,))))

    async def _remember_rejection(self, op: Retract) -> None:
        """A triple that is not on file but was said to be wrong is kept from ever coming in."""
        named = op.subject is not None and op.subject.name and op.predicate and op.object is not None
        if op.why != WRONG or not named or op.subject is None or op.predicate is None or op.object is None:
            raise NotFound("No current fact fits the retraction.", param="subject")
        subject = await need_entity(self.tx, op.subject, self.configured)
        target = None if isinstance(op.object, Literal) else await find_entity(self.tx, op.object, self.configured)
        if isinstance(op.object, EntityRef) and target is None:
            raise NotFound("No current fact fits the retraction.", param="object")
        object = op.object if isinstance(op.object, Literal) else _mention(target) if target else None
        if object is not None:
            await self._assert(_mention(subject), f"not_{op.predicate}", object, op.reason)

    async def _replace(self, op: Replace) -> None:
        await self._retract(replace(op.old, why=WRONG, reason=op.reason or op.old.reason), brings_back=False)
        await self._assert(op.subject, op.predicate, op.object, op.reason)

    async def _assert(self, subject: Mention, predicate: str, object: Mention | Literal, reason: str) -> None:
        canonical(predicate)
        support = Provenance(None, None, Source.CHAT, Trust.USER, "person", occurred_at=self.now)
        resolver = Resolver(self.tx, self.owner, self.configured, self.now)
        assembly = Assembly(self.tx, resolver, self._actor(reason))
        logged = assembly.changes
        outcome = (await assembly.run([FactDraft(subject, predicate, object, support, Status.VERIFIED)]))[0]
        if outcome.outcome == "skipped":
            raise InvalidInput(outcome.why, param="object")
        self.changes += logged

    # -- entities

    async def _equate(self, op: Equate) -> None:
        a, b = await self._both(op.a, op.b)
        if a.member.type is not b.member.type:
            raise Conflict(f"A {a.member.type.value} and a {b.member.type.value} are never one.", param="b")
        if a.group.id == b.group.id:
            return
        link = link_between(EQUATE, a.member.id, b.member.id)
        was_apart = await self._links_between(a, b, DISTINGUISH)
        for old in was_apart:
            await self.tx.delete_link(old)
        await self.tx.put_link(link)
        await respell(self.tx, await regroup(self.tx, [*a.ids, *b.ids]), self.now)
        summary = f"One and the same: {a.member.name} and {b.member.name}."
        before, after = Rows(links=tuple(was_apart)), Rows(links=(link,))
        await self._log(ChangeOp.EQUATE, op.reason, link.a, summary, rows=(before, after))

    async def _part(self, a_ref: EntityRef, b_ref: EntityRef, reason: str, *, is_for_good: bool) -> None:
        a, b = await self._both(a_ref, b_ref)
        before: tuple[Link, ...] = ()
        entities_before: tuple[Entity, ...] = ()
        entities_after: tuple[Entity, ...] = ()
        b_id = b.member.id
        if a.member.id == b_id:
            entities_before, entities_after, b_id = await self._own_entity(a, b_ref)
        while joined := await path(self.tx, a.member.id, b_id):
            first = {joined[0].a, joined[0].b}
            for link in (link for link in joined if {link.a, link.b} == first):  # drawn by rule and by hand alike
                await self.tx.delete_link(link)
                before = (*before, link)
        after = (link_between(DISTINGUISH, a.member.id, b_id),) if is_for_good else ()
        for link in after:
            await self.tx.put_link(link)
        await respell(self.tx, await regroup(self.tx, [*a.ids, *b.ids, b_id]), self.now)
        if not (before or after or entities_after):
            raise NotFound("They are not joined.", param="alias")
        summary = f"Not the same: {a.member.name} and {b_ref.name or b.member.name}."
        old, new = Rows(entities=entities_before, links=before), Rows(entities=entities_after, links=after)
        await self._log(ChangeOp.DISTINGUISH, reason, a.member.id, summary, rows=(old, new))

    async def _own_entity(
        self, target: Target, ref: EntityRef
    ) -> tuple[tuple[Entity, ...], tuple[Entity, ...], EntityId]:
        """Two names of one entity are told apart: the second becomes an entity of its own."""
        key = stored_key(ref.name or "")
        held = target.member
        if ref.name is None or display_name(ref.name) == held.name or not any(a.key == key for a in held.aliases):
            raise Conflict("Both names mean the very same entity.", param="b")
        left = replace(held, aliases=tuple(alias for alias in held.aliases if alias.key != key))
        id = EntityId(new_id())
        name = display_name(ref.name)
        own = replace(held, id=id, name=name, group_id=id, aliases=(Alias(name, key),), role=None, created_at=self.now)
        await self.tx.put_entities([left])
        await self.tx.put_entities([own])
        await self.tx.put_blocks({id: blocks(name, own.type)})
        return (held,), (left, own), id

    async def _rename(self, op: Rename) -> None:
        target = await need_entity(self.tx, op.entity, self.configured)
        name = display_name(clean(op.to))
        held = (await self.tx.entities([target.group.id]))[target.group.id]
        require_name(Mention(name, held.type), name, MAX_NAME_CHARS)
        key = stored_key(name)
        bearers = (await self.tx.entities_by_key([key])).get(key, ())
        rivals = [e for e in bearers if e.type is held.type and e.context == held.context and e.id not in target.ids]
        if rivals:
            raise Conflict(f"{rivals[0].name!r} is another {held.type.value.lower()}: equate the two.", param="to")
        is_new = not any(alias.key == key for entity in (held, *bearers) for alias in entity.aliases)
        aliases = (*held.aliases, Alias(name, key)) if is_new else held.aliases
        after = replace(held, name=name, aliases=aliases)
        if after == held:
            return
        await self.tx.put_entities([after])
        await self.tx.put_blocks({held.id: blocks(name, held.type)})
        await respell(self.tx, target.ids, self.now)
        summary = f"{held.name} is now called {name}."
        await self._log(
            ChangeOp.RENAME, op.reason, held.id, summary, rows=(Rows(entities=(held,)), Rows(entities=(after,)))
        )

    async def _both(self, a_ref: EntityRef, b_ref: EntityRef) -> tuple[Target, Target]:
        """Both entities; a name that nobody bears becomes an entity of the other's type."""
        a = await find_entity(self.tx, a_ref, self.configured)
        b = await find_entity(self.tx, b_ref, self.configured)
        if a is None and b is None:
            raise NotFound(f"Nothing is called {a_ref.name!r} or {b_ref.name!r}.", param="a")
        return a or await self._made(a_ref, b), b or await self._made(b_ref, a)

    async def _made(self, ref: EntityRef, other: Target | None) -> Target:
        if other is None or ref.name is None:
            raise NotFound(f"Nothing is called {ref.name!r}.", param="entity")
        id, name = EntityId(new_id()), display_name(clean(ref.name))
        type = ref.type or other.member.type
        require_name(Mention(name, type), name, MAX_NAME_CHARS)
        alias = Alias(name, stored_key(name))
        entity = Entity(id, self.owner, type, name, id, (alias,), created_at=self.now)
        await self.tx.put_entities([entity])
        await self.tx.put_blocks({id: blocks(name, type)})
        return Target(entity, entity, frozenset({id}))

    async def _links_between(self, a: Target, b: Target, kind: str) -> list[Link]:
        links = await self.tx.links(a.ids)
        return [link for link in links if link.kind == kind and {link.a, link.b} & a.ids and {link.a, link.b} & b.ids]

    def _actor(self, reason: str) -> Actor:
        return replace(self.actor, reason=reason) if reason else self.actor

    async def _log(self, op: ChangeOp, reason: str, target_id: str, summary: str, *, rows: tuple[Rows, Rows]) -> None:
        actor = self._actor(reason)
        change = a_change(
            self.owner, op, self.now, actor, target_id=target_id, summary=summary, before=rows[0], after=rows[1]
        )
        await self.tx.append_changes([change])
        self.changes.append(change)


def _mention(target: Target) -> Mention:
    member = target.member
    return Mention(member.name, member.type, role=member.role, context=member.context)


def _said(why: str, fact: Fact) -> str:
    return f"{ {ENDED: 'Over', WRONG: 'Not true', FORGET: 'Forgotten'}[why] }: {told([fact])}."


def _moment(text: str | None) -> datetime | None:
    """An ISO day or moment as UTC. Raises InvalidInput for anything else."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text) if len(text) > 10 else datetime.combine(date.fromisoformat(text), time())
    except ValueError as error:
        raise InvalidInput(f"{text!r} is no ISO date.", param="valid_until") from error
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
