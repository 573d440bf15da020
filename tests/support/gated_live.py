"""Live sources under a test's hand: they wait at a gate and bring what the test scripted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from doso.errors import DosoError
from doso.ids import DocumentId, OwnerId, PassageId
from doso.records import Passage, Source
from doso.records.live import FailedSource, LiveFindings


def page(owner: OwnerId, text: str, *, uri: str = "https://kestrel.example/", number: int = 1) -> Passage:
    """A passage of a fetched page."""
    return Passage(
        id=PassageId(f"live-{number}"),
        owner=owner,
        document_id=DocumentId(f"page-{number}"),
        ordinal=0,
        text=text,
        start=0,
        end=len(text),
        content_hash=f"hash-{number}",
        source=Source.FIRECRAWL,
        title="Kestrel",
        uri=uri,
    )


@dataclass
class GatedLive:
    """`brings` passages or `fails`; `gate` holds it back. `asked` are the queries, `closed` is set however it ended."""

    brings: tuple[Passage, ...] = ()
    failed: tuple[FailedSource, ...] = ()
    fails: DosoError | None = None
    gate: asyncio.Event | None = None
    asked: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    started: asyncio.Event = field(default_factory=asyncio.Event)
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    async def research(self, owner: OwnerId, query: str, *, urls: Sequence[str] = ()) -> LiveFindings:
        self.asked.append((query, tuple(urls)))
        self.started.set()
        try:
            if self.gate is not None:
                await self.gate.wait()
            if self.fails is not None:
                raise self.fails
            return LiveFindings(self.brings, self.failed)
        finally:
            self.closed.set()
