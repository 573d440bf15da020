"""Corrections of what was said: "…, not …", "I said …, but it's …", "No, that's Lena"."""

# ruff: noqa: E501 - a table of words and patterns reads best with one form a line
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import regex

from graph.names import name_key
from ingest.extract.reading.line import MAX_WORDS, Line, trimmed
from ingest.extract.reading.names import is_person_word, name_at
from ingest.extract.reading.nouns import PERSON
from ingest.extract.reading.records import Amendment, Renaming, Replacement, Retraction, Stated, Term
from ingest.extract.reading.sides import are_near, nearest
from ingest.extract.reading.world import World

#: Words of a clause that a contrast is tried on.
MAX_TRIED = 30
MAX_CONTRASTS = 3
#: Reads the facts of a clause, keeping nothing.
Read = Callable[[Line], Iterable[Stated]]

_CUE = regex.compile(
    r"^(?:(?:no|nope|nah|wrong|correction|actually|sorry|oops|wait(?! till| until)|hang on|hold on|that is (?:wrong|incorrect|not (?:right|true|correct))|that 's (?:wrong|incorrect|not right)|not quite|you (?:got (?:it|that) wrong|are wrong|misunderstood|mixed (?:it|that|them) up)|i (?:misspoke|made a mistake|was wrong)|my mistake|my bad|"
    r"salah tulis|salah ketik|salah sebut|salah nama|maksud saya|maksudnya|salah|bukan|ralat|koreksi|maaf|eh|keliru|bukan begitu|itu salah|yang benar|i meant(?: to say)?|i mean|let me correct (?:that|myself)|to correct myself|typo)(?: (?:,|:|-|\.|!|—|ya|deh|,))* )+"
)
_SAID = regex.compile(
    r"^(?:(?:no|actually|sorry|yesterday|earlier|before|tadi|kemarin|,) )*(?:i|saya|you|kamu) (?:said|told you|wrote|mentioned|claimed|thought|have said|bilang|pernah bilang|kira|have|wrote down|noted|put down|have written)(?: you)?(?: before| earlier| yesterday| tadi| kemarin)?(?: that| kalau| bahwa)? "
)
_BUT = frozenset({"but", "tapi", "though", "padahal", "ternyata", "however"})
_DEICTIC = regex.compile(
    r"^(?:(?:no|nope|actually|sorry|wrong|oops|bukan|salah|,|—|-) )*(?:but )?(?:that|it|this|he|she|itu|the (?:right|correct) (?:one|name|answer))(?: is|'s| was| are| should be| would be| has to be| adalah)?(?: actually| really| in fact| supposed to be)? "
)


@dataclass(frozen=True, slots=True)
class Amended:
    """Facts and corrections of a clause that amends; empty when it does not."""

    facts: tuple[Stated, ...] = ()
    corrections: tuple[Amendment, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.facts or self.corrections)


def without_cue(line: Line) -> tuple[Line, bool]:
    """The sentence behind "No,", "Correction:", "That's wrong:", and whether there was such a word."""
    match = _CUE.match(line.text + " ")
    if not match:
        return line, False
    cut = line.index(match.end())
    return (line.slice(cut), True) if 0 < cut < len(line) else (line, False)


def amended(line: Line, world: World, read: Read, *, is_cued: bool) -> Amended:
    """What a sentence amends."""
    if len(line) > MAX_WORDS:
        return Amended()
    found = _contrast(line, world, read)
    return found if found else _pointed(line, world, is_cued=is_cued)


def misstated(line: Line, read: Read) -> Amended:
    """What was wrong is said first: "I said … but …", "Not Bandung, I live in Bogor"."""
    if len(line) > MAX_WORDS:
        return Amended()
    return _said_but(line, read) or _denied_first(line, read)


