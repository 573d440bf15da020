"""What each verb of a case does over the real doors."""

from __future__ import annotations

import json
import random
import re
import threading
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import httpx

from tests.cases import doors
from tests.cases.embedder import embedder_env
from tests.cases.model import NoDoorError, Outcome, RunnerError
from tests.cases.world import World, decoded

Step = dict[str, Any]
#: Names an expression of a case may use; they build values and nothing else.
_EXPRESSION_NAMES = {"range": range, "str": str, "len": len}
_LOAD_BATCH = 1000
_PARALLEL = 64
_CHAT_FILE = "WhatsApp Chat with Case.txt"


def perform(world: World, step: Step) -> Outcome:
    """Do a step. A door that comes later ends in an outcome that says so, so that the other steps still run."""
    verb = step["do"]
    if verb not in VERBS:
        raise RunnerError(f"unknown verb {verb!r}")
    try:
        outcome = VERBS[verb](world, step)
    except NoDoorError as missing:
        outcome = Outcome(status=0, missing=missing)
    outcome.verb = verb
    return outcome


def evaluate(expression: str, **names: Any) -> Any:
    """The value of a `…_py` expression."""
    return eval(expression, {"__builtins__": {}, **_EXPRESSION_NAMES, **names})


def fill(template: Any, **names: Any) -> Any:
    """The value with its `{{name}}`, `{{name|urlencode}}` and `{{name|json}}` filled in."""
    if isinstance(template, dict):
        return {key: fill(item, **names) for key, item in template.items()}
    if isinstance(template, list):
        return [fill(item, **names) for item in template]
    if not isinstance(template, str):
        return template
    whole = re.fullmatch(r"\{\{(\w+)(?:\|json)?\}\}", template)
    if whole and whole[1] in names:
        return names[whole[1]]

    def one(match: re.Match[str]) -> str:
        name, _, form = match[1].partition("|")
        if name not in names:
            return match[0]
        text = names[name]
        return quote(str(text), safe="") if form == "urlencode" else json.dumps(text) if form == "json" else str(text)

    return re.sub(r"\{\{([\w.|]+)\}\}", one, template)


# -- requests


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
        path = _named_ids(world, path)
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


def _named_ids(world: World, path: str) -> str:
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


# -- taking in


def chat(world: World, step: Step) -> Outcome:
    """Each turn is remembered with its own time and zone; a turn that asks is answered with evidence."""
    parts = []
    for turn in step["turns"]:
        user, asks = step["user"], turn.rstrip().endswith("?")
        if asks:
            body = {"question": turn.split(". ")[-1], "timezone": step.get("tz")}
            outcome = world.send("POST", "/v1/ask/evidence", user=user, body=body)
        if not asks or ". " in turn:
            said = turn.rsplit(". ", 1)[0] + "." if asks else turn
            body = {"text": said, "occurred_at": step.get("at"), "timezone": step.get("tz")}
            remembered = world.finish(user, world.send("POST", "/v1/remember", user=user, body=body))
            outcome = outcome if asks else remembered
        parts.append(outcome)
    return _all(parts)


def import_text(world: World, step: Step) -> Outcome:
    """A text as a document."""
    body = {"text": step["text"], "title": "note"}
    return world.finish(step["user"], world.send("POST", "/v1/documents", user=step["user"], body=body))


def upload(world: World, step: Step) -> Outcome:
    """A file as a document."""
    content = decoded(step["bytes_b64"]) if "bytes_b64" in step else step["text"].encode()
    files = {"file": (step["filename"], content)}
    sent = world.send("POST", "/v1/documents", user=step["user"], files=files)
    outcome = sent if step.get("no_wait") else world.finish(step["user"], sent)
    outcome.label = step["filename"]
    return outcome


def upload_many(world: World, step: Step) -> Outcome:
    """Several files, not waited for: the server may be killed any moment."""
    texts = [evaluate(step["text_py"], i=index) for index in range(step["n"])]
    parts = []
    for index, text in enumerate(texts):
        try:
            one = {"filename": f"doc{index}.txt", "text": text, "user": step["user"], "no_wait": True}
            outcome = upload(world, one)
        except (httpx.HTTPError, AssertionError):
            continue  # not acknowledged: the kill came first
        if outcome.status in (200, 202):
            world.acknowledged.append((step["user"], outcome.body))
        parts.append(outcome)
    return _all(parts)


