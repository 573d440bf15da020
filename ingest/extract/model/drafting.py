"""Claims into fact drafts: only what the passages bear out, as surely as they do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime

from doso.errors import InvalidInput
from doso.records import EntityType, FactDraft, Literal, LiteralKind, Mention, Status, Trust
from graph.assembly import NAMING
from graph.identity import read_triple
from graph.names import name_key
from graph.predicates import CanonicalPredicate, canonical, describe
from graph.resolving import OWNER_ROLE
from graph.values import identity
from ingest.extract.clauses import clauses, is_own
from ingest.extract.copies import fingerprint, sentence_around
from ingest.extract.model.claims import Claim
from ingest.extract.model.grounding import Ground, Span, tokens_of
from ingest.extract.model.prompting import Batch
from ingest.extract.model.sides import Footing, Place, Side, is_sane, sides
from ingest.extract.statements import Telling, validity
from ingest.extract.support import support_of
from ingest.extract.when import Period, literal_date, resolve
from ingest.ports import MODEL_FAMILY

#: Confidence where the model gives none, and the most that a model's word is worth.
DEFAULT_CONFIDENCE = 0.7
MAX_CONFIDENCE = 0.95
MIN_CONFIDENCE = 0.15
#: What is left of it where the words are not quite there, or where the sentence guesses, denies or reports.
SHARES = {Footing.WORDS: 1.0, Footing.PARTLY: 0.8, Footing.AROUND: 0.7, Footing.INFERRED: 0.5}
NOT_PLAIN = 0.5
MAX_PREDICATE_CHARS = 40
MAX_PREDICATE_WORDS = 5
#: Predicates that say nothing.
_EMPTY = """
info note notes mentions mentioned says said states stated is are was has have related_to relates_to
associated_with association other unknown relation relationship type none null n_a na about describes
description contains talks_about discusses text content message comment
"""
EMPTY = frozenset(_EMPTY.split())
Key = tuple[str, frozenset[str] | tuple[str, str]]


@dataclass(frozen=True)
class Drafting:
    """Judges the claims of one batch."""

    batch: Batch
    model: str
    certain: Sequence[FactDraft] = ()  # what rules state of these passages
    _grounds: tuple[Ground, ...] = field(init=False)
    _around: frozenset[str] = field(init=False)
    _known: frozenset[Key] = field(init=False)
    _types: dict[str, EntityType] = field(init=False)

    def __post_init__(self) -> None:
        document, passages = self.batch.document, self.batch.passages
        grounds = tuple(Ground(passage.text) for passage in passages)
        people = [participant.name for participant in document.participants]
        heads = " ".join([document.title, document.author or "", *(p.author or "" for p in passages), *people])
        around = frozenset(tokens_of(heads)).union(*(ground.words for ground in grounds))
        types = {
            name_key(m.name): m.type for d in self.certain for m in (d.subject, d.object) if isinstance(m, Mention)
        }
        known = frozenset(key for draft in self.certain if (key := key_of(draft)) is not None)
        for name, value in (("_grounds", grounds), ("_around", around), ("_known", known), ("_types", types)):
            object.__setattr__(self, name, value)

    def drafts(self, claims: Sequence[Claim]) -> Iterator[FactDraft]:
        """A draft for each claim that the passages bear out and that no rule states already; each once."""
        seen = set(self._known)
        for claim in claims:
            draft = self._draft(claim)
            key = None if draft is None else key_of(draft)
            if draft is not None and key is not None and key not in seen:
                seen.add(key)
                yield draft

    def _draft(self, claim: Claim) -> FactDraft | None:
        spelled = predicate_of(claim)
        at = None if spelled is None else self._passage(claim)
        if spelled is None or at is None:
            return None
        ground, telling = self._grounds[at], Telling(self.batch.document, self.batch.passages[at])
        quote = ground.span_of(claim.quote)
        found = sides(claim, spelled, Place(telling, ground, self._around, self._types, quote is not None))
        if found is None or not (quote or any(side.is_here for side in found)):
            return None
        span = quote or _span(ground, found, claim)
        return self._stated(claim, telling, found, span)

    def _stated(self, claim: Claim, telling: Telling, found: tuple[Side, Side], span: Span) -> FactDraft | None:
        """The draft with how surely the passage states it."""
        subject, object = found
        if not isinstance(subject.value, Mention):
            return None
        passage, footing = telling.passage, min(side.footing for side in found)
        is_naming = canonical(claim.predicate).name in NAMING
        if any(side.is_speaker for side in found) and not is_own(passage.text, telling.document.kind, span):
            return None  # somebody else's "I"
        if is_naming and not (isinstance(object.value, Literal) and is_sane(object.value.text, subject.value.type)):
            return None
        is_plain = _is_plain(telling, span)
        said = claim.confidence if claim.confidence is not None else DEFAULT_CONFIDENCE
        confidence = min(said, MAX_CONFIDENCE) * SHARES[footing] * (1.0 if is_plain else NOT_PLAIN)
        if confidence < MIN_CONFIDENCE:
            return None
        is_sure = is_plain and footing >= Footing.PARTLY and not is_naming  # a wrong name merges what are two
        support = support_of(
            passage, f"{MODEL_FAMILY}{self.model}", span=span, fingerprint=fingerprint(passage.text, span)
        )
        if not is_sure:
            support = replace(support, trust=Trust.INFERRED)
        valid_from, valid_until = _validity(claim, telling, span)
        return FactDraft(
            subject=subject.value,
            predicate=claim.predicate,
            object=object.value,
            provenance=support,
            status=Status.CANDIDATE,
            confidence=round(confidence, 3),
            valid_from=valid_from,
            valid_until=valid_until,
            zone=(telling.anchor.zone or "UTC") if valid_from or valid_until else None,
        )

    def _passage(self, claim: Claim) -> int | None:
        """Which passage states it: the one that the model names where it bears it out, else the one that fits best."""
        places = range(len(self._grounds))
        marked = claim.mark - 1 if claim.mark is not None and claim.mark - 1 in places else None
        if marked is not None and self._fit(claim, self._grounds[marked]) > 0:
            return marked
        scores = {at: self._fit(claim, self._grounds[at]) for at in places}
        best = max(places, key=lambda at: scores[at], default=None)
        return best if best is not None and scores[best] > 0 else None

    def _fit(self, claim: Claim, ground: Ground) -> float:
        object = claim.object if isinstance(claim.object, str) else claim.object.text
        quoted = 2.0 if ground.span_of(claim.quote) else 0.0
        return quoted + ground.share_of(object) + (0.5 if ground.span_of(claim.subject) else 0.0)


def predicate_of(claim: Claim) -> CanonicalPredicate | None:
    """The claim's predicate in the vocabulary; None for one that says nothing, and for a denial: only a person's own
    correction takes a fact back."""
    try:
        spelled = canonical(claim.predicate)
    except InvalidInput:
        return None
    is_bounded = len(spelled.name) <= MAX_PREDICATE_CHARS and spelled.name.count("_") < MAX_PREDICATE_WORDS
    if claim.is_negated or spelled.is_negated or spelled.name in EMPTY or not is_bounded:
        return None
    return spelled


def key_of(draft: FactDraft) -> Key | None:
    """What makes two drafts of a batch say the same; None for what can't be a fact."""
    try:
        triple = read_triple(draft)
    except InvalidInput:
        return None
    ends = (_end(triple.subject), _end(triple.object))
    if ends[0] == ends[1]:
        return None
    return triple.predicate, frozenset(ends) if describe(triple.predicate).is_symmetric else ends


