"""Fills the token budget in rank order and gives each item its mark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ask.facts import RankedFact
from ask.rank import RankedPassage
from doso.ids import PassageId
from doso.records import Passage, Provenance
from doso.records.evidence import EvidenceFact, EvidenceItem, EvidenceSource, ItemKind, Scores, passage_text
from doso.text import token_count

#: Facts this good stand before all passages, up to this share of the items; others follow after some passages.
STRONG_FACT, STRONG_SHARE = 0.5, 1 / 3
LEADING_PASSAGES, PASSAGES_PER_FACT = 10, 3
#: Items that do not fit any more before filling stops.
MAX_SKIPPED = 30
#: Sources that one fact shows.
MAX_SOURCES = 3

Ranked = RankedFact | RankedPassage


def in_order(facts: Sequence[RankedFact], passages: Sequence[RankedPassage], *, limit: int) -> list[Ranked]:
    """One order of both: strong facts, the best passages, then the remaining facts between the remaining passages."""
    leading = max(1, round(limit * STRONG_SHARE))
    strong = [item for item in facts if item.score >= STRONG_FACT][:leading]
    ids = {item.fact.id for item in strong}
    weak = [item for item in facts if item.fact.id not in ids]
    order: list[Ranked] = [*strong, *passages[:LEADING_PASSAGES]]
    rest = list(passages[LEADING_PASSAGES:])
    while weak or rest:
        order.extend(weak[:1])
        order.extend(rest[:PASSAGES_PER_FACT])
        del weak[:1], rest[:PASSAGES_PER_FACT]
    return order


def pack(
    order: Sequence[Ranked], passages: Mapping[PassageId, Passage], *, max_tokens: int, limit: int
) -> tuple[EvidenceItem, ...]:
    """As many items as fit, in order; one that is too large is passed over. Tokens are those of the items' texts.

    `passages` are those that facts may name as their source.
    """
    items: list[EvidenceItem] = []
    left, skipped = max_tokens, 0
    for ranked in order:
        if len(items) >= limit or skipped > MAX_SKIPPED:
            break
        text = ranked.text if isinstance(ranked, RankedFact) else passage_text(ranked.passage)
        tokens = token_count(text)
        if tokens > left:
            skipped += 1
            continue
        left -= tokens
        item = _fact_item(ranked, passages) if isinstance(ranked, RankedFact) else _passage_item(ranked, text)
        items.append(replace(item, mark=f"S{len(items) + 1}", tokens=tokens))
    return tuple(items)


def supports(facts: Sequence[RankedFact]) -> list[PassageId]:
    """The passages that these facts will show as sources."""
    rows = (row for item in facts for row in item.fact.provenance[:MAX_SOURCES])
    return list(dict.fromkeys(row.passage_id for row in rows if row.passage_id is not None))


def _passage_item(ranked: RankedPassage, text: str) -> EvidenceItem:
    verdict = ranked.verdict
    return EvidenceItem(
        mark="",
        kind=ItemKind.PASSAGE,
        text=text,
        score=verdict.relevance,
        scores=Scores(verdict.lexical, verdict.vector, None, ranked.recency),
        tokens=0,
        sources=(_source(ranked.passage),),
    )


def _fact_item(ranked: RankedFact, passages: Mapping[PassageId, Passage]) -> EvidenceItem:
    fact = ranked.fact
    return EvidenceItem(
        mark="",
        kind=ItemKind.FACT,
        text=ranked.text,
        score=ranked.score,
        scores=ranked.scores,
        tokens=0,
        sources=tuple(_support(row, passages) for row in fact.provenance[:MAX_SOURCES]),
        fact=EvidenceFact(
            id=fact.id,
            subject=ranked.subject,
            predicate=fact.predicate,
            object=ranked.object,
            status=fact.status,
            confidence=fact.confidence,
            recorded_at=fact.recorded_at,
            valid_from=fact.valid_from,
            valid_until=fact.valid_until,
        ),
    )


def _support(row: Provenance, passages: Mapping[PassageId, Passage]) -> EvidenceSource:
    passage = passages.get(row.passage_id) if row.passage_id is not None else None
    if passage is not None:
        return replace(_source(passage), span=row.span)
    return EvidenceSource(
        document_id=row.document_id,
        passage_id=row.passage_id,
        external_ids=(),
        title="",
        source=row.source,
        author=row.author,
        occurred_at=row.occurred_at,
        span=row.span,
    )


def _source(passage: Passage) -> EvidenceSource:
    return EvidenceSource(
        document_id=passage.document_id,
        passage_id=passage.id,
        external_ids=passage.external_ids,
        title=passage.title,
        source=passage.source,
        uri=passage.uri,
        author=passage.author,
        occurred_at=passage.occurred_at,
        chat_id=passage.chat_id,
        span=(passage.start, passage.end),
    )
