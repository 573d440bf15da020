"""Binding: which known entity a mention means, decided by rules alone, with the reason."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from doso.ids import EntityId
from doso.records import Entity, EntityType, Mention
from graph.names import (
    LIKENESSES,
    LIVING,
    SURE,
    is_bare,
    is_generic,
    is_vaguer_name,
    may_call,
    name_key,
    names_clash,
    same_name,
    titles_differ,
)
from graph.naming.persons import first_name_of, read_person

#: Types that a thing may have been given where another text called it a TOPIC, the type of what has no closer one.
_NEARER_THAN_TOPIC = frozenset({EntityType.PRODUCT, EntityType.ORG, EntityType.EVENT})


@dataclass(frozen=True, slots=True)
class Decision:
    """The entity that a mention means, or None: then it is new, or apart from `candidates` that it may mean.

    `rule`: key, configured, variant, near, first_name; without an entity: new, ambiguous.
    """

    entity: Entity | None
    rule: str
    reason: str
    candidates: tuple[EntityId, ...] = ()


def choose(
    mention: Mention,
    exact: Sequence[Entity],
    near: Sequence[Entity],
    *,
    configured: Mapping[str, str],
    forbidden: Collection[EntityId] = frozenset(),
) -> Decision:
    """The one entity that a mention means.

    `exact`: entities of any type that bear the mention's key; `near`: entities that share a blocking key with it
    (every one of them, not a first few: ambiguity shows only in the whole). `configured`: alias key → key of the name
    that it stands for; the bearers of that name may stand in either sequence. `forbidden`: entities that a person told
    apart from this one.
    """
    known = [entity for entity in _distinct((*exact, *near)) if entity.id not in forbidden]
    alike = [entity for entity in known if entity.type is mention.type]
    steps = (_in_thread, _by_key, _by_configuration, _by_near_name)
    for step in steps:
        decision = step(mention, alike, configured)
        if decision is not None:
            return decision
    return _by_weaker_type(mention, known) or _new(mention, alike)


def thread_block(thread: str, name: str) -> str:
    """The blocking key under which a bare first name meets the person who is known in that thread."""
    return f"thread:{thread}:{first_name_of(read_person(name))}"


def thread_blocks(thread: str, name: str) -> frozenset[str]:
    """All names by which a person may be called in a thread: the first name, and the last one behind a title."""
    tokens = read_person(name).tokens
    return frozenset(f"thread:{thread}:{token}" for token in (tokens[0], tokens[-1]))


def _in_thread(mention: Mention, alike: Sequence[Entity], _: Mapping[str, str]) -> Decision | None:
    """A bare first name means the one person of that name whom this thread knows; near entities hold only those."""
    if mention.thread is None or mention.type not in LIVING or mention.context or not is_bare(mention.name):
        return None
    called = [entity for entity in alike if any(may_call(mention.name, name) for name in _names(entity))]
    if not called:
        return None
    bearers = [entity for entity in alike if _bears(entity, name_key(mention.name))]
    if len(_groups(called)) == 1:
        return Decision(called[0], "first_name", f"the one {mention.name!r} in this thread is {called[0].name!r}")
    return _apart(mention, (*bearers, *called)) if not bearers else None


def _by_key(mention: Mention, alike: Sequence[Entity], _: Mapping[str, str]) -> Decision | None:
    """The exact key always wins; among namesakes the context tells."""
    key = name_key(mention.name)
    bearers = [entity for entity in alike if _bears(entity, key) and not _is_stolen(entity, mention.name)]
    fitting = [entity for entity in bearers if entity.context == mention.context]
    if not fitting and mention.context:
        return _apart(mention, bearers, rule="new") if bearers else None
    fitting = fitting or bearers
    if not fitting:
        return None
    if len(_groups(fitting)) > 1:
        named = [entity for entity in fitting if name_key(entity.name) == key]
        if len(_groups(named)) != 1:
            return _apart(mention, fitting)
        fitting = named
    return Decision(fitting[0], "key", f"{mention.name!r} is a name of {fitting[0].name!r}")


def _by_configuration(mention: Mention, alike: Sequence[Entity], configured: Mapping[str, str]) -> Decision | None:
    target = configured.get(name_key(mention.name))
    bearers = [entity for entity in alike if target is not None and _bears(entity, target)]
    if len(_groups(bearers)) != 1:
        return _apart(mention, bearers) if bearers else None
    return Decision(bearers[0], "configured", f"{mention.name!r} is a configured alias of {bearers[0].name!r}")


def _by_near_name(mention: Mention, alike: Sequence[Entity], _: Mapping[str, str]) -> Decision | None:
    """A spelling variant, else the one near name; two that fit equally bind to nobody."""
    if mention.context:
        return None
    found: dict[str, list[Entity]] = {}
    for entity in alike:
        likeness = _likeness(mention, entity, alike)
        if likeness is not None:
            found.setdefault(likeness, []).append(entity)
    surest = next((likeness for likeness in LIKENESSES if likeness in found), None)
    if surest is None:
        return None
    entities = found[surest]
    if len(_groups(entities)) > 1:
        return _apart(mention, entities)
    rule = "variant" if surest in ("key", "variant") else "near"
    return Decision(entities[0], rule, f"{mention.name!r} is a spelling of {entities[0].name!r} ({surest})")


def _likeness(mention: Mention, entity: Entity, alike: Sequence[Entity]) -> str | None:
    """The surest reason why the mention is one name of the entity, if it clashes with none of its group's others."""
    if entity.context or _is_stolen(entity, mention.name):
        return None
    if any(titles_differ(mention.name, name, mention.type) for name in _names(entity)):
        return None
    reasons = {name: same_name(mention.name, name, mention.type) for name in _names(entity)}
    surest = next((likeness for likeness in LIKENESSES if likeness in reasons.values()), None)
    if surest is None or (surest in SURE and mention.type in LIVING):
        return surest
    group = frozenset(name for other in alike if other.group_id == entity.group_id for name in _names(other))
    is_own = any(_stands(mention, name, group) for name, reason in reasons.items() if reason == surest)
    return surest if is_own else None


