"""Values as objects: ages, measures, languages, nationalities, diets, names."""

from __future__ import annotations

import regex

from ingest.extract.reading.kinds import is_diet, is_language, is_nationality, is_occupation
from ingest.extract.reading.line import Line
from ingest.extract.reading.names import called_at, shown
from ingest.extract.reading.object import OPEN, Object
from ingest.extract.reading.records import Term
from ingest.extract.reading.words import ADVERBS, NUMBER_WORDS, STOPS, number_at
from ingest.extract.reading.world import World

_UNIT = (
    r"(?:m|cm|mm|metres?|meters?|centimetres?|ft|feet|foot|in|inch|inches|kg|kgs|kilos?|kilograms?|g|grams?|lbs?"
    r"|pounds?|stones?|st)"
)


_MEASURE = regex.compile(
    rf"\d['’]\s?\d{{1,2}}(?:[\"”]|['’]{{2}})?|\d+(?:[.,]\d+)?\s*{_UNIT}?(?:\s*\d{{1,2}}(?:\s*{_UNIT})?)?|\d['’]\s?\d{{1,2}}[\"”]?"
)


_NO_ROLE = frozenset({"not", "my", "his", "her", "our", "their", "your", "its", "saya", "dia"})


def read_role(line: Line, at: int, world: World) -> Object | None:
    while line.norm(at) in OPEN | {"seorang", "our", "their"}:
        at += 1
    stop = at
    while stop < len(line) and line.tokens[stop].is_word and stop - at < 6 and line.norm(stop) not in STOPS - {"of"}:
        stop += 1
    if line.norm(stop - 1) == "of":
        stop -= 1
    while stop > at and line.norm(stop - 1) in ADVERBS:
        stop -= 1
    phrase = " ".join(line.norms[at:stop])
    if stop == at or not is_occupation(phrase) or set(line.norms[at:stop]) & _NO_ROLE:
        return None
    return Object((Term(line.said(at, stop), None, line.span(at, stop)),), stop)


def read_language(line: Line, at: int, world: World) -> Object | None:
    terms: list[Term] = []
    end = at
    while end < len(line):
        if is_language(line.norm(end)):
            terms.append(Term(shown(line.tokens[end].text), None, line.span(end, end + 1)))
        elif not (terms and line.norm(end) in (",", "and", "dan", "&", "or")) and line.norm(end) not in ADVERBS | {
            "fluent",
            "basic",
            "good",
            "some",
            "a",
            "little",
            "bit",
            "of",
            "native",
            "languages",
            "several",
            "many",
            "different",
            ":",
            *NUMBER_WORDS,
            "bahasa",
            "perfect",
            "decent",
        }:
            break
        end += 1
    return Object(tuple(terms), end) if terms else None


def read_nation(line: Line, at: int, world: World) -> Object | None:
    terms: list[Term] = []
    end = at
    while is_nationality(line.norm(end)) or (terms and line.norm(end) in ("and", "dan", ",")):
        if is_nationality(line.norm(end)):
            terms.append(Term(shown(line.tokens[end].text), None, line.span(end, end + 1)))
        end += 1
    if not terms or line.norm(end) not in (
        "citizenship",
        "passport",
        "nationality",
        "citizen",
        "national",
        "passports",
    ):
        return None
    return Object(tuple(terms), end + 1)


def read_diet(line: Line, at: int, world: World) -> Object | None:
    at += line.norm(at) in OPEN | {"strictly", "fully", "mostly"}
    for size in (2, 1):
        words = line.norms[at : at + size]
        if len(words) == size and is_diet(" ".join(words)):
            end = at + size + (line.norm(at + size) in ("diet", "food"))
            return Object((Term(line.said(at, at + size), None, line.span(at, at + size)),), end)
    return None


def read_name(line: Line, at: int, world: World) -> Object | None:
    while line.norm(at) in ("saya", "me", "as", "dengan"):
        at += 1
    terms: list[Term] = []
    end = at
    while (name := called_at(line, end)) is not None:
        terms.append(Term(shown(name.text), None, line.span(name.start, name.end)))
        end = name.end
        if line.norm(end) not in ("and", "dan", "&", ","):
            break
        end += 1 + (line.norm(end) == "," and line.norm(end + 1) in ("and", "dan"))
    return Object(tuple(terms), end) if terms else None


def read_age(line: Line, at: int, world: World) -> Object | None:
    found = number_at(line.norms, at)
    if found is None or not 0 < found[0] < 130:
        return None
    end = found[1]
    unit = line.norm(end)
    text = str(found[0])
    if unit in ("months", "month", "weeks", "week", "days", "day", "bulan", "minggu", "hari"):
        text, end = f"{text} {line.tokens[end].text}", end + 1
    elif unit in ("years", "year", "tahun"):
        end += 1
    end += line.norm(end) in ("old", "of")
    if line.norm(end) == "age":
        end += 1
    return Object((Term(text, None, line.span(at, end)),), end)


def read_measure(line: Line, at: int, world: World) -> Object | None:
    while line.norm(at) in ("about", "around", "roughly", "almost", "sekitar", "kira-kira"):
        at += 1
    if at >= len(line):
        return None
    start = line.tokens[at].start
    match = _MEASURE.match(line.source, start)
    if not match or not regex.search(r"\p{L}|['’]", match.group()):
        return None
    end = at
    while end < len(line) and line.tokens[end].end <= match.end():
        end += 1
    text = line.source[start : line.tokens[end - 1].end] if end > at else ""
    return Object((Term(text, None, (start, start + len(text))),), end) if text else None
