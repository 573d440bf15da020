"""`doso ask` in a process of its own, on the sample archive: without a model, with one, with one that fails."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.journeys.conftest import FIXTURES, sample
from tests.support.provider import failure, text_stream, threaded_stub
from tests.support.server import Server

KEY = "Who has the spare key?"
SECRET = "sk-0123456789abcdef"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Server:
    """The sample archive in a home that no server has open."""
    home = Server(tmp_path_factory.mktemp("home"))
    home.home.mkdir(exist_ok=True)
    told = sample()["import"]
    me = [word for name in told["me"] for word in ("--me", name)]
    done = home.command("import", str(FIXTURES / told["path"]), "--zone", told["zone"], *me)
    assert done.returncode == 0, done.stderr
    return home


def with_models(home: Server, *models: dict[str, str]) -> Server:
    return Server(home.home, {"LLM_MODELS": json.dumps([{"api_key": SECRET, **model} for model in models])})


def test_without_a_model_the_answer_is_the_memorys_own_words(home: Server) -> None:
    done = home.command("ask", KEY, "--zone", "Asia/Jakarta")
    assert (done.returncode, done.stderr) == (0, "")
    answer, _, sources = done.stdout.partition("\n\n")
    assert "Pak Budi" in answer
    assert answer.endswith("[S1].")
    assert sources.startswith("S1  passage  Mara · 08 Mar 2026")
    assert "written by" not in done.stdout


def test_what_the_memory_does_not_hold_is_said(home: Server) -> None:
    done = home.command("ask", "What is the airspeed of an unladen swallow?")
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.strip().splitlines()) == 1


@pytest.mark.parametrize("effort", ["fast", "expert"])
def test_a_model_writes_and_is_named(home: Server, effort: str) -> None:
    with threaded_stub(text_stream("Pak Budi ", "has it ", "[S1].")) as stub:
        asked = with_models(home, {"name": "near", "base_url": stub.url, "model": "stub"})
        done = asked.command("ask", KEY, "--effort", effort)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Pak Budi has it")
    assert done.stdout.splitlines()[-1] == "written by stub (near)"
    assert SECRET not in done.stdout + done.stderr


def test_a_failing_first_model_is_passed_over(home: Server) -> None:
    with (
        threaded_stub(lambda _: failure(500, "secret words of a provider")) as broken,
        threaded_stub(text_stream("Pak Budi has it [S1].")) as good,
    ):
        first = {"name": "first", "base_url": broken.url, "model": "broken"}
        second = {"name": "second", "base_url": good.url, "model": "good"}
        done = with_models(home, first, second).command("ask", KEY)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Pak Budi has it [S1].")
    assert "written by good" in done.stdout
    assert "secret words" not in done.stdout + done.stderr


def test_when_every_model_fails_it_is_one_line_and_an_exit_code(home: Server) -> None:
    with threaded_stub(lambda _: failure(401, "bad key")) as broken:
        asked = with_models(home, {"name": "first", "base_url": broken.url, "model": "broken"})
        done = asked.command("ask", KEY)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("doso: ")]
    assert SECRET not in done.stderr
    assert line


def test_json_holds_the_answer_its_sources_and_the_trace(home: Server) -> None:
    done = home.command("ask", KEY, "--json")
    told = json.loads(done.stdout)
    assert "Pak Budi" in told["answer"]
    (citation,) = told["doso"]["citations"]
    assert (citation["mark"], citation["sources"][0]["author"]) == ("S1", "Mara")
    assert "assistant.request" in {span["name"] for span in told["doso"]["trace"]}


@pytest.mark.parametrize(
    "arguments", [("ask", " "), ("ask", KEY, "--url", "http://example.org"), ("ask", KEY, "--effort", "some")], ids=str
)
def test_what_can_not_be_done_is_refused(home: Server, arguments: tuple[str, ...]) -> None:
    done = home.command(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr


def test_no_page_can_steer_the_terminal(home: Server, tmp_path: Path) -> None:
    with threaded_stub(text_stream("Pak\x1b]0;owned\x07 Budi ", "\x1b[2J[S1].")) as stub:
        done = with_models(home, {"base_url": stub.url, "model": "stub"}).command("ask", KEY)
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
