"""The runner itself: what it does not know fails, and nothing passes unchecked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases.crashes import Aftermath, History, Sent, aftermath
from tests.cases.doors import translate
from tests.cases.expect import check
from tests.cases.expected import NO_DOOR, PASSED, surprise, wanted
from tests.cases.model import TIMED, Case, CaseFailedError, NoDoorError, Outcome, RunnerError, TooSlowError, Verdict
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
    gone = Outcome(status=0, missing=NoDoorError("memories", 5))
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
    with pytest.raises(NoDoorError, match="issue 6"):
        translate("GET", "/v1/conversations", None)


def test_values_are_filled_in_as_they_are_or_as_text() -> None:
    assert fill({"a": "{{value|json}}", "b": "q={{value|urlencode}}"}, value="a b") == {"a": "a b", "b": "q=a%20b"}
    assert fill("{{value|json}}", value=[None]) == [None]


def verdict(case_id: str, state: str, why: str = "") -> Verdict:
    return Verdict(Case(case_id, "http", "kind", {}, {}), state, why)


def test_a_tabled_case_that_ends_otherwise_is_a_surprise() -> None:
    passing, waiting = sorted(PASSED)[0], sorted(NO_DOOR)[0]
    assert surprise(verdict(passing, "passed", "3 uploads")) is None
    assert surprise(verdict(passing, "failed", "x")) == "expected passed"
    assert surprise(verdict(passing, "no door", "memories (issue 5)")) == "expected passed"
    assert str(surprise(verdict(waiting, "passed"))).startswith("expected no door")
    assert str(surprise(verdict(waiting, "no door", "another (issue 9)"))).startswith("expected no door")
    assert surprise(verdict(waiting, "no door", str(wanted(waiting)).removeprefix("no door: "))) is None
    assert surprise(verdict("ZZ-999", "failed", "x")) is None


def test_a_limit_of_time_is_about_the_requests_that_a_case_times(world: World) -> None:
    timed = Outcome(seconds=0.02, label=TIMED)
    load = Outcome(seconds=0.7)
    whole = Outcome(parts=[Outcome(parts=[load, load]), Outcome(parts=[timed, timed])])
    assert check(scene(world, {}, whole), whole, {"p95_ms_max": 100}) == []
    timed.seconds = 0.2
    with pytest.raises(TooSlowError, match="p95 is 200"):
        check(scene(world, {}, whole), whole, {"p95_ms_max": 100})
    with pytest.raises(TooSlowError, match="p95 is 700"):
        check(scene(world, {}, whole), Outcome(parts=[load, load]), {"p95_ms_max": 100})


def test_calls_that_were_not_counted_fail_the_runner(world: World) -> None:
    outcome = Outcome(status=400)
    with pytest.raises(RunnerError):
        check(scene(world, {}, outcome), outcome, {"provider_calls": 0})
    outcome.numbers["provider_calls"] = 1
    with pytest.raises(CaseFailedError):
        check(scene(world, {}, outcome), outcome, {"provider_calls": 0})


def test_a_history_tells_what_is_lost_doubled_and_undone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def sent(at: int) -> Sent:
        return Sent(f"r{at}", "u1", f"doc{at}.txt", f"text {at}", {"id": f"o{at}", "state": "queued"})

    world.history = History([sent(0), sent(1), sent(2)])
    states = {"o0": "done", "o1": "done", "o2": "failed"}
    texts = {"d0": "text 0", "d1": "", "d2": "text 2"}
    documents = [{"id": "d0", "uri": "a"}, {"id": "d1", "uri": "b"}, {"id": "d2", "uri": "b"}]

    def final(_user: str, receipt: dict[str, Any], **_: float) -> dict[str, Any]:
        return {"state": states[receipt["id"]], "document_ids": [receipt["id"].replace("o", "d")]}

    monkeypatch.setattr(world, "final", final)
    monkeypatch.setattr(world, "all", lambda _user, _path: documents)
    monkeypatch.setattr(world, "get", lambda _user, path: {"text": texts[path.rpartition("/")[2]]})
    assert aftermath(world, "u1") == Aftermath(("doc1.txt",), ("b",), ("doc2.txt",))
