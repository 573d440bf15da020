"""Users and keys: what opens the door, and what does not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sqlalchemy import text

from doso.accounts import LOCAL_USER, MANAGE, Accounts
from doso.db.engine import Database, open_database
from doso.db.migrate import upgrade
from doso.errors import AuthRequired, Forbidden, InvalidInput, NotFound


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = open_database(f"sqlite:///{tmp_path / 'doso.db'}")
    await upgrade(database)
    yield database
    await database.aclose()


@pytest.fixture
def accounts(database: Database) -> Accounts:
    return Accounts(database)


async def test_a_key_names_its_user_and_permissions(accounts: Accounts) -> None:
    _, secret = await accounts.create_key("ana", permissions=frozenset({MANAGE}))
    caller = await accounts.authenticate(secret)
    assert (caller.name, caller.permissions) == ("ana", frozenset({MANAGE}))
    caller.must(MANAGE)


async def test_two_keys_of_one_name_are_one_user_and_two_names_are_two(accounts: Accounts) -> None:
    owners = [
        (await accounts.authenticate((await accounts.create_key(name))[1])).owner for name in ("ana", "ana", "Ana")
    ]
    assert owners[0] == owners[1] != owners[2]


async def test_the_local_users_key_keeps_what_was_stored_before_it(accounts: Accounts) -> None:
    _, secret = await accounts.create_key(LOCAL_USER)
    assert (await accounts.authenticate(secret)).owner == LOCAL_USER


async def test_without_the_permission_it_is_forbidden(accounts: Accounts) -> None:
    caller = await accounts.authenticate((await accounts.create_key("ana"))[1])
    with pytest.raises(Forbidden):
        caller.must(MANAGE)


async def test_the_secret_is_not_in_the_database(accounts: Accounts, database: Database) -> None:
    _, secret = await accounts.create_key("ana")
    async with database.read() as connection:
        rows = (await connection.execute(text("SELECT * FROM api_keys"))).all()
    assert secret.rsplit("_", 1)[1] not in str(rows)


async def test_a_revoked_key_opens_nothing_at_once(accounts: Accounts) -> None:
    key, secret = await accounts.create_key("ana")
    await accounts.revoke(key.id)
    await accounts.revoke(key.id)
    with pytest.raises(AuthRequired):
        await accounts.authenticate(secret)
    assert [listed.revoked_at is not None for listed in await accounts.keys()] == [True]


async def test_revoking_the_last_key_does_not_open_the_door_again(accounts: Accounts) -> None:
    assert await accounts.is_keyless()
    key, _ = await accounts.create_key("ana")
    await accounts.revoke(key.id)
    assert not await accounts.is_keyless()


@pytest.mark.parametrize(
    "change", [lambda k: "", lambda k: k[:-1], lambda k: k + "A", lambda k: k.upper(), lambda k: "é" + k]
)
async def test_a_key_that_is_not_quite_it_is_none(accounts: Accounts, change: object) -> None:
    _, secret = await accounts.create_key("ana")
    with pytest.raises(AuthRequired):
        await accounts.authenticate(change(secret))  # type: ignore[operator]


async def test_the_id_of_one_key_with_the_secret_of_another_is_none(accounts: Accounts) -> None:
    (_, first), (_, second) = await accounts.create_key("ana"), await accounts.create_key("budi")
    mixed = f"{first.rsplit('_', 1)[0] if first.count('_') == 2 else first[:21]}_{second[22:]}"
    with pytest.raises(AuthRequired):
        await accounts.authenticate(mixed)


async def test_what_is_no_name_or_permission_is_refused(accounts: Accounts) -> None:
    with pytest.raises(InvalidInput):
        await accounts.create_key(" \x00 ")
    with pytest.raises(InvalidInput):
        await accounts.create_key("ana", permissions=frozenset({"root"}))
    with pytest.raises(NotFound):
        await accounts.revoke("nope")
