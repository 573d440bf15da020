"""Live research: asks the sources, stores what they read, and picks the passages that bear on the question."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from doso.clock import Clock, system_clock
from doso.errors import AddressRefused, DosoError, Unavailable
from doso.ids import DocumentId, OwnerId
from doso.outgoing import parse_address
from doso.records import Incoming
from doso.records.live import FailedSource, LiveFindings
from doso.telemetry import log
from doso.text import clean
from ingest.live.failures import failed
from ingest.live.page import place_of
from ingest.live.ranking import best_passages
from ingest.pipeline import Intake
from ingest.ports import LivePage, LiveSource

MAX_URLS = 5
#: Passages that one research gives.
MAX_PASSAGES = 12


@dataclass(frozen=True, slots=True)
class Research:
    """Implements ask.ports.LiveSources."""

    intake: Intake
    sources: Sequence[LiveSource]
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(1))
    clock: Clock = system_clock

    async def research(self, owner: OwnerId, query: str, *, urls: Sequence[str] = ()) -> LiveFindings:
        """Search with every source, or read these addresses. What fails is in `failed`; only a store that does not
        answer raises."""
        wanted = tuple(dict.fromkeys(urls))[:MAX_URLS]
        async with self.gate:
            gathered = await (self._read(wanted) if wanted else self._search(query))
        failures = [failure for one in gathered for failure in one.failed]
        documents: list[DocumentId] = []
        for page in (page for one in gathered for page in one.pages):
            stored = await self._store(owner, page)
            if isinstance(stored, FailedSource):
                failures.append(stored)
            else:
                documents.append(stored)
        passages = await best_passages(
            self.intake.library,
            self.intake.embedder,
            owner,
            query,
            tuple(dict.fromkeys(documents)),
            limit=MAX_PASSAGES,
        )
        return LiveFindings(passages, tuple(failures))

    async def _search(self, query: str) -> list[_Gathered]:
        return await asyncio.gather(*(_gather(source, source.search(query)) for source in self.sources))

    async def _read(self, urls: Sequence[str]) -> list[_Gathered]:
        reader = next((source for source in self.sources if source.reads_pages), None)
        if reader is None:
            return [_Gathered(failed=[failed(url, "live.no_reader", "") for url in urls])]
        return [await _gather(reader, reader.read(urls), urls)]

    async def _store(self, owner: OwnerId, page: LivePage) -> DocumentId | FailedSource:
        """Store a page, or bring it up to date."""
        uri, known = await place_of(self.intake.library, owner, clean(page.uri))
        now = self.clock()
        notes = (f"Read at {now.isoformat(timespec='seconds')}.", *page.notes)
        if page.published:
            notes = (*notes, f"It states {clean(page.published)[:100]} as its date.")
        incoming = Incoming(
            uri=uri,
            title=clean(page.title),
            source=known or page.source,  # a page that the owner took in stays one
            text=clean(page.text),
            author=None if page.author is None else clean(page.author),
            occurred_at=now,
            notes=notes,
        )
        try:
            operation = await self.intake.store_document(owner, incoming)
        except Unavailable:
            raise
        except DosoError as error:
            log().warning("live.not_stored", code=error.code)
            return failed(page.uri, "live.not_stored", "")
        return operation.document_ids[0] if operation.document_ids else failed(page.uri, "live.not_stored", "")


@dataclass(slots=True)
class _Gathered:
    """What one source gave until it ended or its time was over."""

    pages: list[LivePage] = field(default_factory=list)
    failed: list[FailedSource] = field(default_factory=list)


async def _gather(
    source: LiveSource, items: AsyncGenerator[LivePage | FailedSource, None], urls: Sequence[str] = ()
) -> _Gathered:
    """Everything a source yields within its time. What it was asked for and did not speak of has taken too long."""
    gathered = _Gathered()
    is_late = False
    try:
        async with asyncio.timeout(source.deadline_s):
            async for item in items:
                if isinstance(item, LivePage):
                    gathered.pages.append(item)
                else:
                    gathered.failed.append(item)
    except TimeoutError:
        is_late = True
    finally:
        await items.aclose()
    if is_late:
        spoken = {page.uri for page in gathered.pages} | {_spelled(failure.uri) for failure in gathered.failed}
        missing = [url for url in urls if _spelled(url) not in spoken] if urls else [source.name]
        gathered.failed += [failed(uri, "live.timeout", source.name) for uri in missing]
    return gathered


def _spelled(url: str) -> str:
    """An address as pages bear it."""
    try:
        return parse_address(url).url
    except AddressRefused:
        return url
