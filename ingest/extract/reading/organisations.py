"""Firms, clubs, schools and teams as objects."""

from __future__ import annotations

from doso.records import EntityType
from ingest.extract.reading.kinds import GROUPS, ORG_KINDS, SCHOOLS
from ingest.extract.reading.line import Line
from ingest.extract.reading.names import CLOSED, is_place, may_be_lower_name, name_at, shown
from ingest.extract.reading.nouns import ORG, PERSON, PRODUCT, TOPIC
from ingest.extract.reading.object import OPEN, Object
from ingest.extract.reading.records import Term
from ingest.extract.reading.words import MY, STOPS
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import World


def read_named(type: EntityType, line: Line, at: int, world: World) -> Object | None:
    """One or several proper names."""
    terms: list[Term] = []
    end = at
    while True:
        start = end + (
            (line.norm(end) in ("the", "a", "an") and type is ORG and line.norm(end) == "the")
            or line.norm(end) == "the"
        )
        name = name_at(line, start, is_lower=world.is_lower, is_thing=type in (ORG, PRODUCT))
        if name is None:
            break
        name_end, text = name.end, name.text
        if type is ORG and world.is_lower:
            name_end = _lower_end(line, start)
            text = shown(line.said(start, name_end))
        terms.append(Term(text, type, line.span(start, name_end)))
        end = name_end
        if line.norm(end) in ("and", "&", "dan") and end + 1 < len(line) and line.tokens[end + 1].is_capital:
            end += 1
        elif not (line.norm(end) == "," and _goes_on(line, end)):
            break
        else:
            end += 1 + (line.norm(end + 1) in ("and", "dan"))
    return Object(tuple(terms), end) if terms else None


def _goes_on(line: Line, at: int) -> bool:
    """Whether a comma separates items of a list that ends in "and"."""
    rest = line.norms[at : at + 12]
    return any(word in ("and", "dan") for word in rest) and at + 1 < len(line) and line.tokens[at + 1].is_capital


_TEAMS = word_set(
"office team department branch store shop division unit crew lab school restaurant kitchen clinic ward practice "
                   "plant factory warehouse project kantor tim divisi departemen cabang bagian toko gudang"
)  # fmt: skip


def read_team(line: Line, at: int, world: World) -> Object | None:
    """ "the Lisbon office", "its billing team", "Kopi Senja"."""
    start = at
    while line.norm(start) in OPEN | MY | {"its", "their", "his", "her"} and start < len(line):
        start += 1
    stop = start
    while stop < len(line) and line.tokens[stop].is_word and line.norm(stop) not in STOPS and stop - start < 5:
        stop += 1
    words = line.norms[start:stop]
    if stop > start and (
        (words[-1] in _TEAMS and len(words) > 1) or words[0] in ("kantor", "tim", "divisi", "bagian", "cabang")
    ):
        return Object((Term(line.said(start, stop), ORG, line.span(start, stop)),), stop)
    return read_org(line, at, world) if start == at or line.norm(at) == "the" else None


_NO_ORG = word_set(
"home night work school night noon present least last first once all times it this that which what a an "
                    "my our his her their some any rumah sini sana situ mana malam"
)  # fmt: skip


_DEPARTMENTS = word_set(
    "bagian divisi departemen sebagai jurusan fakultas prodi semester cabang as "
    "team department division unit branch office"
)


def _lower_end(line: Line, at: int) -> int:
    end = at
    while (
        end < len(line)
        and line.tokens[end].is_word
        and line.norm(end) not in STOPS | _DEPARTMENTS | {"as"}
        and end - at < 5
    ):
        end += 1
    return end


def read_org(line: Line, at: int, world: World) -> Object | None:
    at += line.norm(at) == "the"
    if at >= len(line) or line.norm(at) in _NO_ORG:
        return None
    if world.is_lower:
        end = _lower_end(line, at)
        word = line.norm(at)
        if end == at or not (may_be_lower_name(word) or end - at > 1) or word in CLOSED:
            return None
        return Object((Term(shown(line.said(at, end)), ORG, line.span(at, end)),), end)
    found = read_named(ORG, line, at, world)
    if found is None:
        return None
    if len(found.terms) == 1 and is_place(found.terms[0].text) and not _is_institution(found.terms[0].text):
        return None
    return found


def _is_institution(text: str) -> bool:
    words = text.casefold().split()
    return len(words) > 1 and any(word in ORG_KINDS | SCHOOLS | GROUPS for word in words)


def read_group(line: Line, at: int, world: World) -> Object | None:
    """A club or firm by name; a bare country or a person is none."""
    found = read_org(line, at, world)
    if found is None or any(world.type_of(term.text) is PERSON for term in found.terms):
        return None
    return found


def read_school(line: Line, at: int, world: World) -> Object | None:
    found = read_org(line, at, world)
    return found if found and any(word in SCHOOLS for word in found.terms[0].text.casefold().split()) else None


def read_tool(line: Line, at: int, world: World) -> Object | None:
    """A product or project by its name."""
    at += line.norm(at) in OPEN | MY
    found = read_named(PRODUCT, line, at, world)
    if found is None:
        return None
    if line.norm(found.end) in ("project", "app", "team", "proyek"):
        return Object(tuple(Term(term.text, TOPIC, term.span) for term in found.terms), found.end + 1)
    return found
