"""The refined draft: the graph's draft made anew with what live research brought."""

from __future__ import annotations

from collections.abc import Callable

from ask.draft import Draft, whole_draft
from ask.underway import Ask
from doso.llm.chat import ReasoningDelta
from doso.records.evidence import Evidence


async def refine(
    ask: Ask, evidence: Evidence, graph_draft: Draft | None, tell: Callable[[ReasoningDelta], None]
) -> Draft:
    """A draft over all of the evidence; the graph's is shown to the model as one to be mended."""
    earlier = "" if graph_draft is None else graph_draft.text
    with ask.trace.span("draft.refined"):
        return await whole_draft(ask, evidence, tell, earlier=earlier)
