"""Opens pages of the public web and nothing else: each name is looked up once, judged, and connected to as judged."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from doso.errors import AddressRefused, FetchFailed
from doso.outgoing.addresses import IPAddress, WebAddress, check_ip, parse_address

#: From a name to its addresses; OSError where it has none.
Resolve = Callable[[str], Awaitable[Sequence[str]]]
#: Where to open a connection instead of an address that was judged good; only tests have reason to.
Detour = Callable[[str, int], tuple[str, int]]

RESOLVE_S = 5.0
#: Names that no public resolver holds by standard; asking one would only tell it what is read here.
_NOWHERE = (".test", ".example", ".invalid", ".onion")
#: Pages read at once by one process.
MAX_FETCHES = 16
#: Addresses of one name that are tried in turn.
MAX_ADDRESSES = 4


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """What one page may cost. `types`: content types that are taken; a page that names none is taken too."""

    max_bytes: int = 10_000_000
    total_s: float = 30.0
    idle_s: float = 10.0
    connect_s: float = 5.0
    max_redirects: int = 5
    types: frozenset[str] = frozenset(
        {
            "text/html",
            "application/xhtml+xml",
            "text/plain",
            "text/markdown",
            "application/pdf",
            "application/octet-stream",  # what it is then shows by its first bytes
        }
    )


@dataclass(frozen=True, slots=True)
class Fetched:
    """A page as it came. `url` is where it was found after all redirects, `type` its content type in lower case, ""
    where it named none; `charset` what it said of its letters."""

    url: str
    type: str
    charset: str | None
    body: bytes


async def system_resolve(name: str) -> Sequence[str]:
    """The addresses that this machine's resolver knows."""
    if name.endswith(_NOWHERE):
        raise OSError(f"no resolver holds {name.rpartition('.')[2]} names")
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(name, None, type=socket.SOCK_STREAM)
    return [str(sockaddr[0]) for _, _, _, _, sockaddr in found]


def straight(host: str, port: int) -> tuple[str, int]:
    """No detour."""
    return host, port


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The guard. `certificates` are the usual ones unless given."""

    resolve: Resolve = system_resolve
    detour: Detour = straight
    certificates: ssl.SSLContext | None = None
    gate: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(MAX_FETCHES))

    async def check(self, url: str) -> WebAddress:
        """Judge an address that another service will open. Raises AddressRefused. A name that has no address here may
        have one there, so it passes."""
        address = parse_address(url)
        try:
            await self.addresses_of(address)
        except FetchFailed:
            return address
        return address

    async def addresses_of(self, address: WebAddress) -> tuple[IPAddress, ...]:
        """Where to connect to. Raises AddressRefused when any of it is not public, FetchFailed when there is none."""
        if address.ip is not None:
            check_ip(address.ip)
            return (address.ip,)
        try:
            async with asyncio.timeout(RESOLVE_S):
                texts = await self.resolve(address.host)
            found = tuple(dict.fromkeys(ipaddress.ip_address(text) for text in texts))
        except (OSError, UnicodeError, ValueError) as error:  # TimeoutError is an OSError
            raise FetchFailed("The host of this address is not known.", param="url") from error
        if not found:
            raise FetchFailed("The host of this address is not known.", param="url")
        for ip in found:
            check_ip(ip)
        return found[:MAX_ADDRESSES]

    async def fetch(self, url: str, limits: FetchLimits | None = None) -> Fetched:
        """Read a page. Raises AddressRefused, TooLarge, UnknownFormat, FetchTimeout, FetchFailed."""
        from doso.outgoing.fetching import fetch  # noqa: PLC0415 - the HTTP client loads with the first page

        async with self.gate:
            return await fetch(self, url, limits or FetchLimits())


__all__ = ["AddressRefused", "Detour", "FetchLimits", "Fetched", "Outgoing", "Resolve", "system_resolve"]
