"""`doso keys` and `doso models`: what the owner of a server manages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

import click

from doso.accounts import LOCAL_USER, MANAGE, Accounts, ApiKey
from doso.db.engine import open_database
from doso.db.migrate import upgrade
from doso.settings import Settings

T = TypeVar("T")


@click.group()
def keys() -> None:
    """Make, list and revoke the keys of this server."""


@keys.command("create")
@click.option("--user", default=LOCAL_USER, show_default=True, help="Whose key it is; a new name makes a new user.")
@click.option("--label", default="", help="What it is for.")
@click.option("--permission", "permissions", multiple=True, help=f"Such as {MANAGE}; the first key ever gets it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def create(user: str, label: str, permissions: tuple[str, ...], as_json: bool) -> None:
    """Make a key and print it, this once."""

    async def work(accounts: Accounts) -> tuple[ApiKey, str]:
        given = frozenset(permissions)
        if not given and await accounts.is_keyless():
            given = frozenset({MANAGE})  # without it nobody could manage the server over HTTP
        return await accounts.create_key(user, label=label, permissions=given)

    key, secret = _run(work)
    if as_json:
        click.echo(json.dumps({"id": key.id, "user": key.user, "permissions": list(key.permissions), "key": secret}))
        return
    click.echo(secret)
    click.echo(f"Key {key.id} of {key.user}. It is shown this once; from now on the server wants a key.", err=True)


@keys.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(as_json: bool) -> None:
    """List keys, never their text."""
    found = _run(lambda accounts: accounts.keys())
    if as_json:
        click.echo(json.dumps([_row(key) for key in found]))
        return
    for key in found:
        state = "revoked" if key.revoked_at else "active"
        click.echo(f"{key.id}  {state:<8} {key.user}  {' '.join(key.permissions)}  {key.label}".rstrip())


@keys.command("revoke")
@click.argument("key_id")
def revoke(key_id: str) -> None:
    """Make a key useless at once."""
    _run(lambda accounts: accounts.revoke(key_id))
    click.echo(f"Key {key_id} is revoked.")


@click.group()
def models() -> None:
    """Fetch and check local models."""


@models.command("pull")
def pull() -> None:
    """Fetch the embedding model into DOSO_HOME and check it."""
    from doso.llm.models import pull as pull_model  # noqa: PLC0415

    settings = Settings.from_env()
    click.echo(f"The model is at {pull_model(settings.home)}.")


def _row(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "user": key.user,
        "label": key.label,
        "permissions": list(key.permissions),
        "created_at": key.created_at.isoformat(),
        "revoked_at": key.revoked_at and key.revoked_at.isoformat(),
    }


def _run(work: Callable[[Accounts], Awaitable[T]]) -> T:
    async def whole() -> T:
        async with _accounts() as accounts:
            return await work(accounts)

    return asyncio.run(whole())


@asynccontextmanager
async def _accounts() -> AsyncIterator[Accounts]:
    settings = Settings.from_env()
    database = open_database(settings.database_url)
    try:
        await upgrade(database)
        yield Accounts(database)
    finally:
        await database.aclose()
