"""Objects of a verb, each kind by its own shape; what does not have the shape is no object."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import regex

from doso.records import EntityType
from ingest.extract.reading.kinds import (
    BELONGINGS,
    COLOURS,
    GROUPS,
    ORG_KINDS,
    SCHOOLS,
    VEHICLES,
    is_diet,
    is_illness,
    is_language,
    is_nationality,
    is_occasion,
    is_occupation,
)
from ingest.extract.reading.line import Line
from ingest.extract.reading.names import CLOSED, called_at, is_place, may_be_lower_name, name_at, shown
from ingest.extract.reading.nouns import EVENT, MODIFIERS, ORG, PERSON, PET, PLACE, PRODUCT, TOPIC, bond_of
from ingest.extract.reading.phrases import animal_at, owned_at, pet_facts, phrase_at
from ingest.extract.reading.predicates import Kind
from ingest.extract.reading.records import Stated, Term
from ingest.extract.reading.tokens import tokenize
from ingest.extract.reading.verbs import lemma
from ingest.extract.reading.words import ADVERBS, ARTICLES, FIRST, MY, NUMBER_WORDS, PREPOSITIONS, STOPS, number_at
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import World


@dataclass(frozen=True, slots=True)
class Object:
    """What a verb is about. `facts`: what its words state besides; `over`: the losing side of a preference."""

    terms: tuple[Term, ...]
    end: int
    facts: tuple[Stated, ...] = ()
    over: str = ""


MAX_WORDS = 12
_OPEN = frozenset({"the", "a", "an", "some", "any", "this", "sebuah", "seorang", "seekor"})
_TAILS = ("a lot", "so much", "very much", "too much", "these days", "as well", "at all", "the most", "a bit", "lately", "too",
          "now", "again", "though", "anymore", "instead", "either", "also", "sekali", "banget", "juga", "sih", "lagi", "already",
          "currently", "today", "more than anything", "of course", "for now")  # fmt: skip
_UNIT = r"(?:m|cm|mm|metres?|meters?|centimetres?|ft|feet|foot|in|inch|inches|kg|kgs|kilos?|kilograms?|g|grams?|lbs?|pounds?|stones?|st)"
_MEASURE = regex.compile(
    rf"\d['’]\s?\d{{1,2}}(?:[\"”]|['’]{{2}})?|\d+(?:[.,]\d+)?\s*{_UNIT}?(?:\s*\d{{1,2}}(?:\s*{_UNIT})?)?|\d['’]\s?\d{{1,2}}[\"”]?"
)


def object_at(kind: Kind, line: Line, at: int, world: World) -> Object | None:
    """The object of this kind that begins here."""
    return _READERS[kind](line, at, world) if at <= len(line) else None


def _named(type: EntityType, line: Line, at: int, world: World) -> Object | None:
    """One or several proper names."""
    terms: list[Term] = []
    end = at
    while True:
        start = end + (
            line.norm(end) in ("the", "a", "an") and type is ORG and line.norm(end) == "the" or line.norm(end) == "the"
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


def _place(line: Line, at: int, world: World) -> Object | None:
    small = _small_place(line, at, world)
    if small is not None:
        return small
    found = _named(PLACE, line, at, world)
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


def _relative(line: Line, at: int, world: World) -> Object | None:
    """ "a sister named Ana", "two sons, Leo and Max": whom one has, by name."""
    start = at
    while start < len(line) and line.norm(start) in _OPEN | MODIFIERS | NUMBER_WORDS.keys() | {"orang", "only"}:
        start += 1
    if start >= len(line) or bond_of(line.norm(start)) is None or world.speaker is None:
        return None
    phrase = owned_at(line, start, world.speaker, world)
    return (
        Object(phrase.terms, phrase.end, phrase.facts)
        if phrase is not None and phrase.is_named and phrase.facts
        else None
    )


def _here(line: Line, at: int, world: World) -> Object | None:
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


_TEAMS = word_set(
"office team department branch store shop division unit crew lab school restaurant kitchen clinic ward practice "
                   "plant factory warehouse project kantor tim divisi departemen cabang bagian toko gudang"
)  # fmt: skip


def _team(line: Line, at: int, world: World) -> Object | None:
    """ "the Lisbon office", "its billing team", "Kopi Senja"."""
    start = at
    while line.norm(start) in _OPEN | MY | {"its", "their", "his", "her"} and start < len(line):
        start += 1
    stop = start
    while stop < len(line) and line.tokens[stop].is_word and line.norm(stop) not in STOPS and stop - start < 5:
        stop += 1
    words = line.norms[start:stop]
    if stop > start and (
        (words[-1] in _TEAMS and len(words) > 1) or words[0] in ("kantor", "tim", "divisi", "bagian", "cabang")
    ):
        return Object((Term(line.said(start, stop), ORG, line.span(start, stop)),), stop)
    return _org(line, at, world) if start == at or line.norm(at) == "the" else None


def _town(line: Line, at: int, world: World) -> Object | None:
    found = _place(line, at, world)
    return found if found and (is_place(found.terms[0].text) or world.type_of(found.terms[0].text) is PLACE) else None


_NO_ORG = word_set(
"home night work school night noon present least last first once all times it this that which what a an "
                    "my our his her their some any rumah sini sana situ mana malam"
)  # fmt: skip
_DEPARTMENTS = word_set(
    "bagian divisi departemen sebagai jurusan fakultas prodi semester cabang as team department division unit branch office"
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


def _org(line: Line, at: int, world: World) -> Object | None:
    at += line.norm(at) == "the"
    if at >= len(line) or line.norm(at) in _NO_ORG:
        return None
    if world.is_lower:
        end = _lower_end(line, at)
        word = line.norm(at)
        if end == at or not (may_be_lower_name(word) or end - at > 1) or word in CLOSED:
            return None
        return Object((Term(shown(line.said(at, end)), ORG, line.span(at, end)),), end)
    found = _named(ORG, line, at, world)
    if found is None:
        return None
    if len(found.terms) == 1 and is_place(found.terms[0].text) and not _is_institution(found.terms[0].text):
        return None
    return found


def _is_institution(text: str) -> bool:
    words = text.casefold().split()
    return len(words) > 1 and any(word in ORG_KINDS | SCHOOLS | GROUPS for word in words)


def _group(line: Line, at: int, world: World) -> Object | None:
    """A club or firm by name; a bare country or a person is none."""
    found = _org(line, at, world)
    if found is None or any(world.type_of(term.text) is PERSON for term in found.terms):
        return None
    return found


def _school(line: Line, at: int, world: World) -> Object | None:
    found = _org(line, at, world)
    return found if found and any(word in SCHOOLS for word in found.terms[0].text.casefold().split()) else None


def _person(line: Line, at: int, world: World) -> Object | None:
    phrase = phrase_at(line, at, world)
    if phrase is None or phrase.is_thing or phrase.is_unclear or phrase.attribute is not None:
        return None
    if not phrase.is_sure or any(term.type is not PERSON for term in phrase.terms):
        return None
    if not phrase.is_named and phrase.facts == () and phrase.noun == "":
        return None
    return Object(phrase.terms, phrase.end, phrase.facts)


def topic_end(line: Line, at: int) -> int:
    """Where a plain noun phrase ends: at a sign, a connector, or what begins another clause."""
    end = at
    is_act = line.norm(at).endswith("ing") and len(line.norm(at)) > 4
    while end < len(line) and end - at < MAX_WORDS:
        norm, token = line.norm(end), line.tokens[end]
        if not token.is_word and norm not in ("&", "-"):
            break
        if norm in ("and", "dan", "or", "atau", "but", "tapi", "because", "karena", "so", "since", "though", "although", "if", "when",
                    "kalau", "while", "that", "which", "who", "yang", "than", "over", "daripada", "jadi"):  # fmt: skip
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


def _topic(line: Line, at: int, world: World) -> Object | None:
    terms: list[Term] = []
    end = at
    while True:
        start = end
        while line.norm(start) in _OPEN | {"both", "banget", "sekali", "really"} and start + 1 < len(line):
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


def _thing(line: Line, at: int, world: World) -> Object | None:
    """A belonging: a product by its name, or a vehicle, house or instrument."""
    start = at
    is_owned = False
    while line.norm(start) in _OPEN | MY | {
        "new",
        "second-hand",
        "used",
        "own",
        "old",
        "brand-new",
        "little",
        "his",
        "her",
        "their",
        "saya",
        "the",
    }:
        is_owned = is_owned or line.norm(start) in MY
        start += 1
    while line.norm(start) in COLOURS and start + 1 < len(line) and line.tokens[start + 1].is_capital:
        start += 1
    stop = start
    while stop < len(line) and line.tokens[stop].is_word and line.norm(stop) not in STOPS and stop - start < 6:
        stop += 1
    if stop == start:
        return None
    words = line.norms[start:stop]
    is_name = line.tokens[start].is_capital and (name_at(line, start) is not None)
    number = words[0] in NUMBER_WORDS or words[0].isdecimal()
    if number or not (is_name or words[-1] in BELONGINGS or (words[0] in BELONGINGS and len(words) < 4)):
        if not (world.is_lower and start > at and words[0] in VEHICLES):
            return None
    if is_name and start == at and is_place(line.said(start, stop)):
        return None
    return Object((Term(line.said(start, stop), PRODUCT, line.span(start, stop)),), stop)


def _tool(line: Line, at: int, world: World) -> Object | None:
    """A product or project by its name."""
    at += line.norm(at) in _OPEN | MY
    found = _named(PRODUCT, line, at, world)
    if found is None:
        return None
    if line.norm(found.end) in ("project", "app", "team", "proyek"):
        return Object(tuple(Term(term.text, TOPIC, term.span) for term in found.terms), found.end + 1)
    return found


def _role(line: Line, at: int, world: World) -> Object | None:
    while line.norm(at) in _OPEN | {"seorang", "our", "their"}:
        at += 1
    stop = at
    while stop < len(line) and line.tokens[stop].is_word and stop - at < 6 and line.norm(stop) not in STOPS - {"of"}:
        stop += 1
    if line.norm(stop - 1) == "of":
        stop -= 1
    while stop > at and line.norm(stop - 1) in ADVERBS:
        stop -= 1
    phrase = " ".join(line.norms[at:stop])
    if stop == at or not is_occupation(phrase) or "not" in line.norms[at:stop]:
        return None
    return Object((Term(line.said(at, stop), None, line.span(at, stop)),), stop)


def _pet(line: Line, at: int, world: World) -> Object | None:
    """ "a beagle called Biscuit", "two cats, Miso and Nori"; without a name there is nothing to know them by."""
    subject = world.speaker
    start = at
    while line.norm(start) in _OPEN | ARTICLES | NUMBER_WORDS.keys() | {
        "new",
        "little",
        "old",
        "small",
        "big",
        "rescue",
        "young",
        "cute",
        "pet",
        "black",
        "white",
        "ginger",
        "lovely",
        "baby",
    }:
        start += 1
    animal = animal_at(line, start) or animal_at(line, start + 1)
    if animal is None or subject is None or animal.start > start and line.norm(start) in CLOSED:
        return None
    end = animal.end
    while line.norm(end) in (
        ",",
        "named",
        "called",
        "bernama",
        "nama",
        "dia",
        "-",
        ":",
        "whose",
        "name",
        "is",
        "yang",
    ) and end < len(line):
        end += 1
    if end == animal.end:
        return None
    terms: list[Term] = []
    while True:
        name = called_at(line, end)
        if name is None:
            break
        terms.append(Term(name.text if not world.is_lower else shown(name.text), PET, line.span(name.start, name.end)))
        end = name.end
        if line.norm(end) in ("and", "dan", "&", ",") and end + 1 < len(line):
            end += 1 + (line.norm(end) == "," and line.norm(end + 1) == "and")
            continue
        break
    for term in terms:
        world.name(term)
    facts = tuple(fact for term in terms for fact in pet_facts(subject, term, animal, term.span)[1:])
    return Object(tuple(terms), end, facts) if terms else None


def _language(line: Line, at: int, world: World) -> Object | None:
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


def _nation(line: Line, at: int, world: World) -> Object | None:
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


def _illness(line: Line, at: int, world: World) -> Object | None:
    found = _topic(line, at, world)
    if found is None:
        return None
    kept = tuple(Term(term.text, TOPIC, term.span) for term in found.terms if is_illness(term.text.casefold()))
    return Object(kept, found.end) if kept else None


def _diet(line: Line, at: int, world: World) -> Object | None:
    at += line.norm(at) in _OPEN | {"strictly", "fully", "mostly"}
    for size in (2, 1):
        words = line.norms[at : at + size]
        if len(words) == size and is_diet(" ".join(words)):
            end = at + size + (line.norm(at + size) in ("diet", "food"))
            return Object((Term(line.said(at, at + size), None, line.span(at, at + size)),), end)
    return None


def _occasion(line: Line, at: int, world: World) -> Object | None:
    at += line.norm(at) in _OPEN | MY
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


def _name(line: Line, at: int, world: World) -> Object | None:
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


def _age(line: Line, at: int, world: World) -> Object | None:
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


def _measure(line: Line, at: int, world: World) -> Object | None:
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


def _ware(line: Line, at: int, world: World) -> Object | None:
    found = _topic(line, at, world)
    return found and Object(tuple(Term(term.text, PRODUCT, term.span) for term in found.terms), found.end)


def _act(line: Line, at: int, world: World) -> Object | None:
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


def _none(line: Line, at: int, world: World) -> Object | None:
    return Object((), at) if line.norm(at) in STOPS | {"", ",", ".", "!"} else None


def _several(type: EntityType) -> Callable[[Line, int, World], Object | None]:
    return lambda line, at, world: _named(type, line, at, world)


_READERS: dict[Kind, Callable[[Line, int, World], Object | None]] = {
    Kind.PLACE: _place, Kind.TOWN: _town, Kind.ORG: _org, Kind.GROUP: _group, Kind.SCHOOL: _school, Kind.PERSON: _person,
    Kind.TOPIC: _topic, Kind.THING: _thing, Kind.TOOL: _tool, Kind.ROLE: _role, Kind.PET: _pet, Kind.LANGUAGE: _language,
    Kind.NATION: _nation, Kind.ILLNESS: _illness, Kind.DIET: _diet, Kind.OCCASION: _occasion, Kind.NAME: _name, Kind.AGE: _age,
    Kind.MEASURE: _measure, Kind.WARE: _ware, Kind.ACT: _act, Kind.NONE: _none, Kind.SPOT: lambda line, at, world: None,
    Kind.DAY: lambda line, at, world: None, Kind.HERE: _here, Kind.RELATIVE: _relative, Kind.TEAM: _team,
}  # fmt: skip
