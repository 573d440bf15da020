"""The shared cases through the real doors: each ends as tests.cases.expected says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cases.expected import NO_DOOR, PASSED, TOO_SLOW, surprise
from tests.cases.model import Case
from tests.cases.runner import Runner, Store, chosen, running
from tests.support import services
from tools.service import ServiceMissingError

FILE = Path(__file__).parents[3] / "shared" / "cases" / "cases.jsonl"
MEMORY = {"identity", "time", "text", "search", "graph", "storage", "jobs", "http", "import"}
ASKING = {"llm_output", "provider_stream", "our_stream", "provider", "citations", "security"}
AREAS = frozenset(MEMORY | ASKING)


def cases() -> list[Case]:
    """The cases of this stage; none where the file isn't beside the checkout."""
    return chosen(FILE, AREAS, frozenset()) if FILE.exists() else []


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    with ExitStack() as stack:
        stores = {"sqlite": Store("sqlite")}
        try:
            stores["neo4j"] = Store("neo4j", {"DOSO_GRAPH_URL": stack.enter_context(services.shared_neo4j())})
        except ServiceMissingError as error:
            if os.environ.get("CI"):
                pytest.fail(str(error))
        yield stack.enter_context(running(stores))


def test_the_cases_are_there() -> None:
    if not FILE.exists():
        pytest.skip("the shared cases are not beside this checkout")
    assert {case.area for case in cases()} == AREAS


def test_the_table_names_every_case_once() -> None:
    assert not PASSED & NO_DOOR.keys()
    if FILE.exists():
        assert PASSED | NO_DOOR.keys() == {case.id for case in cases()}


@pytest.mark.timeout(900)
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.id)
def test_case(runner: Runner, case: Case) -> None:
    """A case that fails, waits for another door than it should, or passes before its time differs from the table."""
    verdict = runner.run(case)
    print(verdict.line())
    if verdict.state == "skipped":
        pytest.skip(verdict.why)
    if verdict.is_slow and case.id in TOO_SLOW:
        pytest.xfail(f"{verdict.why}: {TOO_SLOW[case.id]}")
    assert surprise(verdict) is None, f"{verdict.line()} ({surprise(verdict)})"
