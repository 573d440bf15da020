"""Runtime settings: seeded by the environment, changed by rows, the same for every replica."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from doso.db.engine import Database, open_database
from doso.db.migrate import upgrade
from doso.errors import InvalidInput
from doso.masking import masked
from doso.runtime import Runtime, RuntimeStore
from doso.runtime_values import seed_of, shown_models
from doso.settings import Settings


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    database = open_database(f"sqlite:///{tmp_path / 'doso.db'}")
    await upgrade(database)
    yield database
    await database.aclose()


def store(database: Database, tmp_path: Path, **env: str) -> RuntimeStore:
    return RuntimeStore(database, Settings.from_env({"DOSO_HOME": str(tmp_path), **env}))


async def test_the_environment_gives_the_first_values(database: Database, tmp_path: Path) -> None:
    env = {"ASK_INCLUDE_CANDIDATES": "true", "DOSO_TIMEZONE": "Asia/Jakarta"}
    assert await store(database, tmp_path, **env).read() == Runtime(True, "Asia/Jakarta")


async def test_a_change_holds_for_every_replica_at_once_and_null_takes_it_back(
    database: Database, tmp_path: Path
) -> None:
    one, other = store(database, tmp_path), store(database, tmp_path)
    await one.change({"max_tokens": 500, "timezone": "Europe/Berlin"})
    assert await other.read() == Runtime(timezone="Europe/Berlin", max_tokens=500)
    await one.change({"timezone": None})
    assert await other.read() == Runtime(max_tokens=500)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("timezone", "Mars/Olympus"),
        ("timezone", "../etc"),
        ("timezone", "a\x00b"),
        ("max_tokens", 99),
        ("max_tokens", 32_001),
        ("max_tokens", True),
        ("limit", 0),
        ("limit", True),
        ("include_candidates", 1),
        ("skeptics", "yes"),
        ("ask_deadline_s", 0),
        ("ask_deadline_s", 601),
        ("ask_deadline_s", float("nan")),
        ("ask_deadline_s", True),
        ("firecrawl_api_key", ""),
        ("firecrawl_api_key", "two words"),
        ("xai_api_key", "k\u00e9y"),
        ("xai_api_key", "…0000"),
        ("xai_base_url", "ftp://host"),
        ("xai_base_url", "http://user:password@host"),
        ("xai_base_url", "https://"),
        ("xai_model", "a model"),
        ("xai_model", ""),
        ("firecrawl_base_url", "http://host/?key=1"),
        ("firecrawl_base_url", "http://host:port"),
        ("embed_provider", "telepathy"),
        ("models", "[]"),
        ("models", [1]),
        ("models", [{"model": "m"}]),
        ("models", [{"model": "m", "base_url": "h:80"}]),
        ("models", [{"model": "m", "base_url": "http://h"}, {"model": "m", "base_url": "http://h"}]),
        ("other", 1),
        ("other", None),
    ],
)
async def test_a_wrong_value_changes_nothing(database: Database, tmp_path: Path, name: str, value: object) -> None:
    runtime = store(database, tmp_path)
    with pytest.raises(InvalidInput) as caught:
        await runtime.change({"limit": 7, name: value} if name != "limit" else {name: value})
    assert caught.value.param == name
    assert await runtime.read() == Runtime()


KEY = "fc-0123456789abcdef"
MODEL = {"name": "main", "base_url": "http://127.0.0.1:9/v1", "model": "m-1", "api_key": "sk-0123456789abcdef"}


async def test_the_environment_gives_models_tools_and_deadline(database: Database, tmp_path: Path) -> None:
    env = {"ASK_SKEPTICS": "0", "ASK_DEADLINE_S": "30", "TOOLS_X_SEARCH": "1", "XAI_API_KEY": "xai-1"}
    one = {"LLM_BASE_URL": "http://127.0.0.1:9/v1", "LLM_MODEL": "m-1"}
    runtime = await store(database, tmp_path, **env, **one).read()
    assert (runtime.skeptics, runtime.ask_deadline_s, runtime.tools_x_search) == (False, 30.0, True)
    assert (runtime.xai_api_key, runtime.tools_firecrawl) == ("xai-1", False)
    assert shown_models(runtime.models) == [{"base_url": "http://127.0.0.1:9/v1", "model": "m-1"}]


@pytest.mark.parametrize(
    ("env", "variable"),
    [
        ({"LLM_BASE_URL": "http://127.0.0.1:9/v1"}, "LLM_MODEL"),
        ({"LLM_MODEL": "m-1"}, "LLM_BASE_URL"),
        ({"LLM_MODEL": "m-1", "LLM_BASE_URL": "127.0.0.1:9"}, "LLM_BASE_URL"),
        ({"LLM_MODELS": "m-1"}, "LLM_MODELS"),
    ],
)
def test_models_of_the_environment_are_read_at_the_start(tmp_path: Path, env: dict[str, str], variable: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        seed_of(Settings.from_env({"DOSO_HOME": str(tmp_path), **env}))
    assert caught.value.param == variable


async def test_a_masked_key_leaves_the_key_as_it_is(database: Database, tmp_path: Path) -> None:
    runtime = store(database, tmp_path)
    await runtime.change({"firecrawl_api_key": KEY, "models": [MODEL]})
    masked_model = {**MODEL, "api_key": masked(MODEL["api_key"]), "model": "m-2"}
    changed = await runtime.change({"firecrawl_api_key": masked(KEY), "models": [masked_model], "limit": 7})
    assert (changed.firecrawl_api_key, changed.limit) == (KEY, 7)
    assert msgspec.json.decode(changed.models) == [{**MODEL, "model": "m-2"}]
    assert KEY not in repr(changed)
    assert MODEL["api_key"] not in repr(changed)


@pytest.mark.parametrize(
    "change",
    [
        {"firecrawl_base_url": "http://elsewhere"},
        {"firecrawl_base_url": "http://elsewhere", "firecrawl_api_key": "…cdef"},
        {"models": [{**MODEL, "api_key": "…cdef", "base_url": "http://elsewhere/v1"}]},
        {"models": [{**MODEL, "api_key": "…cdef", "name": "other"}]},
    ],
    ids=str,
)
async def test_a_key_is_never_sent_to_an_address_it_was_not_stated_for(
    database: Database, tmp_path: Path, change: dict[str, object]
) -> None:
    runtime = store(database, tmp_path)
    before = await runtime.change({"firecrawl_api_key": KEY, "models": [MODEL]})
    with pytest.raises(InvalidInput):
        await runtime.change(change)
    assert await runtime.read() == before


async def test_the_environments_key_stays_with_the_environments_address(database: Database, tmp_path: Path) -> None:
    runtime = store(database, tmp_path, FIRECRAWL_API_KEY=KEY)
    own = {"firecrawl_base_url": "http://127.0.0.1:3002", "firecrawl_api_key": "fc-own"}
    assert (await runtime.change(own)).firecrawl_api_key == "fc-own"
    with pytest.raises(InvalidInput):
        await runtime.change({"firecrawl_api_key": None})
    back = await runtime.change({"firecrawl_api_key": None, "firecrawl_base_url": None})
    assert (back.firecrawl_api_key, back.firecrawl_base_url) == (KEY, "https://api.firecrawl.dev")


@pytest.mark.parametrize(("secret", "shown"), [(None, None), ("short", "…"), ("eleven-char", "…"), (KEY, "…cdef")])
def test_of_a_secret_four_characters_at_most_are_shown(secret: str | None, shown: str | None) -> None:
    assert masked(secret) == shown
