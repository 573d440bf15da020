"""Which addresses of the web may be opened at all: how they are written, and what their hosts stand for.

A host is read as a browser reads it (full-width letters, numbers in any base, a dot at the end), so that no spelling of
a private address looks like a name here and like a number to whoever connects.
"""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from dataclasses import dataclass
from urllib.parse import quote, urljoin

from doso.errors import AddressRefused

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

MAX_URL_CHARS = 2_048
MAX_HOST_CHARS = 253
#: Where pages are served. Other ports belong to databases, mail and consoles.
PORTS = frozenset({80, 443, 8080, 8443})
_DEFAULT_PORTS = {"http": 80, "https": 443}
_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<authority>[^/?#]*)(?P<rest>[^#]*)(?:#.*)?", re.DOTALL)
_UNSAFE = re.compile(r"[\x00-\x20\x7f-\x9f\\\u2028\u2029]|[\ud800-\udfff]")
_BRACKETED = re.compile(r"\[(?P<host>[0-9A-Fa-f:.]+)\](?::(?P<port>\d{0,5}))?")
_PLAIN = re.compile(r"(?P<host>[^:\[\]@%]+)(?::(?P<port>\d{0,5}))?")
_NAME = re.compile(r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"(?:0x[0-9a-f]*|[0-9]+)")
#: Names that mean this machine or its neighbours wherever they are looked up.
_LOCAL_NAMES = ("localhost", "local", "localdomain", "internal", "intranet", "private", "lan", "home", "corp")
_LOCAL_SUFFIXES = tuple(f".{name}" for name in (*_LOCAL_NAMES, "home.arpa", "in-addr.arpa", "ip6.arpa"))

#: The part of IPv6 that is given out to the public; all else is local, reserved or carries another address.
_PUBLIC_V6 = ipaddress.IPv6Network("2000::/3")
#: Ways of writing a public IPv4 address as IPv6 that routers of today still use: judged by what they carry.
_CARRIERS = (ipaddress.IPv6Network("::ffff:0:0/96"), ipaddress.IPv6Network("64:ff9b::/96"))
#: Public by the registries, but tunnels, documentation, or what a cloud answers its own machines at.
_NOT_PUBLIC: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = (
    ipaddress.IPv6Network("2001::/23"),
    ipaddress.IPv6Network("2001:db8::/32"),
    ipaddress.IPv6Network("2002::/16"),
    ipaddress.IPv6Network("3fff::/20"),
    ipaddress.IPv4Network("100.64.0.0/10"),
    ipaddress.IPv4Network("168.63.129.16/32"),
    ipaddress.IPv4Network("192.88.99.0/24"),
    ipaddress.IPv4Network("192.0.0.0/24"),
)


@dataclass(frozen=True, slots=True)
class WebAddress:
    """An address that may be opened as far as its text tells. `host` is ASCII, in lower case, without a last dot;
    `ip` is set where it is a number. `target` is path and query."""

    scheme: str
    host: str
    port: int
    target: str
    ip: IPAddress | None = None

    @property
    def authority(self) -> str:
        """Host and port as the Host header has them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The address in one spelling, without its fragment."""
        return f"{self.scheme}://{self.authority}{self.target}"

    def join(self, location: str) -> WebAddress:
        """Where a redirect leads. Raises AddressRefused."""
        if _UNSAFE.search(location):
            raise AddressRefused("The page leads to an address that is not well formed.", param="url")
        try:
            return parse_address(urljoin(self.url, location))
        except ValueError as error:
            raise AddressRefused("The page leads to an address that is not well formed.", param="url") from error


def parse_address(text: str) -> WebAddress:
    """The address of a page, as it is written. Raises AddressRefused saying what of it is not taken."""
    text = text.strip()
    if len(text) > MAX_URL_CHARS:
        raise AddressRefused(f"An address has at most {MAX_URL_CHARS} characters.", param="url")
    found = None if _UNSAFE.search(text) else _URL.fullmatch(text)
    if found is None:
        raise AddressRefused("This is not the address of a web page.", param="url")
    scheme = found["scheme"].lower()
    if scheme not in _DEFAULT_PORTS:
        raise AddressRefused("Only http and https addresses are opened.", param="url")
    host, port = _host_and_port(found["authority"])
    number = port or _DEFAULT_PORTS[scheme]
    if number not in PORTS:
        raise AddressRefused(f"Pages are read on port {', '.join(map(str, sorted(PORTS)))}.", param="url")
    ip = _as_number(host)
    if ip is not None:
        check_ip(ip)
    return WebAddress(scheme, host if ip is None else str(ip), number, _target(found["rest"]), ip)


def check_ip(ip: IPAddress) -> None:
    """Raises AddressRefused unless this is a machine of the public net."""
    if not is_public(ip):
        raise AddressRefused("This address is not in the public web, where alone pages are read.", param="url")


def is_public(ip: IPAddress) -> bool:
    """Whether this is a machine of the public net, seen through what may be wrapped around it."""
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.scope_id is not None:
            return False
        if any(ip in carrier for carrier in _CARRIERS):
            return is_public(ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF))
        if ip not in _PUBLIC_V6:
            return False
    if any(ip.version == network.version and ip in network for network in _NOT_PUBLIC):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


