"""Who stands on which side of a fact, under which predicate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from graph.names import name_key
from graph.naming.lists import is_known_person_word
from ingest.extract.reading.kinds import GROUPS, ORG_KINDS
from ingest.extract.reading.line import Line
from ingest.extract.reading.names import TITLES, is_person_word
from ingest.extract.reading.nouns import ORG, PERSON, PET, PLACE
from ingest.extract.reading.object import Object
from ingest.extract.reading.objects import object_at
from ingest.extract.reading.phrase import Phrase
from ingest.extract.reading.predicates import Frame, Kind, Mode
from ingest.extract.reading.records import Term
from ingest.extract.reading.verbphrase import VerbPhrase
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import World

_TAILS = {
    "studies_at": (("jurusan",), "studies", Kind.TOPIC),
    "studies": (("at", "di"), "studies_at", Kind.ORG),
    "works_as": (("at", "for", "di", "with"), "works_at", Kind.ORG),
    "works_at": (("as", "sebagai"), "works_as", Kind.ROLE),
}


def tail_pairs(
    frame: Frame, subject: Phrase, object: Object, line: Line, world: World
) -> Iterator[tuple[Term, str, Term]]:
    """A second object behind the first: "physics at Leiden University", "at Vantera as a data analyst"."""
    tail = _TAILS.get(frame.predicate)
    if tail is None or frame.mode is Mode.END or line.norm(object.end) not in tail[0]:
        return
    found = object_at(tail[2], line, object.end + 1, world)
    if found is not None:
        yield from ((owner, tail[1], term) for owner in subject.terms for term in found.terms)


def is_firm(subject: Phrase, world: World, *, is_move: bool = False) -> bool:
    """Whether the subject is a firm. Whoever moves and bears no name of people is one."""
    name = subject.term.text
    words = name.casefold().split()
    if subject.term.is_me or subject.noun:
        return False
    if subject.term.type is ORG or world.type_of(name) is ORG or (len(words) > 1 and _is_org_like(words)):
        return True
    known = any(name_key(one.term.text) == name_key(name) for one in (*world.known, *world.earlier))
    is_latin = name_key(name).isascii()
    return is_move and is_latin and not known and not any(is_known_person_word(word) for word in name_key(name).split())


_ORG_WORDS = ORG_KINDS | word_set(
    "labs rail air pharma dental insurance media inc ltd gmbh group freight systems technologies motors studio studios "
    "partners holdings energy foods pt cv kopi sas sa ag corp co llc plc bv tbk"
)
_ORG_LEADS = frozenset({"pt", "cv", "kopi", "studio", "toko", "bank"})


def _is_org_like(words: Sequence[str]) -> bool:
    return words[-1] in _ORG_WORDS or words[0] in _ORG_LEADS


def predicate_of(frame: Frame, object: Object, subject: Phrase, verb: VerbPhrase) -> str:
    """The predicate, chosen by the object where the verb leaves it open."""
    if verb.is_negated and frame.negated:
        return frame.negated
    first = object.terms[0] if object.terms else None
    words = set(first.text.casefold().split()) if first is not None else set()
    if frame.kind is Kind.GROUP and frame.predicate in ("works_at", "member_of") and frame.mode is Mode.CHANGE:
        return "member_of" if words & GROUPS else "works_at"
    if frame.kind is Kind.ILLNESS and first is not None and first.text.casefold().endswith(" allergy"):
        return "allergic_to"
    if frame.predicate == "*left":
        if words & GROUPS:
            return "member_of"
        return "lives_in" if first is not None and first.type is PLACE else "works_at"
    return frame.predicate


def pairs_of(
    frame: Frame, predicate: str, subject: Phrase, object: Object, world: World
) -> Iterator[tuple[Term, Term]]:
    for owner in subject.terms:
        for thing in object.terms:
            one = owner
            if predicate == "allergic_to" and thing.text.casefold().endswith(" allergy"):
                thing = replace(thing, text=thing.text[: -len(" allergy")])  # noqa: PLW2901
            if predicate in ("breed", "species"):
                one = replace(owner, type=PET)
            elif (
                predicate in ("founded_by", "sells") and not frame.is_turned and not _is_someone(owner, subject, world)
            ) or (predicate == "located_in" and owner.type is PERSON):
                one = replace(owner, type=ORG)
            other = thing
            yield (replace(other, type=ORG), one) if frame.is_turned else (one, other)


def _is_someone(owner: Term, subject: Phrase, world: World) -> bool:
    """Whether a seller is a person, not a firm."""
    words = name_key(owner.text).split()
    known = any(name_key(one.term.text) == name_key(owner.text) for one in (*world.known, *world.earlier))
    return (
        owner.is_me
        or bool(subject.noun)
        or known
        or words[0] in TITLES
        or (is_person_word(words[0]) and not _is_org_like(words))
    )
