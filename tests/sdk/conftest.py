"""One server with a scripted model behind it, and what each real client makes of it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.provider import (
    Answer,
    End,
    ProviderStub,
    Seen,
    chunk,
    failure,
    raw_stream,
    sse,
    text_stream,
    threaded_stub,
    tool_call,
    usage_of,
)
from tests.support.server import Server
from tests.support.services import missing
from tools import sdk_clients
from tools.service import ServiceMissingError

SCRIPTS = Path(__file__).parent / "scripts"
CLIENT_WITHIN_S = 240
ANSWER = ("Nina lives ", "in Bo", "gor [S", "1].")


@dataclass(frozen=True)
class Place:
    """Where the clients go, and with which key."""

    url: str
    key: str
    stub: ProviderStub

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"


def scripted(seen: Seen) -> Answer:
    """A model that answers, calls the tool it is offered, refuses or breaks off, as the question says."""
    body, prompt = seen.body, seen.prompt
    if "refuse" in prompt:
        return failure(401, "bad key sk-live-1")
    if "break off" in prompt:
        begun = sse(chunk({"role": "assistant", "content": ""}), chunk({"content": "Nina lives in Bogor, and then "}))
        return raw_stream(*begun, end=End.RESET)
    if body["messages"][-1]["role"] == "tool":
        return text_stream("It is 21 degrees.", usage=usage_of(120, 10))(seen)
    if body.get("tools"):
        return tool_call("look_up", {"q": "Bogor"})(seen)
    if "as json" in prompt:
        return text_stream('{"city": "Bogor"}')(seen)
    return text_stream(*ANSWER, reasoning=("Let me ", "see."), usage=usage_of(100, 20, reasoning=5))(seen)


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A server that wants a key, whose memory knows where Nina lives."""
    with threaded_stub(scripted) as stub:
        ability = {"streaming": True, "tools": True, "usage": True, "structured": "json_schema"}
        model = {"name": "stub", "base_url": stub.url, "model": "stub-1", "ability": ability}
        server = Server(tmp_path_factory.mktemp("sdk"), {"LLM_MODELS": json.dumps([model])})
        try:
            server.start()
            yield Place(server.url, _furnished(server.url), stub)
        finally:
            server.stop()


def _furnished(url: str) -> str:
    """The key of a user whose memory has one fact."""
    made = httpx.post(f"{url}/v1/keys", json={"user": "u1", "permissions": ["ai.manage"]}, trust_env=False)
    key = str(made.raise_for_status().json()["key"])
    fact = {"subject": {"name": "Nina", "type": "person"}, "predicate": "lives_in", "object": "Bogor"}
    httpx.post(
        f"{url}/v1/facts", json=fact, headers={"Authorization": f"Bearer {key}"}, trust_env=False, timeout=60
    ).raise_for_status()
    return key


def _told(command: list[str], place: Place, **env: str) -> dict[str, Any]:
    """What a client's script printed."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("OPENAI_", "LLM_", "PYTHON"))}
    done = subprocess.run(
        [*command, place.base_url, place.key],
        env=own | {"NO_PROXY": "127.0.0.1", "LITELLM_LOCAL_MODEL_COST_MAP": "True"} | env,
        capture_output=True,
        text=True,
        timeout=CLIENT_WITHIN_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def _of_python(name: str, place: Place) -> dict[str, Any]:
    try:
        python = sdk_clients.python_clients()
    except ServiceMissingError as error:
        missing(error)
    return _told([str(python), str(SCRIPTS / name)], place)


@pytest.fixture(scope="session")
def litellm(place: Place) -> dict[str, Any]:
    """What LiteLLM's client saw."""
    return _of_python("litellm_client.py", place)


@pytest.fixture(scope="session")
def langchain(place: Place) -> dict[str, Any]:
    """What LangChain saw."""
    return _of_python("langchain_client.py", place)


@pytest.fixture(scope="session")
def pydantic_ai(place: Place) -> dict[str, Any]:
    """What pydantic-ai saw."""
    return _of_python("pydantic_ai_client.py", place)


@pytest.fixture(scope="session")
def node(place: Place) -> dict[str, Any]:
    """What OpenAI's client for Node saw."""
    try:
        clients = sdk_clients.node_clients()
    except ServiceMissingError as error:
        missing(error)
    command = [str(clients.node), str(SCRIPTS / "node_client.cjs")]
    return _told(command, place, NODE_PATH=str(clients.folder / "node_modules"))
