"""Verbs that do several steps: in order, for each value, at once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from tests.cases import doors
from tests.cases.model import TIMED, Outcome
from tests.cases.steps import Step, perform, together
from tests.cases.values import evaluate, fill
from tests.cases.verbs_requests import named_ids
from tests.cases.world import World


def seq(world: World, step: Step) -> Outcome:
    """Steps in order."""
    return together([perform(world, part) for part in step["steps"]])


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
    return together(parts)


def parallel(world: World, step: Step) -> Outcome:
    """The same step n times at once."""
    return _at_once(world, [step["step"]] * step["n"], workers=step["n"])


def parallel_distinct(world: World, step: Step) -> Outcome:
    """Different steps at once, the whole `repeat` times."""
    outcomes = []
    for round_number in range(step.get("repeat", 1)):
        steps = [fill(part, n=round_number) for part in step["steps"]]
        outcomes += _at_once(world, steps, workers=len(steps)).parts
    return together(outcomes)


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
    return together(parts)


def timed(world: World, step: Step) -> Outcome:
    """The same step n times, one after the other; a limit of time is about these alone."""
    inner = dict(step["step"])
    inner["path"] = named_ids(world, inner["path"])
    parts = [perform(world, inner) for _ in range(step["n"])]
    for part in parts:
        part.label = TIMED
    return together(parts)


def _at_once(world: World, steps: list[Step], *, workers: int) -> Outcome:
    for step in steps:
        if step.get("user") is not None:
            world.key(step["user"])  # made before, so that only the step itself is at once
    with ThreadPoolExecutor(min(workers, 320)) as pool:
        return together(list(pool.map(lambda step: perform(world, step), steps)))
