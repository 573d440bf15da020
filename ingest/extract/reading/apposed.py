"""Names that stand behind the noun they belong to, and whether "'s" is a possessive."""

from __future__ import annotations

from ingest.extract.reading.line import Line
from ingest.extract.reading.names import CLOSED, TITLES, called_at, name_at
from ingest.extract.reading.nouns import PERSON, attribute_at, bond_of
from ingest.extract.reading.records import Term
from ingest.extract.reading.words import ADVERBS, ARTICLES, PREPOSITIONS, STOPS
from ingest.extract.reading.world import World


def apposed(line: Line, at: int, world: World, *, is_many: bool = False) -> tuple[tuple[Term, ...], int]:
    """The name behind the noun that it belongs to ("my sister Ana", "my boss, Ingrid,", "my sons Leo and Max") and its
    end; nothing where none follows."""
    start = at
    is_aside = line.norm(start) in (",", "(", ":", "—")
    start += is_aside
    while line.norm(start) in _CALLED or (line.norm(start) == "dia" and line.norm(start - 1) == "nama"):
        start += 1
    has_word = start > at + is_aside
    if start >= len(line) or (line.norm(start) in CLOSED and line.norm(start) not in TITLES):
        return (), at
    terms: list[Term] = []
    end = start
    while True:
        name = called_at(line, end) if has_word else name_at(line, end, is_lower=world.is_lower)
        if name is None:
            break
        terms.append(Term(name.text, PERSON, line.span(name.start, name.end)))
        end = name.end
        if not is_many or line.norm(end) not in ("and", "dan", "&", ","):
            break
        end += 1 + (line.norm(end) == "," and line.norm(end + 1) in ("and", "dan"))
    end = line.index(line.char(end)) if terms else at
    if not terms or (world.is_lower and not has_word and not may_follow(line, end)):
        return (), at
    if line.norm(end - 1) in (",", "and", "dan", "&"):
        end -= 1
    if is_aside:
        if line.norm(end) not in (",", ")", "—") and end < len(line):
            return (), at
        end += line.norm(end) in (",", ")", "—")
    return tuple(terms), end


_CALLED = frozenset({"named", "called", "bernama", "yang", "nama"})


def may_follow(line: Line, at: int) -> bool:
    """Whether a name typed small may end here: a verb, a sign or nothing follows."""
    norm = line.norm(at)
    return norm in STOPS | ADVERBS | {"", ",", ".", "'s"} or line.lemma(at) != norm or norm in ARTICLES


def is_possessive(line: Line, at: int) -> bool:
    """Whether "'s" belongs to the noun before it and is not "is"."""
    after = line.norm(at + 1)
    if not after or after in ARTICLES | ADVERBS | PREPOSITIONS | {"not", "my", "our", ","}:
        return False
    return not (
        after.endswith("ing")
        and bond_of(after) is None
        and attribute_at(line.norms, at + 1) is None
        and after not in _ING_NOUNS
    )


_ING_NOUNS = frozenset({"wedding", "building", "meeting", "painting", "landing", "training", "clothing", "ring"})
