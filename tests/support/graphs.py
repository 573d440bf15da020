"""A graph with a clock that tests turn, and short ways to tell it things."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from doso.ids import DocumentId, OwnerId, PassageId
from doso.records import (
    Actor,
    EntityType,
    Fact,
    FactDraft,
    Literal,
    Mention,
    Provenance,
    Source,
    Status,
    StoredFact,
    Trust,
)
from graph.aliases import alias_keys
from graph.ports import GraphStore
from graph.service import Graph
from tests.support.graph_records import NOW

PERSON, PLACE, ORG = EntityType.PERSON, EntityType.PLACE, EntityType.ORG
ME = Mention("me", PERSON, role="owner")
USER = Actor("user", "because I say so")
IMPORT = Actor("import")


@dataclass
class Told:
    """A graph under test: `say` is the owner's word, `read` an imported document's."""

    store: GraphStore
    owner: OwnerId
    aliases: Mapping[str, str] = field(default_factory=dict)
    now: datetime = NOW

    @property
    def graph(self) -> Graph:
        return Graph(self.store, alias_keys(self.aliases), lambda: self.now)

    def later(self, days: int = 1) -> None:
        """Let time pass."""
        self.now += timedelta(days=days)

    async def say(
        self, subject: Mention | str, predicate: str, object: Mention | Literal | str, **more: Any
    ) -> StoredFact:
        """What the owner asserts in chat."""
        draft = draft_of(subject, predicate, object, trust=Trust.USER, status=Status.VERIFIED, **more)
        return (await self.graph.assert_facts(self.owner, [draft], USER))[0]

    async def read(
        self, subject: Mention | str, predicate: str, object: Mention | Literal | str, **more: Any
    ) -> StoredFact:
        """What a document says for certain."""
        draft = draft_of(subject, predicate, object, **{"status": Status.VERIFIED, **more})
        return (await self.graph.assert_facts(self.owner, [draft], IMPORT))[0]

    async def facts(self, name: str, predicate: str | None = None, **view: Any) -> list[str]:
        """The prose of what holds about the entity of this name, sorted."""
        found = await self.graph.find_entities(self.owner, name)
        texts = set()
        for entity in found:
            near = await self.graph.neighbours(self.owner, [entity.id], self.graph.view(**view))
            texts |= {fact.text for fact in near.facts if predicate in (None, fact.predicate)}
        return sorted(texts)


def person(name: str, **more: str) -> Mention:
    """A person's mention."""
    return Mention(name, PERSON, **more)  # type: ignore[arg-type]


def draft_of(
    subject: Mention | str,
    predicate: str,
    object: Mention | Literal | str,
    *,
    trust: Trust = Trust.IMPORTED,
    status: Status = Status.CANDIDATE,
    document: str | None = None,
    passage: str | None = None,
    occurred_at: datetime | None = None,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
    extractor: str = "structure",
    fingerprint: str | None = None,
) -> FactDraft:
    """A draft; a bare string is a person as subject and a literal as object."""
    support = Provenance(
        document_id=DocumentId(document) if document else None,
        passage_id=PassageId(passage or f"{document}-p1") if document else None,
        source=Source.CHAT if trust is Trust.USER else Source.NOTE,
        trust=trust,
        extractor="person" if trust is Trust.USER else extractor,
        occurred_at=occurred_at,
        fingerprint=fingerprint,
    )
    return FactDraft(
        subject=Mention(subject, PERSON) if isinstance(subject, str) else subject,
        predicate=predicate,
        object=Literal(object) if isinstance(object, str) else object,
        provenance=support,
        status=status,
        valid_from=valid_from,
        valid_until=valid_until,
    )


def texts(facts: tuple[Fact, ...]) -> list[str]:
    """The prose of facts, in order."""
    return [fact.text for fact in facts]
