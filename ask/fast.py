"""The fast topology: seed → 1 hop → passages → one draft."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from ask.arms import outcome_of
from ask.draft import draft, nothing_found
from ask.ending import shown, told
from ask.events import AskEvent, Phase, PhaseChanged, SourcesFound
from ask.findings import LIVE_SHARE, findings_of
from ask.live import leaving_room, with_findings
from ask.pipeline import find_evidence
from ask.ports import LiveSources
from ask.rewrite import outward
from ask.together import together
from ask.underway import Ask
from doso.records.evidence import Evidence
from doso.records.live import LiveFindings


async def fast(ask: Ask) -> AsyncGenerator[AskEvent, None]:
    """No rewrite, no live research unless pages are named, no skeptics."""
    yield PhaseChanged(Phase.RETRIEVING)
    evidence = await _evidence(ask)
    yield SourcesFound(evidence)
    yield PhaseChanged(Phase.ANSWERING)
    if is_answered_without_call(ask, evidence):
        for event in told(ask, nothing_found(ask)):
            yield event
        return
    async with aclosing(draft(ask, evidence)) as drafting:
        async for event in shown(ask, drafting):
            yield event


def is_answered_without_call(ask: Ask, evidence: Evidence) -> bool:
    """Whether there is nothing to draft from, and no tool that might find something."""
    if not evidence.no_results:
        return False
    ability = ask.means.models.ability(ask.profile)
    if ability is None:
        return True
    has_more_to_do = (
        (ask.wish.tools is not None and ability.has_tools) or ask.wish.messages or ask.wish.shape is not None
    )
    return not has_more_to_do


async def _evidence(ask: Ask) -> Evidence:
    """The memory's evidence, with the pages that the asker named; they are read beside it."""
    live = ask.means.live
    if not ask.wish.urls or live is None:
        return await find_evidence(ask.kit, ask.question, trace=ask.trace)
    with ask.trace.span("arm.live", urls=len(ask.wish.urls)):
        evidence, read = await together(
            find_evidence(ask.kit, leaving_room(ask.question), trace=ask.trace),
            outcome_of(_read(ask, live), ask.until(LIVE_SHARE)),
        )
    return with_findings(evidence, ask.question, findings_of(ask, read))


async def _read(ask: Ask, live: LiveSources) -> LiveFindings | None:
    return await live.research(ask.question.owner, outward(ask), urls=ask.wish.urls)
