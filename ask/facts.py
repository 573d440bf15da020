"""Scores facts against a question, 0 to 1: whom it names, what it asks of them, how strong and recent the fact is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from ask.asking import Asking
from ask.gather import Gathered
from ask.rank import recency
from ask.words import coverage, rarity, tokens_in
from doso.ids import EntityId
from doso.records import Entity, Fact, Literal
from doso.records.evidence import Scores
from graph.predicates import describe
from graph.prose import fact_text

#: Log-odds: of any fact; about a seed that is named, or only meant by "I"; for holding what else the question says;
#: for a predicate that the question asks for; for closeness by vector; for strength and recency of the fact.
_BASE, _NAMED, _FIRST_PERSON = -3.2, 1.5, 0.6
_HELD, _CUE, _CLOSE, _STRENGTH, _RECENT = 4.0, 1.2, 2.5, 0.6, 0.3
#: What a question that says nothing but a name is taken to hold of each fact about it.
_ALL_OF_THEM = 0.7
#: Closeness from which vectors say that a fact is meant.
_CLOSE_FROM = 0.4
OWNER_ROLE = "owner"


@dataclass(frozen=True, slots=True)
class RankedFact:
    """A fact with its sides and sentence, best first in a list. `seeds` are the groups of the question it is about."""

    fact: Fact
    subject: Entity
    object: Entity | Literal
    text: str
    score: float
    scores: Scores
    seeds: frozenset[EntityId]
    is_asked_for: bool


def rank_facts(asking: Asking, found: Gathered) -> list[RankedFact]:
    """Facts with both sides, best first."""
    told = [told for fact in found.facts if (told := _told(fact, found.entities, asking)) is not None]
    wanted = tuple(token for token in asking.words.subject if token not in found.seeded.names)
    cues = [_cue_tokens(fact.predicate, asking) for fact, *_ in told]
    held = [tokens_in(text, wanted) | cue for (*_, text), cue in zip(told, cues, strict=True)]
    weights = rarity(wanted, held)
    named = {seed.group_id: seed.role != OWNER_ROLE for seed in found.seeded.seeds}
    ranked = []
    for (fact, subject, object, text), cue, holds in zip(told, cues, held, strict=True):
        sides = {side.group_id for side in (subject, object) if isinstance(side, Entity)}
        seeds = frozenset(sides & named.keys())
        share = coverage(holds, weights) if wanted else (_ALL_OF_THEM if seeds else 0.0)
        close = _close(fact, found)
        recent = recency(fact.valid_from or fact.recorded_at, asking.now) or 0.0
        odds = _BASE + _HELD * share + _CUE * bool(cue) + _STRENGTH * describe(fact.predicate).strength
        odds += _RECENT * recent + _CLOSE * max(0.0, ((close or 0.0) - _CLOSE_FROM) / (1 - _CLOSE_FROM))
        odds += max((_NAMED if named[seed] else _FIRST_PERSON for seed in seeds), default=0.0)
        scores = Scores(round(share, 4), close, 1.0 if seeds else 0.0, recent)
        score = round(1 / (1 + math.exp(-odds)), 4)
        ranked.append(RankedFact(fact, subject, object, text, score, scores, seeds, bool(cue) or share > 0))
    return sorted(ranked, key=lambda item: (-item.score, len(item.text), item.fact.id))


def _told(
    fact: Fact, entities: Mapping[EntityId, Entity], asking: Asking
) -> tuple[Fact, Entity, Entity | Literal, str] | None:
    """The fact with its sides as a sentence; None where a side is unknown or empty."""
    subject = entities.get(fact.subject_id)
    object = fact.object if isinstance(fact.object, Literal) else entities.get(fact.object)
    if subject is None or object is None:
        return None
    text = fact_text(
        fact.predicate,
        subject,
        object,
        valid_from=fact.valid_from,
        valid_until=fact.valid_until,
        zone=fact.zone,
        now=asking.now,
    )
    return (fact, subject, object, text) if text.strip() else None


def _cue_tokens(predicate: str, asking: Asking) -> frozenset[str]:
    """The question's tokens that ask for this predicate, by its cues or by its own name."""
    cues = describe(predicate).cues
    asked = " ".join(cues & asking.words.words)
    own = predicate.replace("_", " ")
    return tokens_in(f"{asked} {own}", asking.words.tokens) or (frozenset(cues & asking.words.words))


def _close(fact: Fact, found: Gathered) -> float | None:
    cosine, calibration = found.near.get(fact.id), found.meaning.calibration
    if cosine is None or calibration is None:
        return None
    return round(min(max(calibration.closeness(cosine), 0.0), 1.0), 4)
