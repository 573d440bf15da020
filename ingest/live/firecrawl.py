"""Firecrawl: searches the web and reads pages of it, in two steps (decision 130)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from doso.errors import AddressRefused
from doso.outgoing import Outgoing, WebAddress, parse_address
from doso.records import Source
from doso.records.live import FailedSource
from doso.telemetry import log
from doso.text import clean, is_blank
from ingest.live.failures import code_of_status, failed
from ingest.live.http import AnswerTooLargeError, Pause, Service
from ingest.ports import LiveConfig, LivePage

NAME = "Firecrawl"
MAX_QUERY_CHARS = 400
MAX_RESULTS = 5
#: Pages of one search that are read, and pages read at once.
MAX_PAGES, AT_ONCE = 4, 5
MAX_PAGE_CHARS = 400_000
_TRANSPORT_ERRORS = (httpx.HTTPError, httpx.InvalidURL, TimeoutError)
#: What a site itself came to, as Firecrawl tells it.
_SITE_CODES = frozenset({"SCRAPE_DNS_RESOLUTION_ERROR", "SCRAPE_SSL_ERROR", "SCRAPE_SITE_ERROR"})
_CUT = "Only its first {count} characters were kept."


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds for a search, for one page, and for all of one call."""

    search_s: float = 12.0
    page_s: float = 20.0
    total_s: float = 38.0


@dataclass(frozen=True, slots=True)
class Firecrawl:
    """Implements ingest.ports.LiveSource. Addresses that a search result names are judged like any other."""

    service: Service
    guard: Outgoing
    limits: Limits = field(default_factory=Limits)
    name: str = "firecrawl"
    reads_pages: bool = True
    _made: list[Any] = field(default_factory=list)

    @property
    def deadline_s(self) -> float:
        """All of one call."""
        return self.limits.total_s

    async def search(self, query: str) -> AsyncGenerator[LivePage | FailedSource, None]:
        """Search, then read the best results."""
        asked = " ".join(clean(query).split())[:MAX_QUERY_CHARS]
        try:
            client = await self._client()
            async with asyncio.timeout(self.limits.search_s):
                found = await client.search(asked, limit=MAX_RESULTS, timeout=_ms(self.limits.search_s))
        except _errors() as error:
            yield self._failed(self.name, "search", error)
            return
        addresses = _addresses(found)
        if not addresses:  # a server without a search engine behind it says the same
            yield failed(self.name, "live.nothing", NAME)
        async for item in self.read(addresses[:MAX_PAGES]):
            yield item

    async def read(self, urls: Sequence[str]) -> AsyncGenerator[LivePage | FailedSource, None]:
        """Scrape each address, a few at a time."""
        gate = asyncio.Semaphore(AT_ONCE)
        tasks = [asyncio.create_task(self._page(url, gate)) for url in urls]
        try:
            for task in asyncio.as_completed(tasks):
                yield await task
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _page(self, url: str, gate: asyncio.Semaphore) -> LivePage | FailedSource:
        async with gate:
            try:
                address = await self.guard.check(url)
                client = await self._client()
                async with asyncio.timeout(self.limits.page_s):
                    document = await client.scrape(
                        address.url,
                        formats=["markdown"],
                        only_main_content=True,
                        max_age=0,
                        timeout=_ms(self.limits.page_s),
                        auto_resume=False,
                    )
            except AddressRefused as error:
                return FailedSource(url, error.code, error.message)
            except _errors() as error:
                return self._failed(url, "scrape", error)
            return await self._as_page(url, address, document)

    async def _as_page(self, url: str, address: WebAddress, document: Any) -> LivePage | FailedSource:
        """The page of what the client made of the answer. Empty text, or an error page, is a page that was not read."""
        stated = document.metadata_dict
        text = clean(_text(document.markdown) or "")
        status = stated.get("status_code")
        if isinstance(status, int) and status >= 400:
            return failed(url, "live.page", NAME)
        if is_blank(text):
            return failed(url, "live.empty", NAME)
        for landed in {_text(stated.get("url")), _text(stated.get("source_url"))} - {None, url, address.url}:
            try:
                await self.guard.check(landed or "")
            except AddressRefused as error:
                return FailedSource(url, error.code, error.message)
        cut = (_CUT.format(count=MAX_PAGE_CHARS),) if len(text) > MAX_PAGE_CHARS else ()
        return LivePage(
            uri=address.url,
            title=(_text(stated.get("title")) or address.host).strip(),
            text=text[:MAX_PAGE_CHARS],
            source=Source.FIRECRAWL,
            published=_text(stated.get("published_time")),
            notes=cut,
        )

    async def _client(self) -> Any:
        """The client of its makers on our transport, made once. Its module takes a second to load: not in the event
        loop."""
        if not self._made:
            self._made.append(await asyncio.to_thread(_client_of, self.service))
        return self._made[0]

    def _failed(self, uri: str, step: str, error: Exception) -> FailedSource:
        code = _code_of(error, step)
        log().warning("live.failed", tool=self.name, step=step, code=code, error=type(error).__name__)
        return failed(uri, code, NAME)