def _denied_first(line: Line, read: Read) -> Amended:
    cut = next((i for i in range(2, min(len(line), 8)) if line.norm(i) in (",", "but", "tapi")), None)
    if cut is None or line.norm(0) not in ("not", "bukan"):
        return Amended()
    wrong, right = trimmed(line.slice(1, cut)), trimmed(line.slice(cut + 1))
    new = list(read(right))
    old, fact = substituted(right, wrong, new, read) if new and len(wrong) else ([], None)
    if not old or fact is None:
        return Amended()
    return Amended(tuple(new), _replaced(old, [fact]).corrections)


def _said_but(line: Line, read: Read) -> Amended:
    """ "I said Kenji works at A, but it's B"."""
    said = _SAID.match(line.text + " ")
    if not said:
        return Amended()
    start = line.index(said.end())
    cut = next((i for i in range(start + 1, len(line)) if line.norm(i) in _BUT), None)
    if cut is None:
        return Amended()
    before = trimmed(line.slice(start, cut))
    after = trimmed(line.slice(cut + 1))
    old = list(read(before))
    if not old:
        return Amended()
    new = [
        fact
        for fact in read(after)
        if any(fact.predicate == one.predicate or fact.subject == one.subject for one in old)
    ]
    if not new:
        pointed = _DEICTIC.match(after.text + " ")
        rest = after.slice(after.index(pointed.end())) if pointed else after
        new, _ = substituted(before, rest, old, read)
    return _replaced(old, new)


def _replaced(old: Sequence[Stated], new: Sequence[Stated]) -> Amended:
    pairs = [
        (a, b)
        for a in old
        for b in new
        if a.triple != b.triple and (a.predicate == b.predicate or _is_kin(a, b) or a.object.text == b.object.text)
    ]
    if not pairs:
        return Amended()
    a, b = pairs[-1]
    gone = Retraction(a.subject, a.predicate, a.object, "wrong")
    kept = tuple(fact for fact in new if fact.triple not in {one.triple for one in old} or fact is b)
    return Amended(kept, (Replacement(gone, b),))


def _is_kin(a: Stated, b: Stated) -> bool:
    return (
        a.predicate.endswith(("_of", "_to", "_with"))
        and b.predicate.endswith(("_of", "_to", "_with"))
        and {a.subject.text, a.object.text} == {b.subject.text, b.object.text}
    )


def _contrast(line: Line, world: World, read: Read) -> Amended:
    """ "I drive a Skoda, not a Seat", "not Budi but Bima"."""
    places = [at for at in range(1, len(line)) if line.norm(at) in ("not", "bukan", "instead")]
    for at in places[:MAX_CONTRASTS]:
        if line.norm(at) == "instead" and line.norm(at + 1) != "of":
            continue
        found = _behind(line, at, world, read) or _before(line, at, world, read)
        if found:
            return found
    return Amended()


def _behind(line: Line, at: int, world: World, read: Read) -> Amended:
    """A clause with its object, then "not" and what it was taken for."""
    head = trimmed(line.slice(0, at))
    start = at + 1 + (line.norm(at) == "instead")
    wrong = trimmed(line.slice(start, _stop(line, start)))
    if (
        not len(head)
        or not len(wrong)
        or (
            line.norm(at - 1) not in (",", "and", "but", "—", "-", "(", ";", ":", "dan", "tapi")
            and line.norm(at) == "not"
            and not _is_nounish(line, start)
        )
    ):
        return Amended()
    renamed = _two_names(head, wrong, world)
    if renamed:
        return renamed
    new = list(read(head))
    if not new:
        return Amended()
    old, new_fact = substituted(head, wrong, new, read)
    if not old:
        return Amended()
    pair = _replaced(old, [new_fact] if new_fact is not None else new)
    return Amended(tuple(dict.fromkeys((*new,))), pair.corrections) if pair.corrections else Amended()


def _is_nounish(line: Line, at: int) -> bool:
    return at < len(line) and (
        line.tokens[at].is_capital or line.norm(at) in ("in", "at", "on", "a", "an", "the", "my")
    )


