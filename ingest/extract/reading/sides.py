"""Statements about names: two of one bearer, one of two bearers, the right spelling of one."""

# ruff: noqa: E501 - a table of words and patterns reads best with one form a line
from __future__ import annotations

from collections.abc import Iterator, Sequence

import regex

from doso.records import EntityType
from doso.text import fold
from graph.names import name_key
from graph.naming.lists import english_words, full_names
from ingest.extract.reading.kinds import ORG_KINDS, is_nationality
from ingest.extract.reading.line import Line
from ingest.extract.reading.names import TITLES, Name, is_person_word, is_place, name_at
from ingest.extract.reading.nouns import ORG, PERSON, PLACE
from ingest.extract.reading.records import Amendment, Distinction, Equation, Renaming, Term
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import World

_SAME = regex.compile(
    r"(?:(?:are|is|were|was|both|itu|adalah|sebenarnya|refers? to|refer to|mean|means|merujuk ke|,|in fact|really|actually|all|just|simply) )*"
    r"(?:(?:the )?(?:very )?same(?: (?:person|people|guy|man|woman|human|company|firm|place|city|thing|one|individual|dog|cat|band|school|team))?|one and the same(?: \p{L}+)?|one person|identical|orang ?(?:nya)? (?:yang )?sama|orangnya sama|orang yang sama|satu orang|sama saja|orang yg sama|sama orangnya)(?: |$)"
)
_DIFFERENT = regex.compile(
    r"(?:(?:are|is|were|was|both|itu|adalah|in fact|really|actually|two|completely|entirely|totally|very|dua) )*"
    r"(?:not (?:at all )?(?:the same|one and the same|related|connected|identical)(?: \p{L}+)?|(?:two )?(?:different|separate|distinct|unrelated)(?: \p{L}+)?|two people|two persons|beda orang(?:nya)?|orang (?:yang )?(?:beda|berbeda)|berbeda|beda|bukan orang yang sama|bukan satu orang|tidak sama|dua orang(?: yang)? (?:beda|berbeda))(?: |$)"
)
_TO_ONE = regex.compile(
    r"(?:(?:is|was|'s|are|also|just|simply|really|actually|itu|ya|adalah|both) )*"
    r"(?:short for|short form of|an abbreviation (?:of|for)|the (?:abbreviation|acronym|nickname|short form|initials) (?:of|for)|an acronym for|a nickname (?:for|of)|another name (?:for|of)|the same (?:\p{L}+ )?as|also known as|known as|aka|a\.k\.a|alias|stands for|better known as|means|"
    r"also called|(?:singkatan|kependekan|nama lain|panggilan|sebutan)(?:nya)?(?: dari| untuk| buat)?|sama dengan|orang yang sama dengan|the nickname of|one and the same as|who i (?:also )?call|whom i call|juga dipanggil|dikenal sebagai|biasa dipanggil)(?= |$)"
)
_FROM_ONE = regex.compile(
    r"(?:(?:is|was|'s|are|itu|really|actually|adalah) )*"
    r"(?:(?:has|have) nothing to do with|not (?:the )?(?:same (?:\p{L}+ )?as|related to|to be confused with)|(?:different|distinct|separate) from|(?:a )?(?:different|separate|another) (?:person|company|one|guy|man|woman|place) (?:from|than)|no relation (?:to|of)|unrelated to|tidak ada hubungannya? (?:sama|dengan)|bukan orang yang sama dengan|beda (?:orang )?(?:sama|dengan|dari)|berbeda dengan|bukan)(?= |$)"
)
_BY = regex.compile(
    r"^(?:by|when i (?:say|write|talk about)|whenever i say|kalau saya (?:bilang|sebut)|maksud saya dengan) "
)
_I_MEAN = regex.compile(
    r"^(?:,? ?(?:i (?:always )?mean|i am (?:talking|referring) (?:about|to)|maksud(?: saya| dia)?(?: adalah)?|itu maksud(?: saya)?)) "
)
_CONFUSE = regex.compile(
    r"^(?:please |tolong )?(?:do not|never|jangan) (?:confuse|mix up|mix|merge|conflate|equate|samakan|campur|tertukar|keliru) "
)
_MERGE = regex.compile(r"^(?:please |tolong |you (?:can|should) )?(?:merge|combine|unify|join|link|gabungkan|satukan) ")
_THERE_ARE = regex.compile(
    r"^(?:there are|i know|i have|ada|the|these are) (?:the )?(?:two|2|dua)(?: different| separate)? (?:people (?:named|called) |orang (?:bernama )?|persons called )?"
)
_SPELLED = regex.compile(
    r"(?:(?:it|that|this|the name|her name|his name|their name|name|ejaannya|tulisannya|namanya|nama|penulisannya|yang benar|seharusnya) )?(?:(?:is|'s|should be|would be|be|adalah|itu|ya|actually|properly|correctly|really) )*(?:spelled|spelt|written|spell it|pronounced|ditulis|dieja|ejaan|tulisan)(?: as| dia| yang benar)?(?: adalah| itu| ,| :)? "
)
_RESPELL = regex.compile(
    r"^(?:please |tolong )?(?:change|correct|fix|rename|update|ubah|ganti) (?:the (?:name|spelling)(?: of)? )?(?:nama )?"
)
_PLAIN_IS = regex.compile(
    r"(?:is|'s|itu|itu ya|adalah|itu adalah|ya itu)(?: (?:really|actually|in fact|just|ya|sebenarnya|my word for|what i call|what we call))*(?= |$)"
)
_OF_ORG = word_set("companies company firms firm businesses organisations banks bank schools school teams perusahaan")
MAX_SLIPS = 2


