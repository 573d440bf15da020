"""A reader over the real model runtime, whose provider is a stub on loopback."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from doso.ids import OwnerId
from doso.llm.config import parse_models
from doso.llm.runtime import BoundModels, ModelRuntime
from ingest.extract.model.extractor import ModelReader
from tests.doso.llm.models import KEY, SHORT, Sink, Waits
from tests.support.provider import ProviderStub, Scripted, json_reply, provider_stub, text_stream


@dataclass
class ReadingBench:
    """The reader, its far end, what was metered. `ability` is declared of the model; without `is_configured` the owner
    has none."""

    stub: ProviderStub
    sink: Sink
    waits: Waits
    runtime: ModelRuntime
    ability: dict[str, object] = field(default_factory=dict)
    model: str = "small-1"
    is_configured: bool = True
    base_url: str | None = None  # elsewhere than at the stub
    limits: dict[str, float] = field(default_factory=lambda: dict(SHORT))
    reader: ModelReader = field(init=False)

    def __post_init__(self) -> None:
        self.reader = ModelReader(self.models_of)

    async def models_of(self, owner: OwnerId) -> BoundModels:
        """The models as the test has them configured now."""
        entry = {
            "base_url": self.base_url or self.stub.url,
            "model": self.model,
            "api_key": KEY,
            "ability": self.ability,
            "limits": self.limits,
        }
        return self.runtime.bind(owner, parse_models(json.dumps([entry] if self.is_configured else [])))

    def says(self, *replies: object) -> None:
        """Each reply in turn: a text as it is, an answer of the stub as it is, anything else as JSON."""
        for reply in replies:
            if isinstance(reply, str):
                self.stub.script.append(text_stream(reply))
            elif isinstance(reply, list | dict):
                self.stub.script.append(json_reply(reply))
            else:
                self.stub.script.append(reply)  # type: ignore[arg-type]

    @property
    def prompts(self) -> list[str]:
        """What the model was asked, in order."""
        return [seen.prompt for seen in self.stub.chats]


def cut(text: str) -> Scripted:
    """A reply that ended at the limit of tokens."""
    return text_stream(text, finish="length")


@asynccontextmanager
async def reading_bench() -> AsyncIterator[ReadingBench]:
    """The model says that there is nothing, until a test scripts it."""
    sink, waits = Sink(), Waits()
    runtime = ModelRuntime(sink, pause=waits)
    try:
        async with provider_stub(json_reply({"facts": []})) as stub:
            yield ReadingBench(stub, sink, waits, runtime)
    finally:
        await runtime.aclose()
