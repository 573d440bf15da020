"""Facts that come without a document are found by meaning too, and so are those that a correction rewords."""

from __future__ import annotations

import httpx
import pytest

from tests.support.waiting import until


def by_meaning(client: httpx.Client, query: str) -> set[str]:
    """The texts of facts that the vectors find."""
    body = {"query": query, "mode": "vector", "draft": False}
    items = client.post("/v1/search", json=body).raise_for_status().json()["items"]
    return {item["text"] for item in items if item["kind"] == "fact" and item["scores"]["vector"] is not None}


@pytest.mark.usefixtures("server")
def test_an_asserted_fact_and_its_new_wording_have_vectors(client: httpx.Client) -> None:
    body = {"subject": "Quillfeather", "predicate": "tends", "object": "beehives", "object_type": "TOPIC"}
    client.post("/v1/facts", json=body).raise_for_status()
    until(lambda: "Quillfeather tends beehives" in str(by_meaning(client, "Quillfeather tends beehives")))
    rename = {"op": "rename", "entity": "Quillfeather", "to": "Quillfeather Marsh"}
    client.post("/v1/corrections", json={"corrections": [rename]}).raise_for_status()
    until(lambda: "Quillfeather Marsh tends beehives" in str(by_meaning(client, "Quillfeather Marsh tends beehives")))
