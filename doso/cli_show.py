"""Evidence as a person reads it in a terminal."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from api.wire.whole import Heard
from doso.records.evidence import Evidence, EvidenceItem, EvidenceSource
from doso.text import clean


def evidence_text(evidence: Evidence, zone: str = "UTC") -> str:
    """Marked items, each with who said it, when, and where it stands."""
    if evidence.no_results:
        return "Nothing in this memory answers that."
    blocks = [_item(item, ZoneInfo(zone)) for item in evidence.items]
    warnings = [f"note: {warning}" for warning in evidence.index_status.warnings]
    total = f"{len(evidence.items)} items, {evidence.tokens} tokens"
    return "\n\n".join([*blocks, "\n".join([total, *warnings])])


def sources_text(heard: Heard, zone: str = "UTC") -> str:
    """What stands behind an answer, mark by mark, and what is to be known of how it came about."""
    cited, finished = heard.cited, heard.end()
    items = {} if cited is None else {citation.mark: citation.item for citation in cited.citations}
    blocks = [_item(item, ZoneInfo(zone)) for item in items.values()]
    dropped = () if cited is None else cited.dropped
    remarks = [f"taken out: {one.mark} by {', '.join(one.by)}: {one.why}" for one in dropped]
    remarks += [f"note: {note}" for note in finished.notes]
    remarks += [] if finished.model is None else [f"written by {finished.model} ({finished.provider})"]
    return clean("\n\n".join(filter(None, [*blocks, "\n".join(remarks)])))


def _item(item: EvidenceItem, zone: ZoneInfo) -> str:
    origin = "; ".join(dict.fromkeys(_origin(source, zone) for source in item.sources))
    body = "\n".join(f"    {line}" for line in item.text.splitlines())
    return f"{item.mark}  {item.kind.value}  {origin}\n{body}"


def _origin(source: EvidenceSource, zone: ZoneInfo) -> str:
    when = "" if source.occurred_at is None else source.occurred_at.astimezone(zone).strftime("%d %b %Y %H:%M %Z")
    return " · ".join(part for part in (source.author, when, source.title, source.source.value) if part)