def _end(side: Mention | Literal) -> str:
    if isinstance(side, Literal):
        return identity(side)
    return OWNER_ROLE if side.role == OWNER_ROLE else f"name:{name_key(side.name)}"


def _span(ground: Ground, found: tuple[Side, Side], claim: Claim) -> Span:
    """Where the claim stands when the model quotes nothing: its object, else its subject."""
    object = claim.object if isinstance(claim.object, str) else claim.object.text
    texts = [text for text, side in ((object, found[1]), (claim.subject, found[0])) if side.is_here]
    spans = [span for text in texts if (span := ground.nearest(text)) is not None]
    return spans[0] if spans else (0, len(ground.text))


def _is_plain(telling: Telling, span: Span) -> bool:
    """Whether the sentence asserts: no question, guess, wish, denial, report or quotation."""
    return any(
        clause.start < span[1] and span[0] < clause.end and not clause.is_labelled
        for clause in clauses(telling.passage.text, telling.document.kind)
    )


def _validity(claim: Claim, telling: Telling, span: Span) -> tuple[datetime | None, datetime | None]:
    """Since and until when: as the sentence says by the rules, else as the model says where its year is in the text."""
    text = telling.passage.text
    start, end = sentence_around(text, span)
    spelled = canonical(claim.predicate)
    if describe(spelled.name).literal_kind is LiteralKind.DATE:
        return None, None
    period = resolve(text[start:end], telling.anchor)
    if period == Period():
        first, last = (_day(moment, text) for moment in (claim.valid_from, claim.valid_until))
        period = Period(first, last) if first is None or last is None or first <= last else Period()
    return validity(spelled.name, period, telling)


def _day(said: str | None, text: str) -> date | None:
    """A whole day that a model gives, where the text at least names its year."""
    day = None if said is None else literal_date(said[:10])
    if day is None or len(day) != len("2026-01-01") or day[:4] not in text:
        return None
    return date.fromisoformat(day)
