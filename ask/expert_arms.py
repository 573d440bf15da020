"""The two arms of the expert topology, what they start from and what comes of them together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ask.arms import Outcome, outcome_of
from ask.asking import Asking
from ask.draft import Draft, whole_draft
from ask.events import AskEvent, Phase, PhaseChanged
from ask.fast import is_answered_without_call
from ask.fence import NO_EVIDENCE
from ask.findings import findings_of
from ask.live import leaving_room, with_findings
from ask.pipeline import begin, evidence_around
from ask.reseed import reseeded
from ask.rewrite import outward
from ask.route_live import Need, route_live_need, wants_live
from ask.seed import WIDE, find_seeds
from ask.underway import Ask
from doso.errors import DosoError, ProviderTimeout
from doso.ids import new_id
from doso.records import Entity, IndexStatus
from doso.records.evidence import Evidence, Plan
from doso.records.live import LiveFindings

Tell = Callable[[AskEvent], None]
LATE_GRAPH = "The memory was not read in time; the answer rests on what was found live."


@dataclass(frozen=True, slots=True)
class Begun:
    """What both arms start from. `need` is what rules tell of the world outside."""

    asking: Asking
    plan: Plan
    seeds: tuple[Entity, ...]
    need: Need


@dataclass(frozen=True, slots=True)
class GraphFound:
    """What the graph arm brought; `draft` is None where there was nothing to draft from."""

    evidence: Evidence
    draft: Outcome[Draft] | None


async def begun(ask: Ask) -> Begun:
    """The question compiled and its seeds found. Raises Unavailable when the store does not answer."""
    asking, plan = begin(ask.kit, ask.question, trace=ask.trace)
    async with ask.kit.gate:
        seeds = await find_seeds(asking)
    need = route_live_need(ask, seeds)
    if need is not Need.NEVER:
        asking = replace(asking, question=leaving_room(ask.question))
    return Begun(asking, plan, seeds, need)


async def graph_arm(ask: Ask, start: Begun, tell: Tell, end: float) -> GraphFound:
    """Fan out, focus, draft. A draft that fails leaves the evidence."""
    with ask.trace.span("arm.graph"):
        evidence = await evidence_around(start.asking, start.plan, WIDE, start.seeds)
        if is_answered_without_call(ask, evidence):
            return GraphFound(evidence, None)
        tell(PhaseChanged(Phase.ANSWERING))
        with ask.trace.span("draft.graph") as span:
            draft = await outcome_of(whole_draft(ask, evidence, tell), end)
            span.error = _error_of(draft)
        return GraphFound(evidence, draft)


async def live_arm(ask: Ask, start: Begun, tell: Tell) -> LiveFindings | None:
    """Decide, then read the world outside; None where that is not needed."""
    if start.need is Need.NEVER or ask.means.live is None:
        return None
    with ask.trace.span("arm.live") as span:
        if not await wants_live(ask, start.need, start.seeds):
            return None
        tell(PhaseChanged(Phase.RESEARCHING))
        findings = await ask.means.live.research(ask.question.owner, outward(ask), urls=ask.wish.urls)
        span.attributes.update(passages=len(findings.passages), failed=len(findings.failed))
        return findings


async def merged(ask: Ask, start: Begun, graph: Outcome[GraphFound], live: Outcome[LiveFindings | None]) -> Evidence:
    """All evidence in one pack, the memory's first. Raises what the graph arm failed of where live brought nothing."""
    findings = findings_of(ask, live)
    if graph.value is None:
        if not findings.passages:
            raise graph.error or _late()
        ask.note(LATE_GRAPH if graph.error is None else f"The memory could not be read ({graph.error.code}).")
    evidence = _nothing(ask, start) if graph.value is None else graph.value.evidence
    evidence = with_findings(evidence, ask.question, findings)
    if not findings.passages:
        return evidence
    documents = {passage.document_id for passage in findings.passages}
    reseeding = reseeded(replace(start.asking, question=ask.question), start.seeds, evidence, documents)
    return (await outcome_of(reseeding, ask.until(1))).value or evidence


def _nothing(ask: Ask, start: Begun) -> Evidence:
    """The pack of a memory that could not be read."""
    status = IndexStatus(0, 0, 0, 0)
    return Evidence(new_id(), ask.question.text, start.plan, True, (), (), status, 0, NO_EVIDENCE)


def _error_of(outcome: Outcome[Draft]) -> str | None:
    if outcome.is_late:
        return "late"
    return None if outcome.error is None else outcome.error.code


def _late() -> DosoError:
    return ProviderTimeout("Nothing was found within the deadline; ask again, or allow more time.")
