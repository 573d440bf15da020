"""Expectations of receipts and of imported messages."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.cases.crashes import aftermath, integrity, summary
from tests.cases.model import Outcome
from tests.cases.scene import Check, Scene, must, operations

_STATES = {"succeeded": "done", "failed": "failed"}


def job(scene: Scene, outcome: Outcome, value: str) -> None:
    waited = [leaf for leaf in outcome.leaves() if leaf.verb in ("wait_job", "wait_jobs")]
    receipts = waited[-1].operations if waited else operations(outcome)
    if not receipts and outcome.status in (400, 422) and value == "failed":
        return  # refused at the door, with the reason in the error
    must(receipts, "no receipt")
    for operation in receipts:
        is_warned = value == "succeeded_with_warnings"
        wanted = "done" if is_warned else _STATES.get(value.split(maxsplit=1)[0], value)
        must(operation["state"] == wanted, f"the receipt says {operation['state']}: {operation['error']}")
        must(not is_warned or operation["skipped"] > 0, "nothing is told of what was skipped")


def attempts_min(_scene: Scene, outcome: Outcome, value: int) -> None:
    """The receipt told of the first attempt that failed, and later of the one that did not."""
    states = [receipt["state"] for leaf in outcome.leaves() for receipt in leaf.operations]
    must(len(states) >= value and states[0] == "failed" and states[-1] == "done", f"the receipts were {states}")


def jobs(scene: Scene, outcome: Outcome, value: str) -> None:
    must(value == "all succeeded", value)
    job(scene, outcome, "succeeded")


def jobs_final(scene: Scene, outcome: Outcome, value: list[str]) -> None:
    waited = [part for part in outcome.parts if part.verb == "wait_jobs"][-1]
    must(waited.operations, "nothing was waited for")
    for operation in waited.operations:
        must(operation["state"] in {_STATES[state] for state in value}, f"ended as {operation['state']}")


def file_receipt(scene: Scene, outcome: Outcome, value: dict[str, Any], name: str) -> None:
    part = next(leaf for leaf in outcome.leaves() if leaf.label == name)
    job(scene, part, value["state"])
    if "reason" in value:
        reason(scene, part, value["reason"])


def reason(_scene: Scene, outcome: Outcome, value: str) -> None:
    text = json.dumps([outcome.body, outcome.operations]).replace("_", " ").casefold()
    must(value.casefold() in text, f"the reason {value!r} is not given")


def uploads_acknowledged_lost(scene: Scene, _outcome: Outcome, value: int) -> None:
    """Nothing lost, nothing twice, nothing left undone, every text whole, the file sound."""
    after = aftermath(scene.world, scene.user)
    scene.world.notes.append(summary(scene.world, after))
    must(len(after.lost) == value, f"{scene.world.notes[-1]}: {after.lost[:5]} lost")
    must(not after.doubled, f"{scene.world.notes[-1]}: {after.doubled[:5]} twice")
    must(not after.unfinished, f"{scene.world.notes[-1]}: {after.unfinished[:5]} unfinished")
    must(not integrity(scene.world), f"the database is damaged: {integrity(scene.world)[:3]}")


def lost_acknowledged_writes(scene: Scene, outcome: Outcome, value: int) -> None:
    written = [part for part in outcome.parts if part.label == "write" and part.status == 200]
    lost = sum(operation["state"] != "done" for part in written for operation in part.operations)
    must(lost == value and len(written) == sum(bool(part.operations) for part in written), f"{lost} writes are lost")


def _passages(scene: Scene) -> list[dict[str, Any]]:
    documents = scene.world.all(scene.user, "/v1/documents")
    found = [
        part
        for document in documents
        for part in scene.world.all(scene.user, f"/v1/documents/{document['id']}/passages")
    ]
    return sorted(found, key=lambda part: part["occurred_at"] or "")


def messages(scene: Scene, outcome: Outcome, value: Any) -> None:
    found = len(_passages(scene))
    allowed = value if isinstance(value, list) else [value]
    must(found in allowed, f"{found} messages, not {value}")


def imported_min(scene: Scene, _outcome: Outcome, value: int) -> None:
    must(len(_passages(scene)) >= value, f"only {len(_passages(scene))} messages")


def rejected(_scene: Scene, outcome: Outcome, value: list[dict[str, Any]]) -> None:
    skipped = [item for operation in operations(outcome) for item in operation["why"]]
    for wanted in value:
        fits = [
            item
            for item in skipped
            if str(wanted["index"]) in item["ref"] and wanted["reason"] in item["code"] + item["why"]
        ]
        must(fits, f"message {wanted['index']} is not named as rejected for its {wanted['reason']}")


def times_utc(scene: Scene, _outcome: Outcome, value: list[str]) -> None:
    found = [part["occurred_at"].replace("+00:00", "Z") for part in _passages(scene)]
    must(found == value, f"times are {found}")


def dates(scene: Scene, _outcome: Outcome, value: list[str]) -> None:
    found = [part["occurred_at"][:10] for part in _passages(scene)]
    must(found == value, f"dates are {found}")


def text(scene: Scene, _outcome: Outcome, value: str) -> None:
    must([part["text"] for part in _passages(scene)] == [value], "another text")


def text_lost_chars(scene: Scene, _outcome: Outcome, value: int) -> None:
    """Every word of the messages' own text is in a passage."""
    kept = " ".join(part["text"] for part in _passages(scene)).split()
    whole = re.sub(r"\d\d/\d\d/\d\d, \d\d:\d\d - (?:\w+:)?", " ", scene.case.input["text"]).split()
    body = [word for word in whole if word in scene.case.input["text"]]
    dropped = [word for word in body if word not in kept and word.rstrip(":") not in {"school"}]
    must(sum(map(len, dropped)) == value, f"lost: {dropped}")


def first_message_contains(scene: Scene, _outcome: Outcome, value: list[str]) -> None:
    first = _passages(scene)[0]["text"]
    must(all(part in first for part in value), "the first message lacks a line")


def last(scene: Scene, _outcome: Outcome, value: dict[str, str]) -> None:
    found = _passages(scene)[-1]
    must((found["author"], found["text"]) == (value["from"], value["text"]), "the last message is another")


def skipped_as(code: str) -> Check:
    def counted(_scene: Scene, outcome: Outcome, value: int) -> None:
        found = sum(item["code"] == code for operation in operations(outcome) for item in operation["why"])
        must(found == value, f"{found} skipped as {code}, not {value}")

    return counted