def _stop(line: Line, at: int) -> int:
    return next(
        (
            i
            for i in range(at + 1, len(line))
            if line.norm(i) in (",", ";", "—", "but", "tapi", "as", "like", ":", "because", "so", "anymore", ")")
        ),
        len(line),
    )


def _before(line: Line, at: int, world: World, read: Read) -> Amended:
    """ "not a nurse but a doctor": what is wrong stands first."""
    cut = next((i for i in range(at + 1, len(line)) if line.norm(i) in ("but", "tapi", "melainkan", ",")), None)
    if cut is None or line.norm(at + 1) in ("just", "only", "merely", "hanya", "cuma"):
        return Amended()
    wrong, right = trimmed(line.slice(at + 1, cut)), trimmed(line.slice(cut + 1))
    if not len(wrong) or not len(right):
        return Amended()
    while (
        right.norm(0) in ("but", "tapi", "it", "is", "'s", "rather", "actually", "melainkan", "she", "he")
        and len(right) > 1
        and right.norm(0) not in ("i",)
    ):
        right = right.slice(1)
    head = line.slice(0, at)
    joined = Line((*head.tokens, *right.tokens), line.source)
    renamed = _two_names(right, wrong, world) if not len(trimmed(head)) or head.norm(0) in ("it", "that") else Amended()
    if renamed:
        return renamed
    new, old = list(read(joined)), list(read(Line((*head.tokens, *wrong.tokens), line.source)))
    return _replaced(old, new) if new and old else Amended()


def _two_names(head: Line, wrong: Line, world: World) -> Amended:
    """ "It's Kirsten, not Kristen": one name, rightly spelled."""
    start = len(head)
    pointed = _DEICTIC.match(head.text + " ")
    if pointed:
        start = head.index(pointed.end())
    elif (
        head.norms[:2] in (["the", "name"], ["my", "name"], ["her", "name"], ["his", "name"])
        or "nama" in head.norms[:2]
    ):
        start = next((i + 1 for i, norm in enumerate(head.norms) if norm in ("is", "'s", "dia", "saya")), len(head))
    else:
        start = 0
    right = name_at(head, start) if start < len(head) else None
    other = name_at(wrong, 0) if len(wrong) else None
    if right is None or other is None or right.end != len(head) or other.end < len(wrong):
        return Amended()
    if head.norms[:2] in (["my", "name"], ["nama", "saya"]) and world.speaker is not None:
        return Amended()
    if not are_near(right.text, other.text) or name_key(right.text) == name_key(other.text):
        return _in_context(world, right.text, other.text, head)
    type = world.type_of(other.text) or world.type_of(right.text) or PERSON
    return Amended((), (Renaming(Term(other.text, type, wrong.span()), right.text),))


def _in_context(world: World, right: str, wrong: str, line: Line) -> Amended:
    """Of what was said before, the fact that names the wrong one."""
    for fact in reversed(world.sayings):
        for side in ("object", "subject"):
            term: Term = getattr(fact, side)
            if name_key(term.text) == name_key(wrong):
                new = _with(fact, side, Term(right, term.type, line.span()))
                return Amended(
                    (new,), (Replacement(Retraction(fact.subject, fact.predicate, fact.object, "wrong"), new),)
                )
    return Amended()


def substituted(head: Line, other: Line, facts: Sequence[Stated], read: Read) -> tuple[list[Stated], Stated | None]:
    """The facts of the clause with the other words in the place of some of its own (the last ones first), and the fact
    that they replace."""
    for start, end in _places(len(head), len(other)):
        made = list(read(Line((*head.tokens[:start], *other.tokens, *head.tokens[end:]), head.source)))
        for one in made:
            for fact in facts:
                if _differs_in_subject(one, fact, other):
                    return [one], fact
                same_subject = one.subject.text == fact.subject.text
                if (
                    one.triple != fact.triple
                    and ((same_subject and one.predicate == fact.predicate) or _is_kin(one, fact))
                    and _uses(one, other)
                ):
                    return [one], fact
    return [], None


