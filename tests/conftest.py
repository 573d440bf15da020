"""Fixtures that every test may ask for: the real services."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support import services, small_model
from tools import postgres_server
from tools.service import ServiceMissingError


@pytest.fixture(scope="session")
def neo4j_url() -> Iterator[str]:
    """Where the real Neo4j answers. It is shared: use an owner of your own."""
    try:
        with services.shared_neo4j() as url:
            yield url
    except ServiceMissingError as error:
        services.missing(error)


@pytest.fixture(scope="session")
def postgres_server_() -> Iterator[postgres_server.PostgresServer]:
    """The real PostgreSQL."""
    try:
        with services.shared_postgres() as server:
            yield server
    except ServiceMissingError as error:
        services.missing(error)


@pytest.fixture(scope="session")
def postgres_url(postgres_server_: postgres_server.PostgresServer) -> Iterator[str]:
    """A database with pgvector for this test run, dropped at its end."""
    with postgres_server.fresh_database(postgres_server_) as url:
        yield url


@pytest.fixture
def fresh_postgres_url(postgres_server_: postgres_server.PostgresServer) -> Iterator[str]:
    """A database with pgvector for this one test."""
    with postgres_server.fresh_database(postgres_server_) as url:
        yield url


@pytest.fixture(scope="session")
def small_model_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base URL of a real small language model."""
    try:
        with small_model.running(tmp_path_factory.mktemp("small-model")) as url:
            yield url
    except ServiceMissingError as error:
        services.missing(error)
