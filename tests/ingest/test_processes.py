"""Real processes on one home: a command beside the server, and a server that is killed and comes back."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import httpx
import pytest

from tests.support.server import Server, running
from tests.support.waiting import until


def rows(home: Path, query: str) -> list[tuple[object, ...]]:
    """What a query finds in the home's database."""
    (path,) = (found for found in home.glob("*.db") if found.name not in ("jobs.db", "graph.db"))
    with sqlite3.connect(path, timeout=30) as connection:
        return connection.execute(query).fetchall()


def is_whole(home: Path) -> bool:
    """Whether nothing is left to embed, to read or to close."""
    open_count = rows(home, "SELECT COUNT(*) FROM operations WHERE state IN ('queued', 'running')")
    waiting = rows(home, "SELECT COUNT(*) FROM embedding_queue")
    unread = rows(home, "SELECT COUNT(*) FROM passages WHERE needs_extraction = 1")
    return open_count == waiting == unread == [(0,)]


def chat(path: Path, count: int) -> Path:
    lines = []
    for n in range(count):
        day, hour, minute = 11 + n // 1440, n // 60 % 24, n % 60
        lines.append(f"{day:02d}/03/2026, {hour:02d}:{minute:02d} - Ana: word{n} said\n")
    path.write_text("".join(lines))
    return path


@pytest.mark.timeout(400)
def test_a_command_imports_beside_the_server_and_both_end_well(tmp_path: Path) -> None:
    archive = chat(tmp_path / "WhatsApp Chat with Ana.txt", 900)
    with running(tmp_path / "home") as server, httpx.Client(base_url=server.url, timeout=30) as client:
        for n in range(10):
            assert client.post("/v1/remember", json={"text": f"I like item {n}"}).status_code < 300
        done = server.command("import", str(archive), "--zone", "UTC", "--json")
        assert done.returncode == 0, done.stderr
        receipt = json.loads(done.stdout.strip().splitlines()[-1])
        assert (receipt["state"], receipt["stored"]) == ("done", 900)
        for n in range(10, 20):
            assert client.post("/v1/remember", json={"text": f"I like item {n}"}).status_code < 300
        until(lambda: is_whole(server.home))
        assert rows(server.home, "SELECT COUNT(*), COUNT(DISTINCT text) FROM passages") == [(920, 920)]
        assert rows(server.home, "SELECT COUNT(*) FROM passage_vectors") == [(920,)]
        states = rows(server.home, "SELECT DISTINCT state FROM operations")
        assert states == [("done",)]


@pytest.mark.timeout(400)
def test_what_a_kill_left_unembedded_is_done_after_the_next_start_without_a_request(tmp_path: Path) -> None:
    server = Server(tmp_path / "home")
    try:
        server.start()
        archive = chat(tmp_path / "WhatsApp Chat with Ana.txt", 1_500)
        with httpx.Client(base_url=server.url, timeout=60) as client, archive.open("rb") as file:
            sent = client.post("/v1/documents/import", files={"file": (archive.name, file)}, data={"timezone": "UTC"})
            assert sent.status_code < 300, sent.text
        until(lambda: bool(rows(server.home, "SELECT 1 FROM passages LIMIT 1")))
        server.kill()
        assert not is_whole(server.home)
        server.start()
        until(lambda: is_whole(server.home))
        assert rows(server.home, "SELECT COUNT(*), COUNT(DISTINCT text) FROM passages") == [(1_500, 1_500)]
        assert rows(server.home, "SELECT state, stored, unchanged FROM operations") == [("done", 1_500, 0)]
    finally:
        server.stop()
