"""Expectations of what the memory holds: facts, entities, names."""

from __future__ import annotations

import json
import re
from typing import Any

from graph.predicates import describe, parse_type
from tests.cases import doors, expected
from tests.cases.doors import UNDERSTANDING
from tests.cases.model import Outcome
from tests.cases.scene import Check, Scene, items, must, too_few, words
from tests.cases.state import Memory, same_name


def facts_now(scene: Scene, _outcome: Outcome, value: list[list[Any]]) -> None:
    memory = scene.memory()
    for triple in value:
        if not memory.matching(triple):
            too_few(scene, f"not a fact now: {triple}")


def not_facts_now(scene: Scene, _outcome: Outcome, value: list[list[Any]]) -> None:
    memory = scene.memory()
    for triple in value:
        must(not memory.matching(triple), f"a fact now: {triple}")


def facts(scene: Scene, _outcome: Outcome, value: list[list[Any]]) -> None:
    memory = scene.memory()
    for *triple, wanted in value:
        found = len(memory.matching(triple))
        if found < wanted:
            too_few(scene, f"{triple} is missing")
        must(found == wanted, f"{triple} is there {found} times")


def evidence_of_fact(scene: Scene, _outcome: Outcome, value: int) -> None:
    for *triple, _ in scene.case.expected["facts"]:
        for fact in scene.memory().matching(triple):
            must(len(fact["sources"]) == value, f"{len(fact['sources'])} sources")


def facts_total(scene: Scene, _outcome: Outcome, value: int) -> None:
    must(len(scene.memory().facts) == value, f"{len(scene.memory().facts)} facts")


def facts_total_new(scene: Scene, _outcome: Outcome, value: int) -> None:
    must(len(scene.memory().every) == value, f"{len(scene.memory().every)} facts")


def facts_on_entity(scene: Scene, _outcome: Outcome, value: int) -> None:
    memory = scene.memory()
    name = scene.case.expected["entities"].get("name") or scene.case.expected["entities"]["canonical"]
    found = sum(len(memory.around(entity)) for entity in memory.named(name))
    if found < value:
        too_few(scene, f"{found} facts on {name}")
    must(found == value, f"{found} facts on {name}")


def types_listed(scene: Scene, _outcome: Outcome, value: list[str]) -> None:
    name = scene.case.expected["entities"]["canonical"]
    found = {entity["type"] for entity in scene.memory().named(name)}
    must(found == {parse_type(word).value for word in value}, f"types are {sorted(found)}")


def entities(scene: Scene, outcome: Outcome, value: dict[str, Any]) -> None:
    memory = scene.memory()
    plain = {"count", "canonical", "name", "names", "prefix", "duplicates", "type", "aliases_include"}
    if not value.keys() <= plain:
        for word, wanted in value.items():
            _entities(scene, memory.of_type(word), wanted)
        return
    chosen = [entity for entity in memory.entities if entity["role"] != "owner"]
    if name := value.get("name") or value.get("canonical"):
        chosen = memory.named(name)
    if prefix := value.get("prefix"):
        chosen = [entity for entity in chosen if re.fullmatch(re.escape(prefix) + r"\d+", entity["name"])]
    if "names" in value:
        chosen = [entity for entity in chosen if any(same_name(entity["name"], name) for name in value["names"])]
    _entities(scene, chosen, value)


def _entities(scene: Scene, found: list[dict[str, Any]], wanted: dict[str, Any]) -> None:
    names = [entity["name"] for entity in found]
    if "count" in wanted:
        if len(found) < wanted["count"]:
            too_few(scene, f"{len(found)} entities, not {wanted['count']}")
        must(len(found) == wanted["count"], f"{len(found)} entities, not {wanted['count']}: {names}")
    if "canonical" in wanted and found:
        must(wanted["canonical"] in names, f"shown as {names}")
    if "type" in wanted:
        must({entity["type"] for entity in found} == {parse_type(wanted["type"]).value}, "another type")
    if "duplicates" in wanted:
        must(len(names) - len(set(names)) == wanted["duplicates"], "duplicates")
    for alias in wanted.get("aliases_include", ()):
        if not any(alias in entity["aliases"] for entity in found):
            too_few(scene, f"the alias {alias!r} is missing")


def aliases_include(scene: Scene, _outcome: Outcome, value: list[str]) -> None:
    if not any(set(value) <= set(entity["aliases"]) for entity in scene.memory().entities):
        too_few(scene, "no entity bears all of these names")


def aliases_of(scene: Scene, _outcome: Outcome, value: dict[str, list[str]]) -> None:
    memory = scene.memory()
    for name, names in value.items():
        for entity in memory.named(name):
            must(set(entity["aliases"]) <= set(names), f"{name} has other names: {entity['aliases']}")
        if not memory.named(name):
            too_few(scene, f"{name} is missing")


