"""The schema on a real server, which several processes may find missing at once."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest
from neo4j.exceptions import ClientError

from graph.backends.neo4j.connection import Connection

pytestmark = pytest.mark.neo4j

MAKE = "CREATE INDEX doso_test_made FOR (n:DosoTest) ON (n.id)"
OTHER = "CREATE INDEX doso_test_made FOR (n:DosoTest) ON (n.other)"
DROP = "DROP INDEX doso_test_made IF EXISTS"


async def test_an_index_that_another_process_made_meanwhile_is_made(neo4j_url: str) -> None:
    async with aclosing(Connection.open(neo4j_url, None, None)) as connection:
        try:
            await asyncio.gather(connection.define(MAKE), connection.define(MAKE))
            with pytest.raises(ClientError):
                await connection.define(OTHER)
        finally:
            await connection.define(DROP)
