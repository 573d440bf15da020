"""The page of an entity as the wire shows it."""

import msgspec

from api.schemas.graph import EntityOut, FactOut, to_entity, to_fact
from graph.wiki import WikiPage


class RelationOut(msgspec.Struct, frozen=True):
    """Facts of one predicate in one direction. `is_inverse`: the entity is their object."""

    predicate: str
    is_inverse: bool
    facts: list[FactOut]


class PageSourceOut(msgspec.Struct, frozen=True):
    """A document the page rests on, and how many of its facts it supports."""

    document_id: str | None
    source: str
    facts: int


class ConflictOut(msgspec.Struct, frozen=True):
    """A fact that counts, and candidates that say otherwise."""

    fact: FactOut
    candidates: list[FactOut]


class WikiOut(msgspec.Struct, frozen=True):
    """An entity with what is known of it. `facts` holds those of all relations, telling ones first; `history` what held
    before; `conflicts` where a source that is trusted less says otherwise; `text` the facts as sentences."""

    entity: EntityOut
    facts: list[FactOut]
    relations: list[RelationOut]
    history: list[FactOut]
    conflicts: list[ConflictOut]
    sources: list[PageSourceOut]
    truncated: bool
    text: str


def to_wiki(page: WikiPage) -> WikiOut:
    """A page of the wiki."""
    relations = [
        RelationOut(row.predicate, row.is_inverse, [to_fact(fact, page.entities) for fact in row.facts])
        for row in page.relations
    ]
    facts = [fact for relation in relations for fact in relation.facts]
    return WikiOut(
        entity=to_entity(page.entity),
        facts=facts,
        relations=relations,
        history=[to_fact(fact, page.entities) for fact in page.history],
        conflicts=[
            ConflictOut(to_fact(one.standing, page.entities), [to_fact(rival, page.entities) for rival in one.rivals])
            for one in page.conflicts
        ],
        sources=[PageSourceOut(row.document_id, row.source.value, row.facts_count) for row in page.sources],
        truncated=page.truncated,
        text="\n".join(fact.text for fact in facts),
    )
