"""Places as objects: towns and countries, typed small too, and the place that "here" means."""

from __future__ import annotations

from ingest.extract.reading.line import Line
from ingest.extract.reading.names import CLOSED, is_place, may_be_lower_name, name_at, shown
from ingest.extract.reading.nouns import PLACE
from ingest.extract.reading.object import Object
from ingest.extract.reading.organisations import read_named
from ingest.extract.reading.records import Term
from ingest.extract.reading.tokens import tokenize
from ingest.extract.reading.verbs import lemma
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import World


def _small_place(line: Line, at: int, world: World) -> Object | None:
    """A town or country that is known to the world and was typed small."""
    start = at + (line.norm(at) == "the")
    if start >= len(line) or line.tokens[start].is_capital:
        return None
    for size in (4, 3, 2, 1):
        words = line.tokens[start : start + size]
        if len(words) == size and all(token.is_word and token.norm not in CLOSED - {"new", "old"} for token in words):
            text = line.said(start, start + size)
            if (
                is_place(text)
                and (world.is_lower or (len(text) > 3 and lemma(words[0].norm) == words[0].norm))
                and words[-1].norm not in _NO_TOWN
            ):
                return Object((Term(shown(text), PLACE, line.span(start, start + size)),), start + size)
    return None


_NO_TOWN = word_set(
    "house home flat apartment town city village country fear peace bed love debt hell heaven work bath"
)


def read_place(line: Line, at: int, world: World) -> Object | None:
    small = _small_place(line, at, world)
    if small is not None:
        return small
    found = read_named(PLACE, line, at, world)
    if found is None or not found.terms:
        return None
    term = found.terms[0]
    word = term.text.casefold()
    index = at + (line.norm(at) == "the")
    name = name_at(line, index, is_lower=world.is_lower)
    is_sure = name is not None and name.is_sure
    if not (is_place(term.text) or is_sure) or (
        world.is_lower and " " not in word and not is_place(word) and not may_be_lower_name(line.norm(index))
    ):
        return None
    if len(found.terms) > 1 and line.norm(at + 1) == ",":  # Ghent, Belgium
        return Object(found.terms[:1], found.end)
    return found


def read_here(line: Line, at: int, world: World) -> Object | None:
    """ "here" and "there": the place that was named last before."""
    if line.norm(at) not in ("here", "there", "sini", "situ", "sana"):
        return None
    before = line.source[: line.tokens[at].start]
    words = Line(tokenize(before[-2_000:]), before)
    i, found = 0, ""
    while i < len(words):
        name = name_at(words, i)
        found = name.text if name is not None and is_place(name.text) else found
        i = name.end if name is not None else i + 1
    return Object((Term(found, PLACE, line.span(at, at + 1)),), at + 1) if found else None


def read_town(line: Line, at: int, world: World) -> Object | None:
    found = read_place(line, at, world)
    return found if found and (is_place(found.terms[0].text) or world.type_of(found.terms[0].text) is PLACE) else None
