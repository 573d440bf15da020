"""The HTTP surface over a real socket: envelope, idempotency, settings, OpenAPI, limits, leaving early."""

from __future__ import annotations

import re
import socket
import struct
from typing import Any

import httpx
import pytest

from api.app import ROUTES
from tests.journeys.conftest import final
from tests.support.server import Server
from tests.support.waiting import until


def error_of(answer: httpx.Response) -> dict[str, Any]:
    error: dict[str, Any] = answer.json()["error"]
    assert error.keys() == {"message", "type", "param", "code"}
    return error


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/v1/nothing", 404, "not_found"),
        ("PUT", "/v1/facts", 405, "method_not_allowed"),
        ("GET", "/v1/documents/0198c0de-0000-7000-8000-000000000000", 404, "not_found"),
        ("GET", "/v1/documents/not-an-id", 404, "not_found"),
        ("GET", "/v1/entities?limit=0", 400, "validation"),
        ("GET", "/v1/entities?limit=x", 400, "validation"),
        ("GET", "/v1/facts?as_of=yesterday", 400, "validation"),
        ("GET", "/v1/facts?cursor=%27%22", 400, "validation"),
        ("GET", "/v1/search", 400, "validation"),
        ("GET", "/v1/search?q=x&mode=psychic", 400, "validation"),
        ("GET", "/v1/search?q=x&sources=whatsapp,nowhere", 400, "validation"),
        ("GET", "/v1/search?q=" + "x" * 20_000, 414, "too_large"),
        ("POST", "/v1/facts", 400, "validation"),
    ],
)
def test_every_refusal_is_the_envelope(client: httpx.Client, method: str, path: str, status: int, code: str) -> None:
    answer = client.request(method, path)
    assert (answer.status_code, error_of(answer)["code"]) == (status, code)
    assert answer.headers["x-request-id"]


def test_a_body_over_the_bound_is_refused_by_its_declared_length(client: httpx.Client) -> None:
    answer = client.post("/v1/remember", json={"text": "x" * 6_000_000})
    assert (answer.status_code, error_of(answer)["code"]) == (413, "too_large")


def test_a_body_over_the_bound_is_refused_while_it_streams(client: httpx.Client) -> None:
    def chunks() -> Any:
        yield b'{"text":"'
        for _ in range(100):
            yield b"x" * 100_000

    headers = {"Content-Type": "application/json"}
    answer = client.post("/v1/remember", content=chunks(), headers=headers)
    assert answer.status_code == 413


def test_the_same_request_id_has_one_effect(client: httpx.Client) -> None:
    body = {"text": "The meter reads 4711.", "title": "meter"}
    headers = {"Idempotency-Key": "meter-1"}
    first = client.post("/v1/documents", json=body, headers=headers).json()
    again = client.post("/v1/documents", json=body, headers=headers).json()
    assert (again["id"], again["document_ids"]) == (first["id"], first["document_ids"])
    other = client.post("/v1/documents", json=body | {"text": "Another."}, headers=headers)
    assert (other.status_code, error_of(other)["code"]) == (409, "request.reused")


def test_a_fact_can_be_asserted_read_retracted_and_brought_back(client: httpx.Client) -> None:
    body = {"subject": {"name": "Nina", "type": "person"}, "predicate": "lives_in", "object": "Bogor"}
    stored = client.post("/v1/facts", json=body).raise_for_status().json()["data"][0]["fact"]
    assert (stored["subject"]["name"], stored["object"]["name"]) == ("Nina", "Bogor")

    def listed() -> list[str]:
        return [fact["id"] for fact in client.get("/v1/facts", params={"entity": "Nina"}).json()["data"]]

    assert listed() == [stored["id"]]
    retract = {"op": "retract", "fact_id": stored["id"], "reason": "she moved"}
    planned = client.post("/v1/corrections", json={"corrections": [retract], "dry_run": True}).json()
    assert planned["dry_run"]
    assert listed() == [stored["id"]]
    done = client.post("/v1/corrections", json=[retract]).raise_for_status().json()
    assert listed() == []
    client.post(f"/v1/changes/{done['changes'][0]['id']}/undo").raise_for_status()
    assert listed() == [stored["id"]]
    ops = [change["op"] for change in client.get(f"/v1/facts/{stored['id']}/history").json()["data"]]
    assert ops[0] == "assert"
    assert "undo" in ops or "retract" in ops


