"""What tests of the model runtime share: a sink that remembers, waits that are not waited, events collected."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime

from doso.ids import OwnerId
from doso.llm.chat import ChatMessage, ModelEvent, ModelFinished, ModelRequest, Profile, ReasoningDelta, Role, TextDelta
from doso.llm.config import parse_models
from doso.llm.ports import UsageEvent
from doso.llm.runtime import BoundModels, ModelRuntime
from tests.support.provider import ProviderStub

OWNER = OwnerId("ana")
NOW = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
KEY = "sk-canary-000"
HELLO = ModelRequest((ChatMessage(Role.USER, "Hello?"),))
#: Limits that a test can wait for.
SHORT = {"connect_s": 4, "first_token_s": 0.8, "idle_s": 0.8, "total_s": 8}


@dataclass
class Sink:
    """Remembers usage events."""

    events: list[UsageEvent] = field(default_factory=list)

    def record(self, event: UsageEvent) -> None:
        self.events.append(event)


class Waits(list[float]):
    """Remembers pauses instead of making them."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@dataclass
class Bench:
    """A runtime with what it told."""

    runtime: ModelRuntime
    sink: Sink
    waits: Waits

    def models(self, *entries: dict[str, object]) -> BoundModels:
        return self.runtime.bind(OWNER, parse_models(json.dumps(entries)))


@asynccontextmanager
async def bench() -> AsyncIterator[Bench]:
    """A runtime for the block."""
    sink, waits = Sink(), Waits()
    runtime = ModelRuntime(sink, clock=lambda: NOW, pause=waits)
    try:
        yield Bench(runtime, sink, waits)
    finally:
        await runtime.aclose()


def at(stub: ProviderStub, name: str = "one", **more: object) -> dict[str, object]:
    """The configuration of a model that a stub serves."""
    return {"name": name, "base_url": stub.url, "model": "m", "api_key": KEY, **more}


@dataclass
class Told:
    """What a stream gave out until it ended or failed."""

    events: list[ModelEvent] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))

    @property
    def reasoning(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, ReasoningDelta))

    @property
    def end(self) -> ModelFinished:
        """The last event; there is no other end among them."""
        *before, last = self.events
        assert not any(isinstance(event, ModelFinished) for event in before)
        assert isinstance(last, ModelFinished)
        return last


async def told(
    models: BoundModels,
    request: ModelRequest = HELLO,
    *,
    profile: Profile = Profile.DRAFT_FAST,
    into: Told | None = None,
) -> Told:
    """Everything a stream gives out; what came before a failure is in `into`."""
    found = into if into is not None else Told()
    async for event in models.stream(profile, request):
        found.events.append(event)
    return found
