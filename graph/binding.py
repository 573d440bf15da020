"""Binding: which known entity a mention means, decided by rules alone, with the reason."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from doso.ids import EntityId
from doso.records import Entity, EntityType, Mention
from graph.names import name_key


@dataclass(frozen=True, slots=True)
class Decision:
    """The entity that a mention means, or None: then it is new, or apart from `candidates` that it may mean.

    `rule`: key, configured, variant, near, first_name, new, ambiguous.
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
    that it stands for. `forbidden`: entities that a person told apart from this one.
    """
    key = name_key(mention.name)
    fitting = [entity for entity in exact if entity.type is mention.type and entity.id not in forbidden]
    if fitting:
        return Decision(fitting[0], "key", f"{mention.name!r} is a name of {fitting[0].name!r}")
    target = configured.get(key)
    for entity in (*exact, *near):
        if target and entity.type is mention.type and any(alias.key == target for alias in entity.aliases):
            return Decision(entity, "configured", f"{mention.name!r} is a configured alias of {entity.name!r}")
    return Decision(None, "new", f"no known {mention.type.value} is called {mention.name!r}")


def thread_block(thread: str, name: str) -> str:
    """The blocking key under which a bare first name meets the person who is known in that thread."""
    return f"thread:{thread}:{name_key(name).split(' ')[0]}"


__all__ = ["Decision", "EntityType", "Iterable", "choose", "thread_block"]
