"""Settings over HTTP: a change on one server holds on the next request of another; secrets stay inside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import httpx
import pytest

from tests.support.server import Server, running

KEY = "fc-0123456789abcdef"
MODEL = {"name": "main", "base_url": "http://127.0.0.1:9/v1", "model": "m-1", "api_key": "sk-0123456789abcdef"}


@pytest.fixture(scope="module")
def replicas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    """Two servers on one database."""
    shared = tmp_path_factory.mktemp("shared")
    env = {
        "DOSO_DATABASE_URL": f"sqlite:///{shared / 'doso.db'}",
        "DOSO_GRAPH_URL": f"sqlite:///{shared / 'graph.db'}",
        "DOSO_LOG_LEVEL": "DEBUG",
    }
    with ExitStack() as stack:
        yield (
            stack.enter_context(running(tmp_path_factory.mktemp("one"), **env)),
            stack.enter_context(running(tmp_path_factory.mktemp("other"), **env)),
        )


def test_a_change_holds_on_every_server_and_shows_no_secret(replicas: tuple[Server, Server]) -> None:
    one, other = replicas
    change = {"skeptics": False, "ask_deadline_s": 20, "firecrawl_api_key": KEY, "models": [MODEL]}
    changed = httpx.patch(f"{one.url}/v1/settings", json=change).raise_for_status()
    seen = httpx.get(f"{other.url}/v1/settings").raise_for_status()
    assert seen.json() == changed.json()
    assert (seen.json()["skeptics"], seen.json()["ask_deadline_s"]) == (False, 20.0)
    assert seen.json()["firecrawl_api_key"] == "…cdef"
    assert seen.json()["models"] == [{**MODEL, "api_key": "…cdef"}]
    logs = one.log_path.read_text() + other.log_path.read_text()
    assert '"route":"/v1/settings"' in logs
    for text in (changed.text, seen.text, logs):
        assert KEY not in text
        assert MODEL["api_key"] not in text


def test_what_was_read_can_be_written_back(replicas: tuple[Server, Server]) -> None:
    one, _ = replicas
    httpx.patch(f"{one.url}/v1/settings", json={"firecrawl_api_key": KEY, "models": [MODEL]}).raise_for_status()
    seen = httpx.get(f"{one.url}/v1/settings").json()
    assert httpx.patch(f"{one.url}/v1/settings", json=seen).raise_for_status().json() == seen


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"xai_api_key": "two words"}, "xai_api_key"),
        ({"models": [{"model": "m"}]}, "models"),
        ({"firecrawl_base_url": "http://elsewhere", "firecrawl_api_key": "…cdef"}, "firecrawl_api_key"),
    ],
    ids=str,
)
def test_a_refusal_names_the_field_and_not_its_value(
    replicas: tuple[Server, Server], change: dict[str, object], param: str
) -> None:
    one, _ = replicas
    httpx.patch(f"{one.url}/v1/settings", json={"firecrawl_api_key": KEY}).raise_for_status()
    answer = httpx.patch(f"{one.url}/v1/settings", json=change)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)
    assert "two words" not in answer.text


def test_without_the_permission_switches_are_read_and_nothing_is_changed(replicas: tuple[Server, Server]) -> None:
    one, _ = replicas
    made = [
        one.command("keys", "create", "--user", user, *permission).stdout.split()
        for user, permission in (("ana", ("--permission", "ai.manage")), ("bo", ()))
    ]
    ana, bo = (next(word for word in words if word.startswith("doso_")) for words in made)
    head = {"Authorization": f"Bearer {bo}"}
    assert httpx.patch(f"{one.url}/v1/settings", json={"limit": 3}, headers=head).status_code == 403
    seen = httpx.get(f"{one.url}/v1/settings", headers=head).raise_for_status().json()
    assert seen["limit"] == 20
    hidden = ("firecrawl_api_key", "firecrawl_base_url", "xai_api_key", "xai_base_url", "models")
    assert [seen[name] for name in hidden] == [None] * 5
    manager = httpx.get(f"{one.url}/v1/settings", headers={"Authorization": f"Bearer {ana}"}).json()
    assert manager["firecrawl_base_url"] == "https://api.firecrawl.dev"
