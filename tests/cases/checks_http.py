"""Expectations of answers: statuses, times, sizes, hits."""

from __future__ import annotations

import math
import re
from typing import Any

from tests.cases.model import TIMED, NoDoorError, Outcome, RunnerError
from tests.cases.scene import Check, Scene, answered, items, must, operations, too_few, within, words
from tests.cases.verbs_requests import random_id


def each(scene: Scene, outcome: Outcome, value: dict[str, Any]) -> list[NoDoorError]:
    return [error for part in outcome.leaves() if part.missing is None for error in scene.check(scene, part, value)]


def all_steps(scene: Scene, outcome: Outcome, value: dict[str, Any]) -> list[NoDoorError]:
    return each(scene, outcome, value)


#: Codes of the 5xx that may be, with a reason and a time to wait.
_REASONED = frozenset({502, 503, 504})


def status(_scene: Scene, outcome: Outcome, value: Any) -> None:
    if value == "all_imported":
        must(all(op["state"] == "done" and op["skipped"] == 0 for op in operations(outcome)), "not all were imported")
        return
    for part in answered(outcome):
        must(part.status == value, f"{part.path or part.verb} gave {part.status}, not {value}: {part.text[:160]}")


def status_in(_scene: Scene, outcome: Outcome, value: list[int]) -> None:
    for part in answered(outcome):
        must(part.status in value, f"{str(part.label)[:40]!r} gave {part.status}, not one of {value}")


def never(_scene: Scene, outcome: Outcome, value: Any) -> None:
    for part in answered(outcome):
        if isinstance(value, list):
            must(part.status not in value, f"status {part.status}")
        elif value == "200 with data":
            must(part.status != 200, "200 without a key")
        elif value == "an answer from another scope":
            must(part.status != 500, "status 500")
        elif value == "an answer that claims to have read the page":
            must(part.status != 200 or not part.body["items"], "something was read")
        else:
            raise RunnerError(f"unknown never {value!r}")


def no_5xx(_scene: Scene, outcome: Outcome, _value: Any) -> None:
    for part in answered(outcome):
        fine = part.status < 500 or (part.status in _REASONED and "retry-after" in part.headers)
        must(fine and part.status, f"{str(part.label)[:40]!r} gave {part.status}")


def errors_5xx(_scene: Scene, outcome: Outcome, value: int) -> None:
    count = sum(part.status >= 500 for part in answered(outcome))
    must(count == value, f"{count} answers of 5xx")


def error_body(_scene: Scene, outcome: Outcome, _value: str) -> None:
    for part in answered(outcome):
        error = (part.body or {}).get("error") if isinstance(part.body, dict) else None
        must(isinstance(error, dict) and {"message", "type", "param", "code"} <= error.keys(), "not the error envelope")


def header(_scene: Scene, outcome: Outcome, value: str) -> None:
    must(value.lower() in outcome.headers, f"no header {value}")


