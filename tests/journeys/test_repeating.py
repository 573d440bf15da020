"""Every write may be sent again: with the same key it is done once, with another body it is refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from api.app import openapi_document
from tests.journeys.conftest import final

#: What asks and changes nothing.
READS = {
    ("post", "/v1/ask/evidence"),
    ("post", "/v1/search"),
    ("post", "/v1/chat/completions"),
    ("post", "/v1/responses"),
    ("post", "/v1/embeddings"),
}
#: Once more is the same as once; a key's text is told once, so making one takes no Idempotency-Key.
WITHOUT_KEY = {("patch", "/v1/settings"), ("post", "/v1/keys"), ("delete", "/v1/keys/{key_id}")}


@dataclass(frozen=True)
class Write:
    """A write: two different requests to one route, and where the answer holds the identity of what was done."""

    method: str
    route: str
    first: Callable[[httpx.Client], dict[str, Any]]
    other: Callable[[httpx.Client], dict[str, Any]] | None
    identity: Callable[[Any], Any] = lambda body: body["id"]

    def send(self, client: httpx.Client, request: dict[str, Any], key: str) -> httpx.Response:
        path = self.route
        for name, value in request.get("ids", {}).items():
            path = path.replace("{" + name + "}", value)
        kinds = {kind: request[kind] for kind in ("json", "files", "data") if kind in request}
        return client.request(self.method, path, headers={"Idempotency-Key": key}, **kinds)


def _fact(client: httpx.Client, name: str) -> dict[str, Any]:
    body = {"subject": name, "predicate": "made_of", "object": "steel"}
    fact: dict[str, Any] = client.post("/v1/facts", json=body).raise_for_status().json()["data"][0]["fact"]
    return fact


def _change(client: httpx.Client, name: str) -> dict[str, Any]:
    fact = _fact(client, name)
    changes = client.get("/v1/changes", params={"target_id": fact["id"]}).raise_for_status().json()["data"]
    return {"ids": {"change_id": changes[0]["id"]}}


def _document(client: httpx.Client, text: str) -> dict[str, Any]:
    receipt = final(client, client.post("/v1/documents", json={"text": text}).raise_for_status().json())
    return {"ids": {"document_id": receipt["document_ids"][0]}}


def _thread(text: str) -> dict[str, Any]:
    message = {"id": "1", "author": "Ana", "sent_at": "2026-01-01T10:00:00Z", "text": text}
    return {"json": {"chat_id": "repeat", "title": "Ana", "messages": [message]}}


def _made_of(material: str) -> dict[str, Any]:
    return {"json": {"subject": "Repeated hammer", "predicate": "made_of", "object": material}}


def _archive(text: str) -> dict[str, Any]:
    return {"files": {"file": ("note.txt", text.encode())}, "data": {"format": "auto"}}


def _retracted(client: httpx.Client, name: str) -> dict[str, Any]:
    return {"json": {"op": "retract", "fact_id": _fact(client, name)["id"]}}


_ANY = {
    "text": "x",
    "subject": "x",
    "predicate": "p",
    "object": "y",
    "op": "retract",
    "chat_id": "c",
    "messages": [{"id": "1", "author": "A", "sent_at": "2026-01-01T10:00:00Z", "text": "x"}],
}

WRITES = (
    Write("post", "/v1/documents", lambda _: {"json": {"text": "One."}}, lambda _: {"json": {"text": "Two."}}),
    Write("post", "/v1/documents/import", lambda _: _archive("Three."), lambda _: _archive("Four.")),
    Write("post", "/v1/threads", lambda _: _thread("five"), lambda _: _thread("six")),
    Write(
        "post",
        "/v1/remember",
        lambda _: {"json": {"text": "I like tea."}},
        lambda _: {"json": {"text": "I like milk."}},
    ),
    Write(
        "post",
        "/v1/facts",
        lambda _: _made_of("oak"),
        lambda _: _made_of("ash"),
        lambda body: [(row["outcome"], row["fact"]["id"]) for row in body["data"]],
    ),
    Write(
        "post",
        "/v1/corrections",
        lambda client: _retracted(client, "Repeated saw"),
        lambda client: _retracted(client, "Repeated plane"),
        lambda body: [change["id"] for change in body["changes"]],
    ),
    Write(
        "post",
        "/v1/changes/{change_id}/undo",
        lambda client: _change(client, "Repeated file"),
        lambda client: _change(client, "Repeated vice"),
    ),
    Write(
        "post",
        "/v1/documents/{document_id}/reextract",
        lambda client: _document(client, "Read me again."),
        lambda client: _document(client, "Read me instead."),
    ),
    Write(
        "delete",
        "/v1/documents/{document_id}",
        lambda client: _document(client, "Forget me once."),
        lambda client: _document(client, "Forget me not."),
    ),
)


def test_every_write_route_is_tried_here() -> None:
    described = {
        (method, path) for path, item in openapi_document()["paths"].items() for method in item if method != "get"
    }
    assert described == {(write.method, write.route) for write in WRITES} | WITHOUT_KEY | READS


@pytest.mark.parametrize("write", WRITES, ids=lambda write: f"{write.method} {write.route}")
def test_a_write_sent_again_is_done_once(client: httpx.Client, write: Write) -> None:
    request, key = write.first(client), f"again-{write.method}{write.route.replace('/', '.')}"
    first = write.send(client, request, key)
    assert first.status_code in (200, 202), first.text
    again = write.send(client, request, key)
    assert (again.status_code, write.identity(again.json())) == (again.status_code, write.identity(first.json()))
    assert again.status_code in (200, 202)
    if write.other is not None:
        reused = write.send(client, write.other(client), key)
        assert (reused.status_code, reused.json()["error"]["code"]) == (409, "request.reused")


@pytest.mark.parametrize("key", ["", "a b", "x" * 201, "\u00e9"])
@pytest.mark.parametrize("write", WRITES, ids=lambda write: f"{write.method} {write.route}")
def test_a_key_that_can_not_be_one_is_refused(client: httpx.Client, write: Write, key: str) -> None:
    path = write.route.replace("{change_id}", "0198c0de-0000-7000-8000-000000000000").replace(
        "{document_id}", "0198c0de-0000-7000-8000-000000000000"
    )
    headers = [(b"idempotency-key", key.encode())]
    if "import" in path:
        answer = client.request(write.method, path, headers=headers, files={"file": ("x.txt", b"x")})
    else:
        answer = client.request(write.method, path, headers=headers, json=None if "{" in write.route else _ANY)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "Idempotency-Key")


def test_settings_and_keys_are_the_same_when_done_twice(client: httpx.Client) -> None:
    for _ in range(2):
        assert client.patch("/v1/settings", json={"limit": 7}).raise_for_status().json()["limit"] == 7
    client.patch("/v1/settings", json={"limit": None}).raise_for_status()


def test_an_invalid_fact_stores_nothing_and_is_named(client: httpx.Client) -> None:
    good = {"subject": "Whole drill", "predicate": "made_of", "object": "iron"}
    itself = {"subject": {"name": "Ana", "type": "person"}, "predicate": "knows", "object": "Ana"}
    answer = client.post("/v1/facts", json={"facts": [good, itself]})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "facts[1]")
    assert client.get("/v1/entities", params={"name": "Whole drill"}).json()["data"] == []
