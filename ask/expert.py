"""The expert topology: rewrite → seed → two arms side by side → merge → panel of skeptics → final.

The graph arm fans out, focuses and drafts; the live arm decides whether the question needs the world outside, reads it
and reseeds. The prose is sent when the panel has voted: a mark that was sent can't be taken back.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from ask.arms import Outcome, Progress, outcome_of, side_by_side
from ask.draft import Draft, nothing_found
from ask.ending import told
from ask.events import AskEvent, Phase, PhaseChanged, SourcesFound
from ask.expert_arms import GraphFound, begun, graph_arm, live_arm, merged
from ask.findings import LIVE_SHARE
from ask.refine import refine
from ask.rewrite import rewritten
from ask.skeptics.panel import judged
from ask.skeptics.registry import open_lenses
from ask.underway import Ask
from doso.errors import DosoError, ProviderTimeout
from doso.records.evidence import Evidence

#: The shares of the time for the whole ask by which each step must be done; what is late is left out.
GRAPH_SHARE, REFINED_SHARE = 0.8, 0.9


async def expert(ask: Ask) -> AsyncGenerator[AskEvent, None]:
    """See the module."""
    yield PhaseChanged(Phase.RETRIEVING)
    ask = await rewritten(ask)
    start = await begun(ask)
    progress = Progress()
    arms = (
        outcome_of(graph_arm(ask, start, progress.tell, ask.until(GRAPH_SHARE)), ask.until(GRAPH_SHARE)),
        outcome_of(live_arm(ask, start, progress.tell), ask.until(LIVE_SHARE)),
    )
    async with side_by_side(*arms) as tasks, aclosing(progress.until_done(tasks)) as events:
        async for event in events:
            yield event
    graph, live = await tasks[0], await tasks[1]
    evidence = await merged(ask, start, graph, live)
    yield SourcesFound(evidence)
    draft = _settled(ask, evidence, graph)
    if _is_refined(evidence, graph):
        yield PhaseChanged(Phase.ANSWERING)
        refining = outcome_of(refine(ask, evidence, draft, progress.tell), ask.until(REFINED_SHARE))
        async with side_by_side(refining) as tasks, aclosing(progress.until_done(tasks)) as events:
            async for event in events:
                yield event
        draft = _better(ask, draft, await tasks[0])
    if draft is None:
        raise _failure(graph)
    if draft.citations and ask.means.has_skeptics:
        yield PhaseChanged(Phase.CHECKING)
        draft = await judged(ask, evidence.plan, draft, open_lenses())
    for event in told(ask, draft):
        yield event


def _settled(ask: Ask, evidence: Evidence, graph: Outcome[GraphFound]) -> Draft | None:
    """The draft as far as the graph arm made it; None where it made none."""
    if graph.value is not None and graph.value.draft is not None:
        return graph.value.draft.value
    return nothing_found(ask) if graph.value is not None and evidence.no_results else None


def _is_refined(evidence: Evidence, graph: Outcome[GraphFound]) -> bool:
    """Whether there is evidence that the graph arm had not."""
    return len(evidence.items) > (0 if graph.value is None else len(graph.value.evidence.items))


def _better(ask: Ask, draft: Draft | None, refined: Outcome[Draft]) -> Draft | None:
    """The refined draft with the tokens of both; the graph's where the refined one failed or was late."""
    if refined.value is not None:
        return refined.value if draft is None else replace(refined.value, usage=draft.usage + refined.value.usage)
    if draft is None and refined.error is not None:
        raise refined.error
    ask.note("The draft was not refined with what was found live.")
    return draft


def _failure(graph: Outcome[GraphFound]) -> DosoError:
    """Why there is no draft at all."""
    drafting = None if graph.value is None else graph.value.draft
    error = graph.error if drafting is None else drafting.error
    return error or ProviderTimeout("The answer was not there within its deadline; ask again, or allow more time.")
