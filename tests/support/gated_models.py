"""Models under a test's hand: each call waits at its gate and gives what the test scripted, event by event."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field

from doso.errors import DosoError, ReplyUnreadable
from doso.llm.chat import (
    FinishReason,
    ModelEvent,
    ModelFinished,
    ModelRequest,
    Profile,
    ReasoningDelta,
    TextDelta,
    TokenUsage,
    ToolCallDelta,
)
from doso.llm.ports import Ability, Reply
from doso.llm.tolerant import read_as

Event = str | ReasoningDelta | ToolCallDelta | TextDelta | DosoError | FinishReason


@dataclass
class Call:
    """One call as it was made. `closed` is set when its stream ended, however that was."""

    profile: Profile
    request: ModelRequest
    started: asyncio.Event = field(default_factory=asyncio.Event)
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def prompt(self) -> str:
        return "\n".join(message.text for message in self.request.messages)


Script = Sequence[Event] | Callable[[Call], Sequence[Event]]


@dataclass
class GatedModels:
    """`scripts` by profile: the events of each call in turn, the last one again and again. `gates` hold a profile back
    until the test opens them."""

    scripts: dict[Profile, list[Script]] = field(default_factory=dict)
    gates: dict[Profile, asyncio.Event] = field(default_factory=dict)
    can: Ability | None = field(default_factory=Ability)
    calls: list[Call] = field(default_factory=list)

    def script(self, profile: Profile, *scripts: Script) -> None:
        self.scripts[profile] = list(scripts)

    def gate(self, profile: Profile) -> asyncio.Event:
        self.gates[profile] = asyncio.Event()
        return self.gates[profile]

    def made(self, profile: Profile) -> list[Call]:
        return [call for call in self.calls if call.profile is profile]

    def ability(self, profile: Profile) -> Ability | None:
        return self.can if profile in self.scripts else None

    async def stream(self, profile: Profile, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        call = Call(profile, request)
        self.calls.append(call)
        try:
            call.started.set()
            if profile in self.gates:
                await self.gates[profile].wait()
            for event in self._events(call):
                await asyncio.sleep(0)
                if isinstance(event, DosoError):
                    raise event
                yield self._event(event)
        finally:
            call.closed.set()

    async def reply(self, profile: Profile, request: ModelRequest, kind: type[Reply]) -> Reply:
        call = Call(profile, request)
        self.calls.append(call)
        try:
            call.started.set()
            if profile in self.gates:
                await self.gates[profile].wait()
            text = ""
            for event in self._events(call):
                if isinstance(event, DosoError):
                    raise event
                text += event if isinstance(event, str) and not isinstance(event, FinishReason) else ""
            found = read_as(text, kind)
            if found is None:
                raise ReplyUnreadable("no")
            return found.value
        finally:
            call.closed.set()

    def _events(self, call: Call) -> list[Event]:
        scripts = self.scripts[call.profile]
        script = scripts[min(len(self.made(call.profile)), len(scripts)) - 1]
        events = list(script(call) if callable(script) else script)
        if not any(isinstance(event, FinishReason | DosoError) for event in events):
            events.append(FinishReason.STOP)
        return events

    def _event(self, event: Event) -> ModelEvent:
        if isinstance(event, FinishReason):
            return ModelFinished(event, TokenUsage(10, 5), "stub", "stub-1")
        assert not isinstance(event, DosoError)
        return TextDelta(event) if isinstance(event, str) and not isinstance(event, FinishReason) else event  # type: ignore[return-value]
