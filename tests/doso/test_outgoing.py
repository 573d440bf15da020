"""The guard: which addresses are opened, and that a page comes from nowhere else."""

from __future__ import annotations

import asyncio
import gzip
import ipaddress
import ssl
import zlib
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import trustme
from hypothesis import given
from hypothesis import strategies as st

from doso.errors import AddressRefused, DosoError, FetchFailed, FetchTimeout, TooLarge, UnknownFormat
from doso.outgoing import FetchLimits, Outgoing, parse_address
from doso.outgoing.addresses import is_public
from tests.support.provider import Answer, End, Pause, ProviderStub, Seen, http, provider_stub

PUBLIC = "93.184.216.34"

#: Spellings of loopback, private nets, clouds' own addresses, and what is no address of a page at all.
REFUSED = [
    "http://127.0.0.1/",
    "http://127.0.0.1:8080/",
    "http://127.255.255.254/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://localhost.localdomain/",
    "http://app.localhost/",
    "http://ｌｏｃａｌｈｏｓｔ/",
    "http://0/",
    "http://0.0.0.0:8080/",
    "http://2130706433/",
    "http://017700000001/",
    "http://0x7f000001/",
    "http://0x7F.0x0.0X0.0x1/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://00000177.0.0.1/",
    "http://127.1/",
    "http://127.0.1/",
    "http://127.0.0.1./",
    "http://①②⑦.⓪.⓪.①/",
    "http://１２７．０．０．１/",
    "http://127。0。0。1/",
    "http://[::1]/",
    "http://[::]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fec0::1]/",
    "http://[fd00:ec2::254]/",
    "http://[ff02::1]/",
    "http://[2001:db8::1]/",
    "http://10.0.0.5/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://198.18.0.1/",
    "http://224.0.0.1/",
    "http://255.255.255.255/",
    "http://metadata.google.internal/",
    "http://printer.local/",
    "http://router.lan/",
    "http://intranet/",
    "http://127.0.0.1%2f@example.com/",
    "http://example.com@127.0.0.1/",
    "http://user:word@example.com/",
    "http://example.com:22/",
    "http://example.com:65616/",
    "http://example.com:8080@127.0.0.1/",
    "http:\\\\127.0.0.1\\",
    "http://example.com\\@127.0.0.1/",
    "http://exa\tmple.com/",
    "http://example.com/\r\nHost: 127.0.0.1",
    "http://%31%32%37.0.0.1/",
    "http:///127.0.0.1/",
    "http://256.256.256.256/",
    "http://1.2.3.4.5/",
    "http://08.0.0.1/",
    "http://0x.1/",
    "//127.0.0.1/",
    "file:///etc/passwd",
    "ftp://example.com/",
    "gopher://127.0.0.1:6379/_INFO",
    "dict://example.com:11211/",
    "javascript:alert(1)",
    "data:text/html,x",
    "example.com",
    "http://",
    "http://[::1",
    "http://-.com/",
    "http://" + "a" * 300 + ".com/",
    "http://example.com/" + "a" * 3000,
]


@pytest.mark.parametrize("url", REFUSED)
def test_what_is_no_page_of_the_public_web_is_refused_by_its_text(url: str) -> None:
    with pytest.raises(AddressRefused) as found:
        parse_address(url)
    assert found.value.status == 400


async def test_nothing_is_sent_to_what_is_refused() -> None:
    async with net(lambda _: html("page")) as found:
        for url in REFUSED:
            for open_it in (found.guard.fetch, found.guard.check):
                with pytest.raises(AddressRefused):
                    await open_it(url)
    assert (found.connected, found.looked_up) == ([], [])


TAKEN = {
    "https://example.com": "https://example.com/",
    "HTTPS://Example.COM:443/A?b=c#d": "https://example.com/A?b=c",
    "http://example.com.:8080/": "http://example.com:8080/",
    "https://bücher.example/straße?q=ü": "https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%BC",
    "https://例え.テスト/": "https://xn--r8jz45g.xn--zckzah/",
    "https://a.example?x": "https://a.example/?x",
    "http://8.8.8.8/": "http://8.8.8.8/",
    "http://134744072/": "http://8.8.8.8/",
    "http://0x08080808:8080/": "http://8.8.8.8:8080/",
    "http://[2606:4700::1111]/": "http://[2606:4700::1111]/",
    "http://[::ffff:8.8.8.8]/": "http://[::ffff:808:808]/",
    "  https://a_b.example/%zz ": "https://a_b.example/%zz",
}


