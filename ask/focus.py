"""Leaves out what would only blur a pack: name-drops, doublets, echoes, what the scope does not hold."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from ask.facts import RankedFact
from ask.rank import RankedPassage
from doso.ids import EntityId, PassageId
from doso.records import Entity, Source
from graph.predicates import describe

#: Predicates weaker than this only say that a name was dropped; a question that asks for them still gets them.
LEAST_STRENGTH = 0.2
NAME_DROPS = frozenset({"mentioned", "mentions", "cc", "mentioned_in", "is_mentioned_in", "copied"})
#: Facts of one predicate about one seed that the question did not ask for.
MAX_UNASKED = 3
#: Share of equal words from which two passages say the same.
SAME_WORDS = 0.9
_WORD = re.compile(r"\w+")


def focus_facts(facts: Iterable[RankedFact], *, floor: float) -> list[RankedFact]:
    """Facts worth telling, in order: above the floor, no bare name-drops, one predicate per pair of sides."""
    kept: dict[tuple[str, ...], RankedFact] = {}
    for item in facts:
        if item.score < floor or item.fact.predicate in NAME_DROPS:
            continue
        if describe(item.fact.predicate).strength < LEAST_STRENGTH and not item.is_asked_for:
            continue
        pair = _pair(item)
        held = kept.get(pair)
        if held is None:
            kept[pair] = item
        elif held.is_asked_for == item.is_asked_for and len(item.text) < len(held.text):
            kept[pair] = item  # the shorter sentence stands where the question asks for neither or for both
    return _thinned(sorted(kept.values(), key=lambda item: (-item.score, len(item.text), item.fact.id)))


def fair(facts: Sequence[RankedFact], seeds: Sequence[EntityId]) -> list[RankedFact]:
    """The best fact of each seed first, so that namesakes and pairs are all heard; then by score."""
    firsts = [first for seed in seeds if (first := next((f for f in facts if seed in f.seeds), None)) is not None]
    unique = list({item.fact.id: item for item in firsts}.values())
    leading = {item.fact.id for item in unique}
    return [*sorted(unique, key=lambda item: -item.score), *(f for f in facts if f.fact.id not in leading)]


def of_sources(facts: Iterable[RankedFact], sources: Collection[Source] | None) -> list[RankedFact]:
    """Facts that at least one document of these sources supports; None keeps all."""
    return [f for f in facts if sources is None or any(row.source in sources for row in f.fact.provenance)]


def supported_by(facts: Iterable[RankedFact], passages: Collection[PassageId]) -> list[RankedFact]:
    """Facts that at least one of these passages supports."""
    return [f for f in facts if any(row.passage_id in passages for row in f.fact.provenance)]


def without_doublets(passages: Iterable[RankedPassage], *, limit: int) -> list[RankedPassage]:
    """The first `limit` passages in order, without those that repeat an earlier one nearly word for word.

    Sets of words that are so alike share one of their first few words, whatever the order, if it is the same for all:
    only passages that do are compared.
    """
    kept: list[RankedPassage] = []
    known: dict[str, list[set[str]]] = {}
    for item in passages:
        if len(kept) == limit:
            break
        heard = set(_WORD.findall(f"{item.passage.author or ''} {item.passage.text}".casefold()))
        count = len(heard) - math.ceil(SAME_WORDS * len(heard)) + 1
        first = sorted(heard, key=_long_first)[:count]
        if any(_is_same(heard, other) for word in first for other in known.get(word, ())):
            continue
        for word in first:
            known.setdefault(word, []).append(heard)
        kept.append(item)
    return kept


def without_echoes(facts: Iterable[RankedFact], passages: Sequence[RankedPassage]) -> list[RankedFact]:
    """Facts whose sentence does not already stand in one of these passages."""
    said = [_flat(item.passage.text) for item in passages]
    return [item for item in facts if not _is_said(_flat(item.text), said)]


def _thinned(facts: Iterable[RankedFact]) -> list[RankedFact]:
    """A few facts of each predicate that was not asked for: a hub's thousand users say nothing of its price."""
    counts: Counter[tuple[str, frozenset[EntityId]]] = Counter()
    kept = []
    for item in facts:
        kind = (item.fact.predicate, item.seeds)
        counts[kind] += 1
        if item.is_asked_for or counts[kind] <= MAX_UNASKED:
            kept.append(item)
    return kept


def _pair(item: RankedFact) -> tuple[str, ...]:
    subject = item.subject.group_id
    if isinstance(item.object, Entity):
        pair = (subject, item.object.group_id)
        return tuple(sorted(pair)) if describe(item.fact.predicate).is_symmetric else pair
    return (subject, "=", item.object.text.casefold())


def _long_first(word: str) -> tuple[int, str]:
    return -len(word), word


def _is_same(one: set[str], other: set[str]) -> bool:
    return len(one & other) >= SAME_WORDS * len(one | other)


def _is_said(sentence: str, said: Sequence[str]) -> bool:
    return any(sentence in text for text in said)


def _flat(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "
