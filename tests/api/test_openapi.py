"""The OpenAPI document says what the routes take, and the file in docs/ is it."""

from __future__ import annotations

from api.app import openapi_document
from tools import write_openapi


def test_the_file_in_docs_is_current() -> None:
    assert write_openapi.TARGET.read_text(encoding="utf-8") == write_openapi.text(), "run `make types`"


def test_files_and_archives_are_described() -> None:
    paths = openapi_document()["paths"]
    document, archive = (
        paths[path]["post"]["requestBody"]["content"] for path in ("/v1/documents", "/v1/documents/import")
    )
    assert document.keys() == {"application/json", "multipart/form-data"}
    form = archive["multipart/form-data"]["schema"]
    assert form["required"] == ["file"]
    assert {"format", "me", "timezone", "chat_id", "title"} <= form["properties"].keys()
    assert {"auto", "whatsapp", "mbox", "ics"} <= set(form["properties"]["format"]["enum"])


def test_every_reference_leads_somewhere() -> None:
    document = openapi_document()
    known = document["components"]["schemas"].keys()

    def references(value: object) -> set[str]:
        if isinstance(value, dict):
            own = {value["$ref"].rpartition("/")[2]} if "$ref" in value else set()
            return own.union(*map(references, value.values()))
        return set().union(*map(references, value)) if isinstance(value, list) else set()

    assert references(document) <= known
    assert "Envelope" in references(document)


def test_every_operation_says_what_it_does_and_how_it_refuses() -> None:
    for path, item in openapi_document()["paths"].items():
        for method, operation in item.items():
            assert operation["description"], (method, path)
            assert {"4XX", "5XX"} <= operation["responses"].keys(), (method, path)


def test_answers_are_described_whole_and_streamed() -> None:
    paths = openapi_document()["paths"]
    for path, name in (("/v1/chat/completions", "CompletionOut"), ("/v1/responses", "ResponseOut")):
        content = paths[path]["post"]["responses"]["200"]["content"]
        assert content.keys() == {"application/json", "text/event-stream"}
        assert content["application/json"]["schema"] == {"$ref": f"#/components/schemas/{name}"}