@pytest.mark.parametrize("url", TAKEN)
def test_a_page_of_the_public_web_has_one_spelling(url: str) -> None:
    address = parse_address(url)
    assert address.url == TAKEN[url]
    assert parse_address(address.url) == address


@given(st.integers(0, 2**32 - 1))
def test_no_spelling_of_a_number_hides_what_it_is(number: int) -> None:
    ip = ipaddress.IPv4Address(number)
    one, two, three, four = ip.packed
    spellings = [
        str(number),
        hex(number),
        oct(number).replace("o", ""),
        f"{one}.{two}.{three}.{four}",
        f"{one:#x}.{two:#o}.{three}.{four}".replace("o", ""),
        f"{one}.{number & 0xFFFFFF}",
        f"{one}.{two}.{number & 0xFFFF}",
        f"[::ffff:{ip}]",
        f"[64:ff9b::{ip}]",
    ]
    for spelling in spellings:
        try:
            found = parse_address(f"http://{spelling}/").ip
        except AddressRefused:
            found = None
        assert (found is not None) is is_public(ip), spelling


@given(st.integers(0, 2**32 - 1))
def test_an_address_that_the_registries_call_private_is_never_public(number: int) -> None:
    ip = ipaddress.IPv4Address(number)
    assert not (is_public(ip) and (ip.is_private or ip.is_loopback or ip.is_link_local or ip.is_multicast))


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_is_refused(text: str) -> None:
    for url in (text, f"http://{text}", f"http://example.com{text}", f"http://{text}.example/"):
        try:
            address = parse_address(url)
        except AddressRefused:
            continue
        assert parse_address(address.url) == address
        assert (address.url.isascii() and not set(address.url) & set(" \\\r\n\t@")) or "@" in address.target


# ── fetching, on loopback: public addresses are routed to a stub, everything else would reach the canary ─────────────


@dataclass
class Net:
    """`names` as a resolver gives them, look-up after look-up; what was connected to."""

    stub: ProviderStub
    names: dict[str, list[Sequence[str]]] = field(default_factory=dict)
    connected: list[str] = field(default_factory=list)
    looked_up: list[str] = field(default_factory=list)
    certificates: ssl.SSLContext | None = None

    @property
    def guard(self) -> Outgoing:
        return Outgoing(self.resolve, self.detour, self.certificates)

    async def resolve(self, name: str) -> Sequence[str]:
        self.looked_up.append(name)
        answers = self.names.get(name)
        if not answers:
            raise OSError("no such name")
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def detour(self, host: str, port: int) -> tuple[str, int]:
        self.connected.append(host)
        return ("127.0.0.1", self.stub.port) if host == PUBLIC else (host, port)


@asynccontextmanager
async def net(respond: Callable[[Seen], Answer], **names: Any) -> AsyncIterator[Net]:
    async with provider_stub(respond) as stub:
        known = {name.replace("_", "."): answers for name, answers in names.items()}
        yield Net(stub, {"pub.test": [[PUBLIC]]} | known)


def html(text: str, **headers: str) -> Answer:
    return http(200, text.encode(), type="text/html; charset=utf-8", **headers)


def packed(body: bytes, encoding: str) -> Answer:
    return http(200, body, type="text/html", Content_Encoding=encoding)


def moved(location: str, status: int = 302) -> Answer:
    return http(status, b"", type="text/html", Location=location)


async def test_a_page_comes_with_its_type_under_its_own_name() -> None:
    async with net(lambda _: html("<p>Hello</p>")) as found:
        page = await found.guard.fetch("http://pub.test/a?b=c#d")
    assert (page.url, page.type, page.charset, page.body) == (
        "http://pub.test/a?b=c",
        "text/html",
        "utf-8",
        b"<p>Hello</p>",
    )
    (seen,) = found.stub.requests
    assert (seen.path, seen.headers["host"]) == ("/a?b=c", "pub.test")
    assert "authorization" not in seen.headers and "cookie" not in seen.headers
    assert (found.looked_up, found.connected) == (["pub.test"], [PUBLIC])


