"""The models at work: which one is asked, how often, and which one after it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, aclosing, nullcontext

from doso.clock import Clock, system_clock
from doso.errors import PromptTooLong, ProviderRefused, ProviderStreamFailed, ProviderUnavailable
from doso.ids import OwnerId
from doso.llm.chat import ModelEvent, ModelFinished, ModelRequest, Profile
from doso.llm.config import ModelConfig, candidates
from doso.llm.http import Connections
from doso.llm.metering import Meter
from doso.llm.ports import (
    Ability,
    CallFailed,
    Outcome,
    Provider,
    ProviderEnd,
    ProviderEvent,
    Reply,
    UsageSink,
)
from doso.llm.registry import open_provider
from doso.llm.replies import ask_for_reply
from doso.llm.retry_after import wait_s
from doso.telemetry import log
from doso.tracing import Trace

#: What is asked for beyond this is not waited for: the next model is asked, or the caller told.
LONGEST_WAIT_S = 8.0
MAX_RETRIES = 3
#: Where another model can be asked instead.
MAX_RETRIES_BEFORE_FALLBACK = 1
#: Models that stay known, with what was learnt about them; the least recently used are forgotten.
MAX_KNOWN_MODELS = 64

Pause = Callable[[float], Awaitable[None]]


class ModelRuntime:
    """Opened once for a process: connections and what was learnt about models are shared by everyone who asks."""

    def __init__(self, sink: UsageSink, *, clock: Clock = system_clock, pause: Pause = asyncio.sleep) -> None:
        self.sink = sink
        self.clock = clock
        self.pause = pause
        self._connections = Connections()
        self._providers: dict[ModelConfig, Provider] = {}

    def bind(self, owner: OwnerId, configs: Sequence[ModelConfig], trace: Trace | None = None) -> BoundModels:
        """The models of one request; fallbacks are spans of its trace."""
        return BoundModels(self, owner, tuple(configs), trace)

    def provider(self, config: ModelConfig) -> Provider:
        """The provider of a configured model, the same one each time."""
        provider = self._providers.pop(config, None) or open_provider(config, self._connections, self.clock)
        self._providers[config] = provider
        while len(self._providers) > MAX_KNOWN_MODELS:
            del self._providers[next(iter(self._providers))]
        return provider

    async def warm(self, configs: Sequence[ModelConfig]) -> None:
        """Load what these models need, beside the loop: it is a third of a second that the first question is spared."""
        for config in configs:
            await asyncio.to_thread(open_provider, config, self._connections, self.clock)
        if configs:
            await self._connections.client()

    async def aclose(self) -> None:
        """Close all connections."""
        await self._connections.aclose()


class BoundModels:
    """The models for one owner, as configured at one moment."""

    def __init__(
        self, runtime: ModelRuntime, owner: OwnerId, configs: tuple[ModelConfig, ...], trace: Trace | None
    ) -> None:
        self._runtime = runtime
        self._owner = owner
        self._configs = configs
        self._trace = trace

    def ability(self, profile: Profile) -> Ability | None:
        """What the first candidate can do; None when there is none."""
        serving = candidates(self._configs, profile)
        return self._runtime.provider(serving[0]).ability() if serving else None

    async def stream(self, profile: Profile, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """The reply as it is made. Raises ProviderUnavailable before the first event, ProviderStreamFailed after it."""
        first_failure: ProviderUnavailable | None = None
        eligible = self._eligible(profile, request)
        for config in eligible:
            is_fallback = first_failure is not None
            if isinstance(first_failure, PromptTooLong) and not _takes_more(config, eligible[0]):
                continue
            most = MAX_RETRIES if config is eligible[-1] else MAX_RETRIES_BEFORE_FALLBACK
            meter = Meter(self._owner, profile, config, request, is_fallback=is_fallback, clock=self._runtime.clock)
            try:
                with self._span(config, profile, is_fallback=is_fallback):
                    async with aclosing(self._metered(config, request, meter, most)) as events:
                        async for event in events:
                            yield event
            except CallFailed as failed:
                if meter.has_begun:
                    raise _broken_off(config, failed) from None
                log().warning("provider.failed", model=config.name, code=failed.error.code, profile=profile.value)
                first_failure = first_failure or failed.error
            else:
                return
        assert first_failure is not None
        raise first_failure

    async def reply(self, profile: Profile, request: ModelRequest, kind: type[Reply]) -> Reply:
        """A whole structured reply, read tolerantly, asked for twice at most."""
        return await ask_for_reply(self, profile, request, kind)

    def _eligible(self, profile: Profile, request: ModelRequest) -> tuple[ModelConfig, ...]:
        """The candidates that can do what is asked. Raises ProviderUnavailable when there are none."""
        serving = candidates(self._configs, profile)
        if not serving:
            raise ProviderUnavailable(f"No model is configured for the task {profile.value!r}.")
        if request.tools is None:
            return serving
        able = tuple(config for config in serving if self._runtime.provider(config).ability().has_tools)
        if not able:
            raise ProviderRefused(f"No model that is configured for the task {profile.value!r} takes tools.")
        return able

    def _span(self, config: ModelConfig, profile: Profile, *, is_fallback: bool) -> AbstractContextManager[object]:
        """Who asks measures the first candidate; that another was needed is told here."""
        if self._trace is None or not is_fallback:
            return nullcontext()
        return self._trace.span("model.fallback", profile=profile.value, provider=config.name, model=config.model)

    async def _metered(
        self, config: ModelConfig, request: ModelRequest, meter: Meter, most: int
    ) -> AsyncGenerator[ModelEvent, None]:
        """The events of one candidate; whatever its end, it leaves a usage event."""
        outcome, code = Outcome.CANCELLED, None
        try:
            async with aclosing(self._repeated(config, request, meter, most)) as events:
                async for event in events:
                    if isinstance(event, ProviderEnd):
                        outcome = Outcome.OK
                        yield ModelFinished(event.reason, meter.usage(), config.name, config.model)
                    else:
                        yield event
        except CallFailed as failed:
            outcome, code = (Outcome.PARTIAL if meter.has_begun else Outcome.FAILED), failed.error.code
            raise
        finally:
            self._runtime.sink.record(meter.event(outcome, code))

    async def _repeated(
        self, config: ModelConfig, request: ModelRequest, meter: Meter, most: int
    ) -> AsyncGenerator[ProviderEvent, None]:
        """The events of one candidate, asked again while that may help and nothing was given out."""
        provider = self._runtime.provider(config)
        failures = 0
        while True:
            try:
                async with aclosing(provider.stream(request)) as events:
                    async for event in events:
                        meter.see(event)
                        yield event
            except CallFailed as failed:
                pause_s = wait_s(failed.wait_s, failures)
                if meter.has_begun or failures >= min(failed.retries, most) or pause_s > LONGEST_WAIT_S:
                    raise
            else:
                return
            failures += 1
            await self._runtime.pause(pause_s)


def _takes_more(config: ModelConfig, first: ModelConfig) -> bool:
    """Whether a model is said to take longer prompts than the first candidate."""
    usual = Ability().context_tokens
    return (config.ability.context_tokens or usual) > (first.ability.context_tokens or usual)


def _broken_off(config: ModelConfig, failed: CallFailed) -> ProviderStreamFailed:
    log().warning("provider.broke_off", model=config.name, code=failed.error.code)
    return ProviderStreamFailed(f"The reply of the model {config.name!r} broke off; what came so far is not whole.")
