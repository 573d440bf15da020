"""Objects of a verb, each kind by its own shape; what does not have the shape is no object."""

from __future__ import annotations

from collections.abc import Callable

from ingest.extract.reading.bearers import read_person, read_pet, read_relative, read_thing
from ingest.extract.reading.line import Line
from ingest.extract.reading.object import Object
from ingest.extract.reading.organisations import read_group, read_org, read_school, read_team, read_tool
from ingest.extract.reading.places import read_here, read_place, read_town
from ingest.extract.reading.predicates import Kind
from ingest.extract.reading.topics import read_act, read_illness, read_none, read_occasion, read_topic, read_ware
from ingest.extract.reading.values import (
    read_age,
    read_diet,
    read_language,
    read_measure,
    read_name,
    read_nation,
    read_role,
)
from ingest.extract.reading.world import World


def object_at(kind: Kind, line: Line, at: int, world: World) -> Object | None:
    """The object of this kind that begins here."""
    return _READERS[kind](line, at, world) if at <= len(line) else None


_READERS: dict[Kind, Callable[[Line, int, World], Object | None]] = {
    Kind.PLACE: read_place,
    Kind.TOWN: read_town,
    Kind.ORG: read_org,
    Kind.GROUP: read_group,
    Kind.SCHOOL: read_school,
    Kind.PERSON: read_person,
    Kind.TOPIC: read_topic,
    Kind.THING: read_thing,
    Kind.TOOL: read_tool,
    Kind.ROLE: read_role,
    Kind.PET: read_pet,
    Kind.LANGUAGE: read_language,
    Kind.NATION: read_nation,
    Kind.ILLNESS: read_illness,
    Kind.DIET: read_diet,
    Kind.OCCASION: read_occasion,
    Kind.NAME: read_name,
    Kind.AGE: read_age,
    Kind.MEASURE: read_measure,
    Kind.WARE: read_ware,
    Kind.ACT: read_act,
    Kind.NONE: read_none,
    Kind.SPOT: lambda line, at, world: None,
    Kind.DAY: lambda line, at, world: None,
    Kind.HERE: read_here,
    Kind.RELATIVE: read_relative,
    Kind.TEAM: read_team,
}
