"""Workflow events over a real socket: what one server does is heard from another, by its owner alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import httpx
import pytest

from tests.support.server import Server, running

SECRET = "zebra-9921"


@dataclass(frozen=True)
class Frame:
    id: str | None
    event: str | None
    data: dict[str, object]


@pytest.fixture(scope="module")
def replicas(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    """Two servers on one database."""
    shared = tmp_path_factory.mktemp("shared")
    env = {
        "DOSO_DATABASE_URL": f"sqlite:///{shared / 'doso.db'}",
        "DOSO_GRAPH_URL": f"sqlite:///{shared / 'graph.db'}",
    }
    with ExitStack() as stack:
        yield (
            stack.enter_context(running(tmp_path_factory.mktemp("one"), **env)),
            stack.enter_context(running(tmp_path_factory.mktemp("other"), **env)),
        )


@contextmanager
def following(server: Server, query: str = "", **headers: str) -> Iterator[Iterator[Frame]]:
    """The frames of a stream that is open."""
    with (
        httpx.Client(timeout=60, trust_env=False) as client,
        client.stream("GET", f"{server.url}/v1/events{query}", headers=headers) as reply,
    ):
        assert reply.status_code == 200
        assert reply.headers["content-type"].startswith("text/event-stream")
        lines = reply.iter_lines()
        assert next(lines) == ": open"
        yield frames(lines)


def frames(lines: Iterator[str]) -> Iterator[Frame]:
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if name and not line.startswith(":"):
            fields[name] = value
        elif not line and fields:
            yield Frame(fields.get("id"), fields.get("event"), json.loads(fields["data"]))
            fields = {}


def ask(server: Server, **more: str) -> None:
    body = {"model": "doso", "messages": [{"role": "user", "content": f"Where is {SECRET}?"}], **more}
    httpx.post(f"{server.url}/v1/chat/completions", json=body, timeout=60).raise_for_status()


def until_end(stream: Iterator[Frame]) -> list[Frame]:
    found = []
    for frame in stream:
        found.append(frame)
        if frame.event == "ask.finished":
            break
    return found


def test_an_ask_of_another_server_is_heard_without_its_words(replicas: tuple[Server, Server]) -> None:
    one, other = replicas
    with following(other) as stream:
        ask(one)
        heard = until_end(stream)
    assert heard[0].event == "ask.started"
    assert len({frame.data["work_id"] for frame in heard}) == 1
    assert all(frame.data["name"] == frame.event for frame in heard)
    assert SECRET not in repr(heard)


def test_a_client_that_was_cut_off_goes_on_where_it_was(replicas: tuple[Server, Server]) -> None:
    one, other = replicas
    with following(one) as stream:
        ask(one)
        before = until_end(stream)
    ask(one)
    with following(other, **{"Last-Event-ID": str(before[0].id)}) as stream:
        again = until_end(stream)
        rest = until_end(stream)
    assert again == before[1:]
    assert rest[0].event == "ask.started"


def test_what_is_gone_is_said_to_be_missed(replicas: tuple[Server, Server]) -> None:
    one, _ = replicas
    ask(one)
    with following(one, **{"Last-Event-ID": "0"}) as stream:
        assert next(stream).event == "ask.started"  # nothing is gone yet


def test_what_comes_in_and_what_becomes_of_it_is_told(replicas: tuple[Server, Server]) -> None:
    one, other = replicas
    with following(other) as stream:
        body = {"text": f"The code is {SECRET}.", "title": SECRET}
        operation = httpx.post(f"{one.url}/v1/documents", json=body, timeout=60).raise_for_status().json()
        seen: dict[str | None, dict[str, object]] = {}
        for frame in stream:
            seen[frame.event] = frame.data
            if frame.event in ("index.done", "index.failed"):
                break
        fact = {"subject": SECRET, "predicate": "lives_in", "object": "Solo"}
        httpx.post(f"{one.url}/v1/facts", json=fact, timeout=60).raise_for_status()
        changed = next(frame for frame in stream if frame.event == "facts.changed")
    told = seen["document.ingested"]
    fields = told["fields"]
    assert isinstance(fields, dict)
    assert (told["work_id"], fields["kind"], fields["stored"]) == (operation["id"], "document", 1)
    assert "index.done" in seen
    assert changed.data["fields"] == {"count": 1}
    assert SECRET not in repr(seen)


@pytest.mark.parametrize("id", ["x", "-1", "9" * 30, "1 OR 1=1"])
def test_a_wrong_last_event_id_is_refused(replicas: tuple[Server, Server], id: str) -> None:
    answer = httpx.get(f"{replicas[0].url}/v1/events", headers={"Last-Event-ID": id})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "Last-Event-ID")


def test_an_owner_hears_only_of_their_own(replicas: tuple[Server, Server]) -> None:
    one, other = replicas
    keys = {}
    for user in ("ana", "bo"):
        keys[user] = next(
            word for word in one.command("keys", "create", "--user", user).stdout.split() if word.startswith("doso_")
        )
    heads = {user: {"Authorization": f"Bearer {key}"} for user, key in keys.items()}
    body = {"model": "doso", "messages": [{"role": "user", "content": "Where is it?"}]}
    with following(other, **heads["bo"]) as stream:
        for user in ("ana", "bo"):
            httpx.post(f"{one.url}/v1/chat/completions", json=body, headers=heads[user], timeout=60).raise_for_status()
        heard = until_end(stream)
    assert len({frame.data["work_id"] for frame in heard}) == 1
    assert httpx.get(f"{one.url}/v1/events").status_code == 401