def if_status(first: int) -> Check:
    def conditional(scene: Scene, outcome: Outcome, value: Any) -> list[NoDoorError]:
        chosen = [part for part in answered(outcome) if part.status // 100 == first // 100]
        if isinstance(value, str):
            for part in chosen:
                must(_round_trips(scene), f"{part.path}: the value did not come back as it went in")
            return []
        return [error for part in chosen for error in scene.check(scene, part, value)]

    return conditional


def if_starts(scene: Scene, outcome: Outcome, value: dict[str, Any]) -> list[NoDoorError]:
    return scene.check(scene, outcome, value)


def one_of(scene: Scene, _outcome: Outcome, value: list[str]) -> None:
    must(scene.world.server.process is not None or "refuses to start naming both dimensions" in value, "not running")


def same_body_as_random_id(scene: Scene, outcome: Outcome, _value: Any) -> None:
    method = outcome.label[0] if isinstance(outcome.label, list) else "GET"
    path = re.sub(r"[0-9a-f-]{36}", random_id(), outcome.path)
    other = scene.world.send(method, path, user=outcome.user)
    must((other.status, other.body) == (outcome.status, outcome.body), f"{path} tells a foreign id from an unknown one")


def next_request_ok(scene: Scene, _outcome: Outcome, _value: Any) -> None:
    must(scene.world.send("GET", "/v1/facts?limit=1", user=scene.user).status == 200, "the next request failed")


def after_load(scene: Scene, _outcome: Outcome, value: dict[str, Any]) -> list[NoDoorError]:
    must(scene.world.send("GET", "/health/ready", user=None).status == value["health"], "not healthy after the load")
    metrics = scene.world.send("GET", "/metrics", user=scene.user).text
    names = ("doso_evidence_in_flight", "doso_evidence_waiting", "doso_database_connections_in_use")
    gauges = dict(re.findall(rf"^({'|'.join(names)}) (\S+)", metrics, re.MULTILINE))
    must(gauges.keys() == set(names), f"only these gauges: {sorted(gauges)}")
    must(all(float(number) == value["pool_in_use"] for number in gauges.values()), f"still in use: {gauges}")
    rss_growth_mb_max(scene, scene.root, value["rss_growth_mb_max"])
    return []


def latency_ms_max(_scene: Scene, outcome: Outcome, value: float) -> None:
    for part in answered(outcome):
        within(part.seconds * 1000 <= value, f"{part.seconds * 1000:.0f} ms for {str(part.label)[:30]!r}")


def seconds_max(_scene: Scene, outcome: Outcome, value: float) -> None:
    for part in answered(outcome):
        within(part.seconds <= value, f"{part.seconds:.1f} s")


def percentile(share: float, unit_per_s: float) -> Check:
    def bound(_scene: Scene, outcome: Outcome, value: float) -> None:
        times = sorted(part.seconds for part in _measured(outcome))
        at = times[max(0, math.ceil(share * len(times)) - 1)] * unit_per_s
        within(at <= value, f"p{share * 100:.0f} is {at:.1f}, more than {value}")

    return bound


def _measured(outcome: Outcome) -> list[Outcome]:
    """The timed requests where a case times some: what loads its facts before is not meant. Else all but the readers
    beside a write load."""
    parts = answered(outcome)
    return [part for part in parts if part.label == TIMED] or [part for part in parts if part.label != "read"]


def rss_growth_mb_max(scene: Scene, _outcome: Outcome, value: float) -> None:
    must(scene.rss_growth_mb <= value, f"memory grew by {scene.rss_growth_mb:.0f} MB")


def share_200_min(_scene: Scene, outcome: Outcome, value: float) -> None:
    answers = answered(outcome)
    share = sum(part.status == 200 for part in answers) / len(answers)
    must(share >= value, f"only {share:.0%} were answered")


def hits(_scene: Scene, outcome: Outcome, value: int) -> None:
    must(len(items(outcome)) == value, f"{len(items(outcome))} hits, not {value}")


def hits_min(_scene: Scene, outcome: Outcome, value: int) -> None:
    must(len(items(outcome)) >= value, f"{len(items(outcome))} hits, fewer than {value}")


def hits_contain(_scene: Scene, outcome: Outcome, value: str) -> None:
    must(value in words(outcome), f"no hit contains {value!r}")


def top_hit_contains(_scene: Scene, outcome: Outcome, value: str) -> None:
    found = items(outcome)
    must(found and value in found[0]["text"], f"the first hit does not contain {value!r}")


def for_value(scene: Scene, outcome: Outcome, value: dict[str, Any]) -> list[NoDoorError]:
    """The file names texts to be found without storing them first: they are stored, then the values asked anew."""
    for label, wanted in value.items():
        body = {"text": f"We met at {wanted['hits_contain']}."}
        scene.world.finish(scene.user, scene.world.send("POST", "/v1/documents", user=scene.user, body=body))
        part = next(part for part in outcome.parts if part.label == label)
        again = scene.world.send("GET", part.path, user=scene.user)
        scene.check(scene, again, wanted)
    return []


def answer_contains(_scene: Scene, outcome: Outcome, value: str) -> None:
    must(value.casefold() in words(outcome).casefold(), f"the evidence does not contain {value!r}")


def answer_not_contains(_scene: Scene, outcome: Outcome, value: str) -> None:
    must(value.casefold() not in words(outcome).casefold(), f"the evidence contains {value!r}")


def must_name_both_or_ask(scene: Scene, outcome: Outcome, value: list[str]) -> None:
    memory = scene.memory()
    if not all(memory.named(name) for name in value):
        too_few(scene, "one of the two is not known")
    entities = {name for entity in outcome.body.get("entities", []) for name in entity["aliases"]}
    text = words(outcome) + "\n".join(entities)
    must(all(name in text for name in value) or not any(name in text for name in value), "one was chosen silently")


def citations(_scene: Scene, outcome: Outcome, value: int) -> None:
    must(len(items(outcome)) == value, f"{len(items(outcome))} cited")


def body_has_no(_scene: Scene, outcome: Outcome, value: list[str]) -> None:
    for part in answered(outcome):
        must(not any(text in part.text for text in value), "the answer shows what it must not")


def results_returned(_scene: Scene, outcome: Outcome, value: int) -> None:
    must(len(items(outcome)) == value, "results for a blank question")


def count(scene: Scene, outcome: Outcome, value: int) -> None:
    if len(items(outcome)) < value:
        too_few(scene, f"{len(items(outcome))}, not {value}")
    must(len(items(outcome)) == value, f"{len(items(outcome))}, not {value}")


def mentions(_scene: Scene, outcome: Outcome, value: list[str]) -> None:
    must(all(text in outcome.text for text in value), f"does not mention all of {value}")


def is_not(_scene: Scene, outcome: Outcome, value: str) -> None:
    must(value == "200 with an empty list and no warning", f"unknown: {value}")
    warned = bool((outcome.body or {}).get("warnings")) if isinstance(outcome.body, dict) else False
    must(outcome.status != 200 or items(outcome) or warned, value)


def edges_max(_scene: Scene, outcome: Outcome, value: int) -> None:
    must(len(outcome.body["facts"]) <= value, f"{len(outcome.body['facts'])} edges")


def items_max(_scene: Scene, outcome: Outcome, value: int) -> None:
    must(len(items(outcome)) <= value, f"{len(items(outcome))} items")


def truncated_flag(_scene: Scene, outcome: Outcome, value: bool) -> None:
    must(outcome.body["truncated"] is value, "the flag is wrong")


def provider_calls(_scene: Scene, outcome: Outcome, value: int) -> None:
    """Calls of the embedder, the one provider this server has; there is none for generation to call."""
    for part in outcome.leaves():
        if "provider_calls" not in part.numbers:
            raise RunnerError("the calls of this step were not counted")
        must(part.numbers["provider_calls"] == value, f"{part.numbers['provider_calls']:.0f} calls of the provider")


def provider_calls_max(_scene: Scene, outcome: Outcome, value: int) -> None:
    counted = [part.numbers["provider_calls"] for part in outcome.leaves() if "provider_calls" in part.numbers]
    if not counted:
        raise RunnerError("no calls were counted")
    must(sum(counted) <= value, f"{sum(counted):.0f} calls of the provider")


def _round_trips(scene: Scene) -> bool:
    value = scene.case.input["body"]["object"]
    return any(fact["object"].get("value") == value for fact in scene.memory().facts)
