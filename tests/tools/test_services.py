"""The servers that tests run against are real, answer, and have what the product needs of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import asyncpg  # type: ignore[import-untyped]
import neo4j
import pytest

from tests.support import services
from tools import neo4j_server
from tools.service import CHECKOUT, ServiceMissingError, Users


@pytest.mark.neo4j
async def test_neo4j_is_the_version_that_the_pom_names(neo4j_url: str) -> None:
    async with neo4j.AsyncGraphDatabase.driver(neo4j_url) as driver:
        records, _, _ = await driver.execute_query(
            "CALL dbms.components() YIELD versions, edition RETURN versions, edition"
        )
    assert records[0].values() == [["5.26.16"], "community"]
    assert neo4j_server.version() == "5.26.16"


@pytest.mark.neo4j
def test_a_second_start_joins_the_server_that_runs(neo4j_url: str) -> None:
    with services.shared_neo4j() as url:
        assert url == neo4j_url


@pytest.mark.postgres
async def test_postgres_has_pgvector_and_takes_asyncpg(postgres_url: str) -> None:
    connection = await asyncpg.connect(postgres_url)
    try:
        assert await connection.fetchval("SELECT '[1,0]'::vector <=> '[0,1]'::vector") == 1.0
    finally:
        await connection.close()


@pytest.mark.postgres
async def test_each_fresh_database_is_empty(fresh_postgres_url: str, postgres_url: str) -> None:
    assert fresh_postgres_url != postgres_url
    connection = await asyncpg.connect(fresh_postgres_url)
    try:
        assert await connection.fetchval("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == 0
    finally:
        await connection.close()


def test_without_java_the_message_names_the_remedy(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(CHECKOUT / "tools" / "neo4j_server.py"), "fetch", "--cache", str(tmp_path)],
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "there is no java" in done.stderr
    assert "tools/install_system.sh" in done.stderr


def test_a_missing_service_skips_at_home_but_fails_in_continuous_integration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception):
        services.missing(ServiceMissingError("no java"))
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception):
        services.missing(ServiceMissingError("no java"))


def test_users_of_a_server_that_died_no_longer_count(tmp_path: Path) -> None:
    users = Users(tmp_path)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    (tmp_path / f"{dead.pid}-x").touch()
    assert not users.is_used()
    one, other = users.enter(), users.enter()
    users.leave(one)
    assert users.is_used()
    users.leave(other)
    assert not users.is_used()
    assert list(tmp_path.iterdir()) == []
