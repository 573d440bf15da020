"""Verbs that bring something into the memory."""

from __future__ import annotations

from tests.cases import doors
from tests.cases.model import CaseFailedError, Outcome
from tests.cases.steps import Step, together
from tests.cases.values import evaluate
from tests.cases.world import World, decoded

_LOAD_BATCH = 1000
_CHAT_FILE = "WhatsApp Chat with Case.txt"


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
    return together(parts)


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


def import_archive(world: World, step: Step) -> Outcome:
    """A ZIP of files; the expression that makes a bomb needs more than values."""
    content = decoded(step["bytes_b64"]) if "bytes_b64" in step else eval(step["bytes_py"])
    files = {"file": (f"case.{step['format']}", content)}
    before = world.disk_mb()
    sent = world.send("POST", "/v1/documents/import", user=step["user"], files=files)
    outcome = world.finish(step["user"], sent)
    outcome.numbers["disk_growth_mb"] = world.disk_mb() - before
    if any(receipt["state"] == "failed" for receipt in outcome.operations):
        outcome.status = 422  # refused, in the receipt: the archive is read after the answer
    return outcome


def load_py(world: World, step: Step) -> Outcome:
    """Many triples, asserted in batches. What has one thing on both sides is no fact and is left out: it is refused."""
    triples = [triple for triple in evaluate(step["triples_py"]) if triple[0] != triple[2]]
    facts = [doors.to_fact(*triple) for triple in triples]
    parts = [
        world.send("POST", "/v1/facts", user=step["user"], body={"facts": facts[at : at + _LOAD_BATCH]}, timeout_s=120)
        for at in range(0, len(facts), _LOAD_BATCH)
    ]
    refused = [part for part in parts if part.status != 200]
    if refused:
        raise CaseFailedError(f"a batch of the load gave {refused[0].status}: {refused[0].text[:200]}")
    return together(parts)


def create_user(world: World, step: Step) -> Outcome:
    """A user of just this name, whatever it looks like."""
    world.key(step["id"])
    return Outcome()
