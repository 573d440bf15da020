"""From the names in a question to the entities it is about, and the facts one hop around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ask.asking import Asking
from doso.ids import EntityId
from doso.records import Entity, Fact
from doso.text import search_tokens

MAX_SEEDS = 8
#: Bounds of one hop, so that a hub costs no more than anyone else.
PER_PREDICATE, PER_ENTITY = 25, 200
#: Names of one seed that are looked for in the question.
MAX_ALIASES = 30


@dataclass(frozen=True, slots=True)
class Seeded:
    """The entities of a question with their facts. `names` are the search tokens of all their names."""

    seeds: tuple[Entity, ...] = ()
    facts: tuple[Fact, ...] = ()
    entities: Mapping[EntityId, Entity] | None = None
    names: frozenset[str] = frozenset()


async def seed(asking: Asking) -> Seeded:
    """Find the seeds and fan out one hop."""
    question, graph = asking.question, asking.kit.graph
    with asking.watch.stage("seed"):
        seeds = await graph.seeds(question.owner, question.text, limit=MAX_SEEDS)
    if not seeds:
        return Seeded()
    with asking.watch.stage("hop"):
        around = await graph.neighbours(
            question.owner,
            [entity.id for entity in seeds],
            asking.view,
            per_predicate=PER_PREDICATE,
            per_entity=PER_ENTITY,
        )
    names = {
        name for entity in seeds for name in (entity.name, *(alias.name for alias in entity.aliases[:MAX_ALIASES]))
    }
    tokens = frozenset(token for name in names for token in search_tokens(name))
    return Seeded(seeds, around.facts, around.entities, tokens)
