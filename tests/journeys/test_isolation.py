"""Two users of one server: no id of one opens anything for the other, whatever the route."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.journeys.conftest import final
from tests.support.server import Server

MARK = "marker-7741"
ID = re.compile(r"\{[a-z_]+\}")


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, httpx.Client]]:
    """Clients of an owner and of an intruder, the owner's memory filled; and one without a key."""
    server = Server(tmp_path_factory.mktemp("home"))
    keys = {}
    try:
        server.start()
        admin = httpx.post(f"{server.url}/v1/keys", json={"user": "admin", "permissions": ["ai.manage"]}).json()["key"]
        for name in ("owner", "intruder"):
            headers = {"Authorization": f"Bearer {admin}"}
            keys[name] = httpx.post(f"{server.url}/v1/keys", json={"user": name}, headers=headers).json()["key"]
        clients = {
            name: httpx.Client(base_url=server.url, headers={"Authorization": f"Bearer {key}"}, timeout=60)
            for name, key in keys.items()
        }
        clients["nobody"] = httpx.Client(base_url=server.url, timeout=60)
        yield clients
        for client in clients.values():
            client.close()
    finally:
        server.stop()


@pytest.fixture(scope="module")
def ids(users: dict[str, httpx.Client]) -> dict[str, str]:
    """Ids of the owner, by the name a route gives them."""
    owner = users["owner"]
    body = {"text": f"{MARK} is my code.", "title": MARK}
    receipt = final(owner, owner.post("/v1/documents", json=body).json())
    fact = owner.post("/v1/facts", json={"subject": MARK, "predicate": "located_in", "object": "Solo"}).json()["data"][
        0
    ]
    change = owner.get("/v1/changes").json()["data"][0]
    return {
        "document_id": receipt["document_ids"][0],
        "operation_id": receipt["id"],
        "fact_id": fact["fact"]["id"],
        "entity_id": fact["fact"]["subject"]["id"],
        "change_id": change["id"],
    }


def routes(client: httpx.Client) -> list[tuple[str, str]]:
    """Every (method, path) of the OpenAPI document."""
    paths: dict[str, dict[str, Any]] = client.get("/openapi.json").json()["paths"]
    return [(method.upper(), path) for path, item in paths.items() for method in item]


def test_every_route_with_an_id_tells_a_foreign_one_as_little_as_an_unknown_one(
    users: dict[str, httpx.Client], ids: dict[str, str]
) -> None:
    tried = 0
    for method, path in routes(users["intruder"]):
        for id_ in ids.values():
            if not ID.search(path) or path.startswith("/v1/keys"):
                continue
            foreign = users["intruder"].request(method, ID.sub(id_, path))
            unknown = users["intruder"].request(method, ID.sub(str(uuid.uuid4()), path))
            assert (foreign.status_code, foreign.json()) == (404, unknown.json()), (method, path)
            tried += 1
    assert tried >= 40
    assert users["owner"].get(f"/v1/documents/{ids['document_id']}").status_code == 200


def seen_at(client: httpx.Client, path: str, params: dict[str, str]) -> str:
    """What a route shows; of the stream of events, which has no end, all that was told before the caller's next own."""
    if path != "/v1/events":
        return client.get(path, params=params).text
    client.post("/v1/search", json={"query": "kettle"}).raise_for_status()
    seen = ""
    with client.stream("GET", path, headers={"Last-Event-ID": "0"}) as reply:
        for line in reply.iter_lines():
            seen += line
            if line == "event: ask.finished":
                break
    return seen


def test_no_list_or_search_shows_what_is_anothers(users: dict[str, httpx.Client], ids: dict[str, str]) -> None:
    targets = [path for method, path in routes(users["intruder"]) if method == "GET" and not ID.search(path)]
    for path in targets:
        params = {"q": MARK, "entity": MARK, "from": MARK, "to": MARK} if "graph" in path or "search" in path else {}
        assert MARK not in seen_at(users["intruder"], path, params).replace(f'"{MARK}"', ""), path
    for path in ("/v1/entities", "/v1/documents", "/v1/changes"):
        assert users["intruder"].get(path).json()["data"] == []
    body = {"question": f"What is {MARK}?", "scope": {"mode": "strict_chat", "chat_id": ids["document_id"]}}
    assert users["intruder"].post("/v1/ask/evidence", json=body).json()["items"] == []


def test_corrections_reach_only_ones_own_facts(users: dict[str, httpx.Client], ids: dict[str, str]) -> None:
    for target in ({"fact_id": ids["fact_id"]}, {"subject": MARK}):
        answer = users["intruder"].post("/v1/corrections", json={"op": "retract", **target})
        assert answer.status_code == 404, target
    assert [fact["id"] for fact in users["owner"].get("/v1/facts").json()["data"]] == [ids["fact_id"]]


def test_without_a_key_nothing_but_health_and_the_description_answers(users: dict[str, httpx.Client]) -> None:
    for method, path in routes(users["owner"]):
        status = users["nobody"].request(method, ID.sub(str(uuid.uuid4()), path), content=b"{").status_code
        assert status == (200 if path.startswith("/health") else 401), (method, path)
    assert users["nobody"].get("/v1/no-such-route").status_code == 401


@pytest.mark.parametrize("value", ["", "Bearer", "Bearer \u00e9", "Basic", "Basic !!!", "Basic Og==", "Bearer a b c"])
def test_a_broken_credential_is_401(users: dict[str, httpx.Client], value: str) -> None:
    headers = [(b"authorization", value.encode())]
    assert users["nobody"].get("/v1/facts", headers=headers).status_code == 401


def test_admin_routes_need_the_permission(users: dict[str, httpx.Client]) -> None:
    owner = users["owner"]
    assert owner.get("/v1/keys").status_code == 403
    assert owner.post("/v1/keys", json={"user": "owner", "permissions": ["ai.manage"]}).status_code == 403
    assert owner.patch("/v1/settings", json={"limit": 3}).status_code == 403
    assert owner.delete("/v1/keys/anything").status_code == 403
