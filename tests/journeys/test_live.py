"""Pages of the web through the real doors: read live for a question, or taken in by their address."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from doso.outgoing import Outgoing
from tests.support.firecrawl import KEY, SEARCH, FirecrawlStub, firecrawl_stub, refusal
from tests.support.provider import Answer, End, Pause, ProviderStub, Seen, http, provider_stub
from tests.support.serving import served

PUBLIC = "93.184.216.34"
PAGE = "<html><head><title>The bridge</title></head><body><h1>News</h1><p>The bridge reopens.</p></body></html>"
A, B, C = "https://a.test/", "https://b.test/", "https://c.test/"


def site(seen: Seen) -> Answer:
    """A web site whose pages are all there is of the public net."""
    match seen.path:
        case "/page":
            return http(200, PAGE, type="text/html; charset=utf-8")
        case "/latin":
            return http(200, "<p>Das Café hat geöffnet.</p>".encode("latin-1"), type="text/html; charset=iso-8859-1")
        case "/notes.txt":
            return http(200, b"Plain notes of the bridge.", type="text/plain")
        case "/unnamed":
            return http(200, b"<!doctype html><p>Unnamed bytes.</p>", type="application/octet-stream")
        case "/moved":
            return http(302, b"", Location="/page")
        case "/inside":
            return http(302, b"", Location="http://127.0.0.1:8080/")
        case "/blank":
            return http(200, b"<html><script>x</script></html>", type="text/html")
        case "/picture":
            return http(200, b"\x89PNG\r\n", type="image/png")
    return http(404, b"no", type="text/html")


@dataclass
class Live:
    """A server with Firecrawl on, the Firecrawl, and the public net that its guard sees."""

    client: httpx.AsyncClient
    firecrawl: FirecrawlStub
    net: ProviderStub

    async def ask(self, question: str, **more: Any) -> dict[str, Any]:
        answer = await self.client.post("/v1/ask/evidence", json={"question": question, "live": True, **more})
        found: dict[str, Any] = answer.raise_for_status().json()
        return found

    async def take_in(self, url: str, **more: Any) -> httpx.Response:
        return await self.client.post("/v1/documents", json={"url": url, **more})

    async def document(self, receipt: httpx.Response) -> dict[str, Any]:
        operation = receipt.raise_for_status().json()
        found: dict[str, Any] = (await self.client.get(f"/v1/documents/{operation['document_ids'][0]}")).json()
        return found


@asynccontextmanager
async def living(home: Path, **env: str) -> AsyncIterator[Live]:
    async def resolve(name: str) -> Sequence[str]:
        if name.endswith("evil.test"):
            return [PUBLIC, "127.0.0.1"]
        return [PUBLIC]

    async with firecrawl_stub() as firecrawl, provider_stub(site) as net:
        on = {"TOOLS_FIRECRAWL": "true", "FIRECRAWL_BASE_URL": firecrawl.url, "FIRECRAWL_API_KEY": KEY}
        guard = Outgoing(resolve, lambda _host, _port: ("127.0.0.1", net.port))
        async with served(home, guard, **(on | env)) as client:
            yield Live(client, firecrawl, net)


@pytest.fixture
async def live(tmp_path: Path) -> AsyncIterator[Live]:
    async with living(tmp_path) as live:
        yield live


def cited(evidence: dict[str, Any]) -> list[str]:
    return sorted({source["uri"] for item in evidence["items"] for source in item["sources"]})


async def test_named_pages_are_cited_and_the_failed_one_is_told(live: Live) -> None:
    live.firecrawl.pages = {A: "A says 1", B: refusal(500), C: "C says 3"}
    evidence = await live.ask("What do A, B and C say?", urls=[A, B, C])
    assert cited(evidence) == [A, C]
    assert evidence["failed_sources"] == [{"uri": B, "code": "live.failed", "why": "Firecrawl failed."}]
    assert [item["mark"] for item in evidence["items"]] == ["S1", "S2"]
    assert {source["source"] for item in evidence["items"] for source in item["sources"]} == {"firecrawl"}
    assert evidence["no_results"] is False
    assert evidence["tokens"] == sum(item["tokens"] for item in evidence["items"])
    assert all(f"[{item['mark']}]" in evidence["prompt"] for item in evidence["items"])


async def test_a_page_that_could_not_be_read_leaves_no_evidence(live: Live) -> None:
    live.firecrawl.pages = {A: refusal(402)}
    evidence = await live.ask("Summarise this page", urls=[A])
    assert (evidence["items"], evidence["no_results"]) == ([], True)
    assert [(one["uri"], one["code"]) for one in evidence["failed_sources"]] == [(A, "live.no_credit")]


async def test_the_memory_comes_first_and_the_web_after_it(live: Live) -> None:
    await live.client.post("/v1/documents", json={"text": "My bridge walk is on Sunday.", "title": "Plans"})
    live.firecrawl.found, live.firecrawl.pages = [A], {A: "The bridge is open from Saturday."}
    evidence = await live.ask("When can I walk over the bridge?")
    assert [item["sources"][0]["source"] for item in evidence["items"]] == ["note", "firecrawl"]
    assert [item["mark"] for item in evidence["items"]] == ["S1", "S2"]
    listed = (await live.client.get("/v1/documents")).json()["data"]
    assert {(one["uri"], one["source"]) for one in listed if one["source"] == "firecrawl"} == {(A, "firecrawl")}
    without = (await live.client.post("/v1/ask/evidence", json={"question": "When can I walk over the bridge?"})).json()
    assert [item["sources"][0]["source"] for item in without["items"]] == ["note"]
    assert without["failed_sources"] == []


async def test_only_the_question_itself_goes_out(live: Live) -> None:
    await live.client.post("/v1/documents", json={"text": "SECRET-NOTE about the bridge."})
    history = [{"role": "user", "content": "SECRET-TURN"}]
    await live.ask("Is the bridge open?", history=history)
    (body,) = live.firecrawl.asked(SEARCH)
    assert body["query"] == "Is the bridge open?"
    sent = b"".join(seen.raw for seen in live.firecrawl.stub.requests)
    assert b"SECRET" not in sent


async def test_the_budget_and_the_limit_hold_for_both(live: Live) -> None:
    for n in range(12):
        await live.client.post("/v1/documents", json={"text": f"The bridge, note {n}. " + "More of it. " * 20})
    page = "\n\n".join(f"The bridge, part {n}. " + "More of it. " * 60 for n in range(30))
    live.firecrawl.pages = {A: page}
    for bounds in ({"max_tokens": 600}, {"limit": 5}):
        evidence = await live.ask("What of the bridge?", urls=[A], **bounds)
        assert evidence["tokens"] <= bounds.get("max_tokens", 2000)
        assert len(evidence["items"]) <= bounds.get("limit", 20)
        kinds = [item["sources"][0]["source"] for item in evidence["items"]]
        assert set(kinds) == {"note", "firecrawl"}
        assert kinds == sorted(kinds, key=["note", "firecrawl"].index)


FOREIGN = ["http://127.0.0.1:8080/", "http://[::1]/", "http://2130706433/", "http://evil.test/", "ftp://a.test/"]


async def test_an_address_inside_is_refused_at_every_door(live: Live) -> None:
    evidence = await live.ask("Summarise these pages", urls=FOREIGN)
    assert {one["uri"]: one["code"] for one in evidence["failed_sources"]} == dict.fromkeys(FOREIGN, "fetch.refused")
    for url in FOREIGN:
        refused = await live.take_in(url)
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "fetch.refused")
    assert live.firecrawl.stub.requests == [] and live.net.requests == []


BAD: list[tuple[dict[str, Any], str | None]] = [
    ({"urls": [A]}, "urls"),
    ({"live": True, "urls": [A] * 6}, None),
    ({"live": True, "urls": [""]}, None),
    ({"live": True, "scope": {"mode": "strict_chat", "chat_id": "c1"}}, "live"),
]


async def test_what_can_not_be_meant_is_refused(live: Live) -> None:
    for body, param in BAD:
        answer = await live.client.post("/v1/ask/evidence", json={"question": "x", **body})
        assert answer.status_code == 400
        assert param is None or answer.json()["error"]["param"] == param


async def test_without_a_live_source_the_remedy_is_told(tmp_path: Path) -> None:
    async with living(tmp_path, TOOLS_FIRECRAWL="false") as live:
        answer = await live.client.post("/v1/ask/evidence", json={"question": "x", "live": True})
        assert (answer.status_code, answer.json()["error"]["param"]) == (400, "live")
        assert "tools_firecrawl" in answer.json()["error"]["message"]
        changed = await live.client.patch("/v1/settings", json={"tools_firecrawl": True})
        assert changed.status_code == 200
        live.firecrawl.pages = {A: "A says 1"}
        assert cited(await live.ask("x", urls=[A])) == [A]


async def test_a_page_is_taken_in_by_its_address(live: Live) -> None:
    document = await live.document(await live.take_in("http://pub.test/page#part"))
    assert (document["uri"], document["title"], document["source"]) == ("http://pub.test/page", "The bridge", "web")
    assert document["text"] == "News\n\nThe bridge reopens."
    answer = await live.client.post("/v1/ask/evidence", json={"question": "When does the bridge reopen?"})
    assert [item["sources"][0]["uri"] for item in answer.json()["items"]] == ["http://pub.test/page"]
    again = (await live.take_in("http://pub.test/page")).json()
    assert again["document_ids"] == [document["id"]]


async def test_text_and_other_letters_and_redirects_are_read(live: Live) -> None:
    plain = await live.document(await live.take_in("http://pub.test/notes.txt", title="My notes"))
    assert (plain["title"], plain["text"]) == ("My notes", "Plain notes of the bridge.")
    latin = await live.document(await live.take_in("http://pub.test/latin"))
    assert latin["text"] == "Das Café hat geöffnet."
    unnamed = await live.document(await live.take_in("http://pub.test/unnamed"))
    assert unnamed["text"] == "Unnamed bytes."
    moved = await live.document(await live.take_in("http://pub.test/moved"))
    assert (moved["uri"], moved["title"]) == ("http://pub.test/moved", "The bridge")


FAILING = {
    "http://pub.test/inside": (400, "fetch.refused"),
    "http://pub.test/nothing": (502, "fetch.failed"),
    "http://pub.test/blank": (422, "import.no_text"),
    "http://pub.test/picture": (422, "import.unknown_format"),
}


async def test_a_page_that_is_no_good_is_not_stored(live: Live) -> None:
    for url, expected in FAILING.items():
        answer = await live.take_in(url)
        assert (answer.status_code, answer.json()["error"]["code"]) == expected
    both = await live.take_in("http://pub.test/page", text="x")
    assert (both.status_code, both.json()["error"]["param"]) == (400, "url")
    assert (await live.client.get("/v1/documents")).json()["data"] == []


async def test_a_repeated_request_fetches_nothing(live: Live) -> None:
    first = (await live.take_in("http://pub.test/page", request_id="r1")).json()
    second = (await live.take_in("http://pub.test/page", request_id="r1")).json()
    assert (second["id"], second["document_ids"]) == (first["id"], first["document_ids"])
    assert len(live.net.requests) == 1
    other = await live.take_in("http://pub.test/notes.txt", request_id="r1")
    assert (other.status_code, other.json()["error"]["code"]) == (409, "request.reused")


async def test_who_leaves_stops_the_research(live: Live) -> None:
    gone = asyncio.Event()
    body = {"question": "x", "live": True, "urls": [A]}

    def hold(seen: Seen) -> Answer:
        seen.left = gone
        return Answer((Pause(60),), End.HOLD)

    live.firecrawl.pages = {A: hold}
    task = asyncio.create_task(live.client.post("/v1/ask/evidence", json=body))
    while not live.firecrawl.stub.requests:
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait({task})
    async with asyncio.timeout(10):
        await gone.wait()
