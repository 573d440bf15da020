"""What the memory holds after a case, compared with neutral triples and names."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from graph.names import name_key
from graph.predicates import canonical, parse_type
from tests.cases.world import World

#: Neutral predicates of the file and what this product may call the same.
_SAME_PREDICATE: dict[str, tuple[str, ...]] = {
    "lives_in": ("lives_in", "located_in", "based_in"),
    "works_in": ("works_in", "works_at", "located_in", "based_in"),
}
_QUALIFIED = re.compile(r"^(?P<name>.+?) \((?P<context>[^)]+)\)$")


@dataclass(frozen=True)
class Memory:
    """Entities and current facts of one user."""

    entities: list[dict[str, Any]]
    facts: list[dict[str, Any]]
    zone: str
    every: list[dict[str, Any]] = field(default_factory=list)  # candidates too

    @classmethod
    def read(cls, world: World, user: str, zone: str) -> Memory:
        """Everything the user's memory holds now."""
        every = world.all(user, "/v1/facts?status=candidate,verified")
        return cls(world.all(user, "/v1/entities"), world.all(user, "/v1/facts"), zone, every)

    def matching(self, triple: list[Any]) -> list[dict[str, Any]]:
        """Facts that say this triple."""
        subject, predicate, value, *when = triple
        reading = canonical(predicate)
        names = {canonical(name).name for name in (predicate, *_SAME_PREDICATE.get(predicate, ()))}
        found = []
        for fact in self.facts:
            if fact["predicate"] not in names:
                continue
            ends = (subject, value)
            if reading.is_inverse and canonical(fact["predicate"]).name == reading.name:
                ends = (value, subject)
            is_same = self._is(fact["subject"], ends[0]) and self._is(fact["object"], ends[1])
            if is_same and all(self._is_when(fact, text) for text in when if isinstance(text, str)):
                found.append(fact)
        return found

    def named(self, name: str) -> list[dict[str, Any]]:
        """Entities that bear this name."""
        return [entity for entity in self.entities if name_key(name) in map(name_key, entity["aliases"])]

    def of_type(self, word: str) -> list[dict[str, Any]]:
        """Entities of a type, the owner left out: a case counts the others."""
        kind = parse_type(word).value
        return [entity for entity in self.entities if entity["type"] == kind and entity["role"] != "owner"]

    def around(self, entity: dict[str, Any]) -> list[dict[str, Any]]:
        """Facts about an entity."""
        ids = {other["id"] for other in self.entities if other["group_id"] == entity["group_id"]}
        return [fact for fact in self.facts if fact["subject"]["id"] in ids or fact["object"].get("id") in ids]

    def _is(self, end: dict[str, Any], name: Any) -> bool:
        if name == "*":
            return True
        if not isinstance(name, str):
            return str(end.get("name", "")).casefold() == str(name).casefold()
        bearers = [entity for entity in self.entities if entity["id"] == end.get("id")]
        if name.casefold() == "me":
            return any(entity["role"] == "owner" for entity in bearers)
        qualified = _QUALIFIED.match(name)
        plain, _, kind = (qualified["name"] if qualified else name).partition("/")
        if kind and end.get("type") != parse_type(kind).value:
            return False
        if qualified and not self._is_told_apart(bearers, plain, qualified["context"]):
            return False
        spellings = {end.get("name", "")} | {alias for entity in bearers for alias in entity["aliases"]}
        return name_key(plain) in {name_key(text) for text in spellings if text}

    def _is_told_apart(self, bearers: list[dict[str, Any]], name: str, context: str) -> bool:
        """Whether the bearer is the one of this context; where nobody has it, one without any."""
        has_context = any(entity["context"] == context for entity in self.entities if entity["name"] == name)
        return any(entity["context"] == (context if has_context else "") for entity in bearers)

    def _is_when(self, fact: dict[str, Any], text: str) -> bool:
        if not fact.get("valid_from"):
            return False
        zone = ZoneInfo(fact.get("timezone") or self.zone)
        day = datetime.fromisoformat(fact["valid_from"]).astimezone(zone).date().isoformat()
        return day == text.removeprefix("from ").strip()


def same_name(left: str, right: str) -> bool:
    """Whether two spellings are one name."""
    return name_key(left) == name_key(right)