def forbidden_alias(scene: Scene, _outcome: Outcome, value: list[list[str]]) -> None:
    memory = scene.memory()
    for name, alias in value:
        for entity in memory.named(name):
            must(not any(same_name(alias, other) for other in entity["aliases"]), f"{name} is called {alias}")


def after_turn(scene: Scene, _outcome: Outcome, value: dict[str, Any]) -> None:
    """Only the last turn's state can still be read."""
    final = value[max(value, key=int)]
    found = len(scene.memory().of_type("Person"))
    if found < final["Person_count"]:
        too_few(scene, f"{found} persons")
    if found > final["Person_count"] and expected.awaits(scene.case.id, UNDERSTANDING):
        raise doors.no_door(UNDERSTANDING)
    must(found == final["Person_count"], f"{found} persons")


def listed(part: str) -> Check:
    def checked(scene: Scene, outcome: Outcome, value: Any) -> None:
        found = items(outcome)
        if not found:
            too_few(scene, "nothing is listed")
        match part:
            case "canonical":
                must(found[0]["name"] == value, "another name is shown")
            case "codepoints":
                must(not any(chr(int(code[2:], 16)) in found[0]["name"] for code in value), "marks in the name")
            case "aliases":
                must(set(value) <= set(found[0]["aliases"]), "a name is missing")

    return checked


def evidence_count(scene: Scene, outcome: Outcome, value: int) -> None:
    memory = scene.memory()
    found = {
        json.dumps(source) for entity in items(outcome) for fact in memory.around(entity) for source in fact["sources"]
    }
    if len(found) < value:
        too_few(scene, f"{len(found)} sources")


def each_keeps_its_own_fact(scene: Scene, _outcome: Outcome, _value: bool) -> None:
    memory = scene.memory()
    body = scene.case.input["steps"][-1]["body"]
    for name in (body["entity"], body["alias"]):
        if not any(memory.around(entity) for entity in memory.named(name)):
            too_few(scene, f"{name} lost its fact")


def edges_distinct(scene: Scene, _outcome: Outcome, value: int) -> None:
    """A symmetric fact is one row that says both directions."""
    edges = set()
    for fact in scene.memory().facts:
        ends = (fact["subject"]["name"], fact["object"]["name"])
        edges.add((fact["predicate"], *ends))
        if describe(fact["predicate"]).is_symmetric:
            edges.add((fact["predicate"], *reversed(ends)))
    must(len(edges) == value, f"{len(edges)} edges")


def duplicates(scene: Scene, _outcome: Outcome, value: int) -> None:
    found = [(fact["subject"]["name"], fact["predicate"], fact["object"]["name"]) for fact in scene.memory().facts]
    must(len(found) - len(set(found)) == value, "a fact is there twice")


def stored_times_all_utc_aware(scene: Scene, _outcome: Outcome, _value: bool) -> None:
    for fact in scene.memory().facts:
        for name in ("recorded_at", "valid_from", "valid_to"):
            must(re.search(r"(Z|\+00:00)$", fact.get(name) or "Z"), f"{name} is {fact.get(name)}")


def read_back(scene: Scene, _outcome: Outcome, value: dict[str, str]) -> None:
    found = [fact for fact in scene.memory().facts if fact.get("timezone") == value["offset_or_zone_kept"]]
    if not found:
        too_few(scene, "no fact keeps the zone")


def count_on_each(scene: Scene, outcome: Outcome, value: int) -> None:
    if len(items(outcome.parts[-1])) < value:
        too_few(scene, "nothing in that range")


def unchanged(scene: Scene, _outcome: Outcome, _value: bool) -> None:
    memory = Memory.read(scene.world, "u1", scene.zone)
    must(memory.facts and scene.world.all("u1", "/v1/documents"), "the other user's data is gone")


def restarts(scene: Scene, _outcome: Outcome, value: int) -> None:
    must(scene.world.server.starts_count == value + 1, "the server was restarted")


def no_traceback(scene: Scene, _outcome: Outcome, value: bool) -> None:
    must(("Traceback" in scene.world.server.log_path.read_text(errors="replace")) is value, "a traceback in the log")


def answers_of(other: str) -> Check:
    def separate(_scene: Scene, outcome: Outcome, value: str) -> None:
        for part in outcome.leaves():
            if part.user == other and part.path == "/v1/ask/evidence":
                must(value not in words(part), "an answer of the other user")

    return separate


def compared_across_stores(_scene: Scene, _outcome: Outcome, _value: Any) -> None:
    """Checked by tests.cases.runner once every store has run."""
