"""The OpenAPI document: what the framework knows of the routes, completed by what it can't see in them."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from api.problems import Envelope
from api.schemas.chat import ChatIn
from api.schemas.corrections import CorrectionIn, CorrectionsIn
from api.schemas.documents import DocumentIn
from api.schemas.embeddings import EmbeddingsIn
from api.schemas.responses_in import ResponsesIn
from ingest.registry import IMPORTERS

Json = dict[str, Any]  # JSON schema is a tree of any shape; it is made here and nowhere read

_REF = "#/components/schemas/{name}"
_GENERIC = re.compile(r"PageOut_[\w.]*?(\w+)_(?=\"|$)")
#: Routes that answer without a key.
_OPEN = frozenset({"/health/live", "/health/ready"})

_FILE_FIELDS: Json = {
    "file": {"type": "string", "format": "binary", "description": "The file itself."},
    "format": {
        "type": "string",
        "enum": ["auto", *sorted(IMPORTERS)],
        "default": "auto",
        "description": "What the file is; auto looks.",
    },
    "me": {
        "type": "array",
        "items": {"type": "string"},
        "maxItems": 50,
        "description": "The names the user has in it; the field may come several times.",
    },
    "timezone": {"type": "string", "description": "IANA zone of times without an offset."},
    "chat_id": {
        "type": "string",
        "maxLength": 500,
        "description": "Which chat it is; later exports add to it.",
    },
    "title": {"type": "string", "maxLength": 500},
    "request_id": {"type": "string", "maxLength": 200, "description": "The same as Idempotency-Key."},
}
_FORM: Json = {"type": "object", "properties": _FILE_FIELDS, "required": ["file"]}
_BODIES: dict[tuple[str, str], Json] = {
    ("/v1/documents", "post"): {
        "application/json": {"schema": {"$ref": _REF.format(name="DocumentIn")}},
        "multipart/form-data": {"schema": _FORM},
    },
    ("/v1/chat/completions", "post"): {"application/json": {"schema": {"$ref": _REF.format(name="ChatIn")}}},
    ("/v1/responses", "post"): {"application/json": {"schema": {"$ref": _REF.format(name="ResponsesIn")}}},
    ("/v1/embeddings", "post"): {"application/json": {"schema": {"$ref": _REF.format(name="EmbeddingsIn")}}},
    ("/v1/documents/import", "post"): {"multipart/form-data": {"schema": _FORM}},
    ("/v1/corrections", "post"): {
        "application/json": {
            "schema": {
                "anyOf": [
                    {"$ref": _REF.format(name="CorrectionsIn")},
                    {"type": "array", "items": {"$ref": _REF.format(name="CorrectionIn")}, "maxItems": 100},
                    {"$ref": _REF.format(name="CorrectionIn")},
                ]
            }
        }
    },
}
_STRUCTS = (DocumentIn, CorrectionsIn, CorrectionIn, Envelope, ChatIn, ResponsesIn, EmbeddingsIn)
#: Routes that answer in events where the body has `stream`.
_STREAMED = frozenset({"/v1/chat/completions", "/v1/responses"})
_EVENTS: Json = {"schema": {"type": "string", "description": "Server-sent events, where the body has `stream`."}}
_FAULT: Json = {
    "description": "Refused or failed: an envelope with a stable code.",
    "content": {"application/json": {"schema": {"$ref": _REF.format(name="Envelope")}}},
}


def completed(schema: Json) -> Json:
    """The document with every body, the envelope for every error, and plain names for pages."""
    document: Json = msgspec.json.decode(_GENERIC.sub(r"PageOf\1", msgspec.json.encode(schema).decode()))
    known: Json = document["components"]["schemas"]
    _, more = msgspec.json.schema_components(_STRUCTS, ref_template=_REF)
    known |= {name: struct for name, struct in more.items() if name not in known}
    for path, item in document["paths"].items():
        for method, operation in item.items():
            if (path, method) in _BODIES:
                operation["requestBody"] = {"required": True, "content": _BODIES[path, method]}
            responses = {status: answer for status, answer in operation["responses"].items() if status[0] in "23"}
            operation["responses"] = responses | {"4XX": _FAULT, "5XX": _FAULT}
            if path in _STREAMED:
                responses["200"]["content"]["text/event-stream"] = _EVENTS
            if path in _OPEN:
                operation["security"] = []
    return document
