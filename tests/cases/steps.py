"""One step of a case: its verb is looked up and done, and a door that comes later is noted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.cases.model import NoDoorError, Outcome, RunnerError
from tests.cases.world import World

Step = dict[str, Any]
Verb = Callable[[World, Step], Outcome]


def perform(world: World, step: Step) -> Outcome:
    """Do a step. A door that comes later ends in an outcome that says so, so that the other steps still run."""
    verb = step["do"]
    if verb not in world.verbs:
        raise RunnerError(f"unknown verb {verb!r}")
    is_counted = world.counts_calls and "steps" not in step
    if is_counted and world.stub is not None:
        world.settle(step["user"])
    before = world.stub.calls_count if world.stub is not None else 0
    try:
        outcome = world.verbs[verb](world, step)
    except NoDoorError as missing:
        outcome = Outcome(status=0, missing=missing)
    outcome.verb = verb
    if is_counted and world.stub is not None:
        outcome.numbers["provider_calls"] = world.stub.calls_count - before
    return outcome


def together(parts: list[Outcome]) -> Outcome:
    """Several outcomes as one."""
    return Outcome(parts=parts) if parts else Outcome()
