"""Servers for journeys: one per store, started once, with the sample archive imported."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.server import Server

FIXTURES = Path(__file__).parents[2] / "fixtures"
WAIT_S = 90.0
_POLL_S = 0.05


def final(client: httpx.Client, operation: dict[str, Any]) -> dict[str, Any]:
    """The receipt once it is final."""
    deadline = time.monotonic() + WAIT_S
    while operation["state"] in ("queued", "running"):
        assert time.monotonic() < deadline, operation
        time.sleep(_POLL_S)
        operation = client.get(f"/v1/operations/{operation['id']}").raise_for_status().json()
    return operation


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on SQLite, on a fresh home, without a key."""
    server = Server(tmp_path_factory.mktemp("home"))
    try:
        yield server.start()
    finally:
        server.stop()


@pytest.fixture(scope="session")
def client(server: Server) -> Iterator[httpx.Client]:
    """A client of it."""
    with httpx.Client(base_url=server.url, timeout=60, trust_env=False) as client:
        yield client


def sample() -> dict[str, Any]:
    """The questions to the sample archive, and how it is imported."""
    loaded: dict[str, Any] = json.loads((FIXTURES / "questions.json").read_text(encoding="utf-8"))
    return loaded
