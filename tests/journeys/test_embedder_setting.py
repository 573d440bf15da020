"""The embedder as a setting: what can't be opened is not stored; a change holds on every server, vectors follow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest

from tests.journeys.conftest import final
from tests.support.provider import ProviderStub, threaded_stub
from tests.support.server import Server, running
from tests.support.waiting import until

NOTE = "The ferry to Karimun leaves from pier nine."


@pytest.fixture(scope="module")
def stub() -> Iterator[ProviderStub]:
    with threaded_stub() as stub:
        yield stub


@pytest.fixture(scope="module")
def replicas(tmp_path_factory: pytest.TempPathFactory, stub: ProviderStub) -> Iterator[tuple[Server, Server]]:
    """Two servers on one database, started with the embedder that needs nothing."""
    shared = tmp_path_factory.mktemp("shared")
    env = {
        "DOSO_DATABASE_URL": f"sqlite:///{shared / 'doso.db'}",
        "DOSO_GRAPH_URL": f"sqlite:///{shared / 'graph.db'}",
        "LLM_EMBED_BASE_URL": stub.url,
        "LLM_EMBED_MODEL": "far",
        "LLM_EMBED_DIMENSIONS": "4",
    }
    with ExitStack() as stack:
        yield (
            stack.enter_context(running(tmp_path_factory.mktemp("one"), **env)),
            stack.enter_context(running(tmp_path_factory.mktemp("other"), **env)),
        )


def pack(server: Server) -> dict[str, Any]:
    answer = httpx.post(f"{server.url}/v1/ask/evidence", json={"question": "Where does the ferry leave?"}, timeout=60)
    found: dict[str, Any] = answer.raise_for_status().json()
    return found


@pytest.mark.parametrize("provider", ["telepathy", "onnx"])
def test_an_embedder_that_can_not_be_opened_is_refused(replicas: tuple[Server, Server], provider: str) -> None:
    one, _ = replicas
    answer = httpx.patch(f"{one.url}/v1/settings", json={"embed_provider": provider}, timeout=60)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "embed_provider")
    assert httpx.get(f"{one.url}/v1/settings").json()["embed_provider"] == "hashing"


def test_a_change_holds_on_every_server_and_vectors_follow(replicas: tuple[Server, Server], stub: ProviderStub) -> None:
    one, other = replicas
    with httpx.Client(base_url=one.url, timeout=60) as client:
        stored = client.post("/v1/documents", json={"text": NOTE, "title": "ferry"}).raise_for_status().json()
        final(client, stored)
        assert pack(other)["index_status"]["model"] != "far"
        assert stub.requests == []
        client.patch("/v1/settings", json={"embed_provider": "openai"}).raise_for_status()
    found = pack(other)  # the vectors are of another model: words find it all the same
    assert "pier nine" in found["items"][0]["text"]
    assert [seen.path for seen in stub.requests] != []
    until(lambda: pack(other)["index_status"]["model"] == "far")
    settled = pack(other)
    assert settled["index_status"]["ready"]
    assert settled["index_status"]["warnings"] == []
    assert "pier nine" in settled["items"][0]["text"]
    sizes = httpx.post(
        f"{other.url}/v1/embeddings", json={"model": "far", "input": "x", "encoding_format": "float"}, timeout=60
    )
    vector = sizes.raise_for_status().json()["data"][0]["embedding"]
    assert len(vector) == 4


def test_a_server_that_can_not_open_the_stored_one_starts_and_tells(
    replicas: tuple[Server, Server], tmp_path_factory: pytest.TempPathFactory
) -> None:
    one, _ = replicas
    httpx.patch(f"{one.url}/v1/settings", json={"embed_provider": "openai"}, timeout=60).raise_for_status()
    poor = {name: value for name, value in one.env.items() if not name.startswith("LLM_EMBED_")}
    with running(tmp_path_factory.mktemp("poor"), **poor) as server:
        ready = httpx.get(f"{server.url}/health/ready", timeout=60)
        assert ready.status_code == 200
        assert any("LLM_EMBED_BASE_URL" in warning for warning in ready.json()["warnings"])
        assert "pier nine" in pack(server)["items"][0]["text"]
        back = httpx.patch(f"{server.url}/v1/settings", json={"embed_provider": None}, timeout=60)
        assert back.raise_for_status().json()["embed_provider"] == "hashing"
