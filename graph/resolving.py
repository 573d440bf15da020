"""Names into entities, a whole batch in a few store calls, also against entities that the batch itself makes."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from doso.errors import InvalidInput
from doso.ids import EntityId, OwnerId, PassageId, new_id
from doso.records import Actor, Alias, Binding, Change, ChangeOp, Entity, EntityType, Mention
from doso.text import clean
from graph.binding import choose, thread_block, thread_blocks
from graph.grouping import ALIKE, DISTINGUISH, PLACEHOLDER_NAME, link_between
from graph.identity import require_name
from graph.journal import Rows, a_change
from graph.names import blocks, display_name, giving, name_key, near_blocks, shown_name, stored_key
from graph.ports import GraphTx, Link

OWNER_ROLE = "owner"
MAX_NAME_CHARS = 500
#: Entities looked at under one blocking key; binding must see all that are near.
PER_BLOCK = 100
#: Passages noted as having given one spelling: more would make a well-known entity heavy for every write.
MAX_GIVERS = 50
#: Whose name these are, in the languages that the importers meet most.
FIRST_PERSON = frozenset(
    {
        *("i", "me", "my", "mine", "myself", "im", "ive", "we", "our", "us"),
        *("saya", "aku", "ku", "gue", "gw", "kami", "kita"),
        *("yo", "mi", "ich", "mein", "mir", "je", "moi", "я", "мне", "мой"),
        *("我", "私", "나", "저", "내", "أنا"),
    }
)
#: Rules that learn no alias: the name was the entity's already, or is too short to mean it everywhere.
UNTAUGHT = frozenset({"key", "near", "first_name", "new", "ambiguous"})

_near_blocks = functools.lru_cache(maxsize=8192)(near_blocks)


@dataclass(frozen=True, slots=True)
class Named:
    """A mention and the passage it stands in."""

    mention: Mention
    passage_id: PassageId | None = None


@dataclass(slots=True)
class Resolver:
    """Binds the mentions of one transaction. `_fresh` and `_blocks` are what `save` has to store."""

    tx: GraphTx
    owner: OwnerId
    configured: Mapping[str, str]  # name key -> name key of what it stands for
    now: datetime
    entities: dict[EntityId, Entity] = field(default_factory=dict)
    _by_key: dict[str, list[EntityId]] = field(default_factory=lambda: defaultdict(list))
    _by_block: dict[str, list[EntityId]] = field(default_factory=lambda: defaultdict(list))
    _by_group: dict[EntityId, list[EntityId]] = field(default_factory=lambda: defaultdict(list))
    _apart: dict[EntityId, set[EntityId]] = field(default_factory=lambda: defaultdict(set))
    _bound: dict[tuple[object, ...], Binding] = field(default_factory=dict)
    _views: dict[EntityId, tuple[Entity, Entity]] = field(default_factory=dict)
    _alike: list[tuple[Link, str]] = field(default_factory=list)
    made: set[EntityId] = field(default_factory=set)  # entities that no store has yet, so that no fact names them
    _fresh: set[EntityId] = field(default_factory=set)
    _blocks: dict[EntityId, set[str]] = field(default_factory=lambda: defaultdict(set))

    async def load(self, mentions: Sequence[Mention]) -> None:
        """Fetch what these mentions may mean."""
        names = {(display_name(mention.name), mention.type) for mention in mentions}
        await self._load_keys({stored_key(name) for name, _ in names if name}, {name for name, _ in names})
        unknown = {(n, t) for n, t in names if n and not self._fitting(stored_key(n), t)}
        wanted = {block for name, type in unknown for block in _near_blocks(name, type)}
        wanted |= {thread_block(mention.thread, mention.name) for mention in mentions if mention.thread}
        found = await self.tx.entities_by_block(wanted, per_block=PER_BLOCK)
        for block, entities in found.items():
            self._by_block[block] = [self._know(entity) for entity in entities]
        for entity in await self.tx.group({id for ids in self._by_block.values() for id in ids}):
            self._by_group[entity.group_id].append(self._know(entity))
        for link in await self.tx.links(set(self.entities)):
            if link.kind == DISTINGUISH:
                self._apart[link.a].add(link.b)
                self._apart[link.b].add(link.a)
        if any(_is_owner(mention) for mention in mentions):
            owner = await self.tx.owner_entity()
            if owner is not None:
                self._know(owner)

    def bind(self, named: Named) -> Binding:
        """The entity of a mention, made when it is new. Raises InvalidInput for a name that says nothing."""
        mention = replace(named.mention, name=display_name(clean(named.mention.name)))
        require_name(mention, mention.name, MAX_NAME_CHARS)
        key = name_key(mention.name)
        if not key:
            raise InvalidInput(f"A {mention.type.value.lower()} needs a name.", param="name")
        known = self._bound.get((key, mention.type, mention.context, mention.thread, mention.role))
        if known is None:
            known = self._owner(mention) if _is_owner(mention) else self._choose(mention)
            self._bound[key, mention.type, mention.context, mention.thread, mention.role] = known
        self._learn(known, named)
        return replace(known, mention=named.mention, entity=self.entities[known.entity.id])

    def put(self, entity: Entity, keys: Iterable[str] = ()) -> None:
        """Keep a new or changed entity for `save`."""
        self.entities[entity.id] = entity
        self._fresh.add(entity.id)
        for alias in entity.aliases:
            if entity.id not in self._by_key[alias.key]:
                self._by_key[alias.key].append(entity.id)
        for block in keys:
            self._blocks[entity.id].add(block)
            if entity.id not in self._by_block[block]:
                self._by_block[block].append(entity.id)

    def name_taken(self, key: str, entity: Entity) -> bool:
        """Whether another entity of the same type and context bears this key."""
        bearers = (self.entities[id] for id in self._by_key.get(key, ()))
        return any(
            other.id != entity.id and other.type is entity.type and other.context == entity.context for other in bearers
        )

    async def load_names(self, names: Iterable[str]) -> None:
        """Fetch who bears these names."""
        await self._load_keys({stored_key(name) for name in names}, ())

    async def save(self) -> None:
        """Store what is new or changed."""
        await self.tx.put_entities([self.entities[id] for id in sorted(self._fresh)])
        await self.tx.put_blocks(self._blocks)
        for link, _ in self._alike:
            await self.tx.put_link(link)
        await self.tx.append_changes([self._logged(link, reason) for link, reason in self._alike])
        self._alike.clear()
        self._fresh.clear()
        self._blocks.clear()

    def _logged(self, link: Link, reason: str) -> Change:
        return a_change(
            self.owner,
            ChangeOp.EQUATE,
            self.now,
            Actor("rule", reason),
            target_id=link.b,
            summary=f"Taken for one: {self.entities[link.a].name} and {self.entities[link.b].name}.",
            before=Rows(),
            after=Rows(links=(link,)),
        )

    async def _load_keys(self, keys: set[str], names: Iterable[str]) -> None:
        targets = {self.configured[key] for name in names if (key := name_key(name)) in self.configured}
        wanted = keys | {stored_key(target) for target in targets}
        for key, entities in (await self.tx.entities_by_key(wanted)).items():
            ids = [self._know(entity) for entity in entities]
            self._by_key[key] = list(dict.fromkeys([*self._by_key.get(key, ()), *ids]))

    def _know(self, entity: Entity) -> EntityId:
        self.entities.setdefault(entity.id, entity)
        return entity.id

    def _fitting(self, key: str, type: EntityType) -> bool:
        return any(self.entities[id].type is type for id in self._by_key.get(key, ()))

    def _plain(self, mention: Mention) -> Entity | None:
        """The one entity whose very name this is: most mentions by far, and nothing to weigh."""
        key = stored_key(mention.name)
        bearers = [self.entities[id] for id in self._by_key.get(key, ())]
        bearers = [entity for entity in bearers if entity.type is mention.type]
        if mention.thread is not None or len(bearers) != 1 or bearers[0].context != mention.context:
            return None
        return bearers[0] if stored_key(bearers[0].name) == key else None

    def _choose(self, mention: Mention) -> Binding:
        plain = self._plain(mention)
        if plain is not None:
            return Binding(mention, plain, "key", f"{mention.name!r} is a name of {plain.name!r}")
        name = name_key(mention.name)
        target = self.configured.get(name)
        keys = [stored_key(key) for key in (name, target) if key]
        exact = self._of(id for key in keys for id in self._by_key.get(key, ()))
        near_keys = set(_near_blocks(mention.name, mention.type))
        if mention.thread:
            near_keys.add(thread_block(mention.thread, mention.name))
        found = [id for block in sorted(near_keys) for id in self._by_block.get(block, ())[:PER_BLOCK]]
        near = self._of(member for id in found for member in (id, *self._by_group.get(self.entities[id].group_id, ())))
        bearers = [entity for entity in exact if (entity.type, entity.context) == (mention.type, mention.context)]
        apart = {id for entity in bearers for id in self._apart.get(entity.id, ())} - {entity.id for entity in bearers}
        decision = choose(mention, exact, near, configured=self.configured, forbidden=apart)
        entity, rule = decision.entity, decision.rule
        if entity is None:
            key = stored_key(mention.name)
            taken = [
                bearer for bearer in bearers if any(alias.key == key for alias in self.entities[bearer.id].aliases)
            ]
            entity, rule = (taken[0], "key") if taken else (self._new(mention), rule)
        elif rule == "near" and not _is_short(entity, mention.name):
            entity = self._joined(mention, entity, decision.reason)
        self._thread(entity, mention)
        return Binding(mention, self.entities[entity.id], rule, decision.reason, decision.candidates)

    def _joined(self, mention: Mention, alike: Entity, reason: str) -> Entity:
        """A near spelling as an entity of its own that a link joins: facts stay apart, so a split loses nothing."""
        entity = self._new(mention, group_id=alike.group_id)
        self._by_group[alike.group_id].append(entity.id)
        self._alike.append((link_between(ALIKE, alike.id, entity.id), reason))
        return entity

    def _of(self, ids: Iterable[EntityId]) -> list[Entity]:
        return [self._seen(id) for id in dict.fromkeys(ids)]

    def _seen(self, id: EntityId) -> Entity:
        """The entity with its aliases under their readable keys, as binding compares them."""
        entity = self.entities[id]
        held = self._views.get(id)
        if held is None or held[0] is not entity:
            aliases = tuple(replace(alias, key=name_key(alias.name)) for alias in entity.aliases)
            held = self._views[id] = (entity, replace(entity, aliases=aliases))
        return held[1]

    def _owner(self, mention: Mention) -> Binding:
        owner = next((entity for entity in self.entities.values() if entity.role == OWNER_ROLE), None)
        if owner is None:
            owner = self._new(Mention(PLACEHOLDER_NAME, EntityType.PERSON, role=OWNER_ROLE))
        return Binding(mention, owner, "owner", "the owner speaks of themselves")

    def _new(self, mention: Mention, *, group_id: EntityId | None = None) -> Entity:
        id = EntityId(new_id())
        own = Alias(mention.name, stored_key(mention.name), mention.document_id)
        is_placeholder = mention.role == OWNER_ROLE and mention.name == PLACEHOLDER_NAME  # nobody is called that
        entity = Entity(
            id=id,
            owner=self.owner,
            type=mention.type,
            name=shown_name(mention.name, mention.type),
            group_id=group_id or id,
            aliases=() if is_placeholder else (own,),
            role=mention.role,
            context=mention.context,
            created_at=self.now,
        )
        self.made.add(id)
        self.put(entity, () if is_placeholder else blocks(mention.name, mention.type))
        self._thread(entity, mention)
        return entity

    def _thread(self, entity: Entity, mention: Mention) -> None:
        if mention.thread and entity.type is EntityType.PERSON:
            keys = thread_blocks(mention.thread, mention.name) | thread_blocks(mention.thread, entity.name)
            self._blocks[entity.id] |= keys
            for block in keys:
                if entity.id not in self._by_block[block]:
                    self._by_block[block].append(entity.id)

    def _learn(self, binding: Binding, named: Named) -> None:
        """Keep a spelling that bound for certain as an alias, with the passage that gave it."""
        name, entity = display_name(clean(named.mention.name)), self.entities[binding.entity.id]
        key = stored_key(name)
        document_id = named.mention.document_id
        held = [alias for alias in entity.aliases if alias.key == key]
        if held:
            names = giving(entity)
            is_certain = any(alias.document_id is None or alias.name in names for alias in held)
            if is_certain or document_id is None or len(held) >= MAX_GIVERS:
                return
            if any((alias.document_id, alias.passage_id) == (document_id, named.passage_id) for alias in held):
                return
        elif (
            (binding.rule in UNTAUGHT and name_key(name) != name_key(entity.name))
            or _is_short(entity, name)
            or self.name_taken(key, entity)
        ):
            return
        alias = Alias(name, key, document_id, named.passage_id)
        self.put(replace(entity, aliases=(*entity.aliases, alias)))


def _is_short(entity: Entity, name: str) -> bool:
    """A single word of a person's name may be anyone's elsewhere; so is what everyone calls themselves."""
    return entity.type is EntityType.PERSON and len(name_key(name).split()) < 2


def _is_owner(mention: Mention) -> bool:
    return mention.role == OWNER_ROLE or (mention.type is EntityType.PERSON and name_key(mention.name) in FIRST_PERSON)