async def test_a_number_of_the_new_protocol_keeps_its_brackets() -> None:
    async with net(lambda _: html("page")) as found:
        guard = Outgoing(found.resolve, lambda _host, _port: ("127.0.0.1", found.stub.port))
        assert (await guard.fetch("http://[2606:4700::1111]:8080/")).body == b"page"
    assert found.stub.requests[0].headers["host"] == "[2606:4700::1111]:8080"
    assert found.looked_up == []


REBOUND = {
    "another look-up gives loopback": [[PUBLIC], ["127.0.0.1"]],
    "another look-up gives a private net": [[PUBLIC], ["10.0.0.1"]],
}


@pytest.mark.parametrize("name", REBOUND)
async def test_the_address_that_was_judged_is_the_one_that_is_opened(name: str) -> None:
    async with net(lambda _: html("page"), rebind_test=REBOUND[name]) as found:
        page = await found.guard.fetch("http://rebind.test/")
    assert page.body == b"page"
    assert found.connected == [PUBLIC]


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["::1"],
        [PUBLIC, "127.0.0.1"],
        ["127.0.0.1", PUBLIC],
        [PUBLIC, "::ffff:10.0.0.1"],
        ["fe80::1%eth0"],
        ["169.254.169.254"],
    ],
)
async def test_a_name_with_any_private_address_is_not_opened(addresses: list[str]) -> None:
    async with net(lambda _: html("page"), evil_test=[addresses]) as found:
        with pytest.raises(AddressRefused):
            await found.guard.fetch("http://evil.test/")
    assert found.connected == []


