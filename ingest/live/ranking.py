"""Which passages of the pages just read bear on a question: by their words, and by meaning where vectors have any."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from doso.errors import EmbedderUnavailable
from doso.ids import DocumentId, OwnerId, PassageId
from doso.llm.ports import Embedder
from doso.records import Passage, Source
from doso.records.passages import PassageFilter
from doso.text import query_tokens
from ingest.embed_text import embed_text
from ingest.library import SqlLibrary

MAX_QUERY_TOKENS = 64
#: Passages that are found by words, those of each page that are compared by meaning besides, and all that are.
MAX_HITS, MAX_FIRST, MAX_COMPARED = 40, 8, 48
#: Passages of one page that hold none of the question's words: the nearest, or the first where vectors tell nothing.
LEADING = 2
#: Vectors that take longer are left out: the question waits.
COMPARE_S = 4.0
#: How much less a place further down counts, in the sum over both orders.
_DAMPING = 20
_READ = frozenset({Source.WEB, Source.FIRECRAWL, Source.X})


async def best_passages(
    library: SqlLibrary,
    embedder: Embedder,
    owner: OwnerId,
    query: str,
    documents: Sequence[DocumentId],
    *,
    limit: int,
) -> tuple[Passage, ...]:
    """The best passage of each page first, in the order of their relevance, then the others."""
    if not documents:
        return ()
    scope = PassageFilter(document_ids=tuple(documents), sources=_READ)
    tokens = query_tokens(query, limit=MAX_QUERY_TOKENS)
    hits = [hit.passage for hit in await library.search_lexical(owner, tokens, scope, limit=MAX_HITS)]
    firsts = {document: (await library.passages_of(owner, document))[:MAX_FIRST] for document in documents}
    compared = [*hits, *(passage for run in firsts.values() for passage in run)]
    near = await _by_meaning(embedder, query, list({passage.id: passage for passage in compared}.values()))
    if near is None:
        found = {passage.document_id for passage in hits}
        order = [*hits, *(p for document, run in firsts.items() if document not in found for p in run[:LEADING])]
    else:
        order = _few_without_words(_united(hits, near), {passage.id for passage in hits})
    return tuple(_each_page_first(order)[:limit])


async def _by_meaning(embedder: Embedder, query: str, passages: list[Passage]) -> list[Passage] | None:
    """The passages, the nearest first; None where the embedder tells no meaning, or not in time."""
    if not embedder.info.is_semantic:
        return None
    compared = passages[:MAX_COMPARED]
    try:
        async with asyncio.timeout(COMPARE_S):
            asked, vectors = await asyncio.gather(
                embedder.embed_query(query), embedder.embed_passages([embed_text(passage) for passage in compared])
            )
    except (EmbedderUnavailable, TimeoutError):
        return None
    order = np.argsort(-(vectors @ asked), kind="stable")
    return [compared[at] for at in order.tolist()]


def _united(one: Sequence[Passage], other: Sequence[Passage]) -> list[Passage]:
    """Both orders as one: a place near the front of either counts."""
    passages: dict[PassageId, Passage] = {}
    scores: dict[PassageId, float] = {}
    for order in (one, other):
        for place, passage in enumerate(order):
            passages[passage.id] = passage
            scores[passage.id] = scores.get(passage.id, 0.0) + 1 / (_DAMPING + place)
    return sorted(passages.values(), key=lambda passage: -scores[passage.id])


def _few_without_words(order: Sequence[Passage], with_words: Collection[PassageId]) -> list[Passage]:
    """The same order with only the best of what is near in meaning alone."""
    counts: Counter[DocumentId] = Counter()
    kept = []
    for passage in order:
        if passage.id not in with_words:
            counts[passage.document_id] += 1
        if passage.id in with_words or counts[passage.document_id] <= LEADING:
            kept.append(passage)
    return kept


def _each_page_first(order: Sequence[Passage]) -> list[Passage]:
    """The same order, but the first of each page before all second ones."""
    seen: set[DocumentId] = set()
    firsts: list[Passage] = []
    rest: list[Passage] = []
    for passage in order:
        (rest if passage.document_id in seen else firsts).append(passage)
        seen.add(passage.document_id)
    return [*firsts, *rest]
