"""Firecrawl's server on loopback: its wire, bodies checked as strictly as a self-hosted one does, scripted faults."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.provider import Answer, ProviderStub, Scripted, Seen, http, provider_stub

KEY = "fc-CANARY-5550001"
SEARCH, SCRAPE = "/v2/search", "/v2/scrape"
#: What a server of its second version takes; any other key is refused.
_KEYS = {
    SEARCH: {
        "query", "limit", "tbs", "lang", "country", "location", "origin", "integration", "timeout", "sources",
        "categories", "ignoreInvalidURLs", "asyncScraping", "scrapeOptions", "includeDomains", "excludeDomains",
    },
    SCRAPE: {
        "url", "origin", "integration", "timeout", "formats", "headers", "includeTags", "excludeTags",
        "onlyMainContent", "waitFor", "mobile", "parsers", "actions", "location", "skipTlsVerification",
        "removeBase64Images", "fastMode",
        "useMock", "blockAds", "proxy", "maxAge", "minAge", "storeInCache",
    },
}  # fmt: skip


def page(
    markdown: str | None, *, title: str | None = "A page", url: str = "", status: int = 200, **more: Any
) -> Answer:
    """A page that was scraped."""
    metadata = {"title": title, "sourceURL": url, "url": url, "statusCode": status, "contentType": "text/html", **more}
    return http(200, {"success": True, "data": {"markdown": markdown, "metadata": metadata}})


def refusal(status: int, error: str = "no", **more: Any) -> Answer:
    """An error as Firecrawl spells it."""
    return http(status, {"success": False, "error": error, **more})


def results(urls: Sequence[str]) -> Answer:
    """What a search found."""
    web = [{"url": url, "title": f"Title {n}", "description": "…", "position": n} for n, url in enumerate(urls, 1)]
    return http(200, {"success": True, "data": {"web": web}, "creditsUsed": 2})


@dataclass
class FirecrawlStub:
    """`found` is what a search gives; `pages` what each address holds (text or an answer), by the address that was
    asked for; another one is a page that does not exist. `script` stands above both, request by request."""

    found: Sequence[str] = ()
    pages: Mapping[str, str | Scripted] = field(default_factory=dict)
    stub: ProviderStub = field(default_factory=ProviderStub)

    @property
    def url(self) -> str:
        """The base URL as it is configured."""
        return self.stub.url.removesuffix("/v1")

    def asked(self, path: str) -> list[dict[str, Any]]:
        """The bodies that came for a path."""
        return [seen.body for seen in self.stub.requests if seen.path == path]

    @property
    def read(self) -> list[str]:
        """The addresses that were to be scraped, sorted."""
        return sorted(body["url"] for body in self.asked(SCRAPE))

    def respond(self, seen: Seen) -> Answer:
        """As the server answers."""
        if seen.path not in _KEYS or seen.method != "POST":
            return http(404, b"Cannot POST", type="text/html")
        if seen.headers.get("authorization") != f"Bearer {KEY}":
            return refusal(401, "Unauthorized: Invalid token")
        unknown = sorted(seen.body.keys() - _KEYS[seen.path])
        if unknown:
            return refusal(400, "Bad Request", details=[{"code": "unrecognized_keys", "keys": unknown}])
        if seen.path == SEARCH:
            return results(self.found)
        answer = self.pages.get(seen.body["url"], page("Not found", url=seen.body["url"], status=404))
        if isinstance(answer, str):
            return page(answer, url=seen.body["url"], title=f"Title of {seen.body['url']}")
        return answer if isinstance(answer, Answer) else answer(seen)


@asynccontextmanager
async def firecrawl_stub(
    pages: Mapping[str, str | Scripted] | None = None, *script: Scripted, found: Sequence[str] = ()
) -> AsyncIterator[FirecrawlStub]:
    """A stub in this loop."""
    stand = FirecrawlStub(found, pages or {})
    async with provider_stub(stand.respond, *script) as stub:
        stand.stub = stub
        yield stand