def import_messages(world: World, step: Step) -> Outcome:
    """Messages as a thread."""
    messages = [
        {"id": str(index), "author": message["from"], "sent_at": message["at"], "text": message["text"]}
        for index, message in enumerate(step["messages"])
    ]
    body = {"chat_id": world.case_id, "title": "case", "messages": messages, "timezone": step["tz"], "me": ["me"]}
    return world.finish(step["user"], world.send("POST", "/v1/threads", user=step["user"], body=body))


def import_whatsapp(world: World, step: Step) -> Outcome:
    """A WhatsApp export; the same chat again has the same file name."""
    data = {"format": "whatsapp", "timezone": step["tz"], "me": step["me"]}
    files = {"file": (_CHAT_FILE, step["text"].encode())}
    sent = world.send("POST", "/v1/documents/import", user=step["user"], files=files, data=data)
    return world.finish(step["user"], sent)


def load_py(world: World, step: Step) -> Outcome:
    """Many triples, asserted in batches."""
    facts = [doors.to_fact(*triple) for triple in evaluate(step["triples_py"])]
    parts = [
        world.send("POST", "/v1/facts", user=step["user"], body={"facts": facts[at : at + _LOAD_BATCH]}, timeout_s=120)
        for at in range(0, len(facts), _LOAD_BATCH)
    ]
    return _all(parts)


def create_user(world: World, step: Step) -> Outcome:
    """A user of just this name, whatever it looks like."""
    world.key(step["id"])
    return Outcome()


# -- many at once


def seq(world: World, step: Step) -> Outcome:
    """Steps in order."""
    return _all([perform(world, part) for part in step["steps"]])


def for_each(world: World, step: Step) -> Outcome:
    """One step for each value."""
    values = evaluate(step["values_py"]) if "values_py" in step else step["values"]
    if "before" in step["step"]:
        perform(world, step["step"]["before"])
    parts = []
    for value in values:
        one = {**step["step"], "value": value} if step["step"]["do"] == "http_pair" else fill(step["step"], value=value)
        outcome = perform(world, one)
        outcome.label = value
        parts.append(outcome)
    return _all(parts)


def parallel(world: World, step: Step) -> Outcome:
    """The same step n times at once."""
    return _at_once(world, [step["step"]] * step["n"], workers=step["n"])


def parallel_distinct(world: World, step: Step) -> Outcome:
    """Different steps at once, the whole `repeat` times."""
    outcomes = []
    for round_number in range(step.get("repeat", 1)):
        steps = [fill(part, n=round_number) for part in step["steps"]]
        outcomes += _at_once(world, steps, workers=len(steps)).parts
    return _all(outcomes)


def loop(world: World, step: Step) -> Outcome:
    """Steps again and again; a kill between them happens while the step before it is at work."""
    parts = []
    for _ in range(step["n"]):
        first, kill, *rest = step["steps"]
        worker = threading.Thread(target=lambda: parts.append(perform(world, first)))  # noqa: B023
        worker.start()
        time.sleep(random.uniform(0.05, 2.0) if kill["do"] == "kill9" else 0)
        perform(world, kill)
        worker.join()
        parts += [perform(world, part) for part in rest]
    return _all(parts)


def mixed_load(world: World, step: Step) -> Outcome:
    """Writers and readers at once for some seconds."""
    deadline = time.monotonic() + step["seconds"]
    world.key(step["write"]["user"])

    def work(kind: str, worker: int) -> list[Outcome]:
        done, number = [], 0
        while time.monotonic() < deadline:
            one = fill(step[kind], n=f"{worker}-{number}")
            method, path, body = doors.translate(one["method"], one["path"], one.get("body"))
            outcome = world.send(method, path, user=one["user"], body=body)
            outcome.label, number = kind, number + 1
            done.append(outcome)
        return done

    with ThreadPoolExecutor(step["writers"] + step["readers"]) as pool:
        jobs = [pool.submit(work, "write", worker) for worker in range(step["writers"])]
        jobs += [pool.submit(work, "read", worker) for worker in range(step["readers"])]
        parts = [outcome for job in jobs for outcome in job.result()]
    for outcome in parts:
        if outcome.label == "write":
            world.finish(step["write"]["user"], outcome)
    return _all(parts)