def test_many_facts_come_in_one_call_or_not_at_all(client: httpx.Client) -> None:
    facts = [{"subject": f"Tool {number}", "predicate": "made_of", "object": "steel"} for number in range(3)]
    stored = client.post("/v1/facts", json={"facts": facts}).raise_for_status().json()["data"]
    assert [row["outcome"] for row in stored] == ["stored"] * 3
    broken = client.post("/v1/facts", json={"facts": [*facts, {"subject": " ", "predicate": "p", "object": "x"}]})
    assert broken.status_code == 400
    too_many = client.post("/v1/facts", json={"facts": facts * 1_000})
    assert too_many.status_code == 400


def test_a_changed_setting_holds_from_the_next_request(client: httpx.Client) -> None:
    assert client.patch("/v1/settings", json={"max_tokens": 400}).json()["max_tokens"] == 400
    assert client.get("/v1/settings").json()["max_tokens"] == 400
    pack = client.post("/v1/ask/evidence", json={"question": "What does the meter read?"}).json()
    assert pack["tokens"] <= 400
    assert client.patch("/v1/settings", json={"max_tokens": None}).json()["max_tokens"] == 2_000


def test_a_thread_names_the_messages_it_could_not_take(client: httpx.Client) -> None:
    messages = [
        {"id": "1", "author": "Ana", "sent_at": "2026-01-01T10:00:00", "text": "ok one"},
        {"id": "2", "author": "Ana", "sent_at": "not a date", "text": "lost"},
        {"id": "3", "author": "Ana", "sent_at": "2026-01-01T10:02:00Z", "text": "bad \u0000 here"},
    ]
    body = {"chat_id": "c-1", "title": "Ana", "timezone": "Asia/Jakarta", "messages": messages}
    receipt = final(client, client.post("/v1/threads", json=body).raise_for_status().json())
    assert (receipt["state"], receipt["stored"]) == ("done", 2)
    assert [(item["ref"], item["code"]) for item in receipt["why"]] == [("1", "no_date")]
    path = f"/v1/documents/{receipt['document_ids'][0]}/passages"
    passages = client.get(path).json()["data"]
    assert [(part["external_ids"], part["occurred_at"]) for part in passages] == [
        (["1"], "2026-01-01T03:00:00Z"),
        (["3"], "2026-01-01T10:02:00Z"),
    ]
    assert "\x00" not in passages[1]["text"]


def test_the_openapi_document_has_every_route(client: httpx.Client) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    listed = {(path, method.upper()) for path, item in paths.items() for method in item}
    for handler in ROUTES:
        for path in handler.paths:  # type: ignore[union-attr]
            shown = re.sub(r":\w+}", "}", path)
            if shown not in ("/openapi.json", "/docs"):
                for method in handler.http_methods - {"OPTIONS"}:  # type: ignore[union-attr]
                    assert (shown, method) in listed
    assert "/v1/ask/evidence" in client.get("/docs").text


def test_a_search_tells_what_its_mode_leaves_out(client: httpx.Client) -> None:
    client.post("/v1/remember", json={"text": "I am allergic to walnuts."}).raise_for_status()
    for mode in ("hybrid", "lexical"):
        found = client.get("/v1/search", params={"q": "walnuts", "mode": mode}).raise_for_status().json()
        assert any("walnuts" in item["text"] for item in found["items"]), mode
    by_nearness = client.get("/v1/search", params={"q": "walnuts", "mode": "vector"}).raise_for_status().json()
    assert any("vectors" in warning for warning in by_nearness["warnings"])


