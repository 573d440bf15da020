"""A history of uploads under kills: everything sent, everything acknowledged, and what is left of it afterwards."""

from __future__ import annotations

import math
import random
import sqlite3
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.cases.model import CaseFailedError, Outcome, RunnerError
from tests.cases.steps import Step, perform, together
from tests.cases.values import evaluate
from tests.cases.world import World

_ACKNOWLEDGED = (200, 202)


@dataclass
class Sent:
    """One upload with its request id; `receipt` is its first acknowledgement."""

    request_id: str
    user: str
    filename: str
    text: str
    receipt: dict[str, Any] | None = None
    attempts_count: int = 0


@dataclass
class History:
    """All uploads of a case, over all kills."""

    sent: list[Sent] = field(default_factory=list)
    kills_count: int = 0
    retried_count: int = 0
    repeated_count: int = 0
    answered_anew: list[str] = field(default_factory=list)

    @property
    def receipts(self) -> list[tuple[Sent, dict[str, Any]]]:
        """What was acknowledged."""
        return [(one, one.receipt) for one in self.sent if one.receipt is not None]


@dataclass(frozen=True)
class Aftermath:
    """What the memory holds compared with what it acknowledged."""

    lost: tuple[str, ...]
    doubled: tuple[str, ...]
    unfinished: tuple[str, ...]


def loop(world: World, step: Step) -> Outcome:
    """Upload, kill -9 in the midst of it, start, retry what was not acknowledged; again and again."""
    upload, kill, *rest = step["steps"]
    if (upload["do"], kill["do"]) != ("upload_many", "kill9"):
        raise RunnerError("a loop is an upload_many, a kill9 and what follows")
    history = world.history = History()
    chance = random.Random(world.case_id)
    parts = []
    for _ in range(step["n"]):
        batch = _batch(upload, len(history.sent), world.case_id)
        history.sent += batch
        _kill_during(world, batch, _moment(kill, chance))
        history.kills_count += 1
        for following in rest:
            parts.append(perform(world, following))
            if following["do"] == "start_server":
                _retry(world, history, batch)
    return together(parts)


def aftermath(world: World, user: str) -> Aftermath:
    """Compare the documents with the history. An upload is lost when its document or a word of its text is."""
    history = _history(world)
    documents = {document["id"]: document for document in world.all(user, "/v1/documents")}
    lost, unfinished = [], []
    for one, receipt in history.receipts:
        operation = world.final(user, receipt)
        if operation["state"] != "done":
            unfinished.append(one.filename)
        texts = [world.get(user, f"/v1/documents/{id_}")["text"] for id_ in operation["document_ids"]]
        if not texts or not set(operation["document_ids"]) <= documents.keys() or one.text not in texts:
            lost.append(one.filename)
    uris = Counter(document["uri"] for document in documents.values())
    doubled = [uri for uri, count in uris.items() if count > 1] + history.answered_anew
    if len(documents) > len(history.sent):
        doubled.append(f"{len(documents)} documents of {len(history.sent)} uploads")
    return Aftermath(tuple(lost), tuple(doubled), tuple(unfinished))


def summary(world: World, after: Aftermath) -> str:
    """The counts in one line."""
    history = _history(world)
    return (
        f"{len(history.sent)} uploads over {history.kills_count} kills: {len(history.receipts)} acknowledged, "
        f"{history.retried_count} of them only when retried, {history.repeated_count} repeated with the same id; "
        f"{len(after.lost)} lost, {len(after.doubled)} twice, {len(after.unfinished)} unfinished"
    )


def integrity(world: World) -> list[str]:
    """What SQLite finds wrong with the database files of the server."""
    found = []
    for path in world.server.home.glob("*.db"):
        with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
            found += [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
    return found


def _batch(upload: Step, start: int, case_id: str) -> list[Sent]:
    """Names and texts go on counting over the whole loop: every upload is another document."""
    return [
        Sent(f"{case_id}-{at}", upload["user"], f"doc{at}.txt", evaluate(upload["text_py"], i=at))
        for at in range(start, start + upload["n"])
    ]


def _moment(kill: Step, chance: random.Random) -> float:
    """A moment of the range in the step, the early ones as likely as the late: uploads are quick."""
    least, _, most = str(kill["after_s"]).split()[0].partition("..")
    return math.exp(chance.uniform(math.log(float(least)), math.log(float(most or least))))


def _kill_during(world: World, batch: list[Sent], after_s: float) -> None:
    faults: list[str] = []
    worker = threading.Thread(target=_send_all, args=(world, batch, faults))
    worker.start()
    threading.Event().wait(after_s)
    world.server.kill()
    worker.join()
    if faults:
        raise CaseFailedError(f"an upload was answered with {faults[0]}")


def _send_all(world: World, batch: list[Sent], faults: list[str]) -> None:
    """Send until the server is gone; what it refuses is a fault, for there is nothing wrong with these uploads."""
    for one in batch:
        try:
            answer = _send(world, one)
        except httpx.HTTPError:
            return
        if answer.status in _ACKNOWLEDGED:
            one.receipt = answer.body
        else:
            faults.append(f"{answer.status} {answer.text[:200]}")


def _retry(world: World, history: History, batch: list[Sent]) -> None:
    """Whatever was not acknowledged is sent again; whatever was must give the same receipt once more."""
    for one in batch:
        answer = _send(world, one)
        if answer.status not in _ACKNOWLEDGED:
            raise CaseFailedError(f"a retried upload gave {answer.status}")
        if one.receipt is None:
            history.retried_count += 1
            one.receipt = answer.body
        else:
            history.repeated_count += 1
            if answer.body["id"] != one.receipt["id"]:
                history.answered_anew.append(one.filename)
        world.acknowledged.append((one.user, one.receipt))


def _send(world: World, one: Sent) -> Outcome:
    one.attempts_count += 1
    files = {"file": (one.filename, one.text.encode())}
    headers = {"Idempotency-Key": one.request_id}
    return world.send("POST", "/v1/documents", user=one.user, files=files, headers=headers)


def _history(world: World) -> History:
    if world.history is None:
        raise RunnerError("there is no history of uploads")
    history: History = world.history
    return history