def timed(world: World, step: Step) -> Outcome:
    """The same step n times, one after the other."""
    inner = dict(step["step"])
    inner["path"] = _named_ids(world, inner["path"])
    return _all([perform(world, inner) for _ in range(step["n"])])


def _at_once(world: World, steps: list[Step], *, workers: int) -> Outcome:
    for step in steps:
        if step.get("user") is not None:
            world.key(step["user"])  # made before, so that only the step itself is at once
    with ThreadPoolExecutor(min(workers, 320)) as pool:
        return _all(list(pool.map(lambda step: perform(world, step), steps)))


def _all(parts: list[Outcome]) -> Outcome:
    return Outcome(parts=parts) if parts else Outcome()


# -- the server


def restart_server(world: World, step: Step) -> Outcome:
    """Stop in good order and start, perhaps with another embedder."""
    world.server.restart(**_embedder(world, step))
    return Outcome()


def server_env(world: World, step: Step) -> Outcome:
    """Start the server with this environment."""
    if set(_embedder(world, step).items()) - set(world.server.env.items()):
        world.server.restart(**_embedder(world, step))
    return Outcome()


def kill9(world: World, step: Step) -> Outcome:
    """kill -9 of the server."""
    if step.get("process") not in (None, "server"):
        return _other_process(world, step)
    world.server.kill()
    return Outcome()


def start(world: World, step: Step) -> Outcome:
    """Start what was killed."""
    return _other_process(world, step)


def start_server(world: World, _step: Step) -> Outcome:
    """Start the server again."""
    world.server.start()
    return Outcome()


def wait_ready(world: World, step: Step) -> Outcome:
    """Until readiness says so."""
    deadline = time.monotonic() + step["max_s"]
    while (outcome := world.send("GET", "/health/ready", user=None)).status != 200 and time.monotonic() < deadline:
        time.sleep(0.2)
    return outcome


def wait_jobs(world: World, step: Step) -> Outcome:
    """Until every acknowledged write has its final receipt."""
    within_s = step.get("max_s", 60)
    operations = [world.final(user, operation, within_s=within_s) for user, operation in world.acknowledged]
    return Outcome(operations=operations)


def _embedder(world: World, step: Step) -> dict[str, str]:
    name = step.get("EMBEDDER")
    return {} if name is None else embedder_env(name, world.embedders_url)


def _other_process(world: World, step: Step) -> Outcome:
    control = getattr(world, "control", None)
    if control is None:
        raise RunnerError(f"no control of {step.get('process')}")
    control(step["do"])
    return Outcome()


def later(capability: str) -> Callable[[World, Step], Outcome]:
    """A verb of a later issue."""

    def verb(_world: World, _step: Step) -> Outcome:
        raise doors.no_door(capability)

    return verb


def random_id() -> str:
    """An id that nobody has."""
    return str(uuid.uuid4())


VERBS: dict[str, Callable[[World, Step], Outcome]] = {
    "http": http,
    "http_pair": http_pair,
    "http_bytes": http_bytes,
    "raw_http": raw_http,
    "chat": chat,
    "chat_with_scripted_llm": later("scripted model"),
    "import_text": import_text,
    "upload": upload,
    "upload_many": upload_many,
    "import_messages": import_messages,
    "import_whatsapp": import_whatsapp,
    "load_py": load_py,
    "create_user": create_user,
    "seq": seq,
    "backend_parity": seq,
    "for_each": for_each,
    "parallel": parallel,
    "parallel_distinct": parallel_distinct,
    "loop": loop,
    "mixed_load": mixed_load,
    "timed": timed,
    "restart_server": restart_server,
    "server_env": server_env,
    "kill9": kill9,
    "start": start,
    "start_server": start_server,
    "wait_ready": wait_ready,
    "wait_jobs": wait_jobs,
    "wait_job": wait_jobs,
    "raw_insert": later("stored rows without an owner"),
}
