"""Verbs that send single requests."""

from __future__ import annotations

import re
import uuid
from typing import Any
from urllib.parse import quote

from tests.cases import doors
from tests.cases.model import Outcome
from tests.cases.steps import Step
from tests.cases.values import evaluate
from tests.cases.world import World, decoded


def http(world: World, step: Step) -> Outcome:
    """One request with a JSON body."""
    user = step.get("user")
    body = evaluate(step["body_py"]) if "body_py" in step else step.get("body")
    return _request(world, user, step["method"], step["path"], body, step)


def http_pair(world: World, step: Step) -> Outcome:
    """A request given as [method, path] or (method, path, body)."""
    method, path, *rest = step["value"]
    return _request(world, step.get("user"), method, path, rest[0] if rest else None, step)


def _request(world: World, user: str | None, method: str, path: str, body: Any, step: Step) -> Outcome:
    headers = dict(step.get("headers") or {})
    raw = step.get("raw_body")
    if user is not None:
        method, path, body = doors.translate(method, path, body)
        path = named_ids(world, path)
    if raw is not None:
        headers["Content-Type"] = "application/json"
    content = raw.encode() if raw is not None else None
    outcome = world.send(method, path, user=user, body=body, content=content, headers=headers)
    is_write = method == "POST" and path in ("/v1/remember", "/v1/documents", "/v1/threads")
    return world.finish(user, outcome) if user is not None and is_write else outcome


def http_bytes(world: World, step: Step) -> Outcome:
    """A body as bytes. The guards of the door are the same on every route, so a route of today takes the place of one
    that comes later."""
    path = "/v1/ask/evidence" if step["path"].startswith("/v1/chat/") else step["path"]
    headers = {"Content-Type": step["content_type"]}
    return world.send(step["method"], path, user=step["user"], content=step["body"], headers=headers)


def raw_http(world: World, step: Step) -> Outcome:
    """Bytes on the socket; lists that come later are replaced by one of today."""
    return world.raw(decoded(step["bytes_b64"]).replace(b"/v1/conversations", b"/v1/documents"))


def named_ids(world: World, path: str) -> str:
    """Fill `{{u1.d1}}` (document), `j1` (operation), `e1` (entity), `f1` (fact) and `{{id_of_NAME}}`."""
    for owner, kind in re.findall(r"\{\{(\w+)\.([djef])1\}\}", path):
        path = path.replace("{{" + f"{owner}.{kind}1" + "}}", _made_id(world, owner, kind))
    for name in re.findall(r"\{\{id_of_(\w+)\}\}", path):
        found = world.get("u1", f"/v1/entities?name={quote(name)}")["data"]
        path = path.replace("{{id_of_" + name + "}}", found[0]["id"])
    return path


def _made_id(world: World, owner: str, kind: str) -> str:
    if kind in "dj":
        body = {"text": "Something of mine.", "title": "mine"}
        made = world.finish(owner, world.send("POST", "/v1/documents", user=owner, body=body))
        receipt = made.operations[0]
        return str(receipt["id"] if kind == "j" else receipt["document_ids"][0])
    body = {"subject": "Mine", "predicate": "likes", "object": "tea"}
    fact = world.send("POST", "/v1/facts", user=owner, body=body).body["data"][0]["fact"]
    return str(fact["id"] if kind == "f" else fact["subject"]["id"])


def random_id() -> str:
    """An id that nobody has."""
    return str(uuid.uuid4())