@dataclass(frozen=True, slots=True)
class _Transport:
    """Takes the place of the client's own, which bounds no answer and repeats for longer than a question waits."""

    service: Service

    async def post(self, endpoint: str, data: dict[str, Any], **_: object) -> httpx.Response:
        """One request of the client, in the time that it grants the server."""
        return await self.service.post(endpoint, {**data, "origin": "doso"}, timeout_s=data["timeout"] / 1000)


def build(
    config: LiveConfig, guard: Outgoing, *, limits: Limits | None = None, pause: Pause = asyncio.sleep
) -> Firecrawl:
    """The source as the registry knows it. A server of one's own may need no key."""
    headers = {"Authorization": f"Bearer {config.api_key}"} if config.api_key else {}
    return Firecrawl(Service(config.base_url, headers, pause=pause), guard, limits or Limits())


def _client_of(service: Service) -> Any:
    from firecrawl.v2 import AsyncFirecrawlClient  # type: ignore[import-untyped]  # noqa: PLC0415

    client = AsyncFirecrawlClient(api_key="", api_url=service.base_url)  # the key goes through our transport
    client.async_http_client = _Transport(service)
    return client


def _errors() -> tuple[type[Exception], ...]:
    """What the client raises: the transport's errors, its own, and what reading a misshapen answer comes to."""
    from firecrawl.v2.utils.error_handler import FirecrawlError  # type: ignore[import-untyped]  # noqa: PLC0415

    return (*_TRANSPORT_ERRORS, FirecrawlError, ValueError, TypeError, AttributeError, LookupError, RecursionError)


def _code_of(error: Exception, step: str) -> str:
    match error:
        case AnswerTooLargeError():
            return "live.too_large"
        case httpx.TimeoutException() | TimeoutError():
            return "live.timeout"
        case httpx.HTTPError() | httpx.InvalidURL():
            return "live.unreachable"
    status = getattr(error, "status_code", None)
    if getattr(error, "code", None) in _SITE_CODES or (status == 403 and step == "scrape"):
        return "live.page"
    return code_of_status(status) if isinstance(status, int) else "live.unreadable"


def _addresses(found: Any) -> list[str]:
    """The addresses of the results in their order, each once; those that may not be opened are no loss."""
    known: dict[str, None] = {}
    for result in _results(found):
        try:
            known.setdefault(parse_address(result).url)
        except AddressRefused:
            continue
    return list(known)


def _results(found: Any) -> Iterable[str]:
    for result in found.web or ():
        url = _text(getattr(result, "url", None)) or _text(getattr(result, "metadata_dict", {}).get("source_url"))
        if url:
            yield url


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and not is_blank(value) else None


def _ms(seconds: float) -> int:
    return round(seconds * 1000)
