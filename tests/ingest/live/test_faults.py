"""The fault matrix of Firecrawl's two calls: whatever its server does, the question is answered and told why a page is
missing. `docs/live-faults.md` shows it."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpcore
import pytest
import pytest_asyncio

from doso.ids import OwnerId
from doso.outgoing import Outgoing
from ingest.live.firecrawl import Limits, build
from ingest.live.http import MAX_ANSWER_BYTES
from ingest.live.research import Research
from ingest.ports import LiveConfig
from tests.ingest.conftest import Kit, make_kit
from tests.support.databases import empty_database
from tests.support.firecrawl import KEY, FirecrawlStub, firecrawl_stub
from tests.support.provider import Answer, End, Pause, ProviderStub, Seen, http
from tests.support.server import free_port

PAGE = Path(__file__).parents[3] / "docs" / "live-faults.md"
A = "https://a.test/"
TEXT = "The bridge is open, “really”\u2028open 🌉."
SECRET = "sk-canary-of-the-far-end"
LIMITS = Limits(search_s=2.0, page_s=2.0, total_s=12.0)
MAX_CALLS = 3
READ = ""  # the page was read after all

Reply = Callable[[str], Answer]


@dataclass(frozen=True)
class Fault:
    """`reply` makes the answer to one call ("search" or "scrape"); `times`: how often it is given before the server
    works again; `code`: what the question is told, by call where they differ."""

    row: str
    name: str
    reply: Reply | None
    code: str | tuple[str, str] = READ
    times: int = MAX_CALLS
    calls: tuple[int, int] = (1, 1)
    base_url: Callable[[ProviderStub], str] = lambda stub: stub.url.removesuffix("/v1")

    def __str__(self) -> str:
        return f"{self.row} {self.name}"

    def code_of(self, call: str) -> str:
        return self.code if isinstance(self.code, str) else self.code[call == "scrape"]


def good(call: str) -> dict[str, Any]:
    """What the server says when nothing is wrong."""
    if call == "search":
        return {"success": True, "data": {"web": [{"url": A, "title": "A", "description": "", "position": 1}]}}
    metadata = {"title": "A", "sourceURL": A, "url": A, "statusCode": 200}
    return {"success": True, "data": {"markdown": TEXT, "metadata": metadata}}


def same(answer: Answer) -> Reply:
    return lambda _call: answer


def head(length: int | None) -> bytes:
    stated = "" if length is None else f"content-length: {length}\r\n"
    return f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{stated}\r\n".encode()


def body(call: str) -> bytes:
    return json.dumps(good(call), ensure_ascii=False).encode()


def held(call: str) -> Answer:
    return Answer((head(len(body(call))), body(call)), End.HOLD)


def unframed(call: str) -> Answer:
    return Answer((head(None), body(call)), End.CLOSE)


def chunked(call: str) -> Answer:
    """A byte in each chunk and write, with comments of HTTP's own kind."""
    first = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n"
    return Answer((first, *(b"1;x=y\r\n%c\r\n" % byte for byte in body(call)), b"0\r\n\r\n"), End.KEEP)


def cut(end: End) -> Reply:
    return lambda call: Answer((head(len(body(call))), body(call)[:40]), end)


def surrogates(call: str) -> Answer:
    """Half a pair, spelled as an escape, where the text is."""
    raw = json.dumps(good(call)).replace('"A"', '"A\\ud83d"').replace("The bridge", "\\ud83dThe bridge")
    return http(200, raw)


def with_nulls(call: str) -> Answer:
    found = good(call)
    if call == "search":
        found["data"]["web"][0] |= {"title": None, "description": None, "position": None}
        found |= {"warning": None, "creditsUsed": None}
    else:
        found["data"]["metadata"] = None
        found["data"] |= {"html": None, "links": None, "warning": None}
    return http(200, found)


def emptied(call: str) -> Answer:
    return http(200, {"success": True, "data": {"web": []} if call == "search" else {"markdown": ""}})


def misshapen(call: str) -> Answer:
    return http(200, {"success": True, "data": {"web": [7, {"url": 7}]} if call == "search" else {"markdown": [1]}})