REDIRECTS = [
    "http://127.0.0.1:{port}/",
    "http://localhost:{port}/",
    "//127.0.0.1:{port}/",
    "http://evil.test/",
    "http://[::1]/",
    "http://2130706433/",
    "file:///etc/passwd",
    "http://user:word@pub.test/",
    "http:\\\\127.0.0.1/",
    "http://pub.test:22/",
    "gopher://pub.test/",
]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("location", REDIRECTS)
async def test_every_hop_is_judged(location: str, status: int) -> None:
    hits = 0

    async def canary(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal hits
        hits += 1
        writer.close()

    server = await asyncio.start_server(canary, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, net(lambda _: moved(location.format(port=port), status), evil_test=[["127.0.0.1"]]) as found:
        with pytest.raises(AddressRefused):
            await found.guard.fetch("http://pub.test/")
    assert hits == 0
    assert found.connected == [PUBLIC]


async def test_a_name_that_is_rebound_between_two_hops_is_judged_anew() -> None:
    async with net(lambda _: moved("/next"), rebind_test=[[PUBLIC], ["127.0.0.1"]]) as found:
        with pytest.raises(AddressRefused):
            await found.guard.fetch("http://rebind.test/")
    assert found.connected == [PUBLIC]


async def test_redirects_to_public_pages_are_followed() -> None:
    def respond(seen: Seen) -> Answer:
        return moved("../b/?x=1") if seen.path == "/a/" else html("there")

    async with net(respond) as found:
        page = await found.guard.fetch("http://pub.test/a/")
    assert (page.url, page.body) == ("http://pub.test/b/?x=1", b"there")


async def test_redirects_come_to_an_end() -> None:
    async with net(lambda seen: moved(f"{seen.path}x")) as found:
        with pytest.raises(FetchFailed):
            await found.guard.fetch("http://pub.test/")
    assert len(found.stub.requests) == 6


SMALL = FetchLimits(max_bytes=1000, total_s=2, idle_s=5, connect_s=5)
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n"
FAULTS: dict[str, tuple[Answer, type[DosoError]]] = {
    "stated too large": (Answer((_HEAD + b"content-length: 99999999\r\n\r\n",), End.HOLD), TooLarge),
    "too large": (Answer((_HEAD + b"\r\n", *[b"x" * 600] * 5), End.CLOSE), TooLarge),
    "a gzip bomb": (http(200, gzip.compress(b"0" * 50_000_000), type="text/html", Content_Encoding="gzip"), TooLarge),
    "a deflate bomb": (
        http(200, zlib.compress(b"0" * 50_000_000), type="text/html", content_encoding="deflate"),
        TooLarge,
    ),
    "cut gzip": (http(200, gzip.compress(b"0" * 500)[:-9], type="text/html", Content_Encoding="gzip"), FetchFailed),
    "no gzip": (http(200, b"hello", type="text/html", Content_Encoding="gzip"), FetchFailed),
    "unknown packing": (http(200, b"hello", type="text/html", Content_Encoding="br"), FetchFailed),
    "cut": (Answer((_HEAD + b"content-length: 100\r\n\r\nabc",), End.CLOSE), FetchFailed),
    "reset": (Answer((_HEAD + b"content-length: 100\r\n\r\nabc",), End.RESET), FetchFailed),
    "no HTTP": (Answer((b"SSH-2.0-OpenSSH\r\n\r\n",), End.CLOSE), FetchFailed),
    "endless headers": (
        Answer((b"HTTP/1.1 200 OK\r\n", *[b"x: " + b"y" * 9000 + b"\r\n"] * 30), End.CLOSE),
        FetchFailed,
    ),
    "closed": (Answer((), End.CLOSE), FetchFailed),
    "silence": (Answer((Pause(60),), End.HOLD), FetchTimeout),
    "a trickle": (
        Answer((_HEAD + b"\r\n", *(x for _ in range(99) for x in (b"x", Pause(0.05)))), End.CLOSE),
        FetchTimeout,
    ),
    "not there": (http(404, b"no", type="text/html"), FetchFailed),
    "broken": (http(500, b"no", type="text/html"), FetchFailed),
    "moved nowhere": (http(302, b"", type="text/html"), FetchFailed),
    "a picture": (http(200, b"\x89PNG", type="image/png"), UnknownFormat),
    "an archive": (http(200, b"PK", type="application/zip"), UnknownFormat),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_a_page_that_is_no_good_is_an_error_that_says_so(name: str) -> None:
    answer, expected = FAULTS[name]
    async with net(lambda _: answer) as found:
        with pytest.raises(expected) as raised:
            await found.guard.fetch("http://pub.test/", SMALL)
    assert type(raised.value) is expected


async def test_packed_pages_are_unpacked() -> None:
    text = b"<p>Hello</p>" * 50
    answers = [packed(gzip.compress(text), "gzip"), packed(zlib.compress(text), "deflate")]
    async with net(lambda _: answers.pop()) as found:
        for _ in range(2):
            assert (await found.guard.fetch("http://pub.test/", SMALL)).body == text


async def test_a_name_without_addresses_fails_and_passes_a_check() -> None:
    async with net(lambda _: html("page")) as found:
        with pytest.raises(FetchFailed):
            await found.guard.fetch("http://nowhere.test/")
        assert (await found.guard.check("http://nowhere.test/a")).url == "http://nowhere.test/a"
        with pytest.raises(AddressRefused):
            await found.guard.check("http://127.0.0.1/")


async def test_the_next_address_is_tried_where_one_does_not_answer() -> None:
    async with net(lambda _: html("page"), two_test=[["93.184.216.35", PUBLIC]]) as found:
        closed = Outgoing(
            found.resolve, lambda host, port: ("127.0.0.1", 9) if host != PUBLIC else found.detour(host, port)
        )
        assert (await closed.fetch("http://two.test/")).body == b"page"


async def test_no_error_tells_where_a_name_leads() -> None:
    async with net(lambda _: html("page"), evil_test=[["10.11.12.13"]]) as found:
        with pytest.raises(AddressRefused) as raised:
            await found.guard.fetch("http://evil.test/")
    assert "10.11" not in raised.value.message


@asynccontextmanager
async def tls_site(*names: str) -> AsyncIterator[tuple[Outgoing, list[str | None]]]:
    """A site with a certificate for these names, a guard that believes its authority, and the names it was called."""
    authority = trustme.CA()
    serving, believing = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    authority.issue_cert(*names).configure_cert(serving)
    authority.configure_trust(believing)
    called: list[str | None] = []
    serving.sni_callback = lambda _socket, name, _context: called.append(name)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\npage")
        await writer.drain()
        writer.close()

    async def resolve(_name: str) -> Sequence[str]:
        return [PUBLIC]

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=serving)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield Outgoing(resolve, lambda _host, _port: ("127.0.0.1", port), believing), called


async def test_the_certificate_is_asked_for_and_checked_by_name() -> None:
    async with tls_site("pub.test") as (guard, called):
        assert (await guard.fetch("https://pub.test/")).body == b"page"
        assert called == ["pub.test"]
        with pytest.raises(FetchFailed):
            await guard.fetch("https://other.test/")
        with pytest.raises(FetchFailed):
            await Outgoing(guard.resolve, guard.detour).fetch("https://pub.test/")
