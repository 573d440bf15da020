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


def verb_phrase(line: Line, at: int) -> VerbPhrase | None:
    """The verb phrase that begins here, None when nothing does."""
    state: dict[str, bool] = {}
    modal = ""
    i = at
    while i < len(line):
        norm, after = line.norm(i), line.norm(i + 1)
        if norm == "no" and after in ("longer", "more"):
            state["is_withdrawn"], i = True, i + 2
        elif norm in ("not", "tidak", "bukan") and after in ("just", "only", "merely", "hanya", "cuma", "sekadar"):
            i += 2
        elif norm in ("not", "tidak", "never", "belum", "bukan"):
            state["is_negated"] = True
            state["is_withdrawn"] = state.get("is_withdrawn", False) or (
                norm == "tidak" and (state.get("sudah", False) or after == "lagi")
            )
            state["is_never"] = state.get("is_never", False) or norm == "never"
            i += 1
        elif norm == "can" and after == "not":
            if line.lemma(i + 2) in (
                "stand",
                "bear",
                "abide",
                "tolerate",
                "eat",
                "drink",
                "digest",
                "have",
                "live",
                "do",
                "get",
                "resist",
                "survive",
                "function",
                "cope",
            ):
                break
            modal, state["is_negated"], i = "can", True, i + 2
        elif norm == "used" and after == "to" and not state.get("be"):
            state["is_over"], i = True, i + 2
        elif norm in BE:
            state["be"] = True
            state["is_past"] = state.get("is_past", False) or norm in ("was", "were")
            i += 1
        elif norm in HAVE and _is_auxiliary(line, i):
            state["is_perfect"], i = True, i + 1
        elif norm in DO and (after == "not" or tense_of(after) is Tense.BASE):
            state["is_past"] = norm == "did"
            i += 1
        elif norm == "would" and after == "rather":
            break
        elif norm in _LATER:
            state["is_ahead"], i = True, i + 1
        elif norm in _MODALS:
            if norm == "bisa" and (after == "bahasa" or (after == "hidup" and line.norm(i - 1) == "tidak")):
                break
            modal, i = norm, i + 1
        elif norm in _WISHES and (after == "to" or norm in ("pengen", "ingin", "mau", "kepingin")):
            modal, i = "want", i + (2 if after == "to" else 1)
        elif norm in ("going", "about") and after == "to" and state.get("be") and _is_act(line, i + 2):
            state["is_ahead"], i = True, i + 2
            state["be"] = False
        elif norm == "sudah":
            state["sudah"], i = True, i + 1
        elif norm in ADVERBS and norm not in ("pernah",) or norm == "pernah":
            if norm == "pernah":
                state["is_over"] = True
            i += 1
        else:
            break
    if i == at and i >= len(line):
        return None
    return _built(line, i, state, modal)


def _built(line: Line, i: int, state: dict[str, bool], modal: str) -> VerbPhrase | None:
    main = tense_of(line.norm(i))
    is_be = state.pop("be", False)
    state.pop("sudah", False)
    words, places = list(line.lemmas[i:]), list(range(i, len(line)))
    if is_be:
        if main is Tense.GERUND and line.norm(i) not in ("wedding", "interesting"):
            state["is_progressive"] = True
        else:
            words, places = ["be", *words], [i, *places]
    elif main in (Tense.PAST, Tense.PARTICIPLE) and not state.get("is_perfect"):
        state["is_past"] = True
    if not words:
        return None
    if words[:2] == ["have", "get"]:  # "I've got"
        del words[1], places[1]
    tail = " ".join(line.norms[i:])
    if state.get("is_negated") and any(f" {word}" in f" {tail} " for word in _NO_MORE):
        state["is_withdrawn"] = True
    if state.get("is_withdrawn"):
        state["is_negated"] = False
    is_finite = main is not Tense.GERUND or is_be
    return VerbPhrase(tuple(words), tuple(places), modal=modal, is_finite=is_finite, **state)


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
