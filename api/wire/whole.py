"""An ask heard to its end: what every transport that does not stream makes its reply from."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import assert_never

from ask.events import AskEvent, Cited, Finished, PhaseChanged, SourcesFound
from doso.errors import ProviderStreamFailed
from doso.llm.chat import ReasoningDelta, TextDelta, ToolCall, ToolCallDelta
from doso.records.evidence import Evidence


@dataclass(slots=True)
class Heard:
    """What an ask told so far."""

    evidence: Evidence | None = None
    cited: Cited | None = None
    finished: Finished | None = None
    _text: list[str] = field(default_factory=list)
    _reasoning: list[str] = field(default_factory=list)
    _calls: dict[int, ToolCall] = field(default_factory=dict)

    def hear(self, event: AskEvent) -> None:
        """Take one event in."""
        match event:
            case TextDelta():
                self._text.append(event.text)
            case ReasoningDelta():
                self._reasoning.append(event.text)
            case ToolCallDelta():
                self._add_call(event)
            case SourcesFound():
                self.evidence = event.evidence
            case Cited():
                self.cited = event
            case Finished():
                self.finished = event
            case PhaseChanged():
                pass
            case _:
                assert_never(event)

    @property
    def text(self) -> str:
        """The answer, as far as it was told."""
        return "".join(self._text) if self.cited is None else self.cited.text

    @property
    def reasoning(self) -> str:
        """The thinking that was told."""
        return "".join(self._reasoning)

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The client's tools to be called, in order."""
        return tuple(call for _, call in sorted(self._calls.items()))

    def end(self) -> Finished:
        """How it ended. Raises ProviderStreamFailed for an ask that ended without saying so."""
        if self.finished is None:
            raise ProviderStreamFailed("The answer broke off.")
        return self.finished

    def _add_call(self, delta: ToolCallDelta) -> None:
        known = self._calls.get(delta.index)
        self._calls[delta.index] = ToolCall(
            delta.id or ("" if known is None else known.id),
            delta.name or ("" if known is None else known.name),
            ("" if known is None else known.arguments) + delta.arguments,
        )


async def hear_out(events: AsyncGenerator[AskEvent, None]) -> Heard:
    """The whole of an ask. Raises what it raises."""
    heard = Heard()
    async with aclosing(events):
        async for event in events:
            heard.hear(event)
    heard.end()
    return heard