def _host_and_port(authority: str) -> tuple[str, int | None]:
    if "@" in authority:
        raise AddressRefused("An address must not carry a name or password.", param="url")
    found = _BRACKETED.fullmatch(authority) or _PLAIN.fullmatch(authority)
    if found is None:
        raise AddressRefused("The host of this address is not well formed.", param="url")
    host = found["host"] if ":" in found["host"] else _ascii_host(found["host"])
    return host, int(found["port"]) if found["port"] else None


def _ascii_host(host: str) -> str:
    """The host in the letters of the domain name system. Raises AddressRefused for what names no public machine."""
    if not host.isascii():
        import idna  # noqa: PLC0415 - its tables are needed by few

        try:
            host = idna.encode(unicodedata.normalize("NFKC", host), uts46=True).decode("ascii")
        except (idna.IDNAError, UnicodeError) as error:
            raise AddressRefused("The host of this address is not well formed.", param="url") from error
    host = host.lower().removesuffix(".")
    if _ends_in_number(host):
        return host
    if host in _LOCAL_NAMES or host.endswith(_LOCAL_SUFFIXES) or "." not in host:
        raise AddressRefused("This name means a machine nearby; only pages of the public web are read.", param="url")
    if len(host) > MAX_HOST_CHARS or not _NAME.fullmatch(host):
        raise AddressRefused("The host of this address is not well formed.", param="url")
    return host


def _ends_in_number(host: str) -> bool:
    return _NUMBER.fullmatch(host.rpartition(".")[2]) is not None


def _as_number(host: str) -> IPAddress | None:
    """The number that a host is, in whatever base its parts are written; None for a name."""
    try:
        if ":" in host:
            return ipaddress.IPv6Address(host)
        if not _ends_in_number(host):
            return None
        parts = [_part(part) for part in host.split(".")]
        if len(parts) > 4 or any(part > 255 for part in parts[:-1]) or parts[-1] >= 256 ** (5 - len(parts)):
            raise ValueError(host)
        return ipaddress.IPv4Address(sum(part << (24 - 8 * at) for at, part in enumerate(parts[:-1])) + parts[-1])
    except ValueError as error:
        raise AddressRefused("The host of this address is not well formed.", param="url") from error


def _part(text: str) -> int:
    """One part of an IPv4 address: hexadecimal, octal or decimal. Raises ValueError."""
    if not _NUMBER.fullmatch(text):
        raise ValueError(text)
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8 if len(text) > 1 and text.startswith("0") else 10)


def _target(rest: str) -> str:
    """Path and query in ASCII, what was escaped already left as it is."""
    quoted = quote(rest, safe="%/?:@!$&'()*+,;=~[]|^`{}\"<>")
    return quoted if quoted.startswith("/") else f"/{quoted}"


__all__ = ["IPAddress", "WebAddress", "check_ip", "is_public", "parse_address"]
