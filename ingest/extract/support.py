"""What stands behind a fact: the passage that states it."""

from __future__ import annotations

from doso.records import Passage, Provenance, trust_of


def support_of(
    passage: Passage, extractor: str, *, span: tuple[int, int] | None = None, fingerprint: str | None = None
) -> Provenance:
    """The passage as the support of a fact, as far as its source is trusted; `span` is where it states it."""
    return Provenance(
        document_id=passage.document_id,
        passage_id=passage.id,
        source=passage.source,
        trust=trust_of(passage.source),
        extractor=extractor,
        author=passage.author,
        occurred_at=passage.occurred_at,
        span=span,
        fingerprint=fingerprint,
    )