def test_a_search_leaves_the_web_out_unless_asked(client: httpx.Client) -> None:
    body = {"text": "The quokka lives on Rottnest.", "title": "page", "source": "firecrawl"}
    final(client, client.post("/v1/documents", json=body).raise_for_status().json())
    assert client.get("/v1/search", params={"q": "quokka Rottnest"}).json()["items"] == []
    found = client.post("/v1/search", json={"query": "quokka Rottnest", "sources": ["firecrawl"]}).json()["items"]
    assert [item["sources"][0]["source"] for item in found] == ["firecrawl"]


def test_an_entity_has_a_page(client: httpx.Client) -> None:
    for place in ("Solo", "Tegal"):
        body = {"subject": {"name": "Wayan", "type": "person"}, "predicate": "lives_in", "object": place}
        client.post("/v1/facts", json=body).raise_for_status()
    found = client.get("/v1/entities", params={"name": "Wayan"}).json()["data"][0]
    page = client.get(f"/v1/entities/{found['id']}").raise_for_status().json()
    assert page["entity"]["name"] == "Wayan"
    assert [(row["predicate"], row["facts"][0]["object"]["name"]) for row in page["relations"]] == [
        ("lives_in", "Tegal")
    ]
    assert [fact["object"]["name"] for fact in page["history"]] == ["Solo"]
    assert "Tegal" in page["text"]


def test_the_metrics_count_by_route_and_never_by_content(client: httpx.Client) -> None:
    client.get("/v1/search", params={"q": "a secret thing"})
    text = client.get("/metrics").text
    assert 'doso_requests_total{method="GET",route="/v1/search",status="200"}' in text
    assert "secret" not in text


def test_no_log_line_has_what_a_person_wrote(client: httpx.Client, server: Server) -> None:
    client.post("/v1/remember", json={"text": "My code is zebra-9921."}).raise_for_status()
    client.get("/v1/search", params={"q": "zebra-9921"}).raise_for_status()
    client.post("/v1/facts", json={"subject": "zebra-9921", "predicate": " ", "object": "zebra-9921"})
    assert "zebra-9921" not in server.log_path.read_text()


def test_callers_who_leave_give_their_place_back(client: httpx.Client, server: Server) -> None:
    body = b'{"question":"What does the meter read?"}'
    head = (
        b"POST /v1/ask/evidence HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n"
    )
    for _ in range(40):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(head + body)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # reset, not close
    assert client.post("/v1/ask/evidence", json={"question": "What does the meter read?"}).status_code == 200

    def gauges() -> list[str]:
        return [line for line in client.get("/metrics").text.splitlines() if line.startswith("doso_evidence_")]

    until(lambda: gauges() == ["doso_evidence_in_flight 0.0", "doso_evidence_waiting 0.0"])


def test_a_search_drafts_an_answer_unless_told_not_to(client: httpx.Client) -> None:
    body = {"text": "The lighthouse keeper of Karimun is called Suryadi.", "title": "lighthouse"}
    final(client, client.post("/v1/documents", json=body).raise_for_status().json())
    asked = {"query": "Who is the lighthouse keeper of Karimun?"}
    drafted = client.post("/v1/search", json=asked).raise_for_status().json()
    assert "Suryadi" in drafted["answer"]
    assert "[S1]" in drafted["answer"]
    assert [source["title"] for source in drafted["citations"]] == ["lighthouse"]
    plain = client.post("/v1/search", json={**asked, "draft": False}).raise_for_status().json()
    assert plain["answer"] is None
    assert [item["mark"] for item in plain["items"]] == [item["mark"] for item in drafted["items"]]
    by_query = client.get("/v1/search", params={"q": asked["query"]}).raise_for_status().json()
    assert by_query["answer"] is None
    nothing = client.post("/v1/search", json={"query": "Who painted the xylophone of Ulaanbaatar?"}).json()
    assert (nothing["no_results"], nothing["citations"]) == (True, [])
    assert nothing["answer"]
