"""Topics, wares, illnesses and occasions as objects: plain noun phrases."""

from __future__ import annotations

from ingest.extract.reading.kinds import is_illness, is_occasion
from ingest.extract.reading.line import Line
from ingest.extract.reading.names import CLOSED, is_place
from ingest.extract.reading.nouns import EVENT, PLACE, PRODUCT, TOPIC
from ingest.extract.reading.object import OPEN, Object
from ingest.extract.reading.records import Term
from ingest.extract.reading.words import ADVERBS, FIRST, MY, PREPOSITIONS, STOPS
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import World

MAX_WORDS = 12


_TAILS = (
    "a lot",
    "so much",
    "very much",
    "too much",
    "these days",
    "as well",
    "at all",
    "the most",
    "a bit",
    "lately",
    "too",
    "now",
    "again",
    "though",
    "anymore",
    "instead",
    "either",
    "also",
    "sekali",
    "banget",
    "juga",
    "sih",
    "lagi",
    "already",
    "currently",
    "today",
    "more than anything",
    "of course",
    "for now",
)


_STOPPERS = word_set(
    "and dan or atau but tapi because karena so since though although if when kalau while that which who yang than "
    "over daripada jadi"
)


def topic_end(line: Line, at: int) -> int:
    """Where a plain noun phrase ends: at a sign, a connector, or what begins another clause."""
    end = at
    is_act = line.norm(at).endswith("ing") and len(line.norm(at)) > 4
    while end < len(line) and end - at < MAX_WORDS:
        norm, token = line.norm(end), line.tokens[end]
        if not token.is_word and norm not in ("&", "-"):
            break
        if norm in _STOPPERS:
            break
        if end > at and norm in STOPS and not (norm in PREPOSITIONS or is_act):
            break
        if (
            not is_act
            and norm in ("with", "at", "since", "as", "like", "than", "sejak", "untuk", "after", "before")
            and end > at
        ):
            break
        end += 1
    while end > at and (
        line.norm(end - 1) in PREPOSITIONS | ADVERBS | {"a", "the"} and not line.norm(end - 1).endswith("ing")
    ):
        end -= 1
    text = " ".join(line.norms[at:end])
    for tail in _TAILS:
        if text.endswith(" " + tail):
            return end - len(tail.split())
    return end


def read_topic(line: Line, at: int, world: World) -> Object | None:
    terms: list[Term] = []
    end = at
    while True:
        start = end
        while line.norm(start) in OPEN | {"both", "banget", "sekali", "really"} and start + 1 < len(line):
            start += 1
        stop = topic_end(line, start)
        if stop == start or not _may_be_topic(line, start, stop):
            break
        text = line.said(start, stop)
        terms.append(_topic_term(text, line.span(start, stop), world))
        end = stop
        sign = line.norm(stop)
        if sign in ("and", "dan", "&", "or", "atau"):
            end = stop + 1
        elif sign == "," and stop + 1 < len(line):
            end = stop + 1 + (line.norm(stop + 1) in ("and", "dan"))
        else:
            break
        if line.norm(end) in FIRST | {"it", "he", "she", "we", "they", "not", "bukan", "always", "but", "so"}:
            break
    return Object(tuple(terms), end) if terms else None


_NO_TOPIC = word_set(
"here there it that this them him her you me us so how when what why to not there all everything anything nothing "
                      "something someone somebody everyone people one ones none both myself itu ini dia kamu begitu "
                      "who if whether because"
)  # fmt: skip


def _may_be_topic(line: Line, start: int, stop: int) -> bool:
    first = line.norm(start)
    return (
        first not in _NO_TOPIC
        and first not in PREPOSITIONS - {"about"}
        and any(token.is_capital or token.kind == "word" for token in line.tokens[start:stop])
    )


def _topic_term(text: str, span: tuple[int, int], world: World) -> Term:
    known = world.type_of(text)
    type = known if known is not None else PLACE if text[:1].isupper() and is_place(text) else TOPIC
    return Term(text, type, span)


def read_illness(line: Line, at: int, world: World) -> Object | None:
    found = read_topic(line, at, world)
    if found is None:
        return None
    kept = tuple(Term(term.text, TOPIC, term.span) for term in found.terms if is_illness(term.text.casefold()))
    return Object(kept, found.end) if kept else None


def read_occasion(line: Line, at: int, world: World) -> Object | None:
    at += line.norm(at) in OPEN | MY
    stop = at
    while stop < len(line) and line.tokens[stop].is_word and stop - at < 10:
        norm = line.norm(stop)
        if norm in STOPS - {"of", "at", "with", "for", "my", "the", "di"} or (norm == "in"):
            break
        stop += 1
    words = tuple(line.norms[at:stop])
    if not words or not is_occasion(words[:6]):
        return None
    return Object((Term(line.said(at, stop), EVENT, line.span(at, stop)),), stop)


def read_ware(line: Line, at: int, world: World) -> Object | None:
    found = read_topic(line, at, world)
    return found and Object(tuple(Term(term.text, PRODUCT, term.span) for term in found.terms), found.end)


def read_act(line: Line, at: int, world: World) -> Object | None:
    stop = at
    while (
        stop < len(line)
        and (line.tokens[stop].is_word or line.norm(stop) in ("-", "&"))
        and stop - at < 10
        and line.norm(stop) not in ("but", "so", "because", "if", "when", "tapi", "karena", "though", "and then")
    ):
        stop += 1
    if stop == at or line.norm(at) in CLOSED - {"be", "have", "do", "get"}:
        return None
    return Object((Term(line.said(at, stop), None, line.span(at, stop)),), stop)


def read_none(line: Line, at: int, world: World) -> Object | None:
    return Object((), at) if line.norm(at) in STOPS | {"", ",", ".", "!"} else None