def _places(length: int, other: int) -> Iterator[tuple[int, int]]:
    """Where other words may stand: for all of the end, then for as many words, then for some in the middle."""
    if length > MAX_TRIED:
        return
    yield from ((start, length) for start in range(length - 1, 0, -1))
    yield from ((end - size, end) for size in dict.fromkeys((other, 1, 2, 3)) for end in range(length - 1, size, -1))


def _differs_in_subject(one: Stated, fact: Stated, other: Line) -> bool:
    """ "My brother's name is Anton, not Andreas": somebody else has the bond."""
    words = set(name_key(" ".join(token.text for token in other.tokens)).split())
    same = one.predicate == fact.predicate and one.object == fact.object and one.subject.text != fact.subject.text
    return same and one.subject.type is PERSON and set(name_key(one.subject.text).split()) <= words


def _uses(one: Stated, other: Line) -> bool:
    """Whether the words put in are what is new; a value may be written otherwise there."""
    words = set(name_key(" ".join(token.text for token in other.tokens)).split())
    return one.object.type is None or set(name_key(one.object.text).split()) <= words or one.object.text == "me"


def _pointed(line: Line, world: World, *, is_cued: bool) -> Amended:
    """ "No, that's Lena": puts a name into what was said before."""
    pointed = _DEICTIC.match(line.text + " ")
    start = line.index(pointed.end()) if pointed else 0
    if not is_cued or start >= len(line):
        return Amended()
    respelled = _letters(line, start, world)
    if respelled:
        return respelled
    while line.norm(start) in ("in", "at", "to", "from", "on", "di", "ke", "the", "a", "an", "with") and start < len(
        line
    ):
        start += 1
    name = name_at(line, start, is_lower=world.is_lower) if start < len(line) else None
    if name is None or name.end != len(line) or not world.sayings:
        return Amended()
    fact = world.sayings[-1]
    if line.norm(start - 1) in ("in", "at", "to", "from", "di", "ke") and fact.object.type in (None, PERSON):
        return Amended()
    side = (
        "subject"
        if not fact.subject.is_me
        and (
            fact.object.type is None
            or (fact.object.type is not fact.subject.type and _is_person_like(name.text, world))
        )
        else "object"
    )
    if side == "object" and fact.object.type is None and fact.predicate not in ("named", "nickname"):
        return Amended()
    term: Term = getattr(fact, side)
    new = _with(fact, side, Term(name.text, term.type, line.span(name.start, name.end)))
    return Amended((new,), (Replacement(Retraction(fact.subject, fact.predicate, fact.object, "wrong"), new),))


_LETTERS = regex.compile(
    r"^(?:,? ?(?:with|using|without|pakai|dengan|tanpa|spelled|as in|not with) (?:an?|one|two|double|the|huruf|no|a single|dua)? ?.{0,20}|)$"
)


def _letters(line: Line, start: int, world: World) -> Amended:
    """ "Okafor, with an f": a name alone, near one that was met before."""
    name = name_at(line, start)
    if name is None or not _LETTERS.match(" ".join(line.norms[name.end :])):
        return Amended()
    old = nearest(name.text, world)
    if old is None or name_key(old) == name_key(name.text):
        return Amended()
    return Amended((), (Renaming(Term(old, world.type_of(old) or PERSON, line.span()), name.text),))


def _with(fact: Stated, side: str, term: Term) -> Stated:
    """The fact with another subject or object."""
    changed = replace(fact, subject=term) if side == "subject" else replace(fact, object=term)
    return replace(changed, span=term.span)


def _is_person_like(text: str, world: World) -> bool:
    return world.type_of(text) is PERSON or any(is_person_word(word) for word in name_key(text).split())
