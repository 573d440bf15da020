"""A server without a key answers this machine and no web page."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from api.door.credential import CredentialGuard
from api.door.reply import Receive, Scope, Send
from doso.accounts import Accounts
from doso.db.engine import open_database
from doso.db.migrate import upgrade


@pytest.fixture
async def accounts(tmp_path: Path) -> AsyncIterator[Accounts]:
    database = open_database(f"sqlite:///{tmp_path / 'doso.db'}")
    await upgrade(database)
    yield Accounts(database)
    await database.aclose()


async def status(accounts: Accounts, headers: dict[str, str], client: str = "127.0.0.1") -> int:
    """The status that the guard answers with; 200 where it lets the request pass."""
    statuses: list[int] = []

    async def inside(_scope: Scope, _receive: Receive, _send: Send) -> None:
        statuses.append(200)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "GET", "path": "/v1/facts", "headers": raw, "client": (client, 5000)}
    await CredentialGuard(inside, lambda: accounts)(scope, receive, send)
    (found,) = statuses
    return found


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({"host": "127.0.0.1:8765"}, 200),
        ({"host": "localhost"}, 200),
        ({"host": "[::1]:8765"}, 200),
        ({"host": "localhost", "origin": "http://localhost:5173"}, 200),
        ({"host": "doso.attacker.example"}, 400),
        ({"host": "127.0.0.1@attacker.example"}, 400),
        ({}, 400),
        ({"host": "localhost", "origin": "https://attacker.example"}, 403),
        ({"host": "localhost", "origin": "null"}, 403),
        ({"host": "localhost", "sec-fetch-site": "cross-site"}, 403),
    ],
)
async def test_no_page_and_no_rebound_name_gets_in(accounts: Accounts, headers: dict[str, str], expected: int) -> None:
    assert await status(accounts, headers) == expected


async def test_another_machine_needs_a_key(accounts: Accounts) -> None:
    assert await status(accounts, {"host": "127.0.0.1"}, client="192.0.2.7") == 401


async def test_once_a_key_exists_it_is_wanted_here_too_even_after_it_is_revoked(accounts: Accounts) -> None:
    key, secret = await accounts.create_key("ana")
    assert await status(accounts, {"host": "localhost"}) == 401
    assert await status(accounts, {"host": "localhost", "authorization": f"Bearer {secret}"}) == 200
    await accounts.revoke(key.id)
    assert await status(accounts, {"host": "localhost", "authorization": f"Bearer {secret}"}) == 401
    assert await status(accounts, {"host": "localhost"}) == 401
