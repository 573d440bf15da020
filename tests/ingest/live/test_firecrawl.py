"""Firecrawl through its own client, against its wire on loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from doso.outgoing import Outgoing
from doso.records import Source
from doso.records.live import FailedSource
from ingest.live.firecrawl import MAX_PAGES, MAX_QUERY_CHARS, Firecrawl, Limits, build
from ingest.ports import LiveConfig, LivePage
from tests.support.firecrawl import KEY, SCRAPE, SEARCH, FirecrawlStub, firecrawl_stub, page, refusal
from tests.support.provider import Answer, End, Gate, Pause, Seen, http

A, B, C = "https://a.test/", "https://b.test/", "https://c.test/"
QUICK = Limits(search_s=5, page_s=5, total_s=10)


async def public(_name: str) -> Sequence[str]:
    return ["93.184.216.34"]


def source(stub: FirecrawlStub, *, key: str | None = KEY, limits: Limits = QUICK) -> Firecrawl:
    """The source as it is built, which waits for nothing."""

    async def pause(_seconds: float) -> None:
        await asyncio.sleep(0)

    return build(LiveConfig(stub.url, key), Outgoing(resolve=public), limits=limits, pause=pause)


async def all_of(items: AsyncIterator[LivePage | FailedSource]) -> tuple[dict[str, str], dict[str, str]]:
    """Text of the pages and code of the failures, by address."""
    found = [item async for item in items]
    pages = {item.uri: item.text for item in found if isinstance(item, LivePage)}
    return pages, {item.uri: item.code for item in found if isinstance(item, FailedSource)}


async def test_pages_are_read_anew_as_markdown_of_their_main_part() -> None:
    async with firecrawl_stub({A: "A says **1**"}) as stub:
        (found,) = [item async for item in source(stub).read([A])]
    assert found == LivePage(A, f"Title of {A}", "A says **1**", Source.FIRECRAWL)
    (body,) = stub.asked(SCRAPE)
    assert (body["url"], body["maxAge"], body["onlyMainContent"]) == (A, 0, True)
    assert [one if isinstance(one, str) else one["type"] for one in body["formats"]] == ["markdown"]


async def test_a_search_reads_the_best_results_and_sends_the_query_alone() -> None:
    addresses = [f"https://site{n}.test/" for n in range(6)]
    async with firecrawl_stub({url: f"Text of {url}" for url in addresses}, found=addresses) as stub:
        pages, failed = await all_of(source(stub).search("  what\nis new?  " + "x" * 1000))
    assert pages == {url: f"Text of {url}" for url in addresses[:MAX_PAGES]}
    assert failed == {}
    (body,) = stub.asked(SEARCH)
    assert body["query"].startswith("what is new? xxx") and len(body["query"]) == MAX_QUERY_CHARS
    assert body.keys() <= {"query", "sources", "limit", "timeout", "origin"}


async def test_one_page_that_fails_takes_no_other_with_it() -> None:
    async with firecrawl_stub({A: "A says 1", B: refusal(500), C: "C says 3"}) as stub:
        pages, failed = await all_of(source(stub).read([A, B, C]))
    assert (pages, failed) == ({A: "A says 1", C: "C says 3"}, {B: "live.failed"})


NOTHING_READ = {
    "success without data": (http(200, {"success": True}), "live.empty"),
    "empty markdown": (page(""), "live.empty"),
    "blank markdown": (page(" \u200b\n"), "live.empty"),
    "no markdown": (page(None), "live.empty"),
    "data null": (http(200, {"success": True, "data": None}), "live.unreadable"),
    "data a list": (http(200, {"success": True, "data": ["x"]}), "live.unreadable"),
    "empty body": (http(200, b""), "live.unreadable"),
    "html": (http(200, b"<html>Welcome</html>", type="text/html"), "live.unreadable"),
    "a list": (http(200, []), "live.unreadable"),
    "deeply nested": (http(200, b"[" * 100_000), "live.unreadable"),
    "markdown a number": (http(200, {"success": True, "data": {"markdown": 7}}), "live.unreadable"),
    "failed with 200": (http(200, {"success": False, "error": "x"}), "live.failed"),
    "error page": (page("Not here", status=404), "live.page"),
    "bad request": (refusal(400), "live.refused"),
    "no key": (refusal(401), "live.key"),
    "no credit": (refusal(402, "Insufficient credits"), "live.no_credit"),
    "site not supported": (refusal(403), "live.page"),
    "timed out there": (refusal(408), "live.timeout"),
    "still processing": (
        refusal(408, code="SCRAPE_TIMEOUT", details={"state": "processing_continues", "retryAfterSeconds": 600}),
        "live.timeout",
    ),
    "asked too often": (refusal(429), "live.rate_limited"),
    "unknown host": (refusal(500, code="SCRAPE_DNS_RESOLUTION_ERROR"), "live.page"),
    "broken": (refusal(500), "live.failed"),
    "bad gateway as html": (http(502, b"<html>nginx", type="text/html"), "live.failed"),
    "gateway time-out": (http(504, b""), "live.timeout"),
}


@pytest.mark.parametrize("name", NOTHING_READ)
async def test_what_was_not_read_is_told_with_its_reason(name: str) -> None:
    answer, code = NOTHING_READ[name]
    async with firecrawl_stub({A: answer}) as stub:
        pages, failed = await all_of(source(stub).read([A]))
    assert (pages, failed) == ({}, {A: code})


async def test_text_of_the_far_end_never_stands_in_a_reason() -> None:
    async with firecrawl_stub({A: refusal(402, f"key {KEY} of admin@corp")}) as stub:
        (found,) = [item async for item in source(stub).read([A])]
    assert found == FailedSource(A, "live.no_credit", "Firecrawl has no credit left.")


async def test_a_passing_fault_is_repeated_once() -> None:
    async with firecrawl_stub({A: "A says 1"}, refusal(502), refusal(503)) as stub:
        one, _ = await all_of(source(stub).read([A]))
        stub.stub.script += [refusal(503)]
        other, _ = await all_of(source(stub).read([A]))
    assert (one, other) == ({}, {A: "A says 1"})
    assert len(stub.stub.requests) == 4


async def test_a_pause_that_is_asked_for_is_kept_when_it_is_short() -> None:
    short = http(429, {"success": False, "error": "slow"}, Retry_After="1")
    for absurd in ("3600", "-5", "soon", "Wed, 21 Oct 2026 07:28:00 GMT", "9" * 400):
        long = http(429, {"success": False, "error": "slow"}, Retry_After=absurd)
        async with firecrawl_stub({A: "A says 1"}, short, long) as stub:
            pages, failed = await all_of(source(stub).read([A]))
            assert (pages, failed) == ({}, {A: "live.rate_limited"}), absurd
            assert len(stub.stub.requests) == 2


async def test_a_page_that_takes_too_long_is_given_up() -> None:
    hold = Answer((Pause(60),), End.HOLD)
    async with firecrawl_stub({A: hold, B: "B says 2"}) as stub:
        limits = Limits(search_s=5, page_s=2, total_s=10)
        pages, failed = await all_of(source(stub, limits=limits).read([A, B]))
    assert (pages, failed) == ({B: "B says 2"}, {A: "live.timeout"})


async def test_an_answer_that_trickles_or_never_ends_is_cut() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"
    trickle = Answer((head, *(part for _ in range(100) for part in (b" ", Pause(0.05)))), End.HOLD)
    flood = Answer((head, *(b"x" * 1_000_000 for _ in range(20))), End.CLOSE)
    async with firecrawl_stub({A: trickle, B: flood}) as stub:
        limits = Limits(search_s=5, page_s=2, total_s=10)
        pages, failed = await all_of(source(stub, limits=limits).read([A]))
        assert (pages, failed) == ({}, {A: "live.timeout"})
        assert await all_of(source(stub).read([B])) == ({}, {B: "live.too_large"})


async def test_who_leaves_closes_all_requests() -> None:
    gate = Gate()
    async with firecrawl_stub({A: Answer((gate,), End.HOLD), B: "B says 2"}) as stub:
        items = source(stub).read([A, B])
        assert isinstance(await anext(items), LivePage)
        while A not in stub.read:
            await asyncio.sleep(0)
        await items.aclose()
        waiting = next(seen for seen in stub.stub.requests if seen.body["url"] == A)
        await asyncio.wait_for(waiting.left.wait(), 5)


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://localhost/", "http://2130706433/", "file:///etc/passwd"])
async def test_an_address_of_this_machine_is_never_handed_on(url: str) -> None:
    async with firecrawl_stub({A: "A says 1"}) as stub:
        assert await all_of(source(stub).read([url, A])) == ({A: "A says 1"}, {url: "fetch.refused"})
        assert stub.read == [A]


async def test_a_search_result_that_names_this_machine_is_left_out() -> None:
    async with firecrawl_stub({A: "A says 1"}, found=["http://169.254.169.254/latest/", A, A, "javascript:x"]) as stub:
        assert await all_of(source(stub).search("x")) == ({A: "A says 1"}, {})
        assert stub.read == [A]


async def test_a_page_that_was_found_on_a_private_address_is_not_taken() -> None:
    def led_on(seen: Seen) -> Answer:
        return page("canary", url="http://127.0.0.1:8080/admin")

    async with firecrawl_stub({A: led_on}) as stub:
        assert await all_of(source(stub).read([A])) == ({}, {A: "fetch.refused"})


async def test_a_name_that_is_private_here_is_not_handed_on() -> None:
    async def private(_name: str) -> Sequence[str]:
        return ["93.184.216.34", "10.0.0.5"]

    async with firecrawl_stub({A: "A says 1"}) as stub:
        live = build(LiveConfig(stub.url, KEY), Outgoing(resolve=private), limits=QUICK)
        assert await all_of(live.read([A])) == ({}, {A: "fetch.refused"})
        assert stub.stub.requests == []


async def test_a_name_without_an_address_here_may_have_one_there() -> None:
    async def unknown(_name: str) -> Sequence[str]:
        raise OSError

    async with firecrawl_stub({A: "A says 1"}) as stub:
        live = build(LiveConfig(stub.url, KEY), Outgoing(resolve=unknown), limits=QUICK)
        assert await all_of(live.read([A])) == ({A: "A says 1"}, {})


async def test_a_server_of_ones_own_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRECRAWL_API_KEY", "of-another-program")
    async with firecrawl_stub({A: "A says 1"}) as stub:
        await all_of(source(stub, key=None).read([A]))
    assert "authorization" not in stub.stub.requests[0].headers


async def test_results_that_carry_text_already_lose_nothing() -> None:
    found = {"web": [{"url": A, "markdown": "", "metadata": {"sourceURL": A}}, {"url": B, "title": "B"}]}
    async with firecrawl_stub({A: "A says 1", B: "B says 2"}, http(200, {"success": True, "data": found})) as stub:
        assert await all_of(source(stub).search("x")) == ({A: "A says 1", B: "B says 2"}, {})