def name_statement(line: Line, world: World) -> list[Amendment]:
    """What a clause says of names as names."""
    for reader in (_confused, _two_of_a_name, _by_i_mean, _pair, _chained, _respelled):
        found = reader(line, world)
        if found:
            return found
    return []


def _name(line: Line, at: int, world: World) -> Name | None:
    while line.norm(at) in ("the", "our", "both", '"', "'", "“", "‘", "my"):
        if line.norm(at) == "my":
            return None
        at += 1
    name = name_at(line, at, is_lower=world.is_lower, is_thing=True)
    if name is not None and line.norm(name.end) in ('"', "'", "”", "’"):
        return Name(name.text, name.start, name.end + 1, name.is_sure)
    return name


def _two(line: Line, at: int, world: World, joints: Sequence[str]) -> tuple[Name, Name] | None:
    a = _name(line, at, world)
    if a is None or line.norm(a.end) not in joints:
        return None
    b = _name(line, a.end + 1, world)
    return None if b is None else (a, b)


def _rest(line: Line, at: int) -> str:
    return " ".join(line.norms[at:]).strip(" ,") + " "


def _pair(line: Line, world: World) -> list[Amendment]:
    """ "A and B are the same person"."""
    found = _two(line, 0, world, ("and", "&", "dan", "sama", "dengan"))
    if found is None:
        return []
    a, b = found
    rest = _rest(line, b.end)
    if _DIFFERENT.match(rest):
        return [Distinction(*_terms(line, a, b, world, rest))]
    if _SAME.match(rest):
        return [Equation(*_terms(line, a, b, world, rest))]
    return []


