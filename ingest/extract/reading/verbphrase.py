"""A verb with all that stands before it: tense, negation, what is no longer so, what only may be."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.extract.reading.line import Line
from ingest.extract.reading.names import is_place
from ingest.extract.reading.verbs import INDONESIAN, Tense, tense_of
from ingest.extract.reading.words import ADVERBS, BE, DO, HAVE
from ingest.extract.reading.wordsets import word_set

_MODALS = word_set("would could might may should must ought can bisa harus mungkin")
_LATER = word_set("will shall akan bakal")
_WISHES = word_set("want wish hope pengen ingin mau kepingin need")
#: Verbs that mean something of their own behind "can not".
_WITH_CANNOT = word_set("stand bear abide tolerate eat drink digest have live do get resist survive function cope")
_NO_MORE = ("anymore", "any more", "any longer", "lagi", "no more")


@dataclass(frozen=True, slots=True)
class VerbPhrase:
    """`words` are base forms from the main verb on, each with its place in the line."""

    words: tuple[str, ...]
    places: tuple[int, ...]
    is_past: bool = False
    is_perfect: bool = False
    is_progressive: bool = False
    is_ahead: bool = False  # will, going to
    is_negated: bool = False
    is_never: bool = False
    is_over: bool = False  # used to, no longer
    is_withdrawn: bool = False  # no longer, not any more
    modal: str = ""
    is_finite: bool = True

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def place(self, char: int) -> int:
        """Where in the line the word behind a match that ends at `char` stands."""
        at = 0
        for word, place in zip(self.words, self.places, strict=True):
            if at >= char:
                return place
            at += len(word) + 1
        return (self.places[-1] + 1) if self.places else 0


@dataclass(slots=True)
class _Lead:
    """What the words before the main verb have said so far."""

    is_past: bool = False
    is_perfect: bool = False
    is_ahead: bool = False
    is_negated: bool = False
    is_never: bool = False
    is_over: bool = False
    is_withdrawn: bool = False
    is_be: bool = False
    is_done: bool = False  # sudah
    modal: str = ""


def verb_phrase(line: Line, at: int) -> VerbPhrase | None:
    """The verb phrase that begins here, None when nothing does."""
    lead = _Lead()
    i = at
    while i < len(line):
        taken = _negation(line, i, lead) or _auxiliary(line, i, lead) or _modal(line, i, lead)
        if taken == 0 and line.norm(i) in ADVERBS:
            taken = 1
        if taken <= 0:
            break
        i += taken
    return None if i == at and i >= len(line) else _built(line, i, lead)


def _negation(line: Line, i: int, lead: _Lead) -> int:
    """How many words of a negation stand here."""
    norm, after = line.norm(i), line.norm(i + 1)
    if norm == "no" and after in ("longer", "more"):
        lead.is_withdrawn = True
        return 2
    if norm in ("not", "tidak", "bukan") and after in ("just", "only", "merely", "hanya", "cuma", "sekadar"):
        return 2
    if norm in ("not", "tidak", "never", "belum", "bukan"):
        lead.is_negated = True
        lead.is_never = lead.is_never or norm == "never"
        lead.is_withdrawn = lead.is_withdrawn or (norm == "tidak" and (lead.is_done or after == "lagi"))
        return 1
    if norm == "can" and after == "not" and line.lemma(i + 2) not in _WITH_CANNOT:
        lead.modal, lead.is_negated = "can", True
        return 2
    return 0


def _auxiliary(line: Line, i: int, lead: _Lead) -> int:
    """How many words of a tense stand here."""
    norm, after = line.norm(i), line.norm(i + 1)
    if norm == "used" and after == "to" and not lead.is_be:
        lead.is_over = True
        return 2
    if norm in BE:
        lead.is_be, lead.is_past = True, lead.is_past or norm in ("was", "were")
    elif norm in HAVE and _is_auxiliary(line, i):
        lead.is_perfect = True
    elif norm in DO and (after == "not" or tense_of(after) is Tense.BASE):
        lead.is_past = norm == "did"
    elif norm in _LATER:
        lead.is_ahead = True
    elif norm in ("going", "about") and after == "to" and lead.is_be and _is_act(line, i + 2):
        lead.is_ahead, lead.is_be = True, False
        return 2
    elif norm == "sudah":
        lead.is_done = True
    elif norm == "pernah":
        lead.is_over = True
    else:
        return 0
    return 1


def _modal(line: Line, i: int, lead: _Lead) -> int:
    """How many words of "may", "want to" stand here; -1 for one that is part of the verb ("would rather")."""
    norm, after = line.norm(i), line.norm(i + 1)
    is_part = (norm == "would" and after == "rather") or (norm == "can" and after == "not")
    if is_part or (norm == "bisa" and (after == "bahasa" or (after == "hidup" and line.norm(i - 1) == "tidak"))):
        return -1
    if norm in _MODALS:
        lead.modal = norm
        return 1
    if norm in _WISHES and (after == "to" or norm in ("pengen", "ingin", "mau", "kepingin")):
        lead.modal = "want"
        return 2 if after == "to" else 1
    return 0


def _built(line: Line, i: int, lead: _Lead) -> VerbPhrase | None:
    main = tense_of(line.norm(i))
    words, places = list(line.lemmas[i:]), list(range(i, len(line)))
    is_progressive = lead.is_be and main is Tense.GERUND and line.norm(i) not in ("wedding", "interesting")
    if lead.is_be and not is_progressive:
        words, places = ["be", *words], [i, *places]
    elif not lead.is_be and main in (Tense.PAST, Tense.PARTICIPLE) and not lead.is_perfect:
        lead.is_past = True
    if not words:
        return None
    if words[:2] == ["have", "get"]:  # "I've got"
        del words[1], places[1]
    tail = " ".join(line.norms[i:])
    is_no_more = lead.is_negated and any(f" {word}" in f" {tail} " for word in _NO_MORE)
    is_withdrawn = lead.is_withdrawn or is_no_more
    return VerbPhrase(
        tuple(words),
        tuple(places),
        is_past=lead.is_past,
        is_perfect=lead.is_perfect,
        is_progressive=is_progressive,
        is_ahead=lead.is_ahead,
        is_negated=lead.is_negated and not is_withdrawn,
        is_never=lead.is_never,
        is_over=lead.is_over,
        is_withdrawn=is_withdrawn,
        modal=lead.modal,
        is_finite=main is not Tense.GERUND or lead.is_be,
    )


def _is_auxiliary(line: Line, at: int) -> bool:
    """Whether "have" goes with a participle further on."""
    i = at + 1
    while line.norm(i) in ADVERBS | {"not", "never", "both"} and i < len(line):
        i += 1
    if line.norm(i) in ("been", "had", "got"):
        return line.norm(i) != "got" or tense_of(line.norm(i + 1)) is not None
    return tense_of(line.norm(i)) in (Tense.PAST, Tense.PARTICIPLE) and line.norm(i) != "set"


def _is_act(line: Line, at: int) -> bool:
    if tense_of(line.norm(at)) is None and is_place(line.norm(at)):
        return False
    return at < len(line) and not line.tokens[at].is_capital and line.norm(at) not in ("the", "a", "an", "my")


def opens_verb(line: Line, at: int) -> bool:
    """Whether a finite verb phrase may begin here, by its first word alone."""
    norm = line.norm(at)
    i = at
    while line.norm(i) in ADVERBS | {"not", "tidak", "never", "sudah", "akan"} and i < len(line):
        i += 1
    norm = line.norm(i)
    if norm in BE | HAVE | DO | _MODALS | _LATER | {"used", "no", "belum"}:
        return not (norm == "no" and line.norm(i + 1) != "longer")
    if tense_of(norm) in (Tense.BASE, Tense.THIRD, Tense.PAST, Tense.PARTICIPLE):
        return True
    return norm in INDONESIAN or (line.lemma(i) != norm and tense_of(norm) is None)
