"""Reads one page through the guard: each hop judged anew, the body counted while it comes."""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

import httpcore

from doso.errors import FetchFailed, FetchTimeout, TooLarge, UnknownFormat
from doso.outgoing.addresses import WebAddress, parse_address
from doso.outgoing.guard import Fetched, FetchLimits, Outgoing

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_HEADERS = (
    (b"User-Agent", b"Doso"),
    (b"Accept", b"text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.8,*/*;q=0.1"),
    (b"Accept-Encoding", b"gzip, deflate"),
    (b"Connection", b"close"),
)
_CHARSET = re.compile(r"charset\s*=\s*\"?([\w.:-]{1,40})", re.IGNORECASE)
_BROKEN = "The page could not be read: its server does not answer as it should."


class PinnedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections only to addresses that the guard judged, by the very look-up that it judged. The name itself
    goes on into the Host header and the certificate check."""

    def __init__(self, outgoing: Outgoing, address: WebAddress) -> None:
        self._outgoing = outgoing
        self._address = address
        self._backend = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address that takes it."""
        failed: httpcore.ConnectError | httpcore.ConnectTimeout | None = None
        for ip in await self._outgoing.addresses_of(self._address):
            place, number = self._outgoing.detour(str(ip), port)
            try:
                return await self._backend.connect_tcp(place, number, timeout, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failed = error
        raise failed or httpcore.ConnectError("there is no address")


@dataclass(frozen=True, slots=True)
class _Moved:
    """The page is elsewhere."""

    location: str


async def fetch(outgoing: Outgoing, url: str, limits: FetchLimits) -> Fetched:
    """Follow redirects until a page is there. Raises AddressRefused, TooLarge, UnknownFormat, FetchTimeout,
    FetchFailed."""
    address = parse_address(url)
    try:
        async with asyncio.timeout(limits.total_s):
            for _ in range(limits.max_redirects + 1):
                answer = await _get(outgoing, address, limits)
                if isinstance(answer, Fetched):
                    return answer
                address = address.join(answer.location)
    except (TimeoutError, httpcore.TimeoutException) as error:
        raise FetchTimeout("The page took too long.", param="url") from error
    except (httpcore.NetworkError, httpcore.ProtocolError, zlib.error) as error:
        raise FetchFailed(_BROKEN, param="url") from error
    raise FetchFailed("The page leads on and on to other addresses.", param="url")


async def _get(outgoing: Outgoing, address: WebAddress, limits: FetchLimits) -> Fetched | _Moved:
    target = httpcore.URL(
        scheme=address.scheme.encode(),
        host=address.host.encode(),
        port=address.port,
        target=address.target.encode(),
    )
    timeout = {"connect": limits.connect_s, "read": limits.idle_s, "write": limits.idle_s, "pool": limits.connect_s}
    headers = [(b"Host", address.authority.encode()), *_HEADERS]
    backend = PinnedBackend(outgoing, address)
    async with (
        httpcore.AsyncConnectionPool(
            ssl_context=outgoing.certificates, max_connections=1, network_backend=backend
        ) as pool,
        pool.stream("GET", target, headers=headers, extensions={"timeout": timeout}) as response,
    ):
        given = {name.lower(): value.decode("latin-1") for name, value in reversed(response.headers)}
        if response.status in _REDIRECTS and given.get(b"location"):
            return _Moved(_as_utf8(given[b"location"]))
        if response.status != 200:
            raise FetchFailed(f"The page answered {response.status}.", param="url")
        kind, _, rest = given.get(b"content-type", "").partition(";")
        kind = kind.strip().lower()
        if kind and kind not in limits.types:
            raise UnknownFormat("The address leads to no page, text or PDF.", param="url")
        body = await _body(response, given.get(b"content-encoding", ""), given.get(b"content-length"), limits)
    charset = _CHARSET.search(rest)
    return Fetched(address.url, kind, charset[1] if charset else None, body)


async def _body(response: httpcore.Response, encoding: str, stated: str | None, limits: FetchLimits) -> bytes:
    """The body, unpacked. Raises TooLarge before it holds more than it may."""
    if stated is not None and stated.isdecimal() and len(stated) < 20 and int(stated) > limits.max_bytes:
        raise _too_large(limits)
    whole = bytearray()
    async for piece in _unpacked(response, encoding.strip().lower(), limits):
        whole += piece
        if len(whole) > limits.max_bytes:
            raise _too_large(limits)
    return bytes(whole)


async def _unpacked(response: httpcore.Response, encoding: str, limits: FetchLimits) -> AsyncIterator[bytes]:
    if encoding in ("", "identity"):
        async for piece in response.aiter_stream():
            yield piece
        return
    if encoding not in ("gzip", "x-gzip", "deflate"):
        raise FetchFailed("The page is packed in a way that was not asked for.", param="url")
    unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32 if encoding != "deflate" else zlib.MAX_WBITS)
    async for piece in response.aiter_stream():
        # One byte more than is allowed is enough to know; what a bomb would still give is never made.
        yield unpacker.decompress(piece, limits.max_bytes + 1)
        if unpacker.unconsumed_tail:
            raise _too_large(limits)
    if not unpacker.eof:
        raise FetchFailed(_BROKEN, param="url")


def _as_utf8(header: str) -> str:
    """A header that holds plain UTF-8 instead of escapes, as some servers send it."""
    try:
        return header.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        return header


def _too_large(limits: FetchLimits) -> TooLarge:
    return TooLarge(f"The page has more than {limits.max_bytes} bytes.", param="url")
