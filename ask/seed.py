"""From the names in a question to the entities it is about, and the facts one hop around them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ask.asking import Asking
from doso.ids import EntityId
from doso.records import Entity, Fact, Neighbourhood
from doso.text import search_tokens
from graph.predicates import describe

MAX_SEEDS = 8
#: Names of one seed that are looked for in the question.
MAX_ALIASES = 30


@dataclass(frozen=True, slots=True)
class Reach:
    """How far to fan out from the seeds, bounded so that a hub costs no more than anyone else.

    `onward` entities that the first hop found are gone on from, over facts of `onward_per_predicate` each.
    """

    per_predicate: int = 25
    per_entity: int = 200
    onward: int = 0
    onward_per_predicate: int = 3


#: What a fast answer reads, and what an expert one does.
NEAR, WIDE = Reach(), Reach(per_predicate=40, per_entity=400, onward=24)


@dataclass(frozen=True, slots=True)
class Seeded:
    """The entities of a question with their facts. `names` are the search tokens of all their names."""

    seeds: tuple[Entity, ...] = ()
    facts: tuple[Fact, ...] = ()
    entities: Mapping[EntityId, Entity] | None = None
    names: frozenset[str] = frozenset()


async def find_seeds(asking: Asking) -> tuple[Entity, ...]:
    """The entities that the question names."""
    question = asking.question
    with asking.watch.stage("seed"):
        return await asking.kit.graph.seeds(question.owner, question.text, limit=MAX_SEEDS)


async def seed(asking: Asking, reach: Reach = NEAR, seeds: Sequence[Entity] | None = None) -> Seeded:
    """Find the seeds, unless they are known, and fan out."""
    found = tuple(await find_seeds(asking) if seeds is None else seeds)
    if not found:
        return Seeded()
    around = await _hop(asking, [entity.id for entity in found], reach.per_predicate, reach.per_entity)
    facts, entities = list(around.facts), dict(around.entities)
    onward = _onward(found, around)[: reach.onward]
    if onward:
        further = await _hop(asking, onward, reach.onward_per_predicate, reach.onward_per_predicate * MAX_SEEDS)
        known = {fact.id for fact in facts}
        facts += [fact for fact in further.facts if fact.id not in known]
        entities = further.entities | entities
    names = {
        name for entity in found for name in (entity.name, *(alias.name for alias in entity.aliases[:MAX_ALIASES]))
    }
    tokens = frozenset(token for name in names for token in search_tokens(name))
    return Seeded(found, tuple(facts), entities, tokens)


async def _hop(asking: Asking, ids: Sequence[EntityId], per_predicate: int, per_entity: int) -> Neighbourhood:
    with asking.watch.stage("hop"):
        return await asking.kit.graph.neighbours(
            asking.question.owner, ids, asking.view, per_predicate=per_predicate, per_entity=per_entity
        )


def _onward(seeds: Sequence[Entity], around: Neighbourhood) -> list[EntityId]:
    """The entities at the other ends, those of the strongest predicates first."""
    behind = {entity.group_id for entity in seeds}
    ends: dict[EntityId, float] = {}
    for fact in around.facts:
        strength = describe(fact.predicate).strength
        for id in (fact.subject_id, fact.object):
            side = around.entities.get(id) if isinstance(id, str) else None
            if side is not None and side.group_id not in behind:
                ends[side.group_id] = max(ends.get(side.group_id, 0.0), strength)
    return sorted(ends, key=lambda id: (-ends[id], id))
