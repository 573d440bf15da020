"""What the product asks of a model."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from doso.errors import ProviderUnavailable
from doso.ids import OwnerId
from doso.llm.chat import (
    FinishReason,
    ModelEvent,
    ModelRequest,
    Profile,
    ReasoningDelta,
    TextDelta,
    TokenUsage,
    ToolCallDelta,
)

if TYPE_CHECKING:
    import pydantic  # a tenth of a second that a start without models does without

Reply = TypeVar("Reply", bound="pydantic.BaseModel")

#: Rows of unit length, float32, one per text.
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbedderInfo:
    """Identity of an embedder: vectors compare only when all three are equal. `is_semantic` is False where vectors
    merely mirror spelling (hashing), so that ranking weighs them accordingly."""

    model: str
    dimensions: int
    version: str
    is_semantic: bool = True


class Embedder(Protocol):
    """Turns text into unit vectors. Safe to call from several tasks at once."""

    @property
    def info(self) -> EmbedderInfo:
        """What its vectors compare with."""
        ...

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts to be found, shape (len(texts), dimensions), in order.

        Raises EmbedderUnavailable when the model can't be reached or answers wrongly, after its own retries.
        """
        ...

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a question, shape (dimensions,). Raises EmbedderUnavailable."""
        ...

    async def aclose(self) -> None:
        """Release what it holds."""
        ...


@dataclass(frozen=True, slots=True)
class Ability:
    """What the model that would serve a profile can do, so that a prompt is made for it."""

    has_tools: bool = False
    has_schema: bool = False
    context_tokens: int = 8_000
    max_output_tokens: int = 1_000


class Models(Protocol):
    """The models of one ask: bound to an owner and to the settings as they stood when it began."""

    def ability(self, profile: Profile) -> Ability | None:
        """What serves this profile can do; None when nothing serves it, and then nothing may be called."""
        ...

    def stream(self, profile: Profile, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """The reply as it is made, ending in ModelFinished. Close it to cancel the call.

        Fails over between candidates until the first event was given. Raises ProviderUnavailable (or one below it)
        before the first event, ProviderStreamFailed after it. Every model that was called leaves a usage event,
        whatever its end.
        """
        ...

    async def reply(self, profile: Profile, request: ModelRequest, kind: type[Reply]) -> Reply:
        """A whole structured reply, read tolerantly (fences, prose, thinking, cut JSON) and validated.

        `request.reply` is made from `kind`. Raises ProviderUnavailable, or ReplyUnreadable when what came fits not.
        """
        ...


@dataclass(frozen=True, slots=True)
class ProviderEnd:
    """The end of a provider's reply; `usage` is None where it reported none."""

    reason: FinishReason
    usage: TokenUsage | None = None


ProviderEvent = ReasoningDelta | TextDelta | ToolCallDelta | ProviderEnd


@dataclass(eq=False)  # not frozen: the interpreter hangs a traceback on it
class CallFailed(Exception):
    """A call that failed, as Doso says it, how often it is worth repeating, and what pause the far end asked for."""

    error: ProviderUnavailable
    retries: int = 0
    wait_s: float | None = None

    @property
    def code(self) -> str:
        """The code of the error."""
        return self.error.code


class Provider(Protocol):
    """One configured model, as its vendor's wire reaches it. Safe to use from several tasks at once."""

    def ability(self) -> Ability:
        """What the model can do, as far as declared or seen by now."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ProviderEvent, None]:
        """The reply as it is made, ending in ProviderEnd; close it to cancel. Raises CallFailed, nothing else.

        It makes one call: repeating, falling back and metering are not its business.
        """
        ...


class Outcome(StrEnum):
    """How a call ended: partial and cancelled ones may have cost as much as whole ones."""

    OK = "ok"
    FAILED = "failed"
    PARTIAL = "partial"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class UsageEvent:
    """What one call used; never what it said. `micro_usd` is None where no price is known."""

    id: str
    owner: OwnerId
    at: datetime
    profile: Profile
    provider: str
    model: str
    outcome: Outcome
    usage: TokenUsage
    micro_usd: int | None
    price_version: str | None
    ttft_ms: int | None
    duration_ms: int
    code: str | None = None  # of the error
    is_fallback: bool = False


class UsageSink(Protocol):
    """Where usage is kept. Recording neither waits nor fails: no answer depends on it."""

    def record(self, event: UsageEvent) -> None:
        """Keep an event."""
        ...
