"""Tells of each ask what operators and onlookers may know: workflow events, measures, its trace; never content."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from ask.events import AskEvent, Cited, Finished, Phase, PhaseChanged, SourcesFound
from ask.wish import Effort
from doso.errors import DosoError
from doso.ids import OwnerId, new_id
from doso.llm.chat import TextDelta, ToolCallDelta
from doso.measures import AskMeasures
from doso.otel import TraceExporter
from doso.records import Operation
from doso.tracing import Attribute, Trace
from doso.workflow import Field, Silent, Workflow

PHASE_EVENTS = {
    Phase.RETRIEVING: "retrieval.started",
    Phase.RESEARCHING: "arm.live.started",
    Phase.ANSWERING: "draft.started",
    Phase.CHECKING: "skeptics.started",
    Phase.SAVING: "turn.saving",
}


@dataclass(frozen=True, slots=True)
class Observers:
    """Where it is told."""

    workflow: Workflow = field(default_factory=Silent)
    measures: AskMeasures = field(default_factory=AskMeasures)
    traces: TraceExporter | None = None


async def observed(
    events: AsyncGenerator[AskEvent, None],
    observers: Observers,
    *,
    owner: OwnerId,
    effort: Effort,
    trace: Trace,
    conversation_id: str | None = None,
) -> AsyncGenerator[AskEvent, None]:
    """The same events, each told as it passes. `trace` is the one of the ask's means: a failing ask has no other."""
    ask = _Ask(observers, owner, effort, trace, conversation_id)
    ask.tell("ask.started", effort=effort.value)
    try:
        async with aclosing(events):
            async for event in events:
                ask.note(event)
                yield event
    except BaseException as error:
        ask.broke_off(error)
        raise
    ask.ended()


def tell_receipt(observers: Observers, operation: Operation) -> Operation:
    """Tell of a write by its receipt, and return that."""
    observers.workflow.tell(
        operation.owner,
        "document.forgotten" if operation.kind == "delete" else "document.ingested",
        operation.id,
        kind=operation.kind,
        state=operation.state.value,
        stored=operation.stored,
        unchanged=operation.unchanged,
        skipped=operation.skipped_count,
    )
    return operation


def tell_facts(observers: Observers, owner: OwnerId, work_id: str | None, count: int) -> None:
    """Tell that so many facts are not what they were."""
    if count:
        observers.workflow.tell(owner, "facts.changed", work_id or new_id(), count=count)


@dataclass(slots=True)
class _Ask:
    """One ask as it goes on."""

    observers: Observers
    owner: OwnerId
    effort: Effort
    trace: Trace
    conversation_id: str | None
    id: str = field(default_factory=new_id)
    started_s: float = field(default_factory=time.perf_counter)
    has_word: bool = False
    finished: Finished | None = None

    def tell(self, name: str, **fields: Field) -> None:
        self.observers.workflow.tell(self.owner, name, self.id, conversation_id=self.conversation_id, **fields)

    def note(self, event: AskEvent) -> None:
        """Words come often and are looked at first."""
        match event:
            case TextDelta() | ToolCallDelta():
                if not self.has_word:
                    self.has_word = True
                    self.observers.measures.first_word(self.effort, self._elapsed_s)
                    self.tell("draft.first_word", ms=self._ms)
            case PhaseChanged(phase):
                self.tell(PHASE_EVENTS[phase])
            case SourcesFound(evidence):
                self.observers.measures.found(len(evidence.items))
                counts: dict[str, Field] = {"items": len(evidence.items), "tokens": evidence.tokens}
                self.tell("retrieval.done", **counts, ms=self._ms)
            case Cited():
                self._cited(event)
            case Finished():
                self.finished = event

    def ended(self) -> None:
        """It came to its end."""
        finished = self.finished
        if finished is None:  # a generator that stopped early without saying why
            self._close("failed", "internal")
            return
        usage = finished.usage
        if finished.provider is None:
            self.observers.measures.without_call()
        self.tell(
            "ask.finished",
            reason=finished.reason.value,
            provider=finished.provider,
            model=finished.model,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            notes=len(finished.notes),
            ms=self._ms,
        )
        self._close("answered", None)

    def broke_off(self, error: BaseException) -> None:
        """It failed, or its reader left."""
        if isinstance(error, GeneratorExit | asyncio.CancelledError):
            self.tell("ask.cancelled", ms=self._ms)
            self._close("cancelled", "cancelled")
            return
        code = error.code if isinstance(error, DosoError) else "internal"
        self.tell("ask.failed", code=code, ms=self._ms)
        self._close("failed", code)

    def _cited(self, event: Cited) -> None:
        dropped_by = [who for dropped in event.dropped for who in dropped.by]
        self.observers.measures.cited(len(event.citations), dropped_by)
        if event.dropped:
            self.tell("skeptics.dropped", count=len(event.dropped), by=",".join(dict.fromkeys(dropped_by)))

    def _close(self, outcome: str, error: str | None) -> None:
        finished = self.finished
        trace = self.trace if finished is None else finished.trace
        self.observers.measures.spans(trace.spans)
        self.observers.measures.ended(self.effort, outcome, self._elapsed_s)
        if self.observers.traces is not None:
            found: dict[str, Attribute] = {"doso.ask_id": self.id, "doso.effort": self.effort.value}
            if finished is not None:
                found["doso.provider"] = finished.provider or "none"
                found["doso.model"] = finished.model or "none"
                found["doso.input_tokens"] = finished.usage.input_tokens
                found["doso.output_tokens"] = finished.usage.output_tokens
            self.observers.traces.export(trace, found, error=error)

    @property
    def _elapsed_s(self) -> float:
        return time.perf_counter() - self.started_s

    @property
    def _ms(self) -> float:
        return round(self._elapsed_s * 1000, 1)
