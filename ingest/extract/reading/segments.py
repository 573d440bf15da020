"""A text cut into sentences, a sentence into clauses that each have a verb of their own."""

# ruff: noqa: PLR0911 - a rule of grammar returns at the first form that fits
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ingest.extract.reading.line import MAX_WORDS, Line, trimmed
from ingest.extract.reading.nouns import PERSON, PET, attribute_at
from ingest.extract.reading.phrases import phrase_at
from ingest.extract.reading.predicates import FRAMES
from ingest.extract.reading.records import Term
from ingest.extract.reading.speech import asks
from ingest.extract.reading.tokens import Token
from ingest.extract.reading.verbphrase import opens_verb, verb_phrase
from ingest.extract.reading.verbs import Tense, tense_of
from ingest.extract.reading.words import ADVERBS, BE, DO, FIRST, FIRST_MANY, HAVE, OPENERS, THEIRS
from ingest.extract.reading.wordsets import word_set
from ingest.extract.reading.world import Known, World

MAX_SENTENCES, MAX_CLAUSES = 400, 24
_ENDS = frozenset({".", "!", "?", "…", "\u3002"})
_SIGNS = frozenset({",", ";", ":", "—", "–", "(", ")"})
_LINKS = word_set(
    "and but so because since while whereas plus then though although dan tapi karena jadi "
    "sedangkan sementara lalu terus soalnya"
)
_UNSURE = word_set("if unless whether when kalau jika ketika saat")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and the sign that ends it."""

    line: Line
    ender: str


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence with a verb of its own. `link`: the word before it; `is_last`: the sentence's sign
    is its own."""

    line: Line
    link: str = ""
    is_last: bool = True
    has_subject: bool = True


def sentences(tokens: tuple[Token, ...], source: str) -> Iterator[Sentence]:
    """The sentences of a text, without the blanks that the gate left."""
    run: list[Token] = []
    count = 0
    for token in tokens:
        is_end = token.norm in _ENDS or token.kind == "break" or token.norm == "\u0000"
        if not is_end:
            run.append(token)
        elif run:
            yield Sentence(Line(tuple(run), source), token.norm if token.norm in _ENDS else "")
            run, count = [], count + 1
            if count >= MAX_SENTENCES:
                return
    if run:
        yield Sentence(Line(tuple(run), source), "")


def clauses(line: Line, world: World) -> list[Clause]:
    """The clauses of a sentence in order."""
    line = trimmed(line)
    if len(line) > MAX_WORDS:
        line = line.slice(0, MAX_WORDS)
    found: list[Clause] = []
    start, link, has_subject = 0, "", True
    scratch = world.scratch()
    scratch.known += [Known(Term("somebody", PERSON)), Known(Term("something", PET))]  # pronouns have somebody to mean
    i = 1
    while i < len(line) and len(found) < MAX_CLAUSES:
        opening = _opening(line, start, i, scratch)
        if opening is not None:
            after, word, with_subject = opening
            found.append(Clause(trimmed(line.slice(start, i)), link, is_last=False, has_subject=has_subject))
            start, link, has_subject = after, word, with_subject
            i = after + 1
        else:
            i += 1
    found.append(Clause(trimmed(line.slice(start)), link, has_subject=has_subject))
    return [clause for clause in found if len(clause.line)]


def _opening(line: Line, start: int, at: int, world: World) -> tuple[int, str, bool] | None:
    """Where a new clause begins behind the sign or link at this place, which link, and whether it has a subject."""
    norm = line.norm(at)
    if norm == "who" and at > start and opens_verb(line, at + 1) and _has_verb(line, start, at):
        return at + 1, "who", False
    is_break = norm in _SIGNS or norm in _LINKS or norm in _UNSURE
    if not is_break:
        return (at, "", True) if _runs_on(line, start, at, world) else None
    if norm == ":" and not _has_verb(line, start, at):
        is_lead = (
            start == 0 and at <= 3 and attribute_at(line.norms, at - 1) is None and opens_clause(line, at + 1, world)
        )
        return (at + 1, "", True) if is_lead else None
    after, link = at, "" if norm in _SIGNS else norm
    while after < len(line) and (
        line.norm(after) in _SIGNS | _LINKS | _UNSURE or (line.norm(after) in OPENERS and after > at)
    ):
        link = (
            line.norm(after)
            if line.norm(after) not in _SIGNS | OPENERS or line.norm(after) in ("so", "and", "but")
            else link
        )
        after += 1
    if after >= len(line) or not (_has_verb(line, start, at) or norm in _UNSURE):
        return None
    if norm == "," and asks(line.slice(after)) and not asks(line.slice(start, at)):
        return after, link, True
    if norm in ("since", "when", "saat") and after == at + 1 and not opens_clause(line, after, world):
        return None
    if line.norm(after) in ("not", "bukan"):
        return None
    if opens_clause(line, after, world) or _asks_at(line, after):
        return after, link, True
    if line.norm(after) in ("who", "which", "yang") and opens_verb(line, after + 1):
        return after + 1, "who", False
    if norm not in (":", "(", ")") and opens_predicate(line, after, world):
        return after, link, False
    return None


