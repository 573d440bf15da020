"""What a correction points at: entities by id or name, facts by id or triple; ambiguity is an error, never a choice."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from doso.errors import AmbiguousTarget, InvalidInput, NotFound
from doso.ids import EntityId
from doso.records import Entity, Fact, Literal
from graph.corrections import EntityRef, Retract
from graph.grouping import by_group
from graph.names import display_name, name_key, stored_key
from graph.ports import GraphTx
from graph.predicates import canonical, describe
from graph.resolving import FIRST_PERSON
from graph.values import canonical as canonical_literal
from graph.values import identity

#: Facts that one correction may touch.
MAX_FACTS = 1_000


@dataclass(frozen=True, slots=True)
class Target:
    """An entity that was meant (`member` bears the name that was given) and the group it is in."""

    member: Entity
    group: Entity
    ids: frozenset[EntityId]


async def find_entity(tx: GraphTx, ref: EntityRef, configured: Mapping[str, str]) -> Target | None:
    """The one entity that the reference means, None for a name that nobody bears. Raises NotFound, AmbiguousTarget."""
    if ref.id is not None:
        member = (await tx.entities([ref.id])).get(ref.id)
        if member is None:
            raise NotFound(f"No entity {ref.id}.", param="entity")
        return await _target(tx, member)
    name = display_name(ref.name or "")
    if not name:
        raise InvalidInput("An entity is meant by its id or its name.", param="entity")
    key = name_key(name)
    keys = [stored_key(name), *([stored_key(configured[key])] if key in configured else [])]
    found = await tx.entities_by_key(keys)
    bearers = list({entity.id: entity for key in keys for entity in found.get(key, ())}.values())
    if not bearers and key in FIRST_PERSON:
        owner = await tx.owner_entity()
        bearers = [owner] if owner is not None else []
    fitting = [entity for entity in bearers if ref.type is None or entity.type is ref.type]
    groups = {entity.group_id for entity in fitting}
    if len(groups) > 1:
        choices = ", ".join(f"{_described(entity)} [{entity.id}]" for entity in fitting)
        raise AmbiguousTarget(f"{name!r} may mean: {choices}. Give the id or the type.", param="entity")
    return await _target(tx, fitting[0]) if fitting else None


async def need_entity(tx: GraphTx, ref: EntityRef, configured: Mapping[str, str]) -> Target:
    """Like `find_entity`, but a name that nobody bears raises NotFound."""
    target = await find_entity(tx, ref, configured)
    if target is None:
        raise NotFound(f"Nothing is called {ref.name!r}.", param="entity")
    return target


async def find_facts(tx: GraphTx, op: Retract, configured: Mapping[str, str]) -> tuple[Fact, ...]:
    """The unretired facts that the retraction means. Raises NotFound for an unknown id, InvalidInput for too many."""
    if op.fact_id is not None:
        fact = (await tx.facts([op.fact_id])).get(op.fact_id)
        if fact is None or fact.retired_at is not None:
            raise NotFound(f"No current fact {op.fact_id}.", param="fact_id")
        return (fact,)
    if op.subject is None:
        raise InvalidInput("A retraction needs a fact_id or a subject.", param="subject")
    subject = await need_entity(tx, op.subject, configured)
    spelled = canonical(op.predicate) if op.predicate else None
    predicates = _readings(spelled.name) if spelled else None
    object = op.object
    if isinstance(object, EntityRef):
        target = await _object_target(tx, object, configured)
        object_ids, literal = (target.ids if target else frozenset()), object.name
    else:
        object_ids, literal = frozenset(), object.text if object else None
    found = await tx.facts_of(subject.ids, predicates)
    turned = spelled is None or spelled.is_inverse or describe(spelled.name).is_symmetric or bool(_mirror(spelled.name))
    if turned:
        found += tuple(f for f in await tx.facts_of(subject.ids, predicates, as_object=True) if f not in found)
    meant = [fact for fact in found if object is None or _names(fact, subject.ids, object_ids, literal)]
    if spelled is not None:
        meant = [fact for fact in meant if _reads_as(fact, spelled.name, subject.ids, is_turned=spelled.is_inverse)]
    if len(meant) > MAX_FACTS:
        raise InvalidInput(f"The retraction means {len(meant)} facts; at most {MAX_FACTS} at once.", param="subject")
    return tuple(meant)


async def _object_target(tx: GraphTx, ref: EntityRef, configured: Mapping[str, str]) -> Target | None:
    return await find_entity(tx, ref, configured)


def _mirror(name: str) -> str | None:
    """The predicate that says the same the other way round."""
    inverse = describe(name).inverse
    return inverse if inverse and describe(inverse).inverse == name else None


def _readings(name: str) -> Collection[str]:
    mirror = _mirror(name)
    return [name, mirror] if mirror else [name]


def _reads_as(fact: Fact, name: str, subjects: Collection[EntityId], *, is_turned: bool) -> bool:
    """Whether the fact, said of these subjects, reads as the predicate (turned: with the subjects as objects)."""
    if describe(name).is_symmetric:
        return True
    is_subject = fact.subject_id in subjects
    if fact.predicate == name:
        return is_subject != is_turned
    return is_subject == is_turned


def _names(fact: Fact, subjects: Collection[EntityId], objects: Collection[EntityId], text: str | None) -> bool:
    """Whether the fact's other end is one of these objects, or a literal of this text."""
    if isinstance(fact.object, Literal):
        return (
            text is not None
            and identity(fact.object).split(":", 1)[1]
            == identity(canonical_literal(Literal(text, fact.object.kind))).split(":", 1)[1]
        )
    other = fact.object if fact.subject_id in subjects else fact.subject_id
    return other in objects


async def _target(tx: GraphTx, member: Entity) -> Target:
    members = await tx.group([member.id])
    return Target(member, by_group(members)[member.group_id], frozenset(entity.id for entity in members))


def _described(entity: Entity) -> str:
    return f"{entity.name} ({entity.type.value}{', ' + entity.context if entity.context else ''})"
