"""The runner itself: what it does not know fails, and nothing passes unchecked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases.doors import translate
from tests.cases.expect import check
from tests.cases.model import Case, CaseFailedError, NoDoorError, Outcome, RunnerError
from tests.cases.scene import Scene
from tests.cases.steps import perform
from tests.cases.values import fill
from tests.cases.verbs import VERBS
from tests.cases.world import World
from tests.support.server import Server


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world whose server never starts: what is tested here asks it nothing."""
    return World(Server(tmp_path), "sqlite", "XX-001", "", verbs=VERBS)


def scene(world: World, expected: dict[str, Any], root: Outcome) -> Scene:
    case = Case("XX-001", "http", "kind", {"do": "http"}, expected)
    return Scene(case, world, root, "u1", "UTC", 0.0, check)


def test_an_unknown_verb_is_the_runners_fault(world: World) -> None:
    with pytest.raises(RunnerError):
        perform(world, {"do": "teleport"})


def test_an_unknown_expectation_is_the_runners_fault(world: World) -> None:
    outcome = Outcome(status=200)
    with pytest.raises(RunnerError):
        check(scene(world, {}, outcome), outcome, {"smells_nice": True})


def test_a_step_without_a_door_is_told_and_the_others_are_still_checked(world: World) -> None:
    gone = Outcome(status=0, missing=NoDoorError("chat completions", 4))
    whole = Outcome(parts=[gone, Outcome(status=500, path="/v1/facts")])
    with pytest.raises(CaseFailedError):
        check(scene(world, {}, whole), whole, {"each": {"status_in": [200]}})
    fine = Outcome(parts=[gone, Outcome(status=200)])
    assert [str(error) for error in check(scene(world, {}, fine), fine, {"each": {"status_in": [200]}})]


@pytest.mark.parametrize(
    ("expected", "status"), [({"status": 200}, 404), ({"status_in": [200, 400]}, 500), ({"no_5xx": True}, 500)]
)
def test_a_status_that_differs_fails(world: World, expected: dict[str, Any], status: int) -> None:
    outcome = Outcome(status=status)
    with pytest.raises(CaseFailedError):
        check(scene(world, expected, outcome), outcome, expected)


def test_working_names_become_todays_routes() -> None:
    assert translate("GET", "/v1/memories?limit=1000", None)[1] == "/v1/facts?limit=200"
    assert translate("POST", "/v1/memories", {"text": "x"})[1] == "/v1/remember"
    assert translate("POST", "/v1/memories", {"subject": "x"})[1] == "/v1/facts"
    with pytest.raises(NoDoorError, match="issue 4"):
        translate("POST", "/v1/chat/completions", {})


def test_values_are_filled_in_as_they_are_or_as_text() -> None:
    assert fill({"a": "{{value|json}}", "b": "q={{value|urlencode}}"}, value="a b") == {"a": "a b", "b": "q=a%20b"}
    assert fill("{{value|json}}", value=[None]) == [None]
