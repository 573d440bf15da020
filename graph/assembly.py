"""Drafts into facts within one transaction: bound, matched with what is known, judged by the rules, logged."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from doso.errors import InvalidInput
from doso.ids import FactId
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
from graph.identity import Triple, read_triple
from graph.journal import Rows, a_change
from graph.names import blocks, display_name, stored_key
from graph.ports import GraphTx
from graph.resolving import OWNER_ROLE, Named, Resolver
from graph.working_set import Bound, WorkingSet

#: Predicates whose value is one more name of the subject.
NAMING = frozenset({"named", "nickname"})


@dataclass(slots=True)
class Assembly:
    """Judges one batch of drafts. What the rules decide is kept in the working set and stored once at the end."""

    tx: GraphTx
    resolver: Resolver
    actor: Actor
    changes: list[Change] = field(default_factory=list)
    known: WorkingSet = field(init=False)
    _dirty: set[FactId] = field(default_factory=set)
    _supports: list[tuple[FactId, Provenance]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.known = WorkingSet(self.tx, self.resolver)

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
        await self.known.load([item for item in bound if isinstance(item, Bound)])
        outcomes = tuple(item if isinstance(item, StoredFact) else self._store(item) for item in bound)
        await self.save()
        return tuple(self._settled(outcome) for outcome in outcomes)

    async def save(self) -> None:
        """Store everything that the rules decided."""
        await self.resolver.save()
        await self.tx.put_facts([self.known.facts[id] for id in sorted(self._dirty)])
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

    # -- judging

    def _store(self, item: Bound) -> StoredFact:
        fresh = item.as_fact(self.resolver.owner, self.resolver.now)
        rows = self.known.rows(fresh)
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
            grown = self.known.worded(grown, item)
            self._dirty.add(grown.id)
            if grown.status is not current.status:
                self._log(ChangeOp.VERIFY, f"Now counts: {grown.text}.", (current,), (grown,))
        self.known.keep(grown)
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
            self.known.facts[rows[0].id] = replace(rows[0], provenance=(*rows[0].provenance, item.draft.provenance))
            return StoredFact(item.draft, rows[0], "known", why)
        fact = self.known.worded(fact, item)
        self.known.keep(fact)
        self._dirty.add(fact.id)
        self._supports.append((fact.id, item.draft.provenance))
        renamed = self._named(item, fact)
        self._log(ChangeOp.ASSERT, f"Learned: {fact.text}.", (), (fact,), entities=renamed)
        self._give_way(gone, fact)
        return StoredFact(item.draft, fact, outcome, why, gone)

    def _contested(self, item: Bound, new: Fact) -> tuple[str, str, tuple[FactId, ...], Fact]:
        """Outcome, why, which values give way, and the fact as it may be stored."""
        rivals = self.known.standing_rivals(item, new)
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

    def _give_way(self, gone: Iterable[FactId], new: Fact) -> None:
        for id in gone:
            old = self.known.facts[id]
            self.known.facts[id] = status.superseded(old, new, self.resolver.now)
            self._dirty.add(id)
            summary = f"Replaced: {old.text}. Now: {new.text}."
            self._log(ChangeOp.SUPERSEDE, summary, (old,), (self.known.facts[id], new), target_id=id)

    def _reject(self, item: Bound, fresh: Fact, current: Fact | None, rows: Sequence[Fact]) -> StoredFact:
        """A negated triple: never an edge, but the end of one, remembered."""
        now = self.resolver.now
        if current is not None and not status.may_take_back(current, item.draft):
            return StoredFact(item.draft, current, "conflict", f"A source trusted more says: {current.text}.")
        if current is None and rows and rows[0].status is Status.REJECTED:
            return StoredFact(item.draft, rows[0], "known")
        row = self.known.worded(current or fresh, item)
        gone = status.rejected(row, now)
        self.known.keep(gone)
        self._dirty.add(gone.id)
        self._supports.append((gone.id, item.draft.provenance))
        self._log(ChangeOp.RETRACT, f"Not true: {gone.text}.", (current,) if current else (), (gone,))
        return StoredFact(item.draft, gone, "stored")

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
        return outcome if outcome.fact is None else replace(outcome, fact=self.known.facts[outcome.fact.id])


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
