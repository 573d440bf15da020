"""Preferences: the chosen side and the one that it is chosen over."""

# ruff: noqa: E501 - a table of words and patterns reads best with one form a line
from __future__ import annotations

import regex

from ingest.extract.reading.line import Line, Timed
from ingest.extract.reading.nouns import TOPIC
from ingest.extract.reading.objects import object_at
from ingest.extract.reading.phrase import Phrase
from ingest.extract.reading.phrases import phrase_at
from ingest.extract.reading.predicates import Kind
from ingest.extract.reading.records import Stated, Term
from ingest.extract.reading.verbphrase import VerbPhrase
from ingest.extract.reading.words import ARTICLES, MY
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import World

_PREFER = regex.compile(
    r"(?:prefer|would rather(?: (?:have|drink|eat|take|watch|read|be|go|get))?|favour|(?:lebih )?(?:suka|pilih|memilih|milih)(?=.*\b(?:daripada|dibanding|dibandingkan|ketimbang|drpd)\b)|lebih (?:suka|pilih|memilih|milih|senang))(?= |$)"
)
_OVER = word_set("to over than rather instead daripada dari ketimbang dibanding dibandingkan drpd")
_MORE = regex.compile(r"(?:like|love|enjoy|suka)(?= )")
_TAKEN = regex.compile(
    r"(?:take|have|drink|like) (?:my|the) (?P<what>coffee|tea|steak|eggs?|latte|espresso) (?P<how>\S+)"
    r"(?: (?:and|with|without) \S+)?$"
)


def preference(clause: Timed, verb: VerbPhrase, subject: Phrase, world: World) -> list[Stated]:
    """What the subject prefers, over what if that was said."""
    line = clause.line
    match = _PREFER.match(verb.text)
    if match and not verb.is_negated:
        return _sides(line, verb.place(match.end() + 1), subject, world)
    taken = _TAKEN.match(" ".join(line.norms[verb.places[0] :]).strip(" .!")) if verb.places else None
    if taken and not verb.is_negated and subject.term.is_me:
        text = f"{taken['how']} {taken['what']}"
        return [Stated(term, "prefers", Term(text, TOPIC, line.span()), span=line.span()) for term in subject.terms]
    if _MORE.match(verb.text) and not verb.is_negated:
        return _more(line, verb, subject, world)
    return []


_MY_THING = regex.compile(
    r"^(?P<topic>.+?) (?:is|are|'s)(?P<no> not)?(?: (?:really|exactly|just|so|quite|totally|definitely|absolutely|one of))* (?:my|mine) (?:thing|things|jam|cup of tea|bag|forte|idea of fun|passion|obsession|guilty pleasure|biggest passion|great love|true love|weakness)$"
)
_NOT_THINGS = word_set("it this that he she they there what who which")


def my_thing(line: Line, world: World) -> list[Stated]:
    """ "Karaoke isn't really my thing", "pottery is my passion"."""
    match = _MY_THING.match(line.text.strip(" .!,"))
    if not match or world.speaker is None:
        return []
    end = match["topic"].count(" ") + 1
    start = 1 if line.norm(0) in ARTICLES and end > 1 else 0
    if line.norm(0) in _NOT_THINGS or end - start > 5:
        return []
    topic = Term(line.said(start, end), TOPIC, line.span(start, end))
    return [Stated(world.speaker, "dislikes" if match["no"] else "likes", topic, span=line.span())]


def my_favourite(line: Line, world: World) -> list[Stated]:
    """ "Rawon is my favourite food"."""
    at = next(
        (
            i
            for i in range(1, len(line) - 2)
            if line.norm(i) in ("is", "are") and line.norm(i + 1) == "my" and line.norm(i + 2) == "favourite"
        ),
        None,
    )
    if at is None or world.speaker is None or line.norm(0) in _NOT_THINGS:
        return []
    phrase = phrase_at(line, at + 1, world.scratch())
    start = 1 if line.norm(0) in ARTICLES and at > 1 else 0
    if (
        phrase is None
        or not phrase.attribute
        or not (phrase.attribute.startswith("favorite_") or phrase.attribute == "likes")
    ):
        return []
    value = Term(line.said(start, at), TOPIC if phrase.attribute == "likes" else None, line.span(start, at))
    return [Stated(world.speaker, phrase.attribute, value, span=line.span())]


def _sides(line: Line, at: int, subject: Phrase, world: World) -> list[Stated]:
    cut = next((i for i in range(at, len(line)) if line.norm(i) in _OVER), len(line))
    chosen = object_at(Kind.TOPIC, line.slice(0, cut), at, world)
    if chosen is None:
        return []
    over = _loser(line, cut)
    return [
        Stated(owner, "prefers", term, over=over, span=line.span())
        for owner in subject.terms
        for term in chosen.terms[:1]
    ]


def _loser(line: Line, cut: int) -> str:
    start = cut
    while line.norm(start) in _OVER | {"than", "of", "pada"} | ARTICLES | MY and start < len(line):
        start += 1
    stop = start
    while (
        stop < len(line)
        and line.tokens[stop].is_word
        and stop - start < 6
        and line.norm(stop) not in ("and", "but", "because", "any", "always")
    ):
        stop += 1
    return line.said(start, stop)


def _more(line: Line, verb: VerbPhrase, subject: Phrase, world: World) -> list[Stated]:
    """ "I like trains better than planes"."""
    for i in range(verb.places[0], len(line) - 1):
        if line.norm(i) in ("better", "more") and line.norm(i + 1) == "than":
            chosen = object_at(Kind.TOPIC, line.slice(0, i), verb.places[0] + 1, world)
            if chosen is None:
                return []
            return [
                Stated(owner, "prefers", chosen.terms[0], over=_loser(line, i + 1), span=line.span())
                for owner in subject.terms
            ]
    return []
