"""What Doso says of an answer beside its words: the evidence, who stands behind which mark, what was dropped."""

from dataclasses import dataclass

import msgspec

from api.schemas.evidence import ItemSourceOut, to_source
from api.wire.whole import Heard
from ask.events import Citation
from doso.llm.chat import FinishReason
from doso.records.evidence import EvidenceItem
from doso.tracing import Span

#: Addresses of the outside world that a client may open as they are.
_OPENABLE = ("http://", "https://")


class CitationOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """A mark of the answer: where it stands (code point offsets, half-open) and what stands behind it."""

    mark: str
    places: list[tuple[int, int]]
    kind: str
    text: str
    sources: list[ItemSourceOut]
    fact_id: str | None = None


class DroppedOut(msgspec.Struct, frozen=True):
    """A mark that was taken out of the answer, by which lens, and why."""

    mark: str
    by: list[str]
    why: str


class ServedByOut(msgspec.Struct, frozen=True):
    """The model that wrote the answer."""

    provider: str
    model: str


class SpanOut(msgspec.Struct, frozen=True):
    """One stretch of work of the trace."""

    name: str
    start_ms: float
    end_ms: float | None
    error: str | None
    attributes: dict[str, str | int | float | bool]


class DosoOut(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer's other half. `is_partial`: the words were cut by a limit. `dropped` and `trace` only when asked for.

    `is_verified`: whether a citation that stood the check is behind what is stated; null where nothing was to be cited.
    `served_by` is absent where no model was called.
    """

    evidence_id: str | None
    no_results: bool
    is_partial: bool
    is_verified: bool | None
    citations: list[CitationOut]
    dropped_count: int
    notes: list[str]
    timings_ms: dict[str, float]
    is_usage_exact: bool
    served_by: ServedByOut | None = None
    dropped: list[DroppedOut] | None = None
    trace: list[SpanOut] | None = None


class UrlCitation(msgspec.Struct, frozen=True):
    """A citation in OpenAI's form."""

    start_index: int
    end_index: int
    title: str
    url: str


class AnnotationOut(msgspec.Struct, frozen=True, kw_only=True):
    """An annotation of a message."""

    type: str = "url_citation"
    url_citation: UrlCitation


@dataclass(frozen=True, slots=True)
class Telling:
    """How much is told beside an answer. `base_url` is where the caller reaches this server, without a slash."""

    base_url: str = ""
    has_trace: bool = False
    notes: tuple[str, ...] = ()


def to_doso(heard: Heard, telling: Telling) -> DosoOut:
    """The other half of a finished answer."""
    finished, evidence, cited = heard.end(), heard.evidence, heard.cited
    citations = () if cited is None else cited.citations
    dropped = () if cited is None else cited.dropped
    warnings = () if evidence is None else evidence.index_status.warnings
    served_by = None
    if finished.provider is not None and finished.model is not None:
        served_by = ServedByOut(finished.provider, finished.model)
    return DosoOut(
        evidence_id=None if evidence is None else evidence.id,
        no_results=evidence is not None and evidence.no_results,
        is_partial=finished.reason in (FinishReason.LENGTH, FinishReason.CONTENT_FILTER),
        is_verified=None if cited is None else cited.is_verified,
        citations=to_citations(citations),
        dropped_count=len(dropped),
        notes=list(dict.fromkeys((*telling.notes, *finished.notes, *warnings))),
        timings_ms=_timings(heard),
        is_usage_exact=finished.usage.is_exact,
        served_by=served_by,
        dropped=[DroppedOut(one.mark, list(one.by), one.why) for one in dropped] if telling.has_trace else None,
        trace=[_span(span) for span in finished.trace.spans] if telling.has_trace else None,
    )


def to_citations(citations: tuple[Citation, ...]) -> list[CitationOut]:
    """One entry per mark, in order of first use."""
    places: dict[str, list[tuple[int, int]]] = {}
    for citation in citations:
        places.setdefault(citation.mark, []).append((citation.start, citation.end))
    items = {citation.mark: citation.item for citation in citations}
    return [
        CitationOut(
            mark=mark,
            places=places[mark],
            kind=item.kind.value,
            text=item.text,
            sources=[to_source(source) for source in item.sources],
            fact_id=None if item.fact is None else item.fact.id,
        )
        for mark, item in items.items()
    ]


def to_annotations(heard: Heard, telling: Telling) -> list[AnnotationOut]:
    """The citations as OpenAI's clients show them."""
    citations = () if heard.cited is None else heard.cited.citations
    return [
        AnnotationOut(url_citation=UrlCitation(one.start, one.end, _title(one.item), _url(one.item, telling.base_url)))
        for one in citations
    ]


def _title(item: EvidenceItem) -> str:
    titles = (source.title for source in item.sources)
    return next((title for title in titles if title), item.text[:80])


def _url(item: EvidenceItem, base_url: str) -> str:
    """Where the item can be looked up: the page it was read from, else its document, else the fact's history."""
    for source in item.sources:
        if source.uri is not None and source.uri.lower().startswith(_OPENABLE):
            return source.uri
    for source in item.sources:
        if source.document_id is not None:
            return f"{base_url}/v1/documents/{source.document_id}"
    return base_url if item.fact is None else f"{base_url}/v1/facts/{item.fact.id}/history"


def _timings(heard: Heard) -> dict[str, float]:
    """Milliseconds by span; spans of one name add up. Those of parallel arms overlap."""
    spent: dict[str, float] = {}
    for span in heard.end().trace.spans:
        if span.end_s is not None:
            spent[span.name] = round(spent.get(span.name, 0.0) + (span.end_s - span.start_s) * 1e3, 3)
    return spent


def _span(span: Span) -> SpanOut:
    end_ms = None if span.end_s is None else round(span.end_s * 1e3, 3)
    return SpanOut(span.name, round(span.start_s * 1e3, 3), end_ms, span.error, dict(span.attributes))
