"""Whatever a route is sent, by the OpenAPI document's own shapes: it never breaks, and it refuses with the envelope."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from api.app import openapi_document
from tests.support.json_schemas import junk, texts, values
from tests.support.server import Server

DOCUMENT = openapi_document()
KNOWN: dict[str, Any] = DOCUMENT["components"]["schemas"]
#: A stream without an end has tests of its own.
OPERATIONS = sorted(
    (method, path) for path, item in DOCUMENT["paths"].items() for method in item if path != "/v1/events"
)
ENVELOPE = {"message", "type", "param", "code"}


@dataclass(frozen=True)
class Sent:
    """One request."""

    method: str
    path: str
    query: dict[str, Any]
    body: Any
    upload: tuple[str, bytes] | None

    def by(self, client: httpx.Client) -> httpx.Response:
        query = {name: str(value).encode("utf-8", "replace") for name, value in self.query.items()}
        if self.upload is not None:
            name, content = self.upload
            return client.request(self.method, self.path, params=query, files={"file": (name, content)})
        if self.method in ("GET", "DELETE"):
            return client.request(self.method, self.path, params=query)
        headers = {"Content-Type": "application/json"}
        content = json.dumps(self.body).encode()  # escapes stand for what UTF-8 can't say; NaN is sent as such
        return client.request(self.method, self.path, params=query, content=content, headers=headers)


@st.composite
def requests(draw: st.DrawFn) -> Sent:
    """A request to any route, shaped by its description."""
    method, path = draw(st.sampled_from(OPERATIONS))
    operation = DOCUMENT["paths"][path][method]
    query = {}
    for parameter in operation.get("parameters", ()):
        name = parameter["name"]
        if parameter["in"] == "path":
            value = str(draw(texts)).encode("utf-8", "replace").decode()
            path = path.replace("{" + name + "}", quote(value, safe="") or "-")
        elif parameter["in"] == "query" and (parameter.get("required") or draw(st.booleans())):
            query[name] = draw(values(parameter["schema"], KNOWN))
    content = operation.get("requestBody", {}).get("content", {})
    upload = None
    if "multipart/form-data" in content and draw(st.booleans()):
        upload = (re.sub(r"[\ud800-\udfff]", "", draw(texts)) or "file", draw(st.binary(max_size=200)))
    schema = content.get("application/json", {}).get("schema", {})
    return Sent(method.upper(), path, query, draw(values(schema, KNOWN) | junk), upload)


@pytest.fixture(scope="module")
def admin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client that may do everything, on a server of its own."""
    server = Server(tmp_path_factory.mktemp("home"))
    try:
        url = server.start().url
        key = httpx.post(f"{url}/v1/keys", json={"user": "admin", "permissions": ["ai.manage"]}).json()["key"]
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60, trust_env=False) as one:
            yield one
    finally:
        server.stop()


@settings(
    max_examples=400,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(request=requests())
def test_no_request_breaks_the_server(admin: httpx.Client, request: Sent) -> None:
    answer = request.by(admin)
    assert answer.status_code < 500, (request, answer.text)
    if answer.status_code >= 400:
        assert answer.json()["error"].keys() == ENVELOPE
        assert answer.headers["content-type"].startswith("application/json")


def test_the_server_is_whole_after_all_that(admin: httpx.Client) -> None:
    assert admin.get("/health/ready").status_code == 200
    for path in ("/v1/facts", "/v1/entities", "/v1/documents", "/v1/changes"):
        assert admin.get(path, params={"limit": 200}).status_code == 200


@pytest.mark.parametrize(
    "cursor", ["x", "0", "-1", "99999999999999999999", "abc~def", "a:b", "~", "1.5", "MTIz", "=" * 500]
)
@pytest.mark.parametrize("path", ["/v1/facts", "/v1/entities", "/v1/documents", "/v1/changes"])
def test_a_cursor_of_another_list_is_refused_by_name(admin: httpx.Client, path: str, cursor: str) -> None:
    answer = admin.get(path, params={"cursor": cursor})
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, "cursor")