def opens_clause(line: Line, at: int, world: World) -> bool:
    """Whether a subject with its verb begins here."""
    while line.norm(at) in ADVERBS and at < len(line):
        at += 1
    phrase = phrase_at(line, at, world)
    if phrase is None:
        return False
    if phrase.attribute is not None:
        return line.norm(phrase.end) in BE | {"adalah", ":"} or (
            phrase.end < len(line) and phrase.noun not in ("car", "number")
        )
    if opens_verb(line, phrase.end):
        return True
    is_plain = all(term.is_me for term in phrase.terms) or line.norm(at) in ("he", "she", "it", "they", "dia")
    return is_plain and phrase.end < len(line) and line.norm(phrase.end) not in (",", "and", "dan")


def opens_predicate(line: Line, at: int, world: World) -> bool:
    """Whether a verb that goes on with the same subject begins here."""
    i = at
    while line.norm(i) in ADVERBS and i < len(line):
        i += 1
    norm = line.norm(i)
    tense = tense_of(norm)
    if norm in BE | {"used", "no"} or (norm in DO | HAVE and line.norm(i + 1) == "not"):
        return i + 1 < len(line)
    if not opens_verb(line, i):
        return tense is Tense.GERUND and False
    verb = verb_phrase(line, i)
    if verb is None:
        return False
    if tense in (Tense.THIRD, Tense.PAST, Tense.PARTICIPLE) and i + 1 < len(line):
        return True
    return any(frame.pattern.match(verb.text) for frame in FRAMES if frame.predicate not in ("from",)) and i + 1 < len(
        line
    )


def _has_verb(line: Line, start: int, end: int) -> bool:
    """Whether the words up to here already are a clause."""
    for i in range(start, end):
        if line.norm(i) in ("is", "'s", "am", "are", "was", "were", ":") or (
            (i > start or line.norm(i) in BE) and opens_verb(line, i)
        ):
            return True
        if (
            i > start
            and line.lemma(i) != line.norm(i)
            and tense_of(line.norm(i)) in (Tense.THIRD, Tense.PAST, Tense.BASE, Tense.PARTICIPLE)
        ):
            return True
    if line.norm(start) in ("allergic", "got", "moved", "born", "bought", "started") or tense_of(line.norm(start)) in (
        Tense.PAST,
        Tense.PARTICIPLE,
    ):
        return True
    return line.norm(start) in ("nama", "umur", "hobi", "tinggi", "berat") or _has_attribute(line, start, end)


def _has_attribute(line: Line, start: int, end: int) -> bool:
    return "nama" in line.norms[start:end] or (
        attribute_at(line.norms, start) is not None and "saya" in line.norms[start:end] and end - start > 2
    )


def _asks_at(line: Line, at: int) -> bool:
    norm, after = line.norm(at), line.norm(at + 1)
    if norm in (
        "what",
        "which",
        "where",
        "how",
        "why",
        "when",
        "who",
        "any",
        "apa",
        "kapan",
        "berapa",
        "gimana",
        "bagaimana",
        "siapa",
        "enaknya",
        "can",
        "could",
        "should",
        "would",
        "do",
        "does",
        "is",
        "are",
    ):
        return bool(after) and not (
            norm in ("which", "who", "where", "when") and opens_verb(line, at + 1) and norm != "which"
        )
    return False


def _runs_on(line: Line, start: int, at: int, world: World) -> bool:
    """Chats leave signs out: "got a kitten his name is pancho", "im ana i live in solo"."""
    if not world.is_lower or at - start < 2 or not _has_verb(line, start, at):
        return False
    norm, before = line.norm(at), line.norm(at - 1)
    if norm in THEIRS | {"my"} and line.norm(at + 1) in ("name", "nama", "breed") and line.norm(at + 2) in ("is", "'s"):
        return True
    is_subject = norm in (FIRST | FIRST_MANY) - {"me", "us", "saya"} or norm in ("he", "she")
    glue = {
        "that",
        "what",
        "where",
        "when",
        "who",
        "which",
        "than",
        "and",
        "if",
        "because",
        "as",
        "the",
        "while",
        "how",
        "why",
        "so",
        "but",
        "said",
    }
    return is_subject and before not in glue and opens_verb(line, at + 1)