def _stands(mention: Mention, alike: str, names: Collection[str]) -> bool:
    """Whether a weak likeness to one name survives the others: each agrees with the mention, or says no more than the
    name that it is like, which says more than the mention ("E. Stone" for Elizabeth, whom some call Liz)."""
    type = mention.type
    says_more = is_vaguer_name(mention.name, alike, type)
    return not any(
        names_clash(mention.name, name, type) and not (says_more and same_name(name, alike, type) is not None)
        for name in names
    )


def _by_weaker_type(mention: Mention, known: Sequence[Entity]) -> Decision | None:
    """TOPIC is the type of what has no closer one: it meets the one thing of exactly its name, and is met by it."""
    key = name_key(mention.name)
    if mention.type is EntityType.TOPIC:
        wanted = _NEARER_THAN_TOPIC
    elif mention.type in _NEARER_THAN_TOPIC:
        wanted = frozenset({EntityType.TOPIC})
    else:
        return None
    bearers = [entity for entity in known if entity.type in wanted and _bears(entity, key)]
    if len(_groups(bearers)) != 1 or is_generic(mention.name) or mention.context:
        return None
    return Decision(
        bearers[0], "key", f"{mention.name!r} is the name of the {bearers[0].type.value} {bearers[0].name!r}"
    )


def _new(mention: Mention, alike: Sequence[Entity]) -> Decision:
    maybe = [entity for entity in alike if mention.type in LIVING and _may_be(mention.name, entity)]
    return Decision(
        None, "new", f"no known {mention.type.value} is called {mention.name!r}", tuple(entity.id for entity in maybe)
    )


def _may_be(name: str, entity: Entity) -> bool:
    return any(may_call(name, other) or may_call(other, name) for other in _names(entity))


def _apart(mention: Mention, entities: Iterable[Entity], *, rule: str = "ambiguous") -> Decision:
    distinct = _distinct(entities)
    names = ", ".join(sorted({repr(entity.name) for entity in distinct}))
    return Decision(None, rule, f"{mention.name!r} may mean {names}", tuple(entity.id for entity in distinct))


def _is_stolen(entity: Entity, name: str) -> bool:
    """Whether a word for a kind of thing became an alias of a name, which it never may be."""
    return entity.type not in LIVING and is_generic(name) and not is_generic(entity.name)


def _names(entity: Entity) -> frozenset[str]:
    return frozenset({entity.name, *(alias.name for alias in entity.aliases)})


def _bears(entity: Entity, key: str) -> bool:
    return name_key(entity.name) == key or any(alias.key == key for alias in entity.aliases)


def _groups(entities: Iterable[Entity]) -> frozenset[EntityId]:
    return frozenset(entity.group_id for entity in entities)


def _distinct(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    return tuple({entity.id: entity for entity in entities}.values())


__all__ = ["Decision", "choose", "thread_block", "thread_blocks"]
