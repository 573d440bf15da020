"""Facts that come without a document get vectors too, and new ones when a correction rewords them."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import httpx

from tests.support.server import Server
from tests.support.waiting import until


def vectors_of(server: Server, fact_id: str) -> list[bytes]:
    """The stored vectors of a fact that have content."""
    with closing(sqlite3.connect(server.home / "graph.db")) as graph:
        rows = graph.execute("SELECT vector FROM fact_vectors WHERE fact_id = ?", (fact_id,)).fetchall()
    return [row[0] for row in rows if row[0]]


def test_an_asserted_fact_and_its_new_wording_have_vectors(server: Server, client: httpx.Client) -> None:
    body = {"subject": "Quillfeather", "predicate": "tends", "object": "beehives", "object_type": "TOPIC"}
    stored = client.post("/v1/facts", json=body).raise_for_status().json()["data"][0]["fact"]
    until(lambda: len(vectors_of(server, stored["id"])) == 1)
    before = vectors_of(server, stored["id"])
    rename = {"op": "rename", "entity": "Quillfeather", "to": "Marsh Keeper"}
    client.post("/v1/corrections", json={"corrections": [rename]}).raise_for_status()
    until(lambda: vectors_of(server, stored["id"]) not in ([], before))
