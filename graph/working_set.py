"""What a batch of drafts touches, fetched in a few store calls: groups, rows of the same triples, rival values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from doso.ids import EntityId, FactId, OwnerId, new_id
from doso.records import Entity, Fact, FactDraft, Literal, Status
from graph import status
from graph.identity import Triple, fact_key, group_key, is_single_valued
from graph.ports import GraphTx
from graph.predicates import describe
from graph.prose import fact_text
from graph.resolving import OWNER_ROLE, Resolver

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

    def as_fact(self, owner: OwnerId, now: datetime) -> Fact:
        """The draft as a fact that nobody stated before."""
        draft, predicate = self.draft, self.triple.predicate
        first = status.first_status(draft)
        return Fact(
            id=FactId(new_id()),
            owner=owner,
            key=fact_key(self.subject.id, predicate, self.object_value, draft.valid_from),
            subject_id=self.subject.id,
            predicate=predicate,
            object=self.object_value,
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


@dataclass(slots=True)
class WorkingSet:
    """The facts that a batch meets or makes, found by triple and by value; a triple is the same for a whole group."""

    tx: GraphTx
    resolver: Resolver
    facts: dict[FactId, Fact] = field(default_factory=dict)
    _groups: dict[EntityId, EntityId] = field(default_factory=dict)
    _members: dict[EntityId, list[EntityId]] = field(default_factory=lambda: defaultdict(list))
    _speaker: dict[EntityId, Entity] = field(default_factory=dict)
    _rows: dict[str, list[FactId]] = field(default_factory=lambda: defaultdict(list))
    _rivals: dict[tuple[EntityId, str], list[FactId]] = field(default_factory=lambda: defaultdict(list))

    async def load(self, bound: Sequence[Bound]) -> None:
        """Fetch the groups, the rows of the same triples and the current values that may have to give way."""
        ids = {item.subject.id for item in bound} | {o.id for item in bound if isinstance(o := item.object, Entity)}
        await self._load_groups(ids)
        keys = {key for item in bound for key in self._keys(item)}
        for rows in (await self.tx.facts_by_key(keys)).values():
            self._know(rows)
        made = self.resolver.made
        single: dict[str, set[EntityId]] = defaultdict(set)
        for item in bound:
            if is_single_valued(describe(item.triple.predicate), item.subject.type):
                ends = [item.subject.id, *([item.object.id] if isinstance(item.object, Entity) else [])]
                members = {m for end in ends for m in self._members[self._groups[end]]}
                single[item.triple.predicate] |= members - made
        for predicate, members in single.items():
            self._know(await self.tx.facts_of(members, [predicate]))
            if describe(predicate).is_symmetric:
                self._know(await self.tx.facts_of(members, [predicate], as_object=True))

    async def _load_groups(self, ids: Iterable[EntityId]) -> None:
        ids = set(ids)
        ids |= {self.resolver.entities[id].group_id for id in ids}
        for entity in await self.tx.group(ids - self.resolver.made):
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
        """Keys of the rows that may be stored for the triple: none for what was made just now."""
        made = self.resolver.made
        subjects = self._members[self._groups[item.subject.id]]
        value = item.object
        objects: list[EntityId | Literal] = (
            [value] if isinstance(value, Literal) else list(self._members[self._groups[value.id]])
        )
        pairs = [(a, b) for a in subjects if a not in made for b in objects if b not in made][:MAX_KEY_PAIRS]
        valid_from = item.draft.valid_from
        return [fact_key(subject, item.triple.predicate, object, valid_from) for subject, object in pairs]

    def _know(self, rows: Iterable[Fact]) -> None:
        for fact in rows:
            if fact.id not in self.facts:
                self.keep(fact)

    def keep(self, fact: Fact) -> None:
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

    def rows(self, fact: Fact) -> list[Fact]:
        """Every row of the fact's triple, newest first."""
        return [self.facts[id] for id in self._rows[group_key(fact, self._groups)]]

    def standing_rivals(self, item: Bound, new: Fact) -> list[Fact]:
        """Other values of a single-valued predicate that count now."""
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

    def worded(self, fact: Fact, item: Bound) -> Fact:
        """The fact with its prose, in which whoever speaks for a group stands for it."""
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
