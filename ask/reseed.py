"""Facts that live research brought: around the same seeds, from the pages just read, as further items of a pack."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from ask.asking import Asking
from ask.facts import rank_facts
from ask.fence import prompt_of
from ask.focus import focus_facts
from ask.gather import Gathered, Meaning
from ask.pack import pack
from ask.pipeline import FACT_FLOOR
from ask.rank import Arms
from ask.seed import Seeded, seed
from doso.ids import DocumentId
from doso.records import Entity, Fact
from doso.records.evidence import Evidence

#: Facts of live pages in one pack.
MAX_LIVE_FACTS = 5


async def reseeded(
    asking: Asking, seeds: Sequence[Entity], evidence: Evidence, documents: Collection[DocumentId]
) -> Evidence:
    """The pack with the facts of these documents around the seeds, marks going on. They are candidates: the
    question reads them because it asked for the pages, whatever it reads otherwise."""
    if not seeds or not documents:
        return evidence
    question = asking.question
    view = asking.kit.graph.view(include_candidates=True, as_of=question.as_of)
    around = await seed(replace(asking, view=view), seeds=seeds)
    fresh = tuple(fact for fact in around.facts if _is_from(fact, documents))
    if not fresh:
        return evidence
    ranked = focus_facts(rank_facts(asking, _found(evidence, around, fresh)), floor=FACT_FLOOR)[:MAX_LIVE_FACTS]
    told = {item.text for item in evidence.items}
    left = question.max_tokens - evidence.tokens
    more = pack([fact for fact in ranked if fact.text not in told], {}, max_tokens=left, limit=MAX_LIVE_FACTS)
    begun = max((int(item.mark[1:]) for item in evidence.items), default=0)
    items = (*evidence.items, *(replace(item, mark=f"S{number}") for number, item in enumerate(more, begun + 1)))
    tokens = sum(item.tokens for item in items)
    return replace(evidence, items=items, tokens=tokens, prompt=prompt_of(evidence.id, items))


def _is_from(fact: Fact, documents: Collection[DocumentId]) -> bool:
    return any(row.document_id in documents for row in fact.provenance)


def _found(evidence: Evidence, around: Seeded, facts: tuple[Fact, ...]) -> Gathered:
    return Gathered(
        arms=Arms((), (), 0, is_semantic=False),
        seeded=replace(around, facts=facts),
        facts=facts,
        entities=around.entities or {},
        near={},
        meaning=Meaning(),
        index_status=evidence.index_status,
    )