def _chained(line: Line, world: World) -> list[Amendment]:
    """ "A is short for B", "A has nothing to do with B", "A is B" of two names."""
    a = _name(line, 0, world)
    if a is None:
        return []
    start = a.end + (line.norm(a.end) in (",", "("))
    text = " ".join(line.norms[start:]) + " "
    for pattern in (_FROM_ONE, _TO_ONE, _PLAIN_IS):
        match = pattern.match(text)
        if not match:
            continue
        index = start + match.group().strip().count(" ") + 1
        b = _name(line, index, world)
        if b is None or name_key(a.text) == name_key(b.text):
            continue
        rest = _rest(line, b.end)
        if pattern is _PLAIN_IS:
            return _is_another(line, a, b, world, rest, is_asserted=bool(_SAME.match(rest)))
        kind = Distinction if pattern is _FROM_ONE else Equation
        if (
            kind is Distinction
            and match.group().strip().endswith("bukan")
            and not (is_person_word(name_key(b.text).split()[0]))
        ):
            return []
        return [kind(*_terms(line, a, b, world, text))]
    text_not = regex.match(r"(?:is|was) not ", text)
    b = _name(line, start + 2, world) if text_not else None
    if b is not None and _are_people(a, b, world) and not _rest(line, b.end).strip():
        return [Distinction(*_terms(line, a, b, world, text))]
    return []


def _is_another(line: Line, a: Name, b: Name, world: World, rest: str, *, is_asserted: bool) -> list[Amendment]:
    """ "Oma is Johanna de Wit": both are names of people, nothing else follows."""
    if not is_asserted and (rest.strip(" .!") or not _are_people(a, b, world)):
        return []
    if not is_asserted and line.tokens[b.start].start and name_key(b.text) in ("", "indonesian"):
        return []
    return [Equation(*_terms(line, a, b, world, rest))]


def _are_people(a: Name, b: Name, world: World) -> bool:
    return all(_is_person(name, world) for name in (a, b))


def _is_person(name: Name, world: World) -> bool:
    words = name_key(name.text).split()
    if is_nationality(words[0]) or (is_place(name.text) and not is_person_word(words[0])):
        return False
    return (
        world.type_of(name.text) is PERSON
        or words[0] in TITLES
        or any(is_person_word(word) or word in full_names() for word in words)
    )


def _by_i_mean(line: Line, world: World) -> list[Amendment]:
    lead = _BY.match(line.text + " ")
    if not lead:
        return []
    at = lead.group().strip().count(" ") + 1
    a = _name(line, at, world)
    mean = _I_MEAN.match(" ".join(line.norms[a.end :]).lstrip(", ") + " ") if a else None
    if a is None or mean is None:
        return []
    start = a.end + (line.norm(a.end) == ",") + mean.group().strip(" ,").count(" ") + 1
    b = _name(line, start, world)
    return [Equation(*_terms(line, a, b, world, ""))] if b is not None else []


def _confused(line: Line, world: World) -> list[Amendment]:
    for pattern, kind in ((_CONFUSE, Distinction), (_MERGE, Equation)):
        lead = pattern.match(line.text + " ")
        if not lead:
            continue
        found = _two(
            line,
            lead.group().strip().count(" ") + 1,
            world,
            ("with", "and", "for", "dengan", "dan", "sama", "&", "into"),
        )
        if found is not None:
            return [kind(*_terms(line, *found, world, ""))]
    return []


def _two_of_a_name(line: Line, world: World) -> list[Amendment]:
    """ "There are two Hugos: Hugo Maes and Hugo Peeters"."""
    lead = _THERE_ARE.match(line.text + " ")
    if not lead or (":" not in line.norms and "," not in line.norms and "—" not in line.norms):
        return []
    if not _are_named(line, lead.group().strip().count(" ") + 1):
        return []
    colon = next(i for i, norm in enumerate(line.norms) if norm in (":", ",", "—"))
    found = _two(line, colon + 1, world, ("and", "dan", "&", ","))
    return [Distinction(*_terms(line, *found, world, ""))] if found is not None else []


def _are_named(line: Line, at: int) -> bool:
    """Whether it is bearers of a name that are counted ("two Hugos"), not relatives or things."""
    return at < len(line) and (
        line.tokens[at].is_capital
        or line.norm(at) in (":", "people", "persons", "orang")
        or line.norm(at - 1) in ("called", "named", "bernama")
    )


def _terms(line: Line, a: Name, b: Name, world: World, rest: str) -> tuple[Term, Term]:
    type = _type(line, a, b, world, rest)
    return Term(a.text, type, line.span(a.start, a.end)), Term(b.text, type, line.span(b.start, b.end))


