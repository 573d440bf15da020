"""Which route a working name means here, and which issue brings the doors that aren't there yet."""

from __future__ import annotations

import re
from typing import Any

from tests.cases.model import NoDoorError

UNDERSTANDING = "understanding of free statements"

#: Capabilities of later issues. A case that needs one is reported, not passed.
LATER: dict[str, int] = {
    UNDERSTANDING: 5,
    "chat memory": 5,
    "memories": 5,
    "conversations": 6,
    "actions": 6,
    "usage and budgets": 6,
    "stored rows without an owner": 6,
    "whole export": 7,
    "pages": 8,
}

#: Working names whose doors come later.
_MISSING = (
    (re.compile(r"^/v1/conversations"), "conversations"),
    (re.compile(r"^/v1/actions"), "actions"),
    (re.compile(r"^/v1/usage"), "usage and budgets"),
    (re.compile(r"^/v1/graph/export"), "whole export"),
    (re.compile(r"^/v1/memories/"), "memories"),
)


def no_door(capability: str) -> NoDoorError:
    """The error for a capability of LATER."""
    return NoDoorError(capability, LATER[capability])


def translate(method: str, path: str, body: Any) -> tuple[str, str, Any]:
    """The request as this server takes it. Raises NoDoorError."""
    if path.startswith("/v1/memories") and not path.startswith("/v1/memories/"):
        rest = path.removeprefix("/v1/memories")
        if method == "GET":
            # A page there has an offset and a claimed user; here neither exists, and a query may not change that.
            return method, "/v1/facts" + re.sub(r"limit=(\d{4,})", "limit=200", rest), None
        return method, *_write(body)
    if path.startswith("/v1/jobs/"):
        return method, path.replace("/v1/jobs/", "/v1/operations/"), body
    for pattern, capability in _MISSING:
        if pattern.match(path):
            raise no_door(capability)
    return method, path, body


def _write(body: Any) -> tuple[str, Any]:
    if isinstance(body, dict) and "triples" in body:
        return "/v1/facts", {"facts": [to_fact(*triple) for triple in body["triples"]]}
    if isinstance(body, dict) and "subject" in body:
        return "/v1/facts", body
    return "/v1/remember", body


def to_fact(subject: str, predicate: str, value: Any) -> dict[str, Any]:
    """A neutral triple as the facts route takes it: both ends of an unknown predicate are things."""
    return {"subject": subject, "predicate": predicate, "object": value, "object_type": _object_type(predicate)}


def _object_type(predicate: str) -> str | None:
    from graph.predicates import PREDICATES, canonical

    name = canonical(predicate).name
    if name in PREDICATES or name in ("price", "status", "age", "info", "p"):
        return None
    return "PERSON" if name == "knows" else "TOPIC"
