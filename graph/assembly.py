"""Drafts into facts within one transaction: bound, matched with what is known, judged by the rules, logged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from doso.errors import InvalidInput
from doso.ids import EntityId, FactId, new_id
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
    Status,
    StoredFact,
    Trust,
)
from graph import status
from graph.identity import Triple, fact_key, group_key, is_single_valued, read_triple
from graph.journal import Rows, a_change
from graph.names import blocks, display_name, stored_key
from graph.ports import GraphTx
from graph.predicates import describe
from graph.prose import fact_text
from graph.resolving import OWNER_ROLE, Named, Resolver

#: Predicates whose value is one more name of the subject.
NAMING = frozenset({"named", "nickname"})
#: Member pairs whose keys are looked up for one triple.
MAX_KEY_PAIRS = 64


@dataclass(frozen=True, slots=True)
class Bound:
    """A draft whose names are entities now."""

    draft: FactDraft
    triple: Triple
    subject: Entity
    object: Entity | Literal

    @property
    def object_value(self) -> EntityId | Literal:
        return self.object.id if isinstance(self.object, Entity) else self.object


@dataclass(slots=True)
class Assembly:
    """The working set of one batch. What the rules decide is kept here and stored once at the end."""

    tx: GraphTx
    resolver: Resolver
    actor: Actor
    facts: dict[FactId, Fact] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)
    _groups: dict[EntityId, EntityId] = field(default_factory=dict)
    _members: dict[EntityId, list[EntityId]] = field(default_factory=lambda: defaultdict(list))
    _speaker: dict[EntityId, Entity] = field(default_factory=dict)
    _rows: dict[str, list[FactId]] = field(default_factory=lambda: defaultdict(list))
    _rivals: dict[tuple[EntityId, str], list[FactId]] = field(default_factory=lambda: defaultdict(list))
    _dirty: set[FactId] = field(default_factory=set)
    _supports: list[tuple[FactId, Provenance]] = field(default_factory=list)

    async def run(self, drafts: Sequence[FactDraft]) -> tuple[StoredFact, ...]:
        """Store the drafts; a draft that can't be one is skipped and says why."""
        read = [_readable(draft) for draft in drafts]
        triples = [item for item in read if isinstance(item, Triple)]
        mentions = [m for triple in triples for m in (triple.subject, triple.object) if not isinstance(m, Literal)]
        names = [
            triple.object.text
            for triple in triples
            if triple.predicate in NAMING and isinstance(triple.object, Literal)
        ]
        await self.resolver.load(mentions)
        await self.resolver.load_names(display_name(name) for name in names)
        bound = [self._bind(draft, item) for draft, item in zip(drafts, read, strict=True)]
        await self._load([item for item in bound if isinstance(item, Bound)])
        outcomes = tuple(item if isinstance(item, StoredFact) else self._store(item) for item in bound)
        await self.save()
        return tuple(self._settled(outcome) for outcome in outcomes)

    async def save(self) -> None:
        """Store everything that the rules decided."""
        await self.resolver.save()
        await self.tx.put_facts([self.facts[id] for id in sorted(self._dirty)])
        await self.tx.add_provenance(self._supports)
        await self.tx.append_changes(self.changes)
        self._dirty.clear()
        self._supports.clear()
        self.changes = []

    # -- reading

    def _bind(self, draft: FactDraft, item: Triple | StoredFact) -> Bound | StoredFact:
        if isinstance(item, StoredFact):
            return item
        try:
            subject = self.resolver.bind(_named(item.subject, draft)).entity
            object = item.object
            value = object if isinstance(object, Literal) else self.resolver.bind(_named(object, draft)).entity
        except InvalidInput as error:
            return StoredFact(draft, None, "skipped", error.message)
        if isinstance(value, Entity) and value.id == subject.id:
            return StoredFact(draft, None, "skipped", f"{subject.name} can't stand on both sides.")
        return Bound(draft, item, subject, value)

    async def _load(self, bound: Sequence[Bound]) -> None:
        """Fetch the groups, the rows of the same triples and the current values that may have to give way."""
        ids = {item.subject.id for item in bound} | {o.id for item in bound if isinstance(o := item.object, Entity)}
        await self._load_groups(ids)
        keys = {key for item in bound for key in self._keys(item)}
        for rows in (await self.tx.facts_by_key(keys)).values():
            self._know(rows)
        single: dict[str, set[EntityId]] = defaultdict(set)
        for item in bound:
            if is_single_valued(describe(item.triple.predicate), item.subject.type):
                ends = [item.subject.id, *([item.object.id] if isinstance(item.object, Entity) else [])]
                single[item.triple.predicate].update(m for end in ends for m in self._members[self._groups[end]])
        for predicate, members in single.items():
            self._know(await self.tx.facts_of(members, [predicate]))
            if describe(predicate).is_symmetric:
                self._know(await self.tx.facts_of(members, [predicate], as_object=True))

    async def _load_groups(self, ids: Iterable[EntityId]) -> None:
        ids = set(ids)
        ids |= {self.resolver.entities[id].group_id for id in ids}
        for entity in await self.tx.group(ids):
            self._member(self.resolver.entities.get(entity.id, entity))
        for id in [id for id in ids - set(self._groups) if id in self.resolver.entities]:
            self._member(self.resolver.entities[id])

    def _member(self, entity: Entity) -> None:
        self._groups[entity.id] = entity.group_id
        if entity.id not in self._members[entity.group_id]:
            self._members[entity.group_id].append(entity.id)
        speaker = self._speaker.get(entity.group_id)
        if speaker is None or entity.role == OWNER_ROLE or (entity.id == entity.group_id and not speaker.role):
            self._speaker[entity.group_id] = entity

    def _keys(self, item: Bound) -> list[str]:
        subjects = self._members[self._groups[item.subject.id]]
        value = item.object
        objects: list[EntityId | Literal] = (
            [value] if isinstance(value, Literal) else list(self._members[self._groups[value.id]])
        )
        pairs = [(subject, object) for subject in subjects for object in objects][:MAX_KEY_PAIRS]
        valid_from = item.draft.valid_from
        return [fact_key(subject, item.triple.predicate, object, valid_from) for subject, object in pairs]

    def _know(self, rows: Iterable[Fact]) -> None:
        for fact in rows:
            if fact.id not in self.facts:
                self._keep(fact)

    def _keep(self, fact: Fact) -> None:
        """Take a fact into the working set, found by its triple and as a value of its subject."""
        is_new = fact.id not in self.facts
        self.facts[fact.id] = fact
        if not is_new:
            return
        rows = self._rows[group_key(fact, self._groups)]
        rows.append(fact.id)
        rows.sort(reverse=True)
        ends = [fact.subject_id]
        if describe(fact.predicate).is_symmetric and not isinstance(fact.object, Literal):
            ends.append(fact.object)
        for end in ends:
            self._rivals[self._groups.get(end, end), fact.predicate].append(fact.id)

    # -- judging

    def _store(self, item: Bound) -> StoredFact:
        fresh = self._fresh(item)
        rows = [self.facts[id] for id in self._rows[group_key(fresh, self._groups)]]
        current = next((fact for fact in rows if fact.retired_at is None), None)
        if item.triple.is_negated:
            return self._reject(item, fresh, current, rows)
        if current is not None and not status.is_said_anew(current, item.draft, self.resolver.now):
            return self._support(item, current)
        support = item.draft.provenance
        if current is None and status.is_taken_back(rows):
            if support.trust is not Trust.USER:
                why = "It was taken back before; only a person's word revives it."
                return StoredFact(item.draft, None, "rejected", why)
            return self._add(item, fresh, rows)
        if current is None and rows and support.document_id and status.is_supported_by(rows[0], support):
            return StoredFact(item.draft, rows[0], "known", "This passage said so before; it has been replaced since.")
        return self._add(item, fresh, rows)

    def _support(self, item: Bound, current: Fact) -> StoredFact:
        """The same fact again: its support grows, and it may come to count."""
        now = self.resolver.now
        grown = status.with_support(current, item.draft, now)
        if grown == current:
            return StoredFact(item.draft, current, "known")
        gone: tuple[FactId, ...] = ()
        outcome, why = "known", ""
        if grown.status is not current.status:
            outcome, why, gone, grown = self._contested(item, grown)
            outcome = "known" if outcome == "stored" else outcome
        if replace(grown, provenance=current.provenance) != current:
            grown = self._worded(grown, item)
            self._dirty.add(grown.id)
            if grown.status is not current.status:
                self._log(ChangeOp.VERIFY, f"Now counts: {grown.text}.", (current,), (grown,))
        self._keep(grown)
        self._supports.append((grown.id, item.draft.provenance))
        if gone:
            self._give_way(gone, grown)
        self._named(item, grown)
        return StoredFact(item.draft, grown, outcome, why, gone)

    def _add(self, item: Bound, fresh: Fact, rows: Sequence[Fact]) -> StoredFact:
        """A new row, with the values that give way to it."""
        gone: tuple[FactId, ...] = ()
        outcome, why, fact = "stored", "", fresh
        if fresh.status is Status.VERIFIED:
            outcome, why, gone, fact = self._contested(item, fresh)
        if fact.status is Status.SUPERSEDED and rows and rows[0].superseded_by == fact.superseded_by:
            self._supports.append((rows[0].id, item.draft.provenance))
            self.facts[rows[0].id] = replace(rows[0], provenance=(*rows[0].provenance, item.draft.provenance))
            return StoredFact(item.draft, rows[0], "known", why)
        fact = self._worded(fact, item)
        self._keep(fact)
        self._dirty.add(fact.id)
        self._supports.append((fact.id, item.draft.provenance))
        renamed = self._named(item, fact)
        self._log(ChangeOp.ASSERT, f"Learned: {fact.text}.", (), (fact,), entities=renamed)
        self._give_way(gone, fact)
        return StoredFact(item.draft, fact, outcome, why, gone)

    def _contested(self, item: Bound, new: Fact) -> tuple[str, str, tuple[FactId, ...], Fact]:
        """Outcome, why, which values give way, and the fact as it may be stored."""
        rivals = self._standing_rivals(item, new)
        verdicts = {rival.id: status.contest(new, rival, self.resolver.now) for rival in rivals}
        for rival in rivals:
            if verdicts[rival.id] is status.Contest.CONFLICT:
                kept = replace(new, status=Status.CANDIDATE, verified_at=None)
                return "conflict", f"A source trusted more says: {rival.text}.", (), kept
        for rival in rivals:
            if verdicts[rival.id] is status.Contest.HISTORY:
                was = status.as_history(new, rival, self.resolver.now)
                return "stored", f"It was true earlier; now: {rival.text}.", (), was
        gone = tuple(id for id, verdict in verdicts.items() if verdict is status.Contest.SUPERSEDES)
        return "stored", "", gone, new

    def _standing_rivals(self, item: Bound, new: Fact) -> list[Fact]:
        row = describe(new.predicate)
        if not is_single_valued(row, item.subject.type):
            return []
        ends = [item.subject.id]
        if row.is_symmetric and isinstance(item.object, Entity):
            ends.append(item.object.id)
        ours = group_key(new, self._groups)
        ids = dict.fromkeys(id for end in ends for id in self._rivals[self._groups[end], new.predicate])
        others = [self.facts[id] for id in ids]
        return [f for f in others if f.status is Status.VERIFIED and group_key(f, self._groups) != ours]

    def _give_way(self, gone: Iterable[FactId], new: Fact) -> None:
        for id in gone:
            old = self.facts[id]
            self.facts[id] = status.superseded(old, new, self.resolver.now)
            self._dirty.add(id)
            summary = f"Replaced: {old.text}. Now: {new.text}."
            self._log(ChangeOp.SUPERSEDE, summary, (old,), (self.facts[id], new), target_id=id)

    def _reject(self, item: Bound, fresh: Fact, current: Fact | None, rows: Sequence[Fact]) -> StoredFact:
        """A negated triple: never an edge, but the end of one, remembered."""
        now = self.resolver.now
        if current is not None and item.draft.provenance.trust < current.trust:
            return StoredFact(item.draft, current, "conflict", f"A source trusted more says: {current.text}.")
        if current is None and rows and rows[0].status is Status.REJECTED:
            return StoredFact(item.draft, rows[0], "known")
        row = self._worded(current or fresh, item)
        gone = status.rejected(row, now)
        self._keep(gone)
        self._dirty.add(gone.id)
        self._supports.append((gone.id, item.draft.provenance))
        self._log(ChangeOp.RETRACT, f"Not true: {gone.text}.", (current,) if current else (), (gone,))
        return StoredFact(item.draft, gone, "stored")

    # -- making

    def _fresh(self, item: Bound) -> Fact:
        draft, now = item.draft, self.resolver.now
        first = status.first_status(draft)
        predicate, value = item.triple.predicate, item.object_value
        return Fact(
            id=FactId(new_id()),
            owner=self.resolver.owner,
            key=fact_key(item.subject.id, predicate, value, draft.valid_from),
            subject_id=item.subject.id,
            predicate=predicate,
            object=value,
            status=first,
            confidence=draft.confidence,
            trust=draft.provenance.trust,
            recorded_at=now,
            verified_at=now if first is Status.VERIFIED else None,
            valid_from=draft.valid_from,
            valid_until=draft.valid_until,
            zone=draft.zone,
            provenance=(draft.provenance,),
        )

    def _worded(self, fact: Fact, item: Bound) -> Fact:
        subject = self._speaker[self._groups[item.subject.id]]
        value = item.object
        object = value if isinstance(value, Literal) else self._speaker[self._groups[value.id]]
        text = fact_text(
            fact.predicate,
            self.resolver.entities.get(subject.id, subject),
            self.resolver.entities.get(object.id, object) if isinstance(object, Entity) else object,
            valid_from=fact.valid_from,
            valid_until=fact.valid_until,
            zone=fact.zone,
            now=self.resolver.now,
        )
        return replace(fact, text=text)

    def _named(self, item: Bound, fact: Fact) -> tuple[tuple[Entity, ...], tuple[Entity, ...]]:
        """A name that counts becomes an alias of its bearer, and the display name of the owner."""
        if fact.predicate not in NAMING or fact.status is not Status.VERIFIED or not isinstance(fact.object, Literal):
            return (), ()
        entity = self.resolver.entities[item.subject.id]
        name = display_name(fact.object.text)
        key = stored_key(name)
        renames = fact.predicate == "named" and entity.role == OWNER_ROLE and entity.name != name
        is_new = not any(alias.key == key for alias in entity.aliases) and not self.resolver.name_taken(key, entity)
        if not renames and not is_new:
            return (), ()
        alias = Alias(name, key, item.draft.provenance.document_id, item.draft.provenance.passage_id)
        after = replace(
            entity,
            name=name if renames else entity.name,
            aliases=(*entity.aliases, alias) if is_new else entity.aliases,
        )
        self.resolver.put(after, blocks(name, entity.type))
        return (entity,), (after,)

    def _log(
        self,
        op: ChangeOp,
        summary: str,
        before: tuple[Fact, ...],
        after: tuple[Fact, ...],
        *,
        entities: tuple[tuple[Entity, ...], tuple[Entity, ...]] = ((), ()),
        target_id: str | None = None,
    ) -> None:
        change = a_change(
            self.resolver.owner,
            op,
            self.resolver.now,
            self.actor,
            target_id=target_id or after[0].id,
            summary=summary,
            before=Rows(before, entities[0]),
            after=Rows(after, entities[1]),
        )
        self.changes.append(change)

    def _settled(self, outcome: StoredFact) -> StoredFact:
        """The outcome with the fact as the whole batch left it."""
        return outcome if outcome.fact is None else replace(outcome, fact=self.facts[outcome.fact.id])


def _named(mention: Mention, draft: FactDraft) -> Named:
    """The mention with the passage it stands in."""
    if mention.document_id is None and draft.provenance.document_id is not None:
        mention = replace(mention, document_id=draft.provenance.document_id)
    return Named(mention, draft.provenance.passage_id)


def _readable(draft: FactDraft) -> Triple | StoredFact:
    try:
        return read_triple(draft)
    except InvalidInput as error:
        return StoredFact(draft, None, "skipped", error.message)
