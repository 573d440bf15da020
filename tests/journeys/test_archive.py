"""From files to evidence: the sample archive by command and by HTTP, asked on both stores."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from tests.journeys.conftest import FIXTURES, final, sample
from tests.support.server import Server

SAMPLE = sample()
ARCHIVE = FIXTURES / SAMPLE["import"]["path"]
ZONE = SAMPLE["import"]["zone"]


@pytest.fixture(scope="module", params=["sqlite", "neo4j"])
def asked(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client of a server on this store, its memory filled by `doso import` before the server ran."""
    env = {"DOSO_GRAPH_URL": request.getfixturevalue("neo4j_url")} if request.param == "neo4j" else {}
    server = Server(tmp_path_factory.mktemp(request.param), env)
    server.home.mkdir(exist_ok=True)
    # The shared Neo4j holds other tests' owners, so this memory belongs to a user of its own.
    user = f"reader-{server.port}"
    me = [part for name in SAMPLE["import"]["me"] for part in ("--me", name)]
    done = server.command("import", str(ARCHIVE), "--zone", ZONE, *me, "--user", user, "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["state"] == "done"
    key = server.command("keys", "create", "--user", user).stdout.strip()
    try:
        server.start()
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=server.url, headers=headers, timeout=60, trust_env=False) as client:
            yield client
    finally:
        server.stop()


def answers(item: dict[str, Any], question: dict[str, Any]) -> bool:
    """Whether an item is the passage that answers, with its speaker, day and badge."""
    source = item["sources"][0]
    day = question["date"]
    moment = source.get("occurred_at")
    is_day = day is None or (
        moment is not None and datetime.fromisoformat(moment).astimezone(ZoneInfo(ZONE)).date().isoformat() == day
    )
    return (
        all(fragment in item["text"] for fragment in question["fragments"])
        and (question["speaker"] is None or source.get("author") == question["speaker"])
        and is_day
        and source["source"] == question["source"]
    )


@pytest.mark.parametrize("question", SAMPLE["questions"], ids=lambda question: question["question"][:40])
def test_a_question_finds_its_passage_with_speaker_time_and_source(
    asked: httpx.Client, question: dict[str, Any]
) -> None:
    body = {"question": question["question"], "timezone": ZONE}
    pack = asked.post("/v1/ask/evidence", json=body).raise_for_status().json()
    assert any(answers(item, question) for item in pack["items"]), [item["text"][:60] for item in pack["items"]]
    assert pack["tokens"] <= 2_000
    assert [item["mark"] for item in pack["items"]] == [f"S{number + 1}" for number in range(len(pack["items"]))]


def test_the_command_shows_what_the_route_answers(tmp_path: Path) -> None:
    server = Server(tmp_path / "home")
    server.home.mkdir()
    note = tmp_path / "note.md"
    note.write_text("# Keys\n\nThe spare key is with Pak Budi.\n")
    assert server.command("import", str(note)).returncode == 0
    shown = server.command("evidence", "Who has the spare key?")
    assert "The spare key is with Pak Budi." in shown.stdout
    assert "note" in shown.stdout
    pack = json.loads(server.command("evidence", "Who has the spare key?", "--json").stdout)
    assert "Pak Budi" in pack["items"][0]["text"]


def files() -> list[Path]:
    """Every file of the archive."""
    return sorted(path for path in ARCHIVE.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_every_file_comes_in_by_http_and_again_changes_nothing(client: httpx.Client, path: Path) -> None:
    def send() -> dict[str, Any]:
        data = {"timezone": ZONE, "me": SAMPLE["import"]["me"]}
        answer = client.post("/v1/documents/import", files={"file": (path.name, path.read_bytes())}, data=data)
        assert answer.status_code == 202, answer.text
        return final(client, answer.json())

    first = send()
    assert first["state"] == "done", first
    assert first["stored"] + first["unchanged"] > 0
    again = send()
    assert (again["state"], again["stored"]) == ("done", 0)


@pytest.mark.parametrize(
    "arguments",
    [
        ["import", "no-such-file"],
        ["import", ".", "--format", "nonsense"],
        ["evidence", " "],
        ["keys", "revoke", "nope"],
        ["serve", "--host", "0.0.0.0"],
    ],
)
def test_what_cannot_be_done_is_one_line_and_exit_code_2(tmp_path: Path, arguments: list[str]) -> None:
    server = Server(tmp_path / "home")
    server.home.mkdir()
    done = server.command(*arguments)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert "Traceback" not in done.stderr
