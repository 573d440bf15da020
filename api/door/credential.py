"""Who is asking: a bearer key, or the single local user of a server that has none."""

import ipaddress
from collections.abc import Callable
from urllib.parse import urlsplit

from api.door.reply import ASGIApp, Receive, Scope, Send, header, refuse
from doso.accounts import LOCAL_CALLER, Accounts, Caller
from doso.errors import AuthRequired, DosoError, Forbidden, InvalidInput

#: Routes that anyone may see: they tell nothing of what is stored.
OPEN_PATHS = frozenset({"/health/live", "/health/ready", "/openapi.json", "/docs"})
CALLER = "doso.caller"
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})


class CredentialGuard:
    """Puts the caller into the scope, or answers 401 before a body is read."""

    def __init__(self, app: ASGIApp, accounts: Callable[[], Accounts]) -> None:
        self._app = app
        self._accounts = accounts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] not in OPEN_PATHS:
            try:
                scope[CALLER] = await self._caller(scope)
            except DosoError as error:
                await refuse(error, send, scope["path"])
                return
        await self._app(scope, receive, send)

    async def _caller(self, scope: Scope) -> Caller:
        accounts = self._accounts()
        if await accounts.is_keyless():
            _check_local(scope)
            return LOCAL_CALLER
        return await accounts.authenticate(_bearer(scope))


def _bearer(scope: Scope) -> str:
    scheme, _, key = (header(scope, b"authorization") or "").partition(" ")
    if scheme.lower() != "bearer" or not key.strip():
        raise AuthRequired("This server wants a key: send Authorization: Bearer <key>.")
    return key.strip()


def _check_local(scope: Scope) -> None:
    """Without a key only this machine may ask, and no web page on its behalf."""
    client = scope.get("client")
    if client is not None and not _is_loopback(client[0]):
        raise AuthRequired("Without a key this server answers this machine only; make one with `doso keys create`.")
    if _host_name(header(scope, b"host")) not in _LOCAL_NAMES:
        raise InvalidInput("Without a key the Host header must name this machine.", param="Host")
    origin = header(scope, b"origin")
    if origin is not None and _host_name(urlsplit(origin).netloc) not in _LOCAL_NAMES:
        raise Forbidden("Without a key no other web page may ask.")
    if header(scope, b"sec-fetch-site") == "cross-site":
        raise Forbidden("Without a key no other web page may ask.")


def _host_name(host: str | None) -> str:
    try:
        return urlsplit(f"//{host}").hostname or "" if host and "@" not in host else ""
    except ValueError:
        return ""


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return True  # a Unix socket has no address
