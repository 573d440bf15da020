"""Verbs of live sources: what a Firecrawl answers while a question is asked."""

from __future__ import annotations

from tests.cases.model import Outcome, RunnerError
from tests.cases.steps import Step, perform
from tests.cases.web import Web, as_scripted
from tests.cases.world import World


def firecrawl_answers(world: World, step: Step) -> Outcome:
    """A request while Firecrawl answers everything in this way."""
    web = web_of(world)
    web.always = as_scripted(step["answer"])
    try:
        return perform(world, step["request"])
    finally:
        web.always = None


def web_of(world: World) -> Web:
    """The web of this case."""
    if world.web is None:
        raise RunnerError("this case was given no web")
    return world.web
