"""Where a thing is kept."""

from __future__ import annotations

from dataclasses import replace

from doso.records import EntityType
from doso.text import fold
from ingest.extract.reading.kinds import is_dated
from ingest.extract.reading.line import Line, Timed
from ingest.extract.reading.names import name_at
from ingest.extract.reading.nouns import PLACE, PRODUCT
from ingest.extract.reading.phrase import Phrase
from ingest.extract.reading.records import Stated, Term
from ingest.extract.reading.times import days_of, literal_day
from ingest.extract.reading.verbphrase import VerbPhrase
from ingest.extract.reading.words import ARTICLES, MY
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import World

_WITHIN = word_set("in at inside di")
_BESIDE = word_set("under behind beside on above below beneath between near over next atop")
_KEEP = word_set("keep store put hide stash stow park taruh simpan")
_SPOTS = word_set(
"drawer cupboard closet wardrobe attic basement cellar garage shed kitchen bathroom bedroom hall hallway desk shelf "
    "bookcase box jar bag suitcase safe car boot glovebox pocket fridge freezer cabinet locker flowerpot mat "
    "doormat bed "
    "table bench bin folder binder office study garden porch balcony loft pantry sink sofa couch door rack hook case "
    "chest trunk basket tin wallet purse backpack tray counter stairs staircase corner room house flat apartment laci "
    "lemari dapur meja gudang garasi kamar kulkas tas rak kotak brankas loker koper dompet bawah atas pot bantal kasur"
)  # fmt: skip


def day_of_event(clause: Timed, verb: VerbPhrase, subject: Phrase, world: World) -> list[Stated]:
    """ "My sister's wedding is on 12 September"."""
    words = tuple(fold(subject.term.text).replace("'s", " ").split())
    if (
        not subject.is_thing
        or not is_dated(words)
        or verb.is_negated
        or verb.modal
        or verb.words[0] not in ("be", "happen", "take", "fall", "start")
    ):
        return []
    text = " ".join(clause.whole.norms)
    is_exact = literal_day(text)
    days = days_of(clause.phrases, world.today, is_ahead=not verb.is_past)
    at = next((phrase for phrase in clause.phrases if phrase.role in ("at", "span") and phrase.first is not None), None)
    day = (
        is_exact
        if is_exact and len(is_exact) == 10
        else days.first.isoformat()
        if days.first and at and at.first and at.first.kind in ("date", "weekday", "offset", "feast", "iso")
        else is_exact
    )
    if day is None:
        return []
    event = replace(subject.term, type=EntityType.EVENT)
    return [*subject.facts, Stated(event, "happens_on", Term(day), span=clause.whole.span())]


def place_of_thing(clause: Timed, verb: VerbPhrase, subject: Phrase, world: World) -> list[Stated]:
    """ "The key is under the mat", "I keep the tent in the attic", "kunci saya taruh di laci"."""
    if verb.is_negated or verb.modal or (verb.is_past and verb.words[0] == "be"):
        return []
    line = clause.line
    if (
        subject.is_thing
        and verb.words[0] == "be"
        and verb.words[1:2]
        and verb.words[1] in _KEEP
        and len(verb.places) > 2
    ):
        return _located(line, verb.places[2], subject.term)
    if subject.is_thing and verb.words[:1] in (("be",), ("ada",)):
        return _located(line, verb.places[0] if verb.words[0] == "be" else verb.places[0] + 1, subject.term)
    if verb.words[0] in _KEEP and subject.term.is_me and verb.places:
        return _kept(line, verb.places[0] + 1)
    return []


def _kept(line: Line, at: int) -> list[Stated]:
    for i in range(at + 1, len(line)):
        if line.norm(i) in _WITHIN | _BESIDE:
            start = at
            while line.norm(start) in ARTICLES | MY and start < i:
                start += 1
            if start < i:
                return _located(line, i, Term(line.said(start, i), PRODUCT, line.span(start, i)))
    return []


def _located(line: Line, at: int, thing: Term) -> list[Stated]:
    """The spot, an own word for it behind "in", the whole phrase behind others."""
    word = line.norm(at)
    if word not in _WITHIN | _BESIDE:
        return []
    end = len(line)
    while end > at and not line.tokens[end - 1].is_word:
        end -= 1
    stop = next((i for i in range(at, end) if not line.tokens[i].is_word), end)
    words = line.norms[at:stop]
    is_spot = any(norm in _SPOTS for norm in words)
    name = name_at(line, at + 1) if at + 1 < len(line) else None
    if stop <= at + 1 or not (is_spot or (name is not None and name.is_sure)):
        return []
    if word in _WITHIN:
        start = at + 1
        while line.norm(start) in ARTICLES | MY and start < stop:
            start += 1
        return [
            Stated(
                _of_thing(thing),
                "located_in",
                Term(line.said(start, stop), PLACE, line.span(start, stop)),
                span=line.span(),
            )
        ]
    return [
        Stated(_of_thing(thing), "located_in", Term(line.said(at, stop), None, line.span(at, stop)), span=line.span())
    ]


def _of_thing(thing: Term) -> Term:
    return replace(thing, type=EntityType.PRODUCT)


def fronted_thing(line: Line) -> tuple[Term, int] | None:
    """Indonesian puts the thing first: "Kunci motor saya taruh di laci". The thing and where the place begins."""
    for i in range(1, min(len(line), 8)):
        if line.lemma(i) in ("taruh", "simpan") and line.norm(i + 1) == "di":
            start, end = 0, i
            while end > start and line.norm(end - 1) in ("saya", "ada", "sudah", "sering", "biasa"):
                end -= 1
            if end > start and all(token.is_word for token in line.tokens[start:end]):
                return Term(line.said(start, end).casefold(), PRODUCT, line.span(start, end)), i + 1
    return None


def fronted_place(line: Line) -> list[Stated]:
    """The fact of a fronted thing."""
    owned = next(
        (i for i in range(1, min(len(line), 6)) if line.norm(i) == "saya" and line.norm(i + 1) in ("ada", "di")), None
    )
    if owned is not None and all(token.is_word for token in line.tokens[:owned]) and line.lemma(0) == line.norm(0):
        at = owned + 1 + (line.norm(owned + 1) == "ada")
        return _located(line, at, Term(line.said(0, owned + 1).casefold(), PRODUCT, line.span(0, owned + 1)))
    found = fronted_thing(line)
    return [] if found is None else _located(line, found[1], found[0])
