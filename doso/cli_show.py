"""Evidence as a person reads it in a terminal."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from doso.records.evidence import Evidence, EvidenceItem, EvidenceSource


def evidence_text(evidence: Evidence, zone: str = "UTC") -> str:
    """Marked items, each with who said it, when, and where it stands."""
    if evidence.no_results:
        return "Nothing in this memory answers that."
    blocks = [_item(item, ZoneInfo(zone)) for item in evidence.items]
    warnings = [f"note: {warning}" for warning in evidence.index_status.warnings]
    total = f"{len(evidence.items)} items, {evidence.tokens} tokens"
    return "\n\n".join([*blocks, "\n".join([total, *warnings])])


def _item(item: EvidenceItem, zone: ZoneInfo) -> str:
    origin = "; ".join(dict.fromkeys(_origin(source, zone) for source in item.sources))
    body = "\n".join(f"    {line}" for line in item.text.splitlines())
    return f"{item.mark}  {item.kind.value}  {origin}\n{body}"


def _origin(source: EvidenceSource, zone: ZoneInfo) -> str:
    when = "" if source.occurred_at is None else source.occurred_at.astimezone(zone).strftime("%d %b %Y %H:%M %Z")
    return " · ".join(part for part in (source.author, when, source.title, source.source.value) if part)
