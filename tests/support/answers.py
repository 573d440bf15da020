"""Evidence, citations and endings for scripted asks."""

from __future__ import annotations

from ask.events import Citation, Cited, Finished, SourcesFound
from doso.ids import DocumentId, PassageId
from doso.llm.chat import FinishReason, TokenUsage
from doso.records import IndexStatus, Source
from doso.records.evidence import (
    Evidence,
    EvidenceItem,
    EvidenceSource,
    Intent,
    ItemKind,
    Plan,
    Route,
    Scores,
)
from doso.tracing import Trace

USAGE = TokenUsage(input_tokens=120, output_tokens=30, cached_tokens=20, reasoning_tokens=10)


def item(mark: str = "S1", *, uri: str | None = None, document_id: str | None = "d-1") -> EvidenceItem:
    """A passage of a note, or of a page of the web where `uri` is one."""
    source = EvidenceSource(
        document_id=None if document_id is None else DocumentId(document_id),
        passage_id=PassageId("p-1"),
        external_ids=("m-1",),
        title="Meter book",
        source=Source.NOTE,
        uri=uri,
    )
    return EvidenceItem(mark, ItemKind.PASSAGE, "The meter reads 4711.", 0.9, Scores(lexical=0.9), 6, (source,))


def sources(*items: EvidenceItem, warnings: tuple[str, ...] = ()) -> SourcesFound:
    """What the answer is drafted from."""
    return SourcesFound(
        Evidence(
            id="e-1",
            question="What does the meter read?",
            plan=Plan(Intent.CONVERSATION_QA, Route.HYBRID),
            no_results=not items,
            items=items,
            entities=(),
            index_status=IndexStatus(1, 1, 0, 0, warnings=warnings),
            tokens=6,
            prompt="",
        )
    )


def cited(text: str, *items: EvidenceItem) -> Cited:
    """The answer, with a citation wherever the mark of an item stands in it."""
    found = [
        Citation(one.mark, at, at + len(mark), one)
        for one in items
        for mark in (f"[{one.mark}]",)
        for at in range(len(text))
        if text.startswith(mark, at)
    ]
    return Cited(text, tuple(sorted(found, key=lambda citation: citation.start)), is_verified=bool(found))


def finished(reason: FinishReason = FinishReason.STOP, *, notes: tuple[str, ...] = ()) -> Finished:
    """A good end of a draft that a model made."""
    return Finished(reason, USAGE, Trace(), provider="stub", model="stub-1", notes=notes)
