"""Verbs that stop and start processes and wait for them."""

from __future__ import annotations

import time

from tests.cases.embedder import embedder_env
from tests.cases.model import Outcome, RunnerError
from tests.cases.scripts import model_env
from tests.cases.steps import Step
from tests.cases.verbs_model import scripted
from tests.cases.world import World


def restart_server(world: World, step: Step) -> Outcome:
    """Stop in good order and start, perhaps with another embedder."""
    found = _embedder(world, step)
    if step.get("llm") == "up":
        found |= model_env(scripted(world).url)
    world.server.restart(**found)
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
    """Until every acknowledged write has its final receipt; one that failed for want of a part behind the server is
    given the time to heal."""
    return Outcome(operations=world.finals(within_s=step.get("max_s", 60), healed="max_s" in step))


def _embedder(world: World, step: Step) -> dict[str, str]:
    name = step.get("EMBEDDER")
    if name is None:
        return {}
    if world.stub is None:
        raise RunnerError("no stub embedders here")
    return embedder_env(name, world.stub.url)


def _other_process(world: World, step: Step) -> Outcome:
    if world.control is None:
        raise RunnerError(f"no control of {step.get('process')}")
    world.control(step["do"])
    return Outcome()
