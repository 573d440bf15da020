"""Requests to forget: which facts they name."""

# ruff: noqa: E501 - a table of words and patterns reads best with one form a line
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import regex

from ingest.extract.reading.line import Line, trimmed
from ingest.extract.reading.nouns import PERSON, TOPIC
from ingest.extract.reading.phrases import phrase_at
from ingest.extract.reading.records import Retraction, Stated, Term
from ingest.extract.reading.verbs import lemma
from ingest.extract.reading.words import ARTICLES, MY
from ingest.extract.reading.world import World

_COMMAND = regex.compile(
    r"^(?:(?:please|pls|tolong|ok|okay|hey|and|also|now|then|just|can you|could you|would you|will you|you can|you may|you should|i want you to|i would like you to|i need you to|bisa(?:kah)?(?: kamu)?|kamu (?:bisa|boleh)|coba|,) )*"
    r"(?:forget|delete|erase|remove|drop|wipe|clear|scrub|purge|unlearn|discard|get rid of|throw away|lupakan|lupain|hapus|hapuskan|buang|hilangkan) "
)
_LOOSE = regex.compile(
    r"^(?:(?:about|all about|of|out|all of|the memory (?:of|that|about)|your memory of|the (?:fact|facts|bit|bits|part|parts|thing|things|stuff|note|notes|info|information|detail|details|entry|memory|memories|line)(?: you have)?"
    r"|everything|anything|all|whatever|what|semua(?:nya)?|segala|apa(?:pun)?|info|informasi|data|fakta|catatan|ingatan)"
    r"(?: (?:that )?(?:you|i|we|saya|kamu|yang) (?:have )?(?:know|known|said|told|have|stored|saved|remember|remembered|mentioned|shared|learned|wrote|ever said|ever told|tahu|ketahui|bilang|ceritakan|simpan|ingat|kamu tahu|saya bilang|saya ceritakan|kamu simpan)(?: (?:to )?you)?(?: kamu)?)?"
    r"(?: (?:about|on|regarding|concerning|of|tentang|soal|mengenai|that|where|how|dari))?|that|how|bahwa|kalau|kalo|tentang|soal|mengenai) "
)
_IS_ALL = regex.compile(r"^(?:everything|anything|all|whatever|semua|semuanya|segala)")
_TAIL = regex.compile(
    r" (?:from|in|out of|off) (?:your|the|my) (?:memory|memories|records?|notes?|database|file|files|profile|list|mind)$| (?:dari|di) (?:memori|ingatan|catatan)(?: (?:kamu|mu|dia))?$|,? (?:please|thanks|thank you|ok|okay|dong|ya|now|sekarang|for me|for good|completely)$"
)
_NOTHING = frozenset(
    {
        "it",
        "that",
        "this",
        "about it",
        "about that",
        "itu",
        "saja",
        "aja",
        "me not",
        "the rest",
        "the whole thing",
        "about this",
    }
)
_ME = frozenset({"me", "myself", "saya", "diri saya", "i"})


def forget_target(line: Line) -> Line | None:
    """The words behind a request to forget, None for any other sentence."""
    match = _COMMAND.match(line.text + " ")
    if not match or "not" in line.norms[: line.index(match.end())]:
        return None
    rest = trimmed(line.slice(line.index(match.end())))
    while tail := _TAIL.search(rest.text):
        rest = trimmed(rest.slice(0, rest.index(tail.start() + 1) if tail.start() else 0))
    return rest


def forgotten(target: Line, world: World, read: Callable[[Line], Iterable[Stated]]) -> list[Retraction]:
    """What a request to forget retracts. `read`: the facts of a clause."""
    if not len(target) or target.text in _NOTHING or (target.norm(1) == "," and target.norm(0) in ("it", "that")):
        return []
    rest, is_all = target, False
    for _ in range(3):
        loose = _LOOSE.match(rest.text + " ")
        if not loose:
            break
        is_all = is_all or bool(_IS_ALL.match(rest.text))
        rest = trimmed(rest.slice(rest.index(loose.end())))
    if not len(rest):
        return []
    if rest.text in _ME and is_all and world.speaker is not None:
        return [Retraction(world.speaker, None, None, "forget")]
    facts = list(read(rest)) or list(read(_as_clause(rest)))
    if facts:
        return [
            Retraction(fact.subject, fact.predicate, fact.object, "forget") for fact in facts if fact.predicate != "*"
        ]
    return _named(rest, world)


def _as_clause(line: Line) -> Line:
    """ "me liking karaoke", "my working at Vantera" as clauses with a finite verb."""
    tokens = list(line.tokens)
    if tokens and tokens[0].norm in ("me", "my"):
        tokens[0] = replace(tokens[0], norm="i")
    for at in range(1, min(len(tokens), 6)):
        if tokens[at].norm.endswith("ing") and lemma(tokens[at].norm) != tokens[at].norm:
            base = lemma(tokens[at].norm)
            norm = base if tokens[0].norm == "i" else "is" if base == "be" else base + "s"
            tokens[at] = replace(tokens[at], norm="am" if base == "be" and tokens[0].norm == "i" else norm)
            break
    return Line(tuple(tokens), line.source)


def _named(line: Line, world: World) -> list[Retraction]:
    phrase = phrase_at(line, 0, world.scratch())
    if phrase is not None and phrase.end >= len(line) - 1 and not phrase.is_unclear:
        if phrase.attribute:
            return [Retraction(term, phrase.attribute, None, "forget") for term in phrase.terms]
        if not phrase.is_thing and not phrase.term.is_me:
            return [Retraction(term, None, None, "forget") for term in phrase.terms]
    start = 0
    is_mine = line.norm(0) in MY
    while line.norm(start) in MY | ARTICLES and start < len(line):
        start += 1
    end = len(line)
    if line.norm(end - 1) in ("saya", "kami"):
        is_mine, end = True, end - 1
    if start >= end or world.speaker is None:
        return []
    term = Term(line.said(start, end), TOPIC, line.span(start, end))
    if is_mine:
        return [Retraction(world.speaker, None, term, "forget")]
    return [
        Retraction(Term(term.text, PERSON if line.tokens[start].is_capital else TOPIC, term.span), None, None, "forget")
    ]
