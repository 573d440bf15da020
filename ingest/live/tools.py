"""The live sources that the settings turn on, opened once for each configuration."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast

from doso.clock import Clock, system_clock
from doso.outgoing import Outgoing
from doso.plugins import load
from doso.runtime import Runtime
from ingest.live.research import Research
from ingest.pipeline import Intake
from ingest.ports import LiveConfig, LiveSource
from ingest.registry import LIVE

#: Researches at work at once; what comes on top of them waits for its turn.
MAX_RESEARCHES = 16
#: Configurations whose sources are kept; settings change rarely.
MAX_KEPT = 16


@dataclass(frozen=True, slots=True)
class LiveTools:
    """Opened by doso.compose. A source keeps what it learned of its server for as long as its configuration stands."""

    intake: Intake
    guard: Outgoing = field(default_factory=Outgoing)
    clock: Clock = system_clock
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_RESEARCHES))
    _known: dict[tuple[str, LiveConfig], LiveSource] = field(default_factory=dict)

    def research(self, runtime: Runtime) -> Research | None:
        """Live research with the tools that are on now; None where none is."""
        sources = [self._source(name, config) for name, config in configured(runtime).items()]
        return Research(self.intake, sources, self.gate, self.clock) if sources else None

    def _source(self, name: str, config: LiveConfig) -> LiveSource:
        key = (name, config)
        if key not in self._known:
            while len(self._known) >= MAX_KEPT:
                self._known.pop(next(iter(self._known)))
            self._known[key] = cast(LiveSource, load(LIVE, "live source", name)(config, self.guard))
        return self._known[key]


def configured(runtime: Runtime) -> Mapping[str, LiveConfig]:
    """Where each source that is on answers, by its name in the registry."""
    found = {}
    if runtime.tools_firecrawl:
        found["firecrawl"] = LiveConfig(runtime.firecrawl_base_url, runtime.firecrawl_api_key)
    if runtime.tools_x_search:
        found["x"] = LiveConfig(runtime.xai_base_url, runtime.xai_api_key, runtime.xai_model)
    return found