def doubled(call: str) -> Answer:
    found = good(call)
    if call == "search":
        found["data"]["web"] *= 3
    return http(200, found)


def trickle(_call: str) -> Answer:
    return Answer((head(None), *(part for _ in range(200) for part in (b" ", Pause(0.05)))), End.HOLD)


def refused(status: int, **headers: str) -> Reply:
    return same(http(status, {"success": False, "error": SECRET, "details": SECRET}, **headers))


def closed_port(_stub: ProviderStub) -> str:
    return f"http://127.0.0.1:{free_port()}"


FAULTS = (
    Fault("1", "no such host", None, "live.unreachable", calls=(0, 0), base_url=lambda _: "http://doso.invalid"),
    Fault("2", "refused", None, "live.unreachable", calls=(0, 0), base_url=closed_port),
    Fault(
        "3",
        "no TLS",
        None,
        ("live.timeout", "live.timeout"),
        calls=(0, 0),
        base_url=lambda stub: stub.url.removesuffix("/v1").replace("http:", "https:"),
    ),
    Fault("4", "connect time-out", None, "live.timeout", calls=(0, 0), base_url=lambda _: "http://silent.test"),
    Fault("5", "silence before the head", same(Answer((), End.HOLD)), "live.timeout"),
    Fault("6", "silence after the head", same(Answer((head(None),), End.HOLD)), "live.timeout"),
    Fault("7", "FIN in the middle", cut(End.CLOSE), "live.unreachable", calls=(2, 2)),
    Fault("7", "FIN before the head", same(Answer((), End.CLOSE)), "live.unreachable", calls=(2, 2)),
    Fault("8", "RST in the middle", cut(End.RESET), "live.unreachable", calls=(2, 2)),
    Fault("8", "RST once", cut(End.RESET), times=1, calls=(2, 2)),
    Fault("9", "whole, held open", held),
    Fault("10", "ended by closing alone", unframed),
    Fault("11", "an empty result", emptied, ("live.nothing", "live.empty")),
    Fault("12", "no data", same(http(200, {"success": True})), ("live.nothing", "live.empty")),
    Fault("13", "null fields", with_nulls),
    Fault("13", "null data", same(http(200, {"success": True, "data": None})), ("live.nothing", "live.unreadable")),
    Fault("14", "an error object in a 200", refused(200), "live.failed"),
    Fault("15", "a byte per chunk", chunked),
    Fault("16", "half a surrogate pair", surrogates),
    Fault("17", "a cut JSON", lambda call: http(200, body(call)[:-9]), "live.unreadable"),
    Fault("18", "too long", refused(413), "live.refused"),
    Fault("18", "an unknown key", refused(400), "live.refused"),
    Fault("19", "401", refused(401), "live.key"),
    Fault("19", "403", refused(403), ("live.key", "live.page")),
    Fault("20", "402", refused(402), "live.no_credit"),
    Fault("21", "429, one second", refused(429, Retry_After="1"), times=1, calls=(2, 2)),
    *(
        Fault("21", f"429, {spelled}", refused(429, Retry_After=spelled), "live.rate_limited")
        for spelled in ("-5", "soon", "1.5s", "3600", "Wed, 21 Oct 2026 07:28:00 GMT", "9" * 40)
    ),
    *(Fault("22", f"{status} once", refused(status), times=1, calls=(2, 2)) for status in (500, 502, 503)),
    Fault("22", "500 always", refused(500), "live.failed", calls=(2, 2)),
    Fault("23", "a page", same(http(200, f"<html>{SECRET}</html>", type="text/html")), "live.unreadable"),
    Fault("23", "an empty body", same(http(200, b"")), "live.unreadable"),
    Fault("23", "no JSON", same(http(200, SECRET, type="text/plain")), "live.unreadable"),
    Fault("24", "JSON of another kind", same(http(200, [1, None])), "live.unreadable"),
    Fault("24", "fields of another kind", misshapen, "live.unreadable"),
    Fault("25", "a trickle", trickle, "live.timeout"),
    Fault("25", "a body without end", same(Answer((head(None), *[b"x" * 1_000_000] * 40), End.HOLD)), "live.too_large"),
    Fault("26", "results that come twice", doubled),
)
CALLS = ("search", "scrape")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def kit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Kit]:
    """One for all cells; each has an owner of its own."""
    home = tmp_path_factory.mktemp("faults")
    database = await empty_database(f"sqlite:///{home / 'doso.db'}")
    kit = make_kit(database, home)
    await kit.intake.start()
    await kit.intake.started()
    yield kit
    await kit.jobs.drain()
    await kit.intake.stop()
    await database.aclose()


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names have no addresses here, and one machine never answers a connection."""
    connect = httpcore.AnyIOBackend.connect_tcp

    async def connect_tcp(self: httpcore.AnyIOBackend, host: str, *rest: Any, **more: Any) -> Any:
        if host == "silent.test":
            raise httpcore.ConnectTimeout
        if host != "127.0.0.1":
            raise httpcore.ConnectError(f"no address: {socket.gaierror.__name__}")
        return await connect(self, host, *rest, **more)

    monkeypatch.setattr(httpcore.AnyIOBackend, "connect_tcp", connect_tcp)


async def public(_name: str) -> Sequence[str]:
    return ["93.184.216.34"]


async def no_pause(_seconds: float) -> None:
    await asyncio.sleep(0)


def research_of(kit: Kit, base_url: str) -> Research:
    source = build(LiveConfig(base_url, KEY), Outgoing(resolve=public), limits=LIMITS, pause=no_pause)
    return Research(kit.intake, [source])


def scripted(stub: FirecrawlStub, fault: Fault, call: str) -> None:
    """The fault at one call; the other one works."""
    left = fault.times

    def respond(seen: Seen) -> Answer:
        nonlocal left
        if fault.reply is None or not seen.path.endswith(f"/{call}") or left == 0:
            return stub.respond(seen)
        left -= 1
        return fault.reply(call)

    stub.stub.respond = respond


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("fault", FAULTS, ids=str)
async def test_every_cell_keeps_its_contract(
    kit: Kit, fault: Fault, call: str, capsys: pytest.CaptureFixture[str]
) -> None:
    owner = OwnerId(f"{fault}, {call}")
    async with firecrawl_stub({A: http(200, good("scrape"))}, found=[A]) as stub:
        scripted(stub, fault, call)
        async with asyncio.timeout(LIMITS.total_s + 2):
            findings = await research_of(kit, fault.base_url(stub.stub)).research(owner, "Is the bridge open?")
        asked = [seen for seen in stub.stub.requests if seen.path.endswith(f"/{call}")]
        assert fault.calls[0] <= len(asked) <= fault.calls[1]
        code = fault.code_of(call)
        texts = [passage.text for passage in findings.passages]
        documents = (await kit.library.list_documents(owner, source=None, cursor=None, limit=9)).data
        assert (texts == [TEXT], len(documents)) == (code == READ, int(code == READ))
        assert [one.code for one in findings.failed] == ([] if code == READ else [code])
        source = "firecrawl" if call == "search" or fault.reply is None else A
        assert all(one.uri == source for one in findings.failed)
        log = "".join(capsys.readouterr())
        assert A not in log and "bridge" not in log
        assert SECRET not in f"{findings.failed}{log}" and KEY not in f"{findings.failed}{log}"
        stub.stub.respond = stub.respond
        again = await research_of(kit, stub.url).research(owner, "Is the bridge open?")
        assert ([passage.text for passage in again.passages], again.failed) == ([TEXT], ())


def test_the_bound_of_an_answer_is_far_below_what_a_far_end_may_send() -> None:
    assert MAX_ANSWER_BYTES < 40_000_000


def test_the_page_shows_the_matrix() -> None:

    def cell(fault: Fault, call: str) -> str:
        code = fault.code_of(call)
        return f"`{code}`" if code else "read"

    rows = [f"| {fault.row} | {fault.name} | {' | '.join(cell(fault, call) for call in CALLS)} |" for fault in FAULTS]
    page = PAGE.read_text(encoding="utf-8")
    assert [row for row in rows if row not in page] == []