def _type(line: Line, a: Name, b: Name, world: World, rest: str) -> EntityType:
    known = world.type_of(a.text) or world.type_of(b.text)
    if known is not None:
        return known
    words = set(name_key(a.text).split()) | set(name_key(b.text).split())
    if set(line.norms) & _OF_ORG or words & ORG_KINDS:
        return ORG
    if all(is_place(name.text) and not is_person_word(name_key(name.text).split()[0]) for name in (a, b)):
        return PLACE
    if regex.search(r"short for|stands for|abbreviation|acronym|singkatan|kependekan|initials", rest) and (
        a.text.isupper() or b.text.isupper()
    ):
        return ORG
    is_short = any(name.text.replace(".", "").isupper() and 1 < len(name.text) <= 6 for name in (a, b))
    has_person = any(is_person_word(word) or word in TITLES or word in full_names() for word in words)
    is_other = (
        not has_person
        and len(name_key(a.text).split()) > 1
        and all(word in english_words() or "rail" in words for word in words)
    )
    return ORG if (is_short or is_other) and not has_person else PERSON


def _respelled(line: Line, world: World) -> list[Amendment]:
    lead = _RESPELL.match(line.text + " ")
    if lead:
        found = _two(line, lead.group().strip().count(" ") + 1, world, ("to", "into", "jadi", "menjadi", "ke"))
        if found is not None and are_near(found[0].text, found[1].text):
            return [_renaming(line, found[0], found[1].text, world)]
    return [*_spelled(line, world)]


def _renaming(line: Line, old: Name, to: str, world: World) -> Renaming:
    return Renaming(Term(old.text, world.type_of(old.text) or PERSON, line.span(old.start, old.end)), to)


def _spelled(line: Line, world: World) -> Iterator[Amendment]:
    """ "It's spelled Annika": whoever was named so nearly."""
    match = _SPELLED.search(line.text + " ")
    if not match:
        return
    at = line.index(match.end())
    name = _name(line, at, world)
    if name is None:
        return
    before = _name(line, 0, world) if match.start() > 0 else None
    if before is not None and before.end <= at and are_near(before.text, name.text):
        yield _renaming(line, before, name.text, world)
        return
    other = _excluded(line, name.end, world)
    old = other.text if other is not None else nearest(name.text, world)
    if (old is not None and name_key(old) != name_key(name.text)) or (old is not None and old != name.text):
        yield Renaming(Term(old, world.type_of(old) or PERSON, line.span()), name.text)


def _excluded(line: Line, at: int, world: World) -> Name | None:
    at += line.norm(at) == ","
    return _name(line, at + 1, world) if line.norm(at) in ("not", "bukan") else None


def nearest(name: str, world: World) -> str | None:
    """The name that was met before and resembles this one most."""
    known = [one.term.text for one in (*world.known, *world.earlier)]
    known += [
        term.text
        for fact in world.sayings
        for term in (fact.subject, fact.object)
        if term.type is not None and not term.is_me
    ]
    known += [word for one in known for word in one.split()[1:]]
    near = [(slips(name, one), one) for one in dict.fromkeys(known) if are_near(name, one) and one != name]
    return min(near)[1] if near else None


def are_near(a: str, b: str) -> bool:
    """Whether one of two names may be the other misspelled."""
    one, other = fold(a), fold(b)
    allowed = MAX_SLIPS if min(len(one), len(other)) > 4 else 1
    return slips(one, other) <= allowed + (one[:1] == other[:1] and min(len(one), len(other)) > 7)


def slips(a: str, b: str) -> int:
    """How many letters two names differ by (swapped neighbours count once)."""
    a, b = fold(a)[:64], fold(b)[:64]
    rows = [list(range(len(b) + 1))]
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, rows[-2][j - 2] + 1)
            row.append(cost)
        rows.append(row)
    return rows[-1][-1]
