"""What is told of an ask: every end has its event, measures count, and no word of it is in any of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest

from api.observing import Observers, observed
from ask.events import AskEvent, Cited, DroppedCitation, Finished, Phase, PhaseChanged
from ask.wish import Effort
from doso.errors import ProviderTimeout
from doso.ids import OwnerId
from doso.llm.chat import FinishReason, TextDelta, TokenUsage
from doso.otel import open_exporter
from doso.tracing import Trace
from doso.workflow import Field
from tests.support.collector import attributes, collecting

ANA = OwnerId("ana")
SECRET = "her birthday is in May"


@dataclass
class Heard:
    """Implements Workflow by keeping what is told."""

    events: list[tuple[str, dict[str, Field]]] = field(default_factory=list)
    work_ids: set[str] = field(default_factory=set)

    def tell(
        self, owner: OwnerId, name: str, work_id: str, *, conversation_id: str | None = None, **fields: Field
    ) -> None:
        assert (owner, conversation_id) == (ANA, "c-1")
        self.work_ids.add(work_id)
        self.events.append((name, {key: value for key, value in fields.items() if key != "ms"}))


async def answer(trace: Trace, *, then: BaseException | None = None) -> AsyncGenerator[AskEvent, None]:
    yield PhaseChanged(Phase.RETRIEVING)
    with trace.span("model.first_attempt"):
        yield PhaseChanged(Phase.ANSWERING)
    with trace.span("model.fallback"):
        yield TextDelta(SECRET)
    yield TextDelta(SECRET)
    if then is not None:
        raise then
    yield PhaseChanged(Phase.CHECKING)
    yield Cited(SECRET, (), (DroppedCitation("S2", ("support", "identity"), SECRET),))
    yield Finished(FinishReason.STOP, TokenUsage(7, 3), trace, "local", "m-1", (SECRET,))


def through(
    events: AsyncGenerator[AskEvent, None], observers: Observers, trace: Trace
) -> AsyncGenerator[AskEvent, None]:
    return observed(events, observers, owner=ANA, effort=Effort.EXPERT, trace=trace, conversation_id="c-1")


def sample(observers: Observers, line: str) -> bool:
    return f"{line}\n" in observers.measures.render().decode()


async def test_an_answer_passes_unchanged_and_is_told_by_stage() -> None:
    heard, trace = Heard(), Trace()
    observers = Observers(heard)
    plain = [type(event) async for event in answer(Trace())]
    assert [type(event) async for event in through(answer(trace), observers, trace)] == plain
    assert heard.events == [
        ("ask.started", {"effort": "expert"}),
        ("retrieval.started", {}),
        ("draft.started", {}),
        ("draft.first_word", {}),
        ("skeptics.started", {}),
        ("skeptics.dropped", {"count": 1, "by": "support,identity"}),
        (
            "ask.finished",
            {
                "reason": "stop",
                "provider": "local",
                "model": "m-1",
                "input_tokens": 7,
                "output_tokens": 3,
                "notes": 1,
            },
        ),
    ]
    assert len(heard.work_ids) == 1
    assert sample(observers, 'doso_asks_total{effort="expert",outcome="answered"} 1.0')
    assert sample(observers, 'doso_ask_first_token_seconds_count{effort="expert"} 1.0')
    assert sample(observers, 'doso_ask_stage_seconds_count{stage="model.fallback"} 1.0')
    assert sample(observers, "doso_ask_fallbacks_total 1.0")
    assert sample(observers, 'doso_ask_citation_drops_total{by="support"} 1.0')
    assert sample(observers, "doso_ask_no_call_total 0.0")


async def test_a_failure_is_told_by_its_code() -> None:
    heard, trace = Heard(), Trace()
    observers = Observers(heard)
    with pytest.raises(ProviderTimeout):
        async for _ in through(answer(trace, then=ProviderTimeout(SECRET)), observers, trace):
            pass
    assert heard.events[-1] == ("ask.failed", {"code": "provider.timeout"})
    assert sample(observers, 'doso_asks_total{effort="expert",outcome="failed"} 1.0')
    assert SECRET not in repr(heard.events)


@pytest.mark.parametrize("is_cancelled", [False, True])
async def test_a_reader_who_leaves_is_told_and_the_ask_is_closed(is_cancelled: bool) -> None:
    heard, trace, closed = Heard(), Trace(), asyncio.Event()
    observers = Observers(heard)

    async def endless() -> AsyncGenerator[AskEvent, None]:
        try:
            yield TextDelta("a")
            await asyncio.Event().wait()
        finally:
            closed.set()

    async def read() -> None:
        async with aclosing(through(endless(), observers, trace)) as events:
            async for _ in events:
                if not is_cancelled:
                    return
                begun.set()

    begun = asyncio.Event()
    task = asyncio.create_task(read())
    if is_cancelled:
        await begun.wait()
        task.cancel()
    await asyncio.wait({task})
    assert closed.is_set()
    assert heard.events[-1] == ("ask.cancelled", {})
    assert sample(observers, 'doso_asks_total{effort="expert",outcome="cancelled"} 1.0')


async def test_the_trace_of_an_ask_is_exported_without_its_words() -> None:
    trace = Trace()
    with collecting() as collector:
        async with open_exporter(collector.url) as exporter:
            observers = Observers(Heard(), traces=exporter)
            async for _ in through(answer(trace), observers, trace):
                pass
    names = [span.name for span in collector.spans]
    assert sorted(names) == ["assistant.request", "model.fallback", "model.first_attempt"]
    root = next(span for span in collector.spans if span.name == "assistant.request")
    found = attributes(root)
    assert (found["doso.effort"], found["doso.model"], found["doso.input_tokens"]) == ("expert", "m-1", 7)
    assert not any(SECRET.encode() in body for body in collector.bodies)
