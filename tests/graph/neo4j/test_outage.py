"""When Neo4j dies or hangs under a store, callers hear so in time, and it works again without being reopened."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TypeVar

import pytest

from doso.errors import Unavailable
from doso.ids import OwnerId
from doso.records import Entity
from graph.ports import GraphStore, GraphTx
from graph.registry import open_graph_store
from tests.support import services
from tests.support.graph_records import an_entity
from tools import neo4j_server
from tools.service import ServiceMissingError, free_port

pytestmark = [pytest.mark.neo4j, pytest.mark.timeout(600)]  # a server is started up to four times

#: What a caller may have to wait until it hears that the database does not answer.
ANSWER_WITHIN_S = 10
PATIENCE = 8

T = TypeVar("T")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("neo4j")


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def own_server(home: Path, port: int) -> Iterator[None]:
    """A server that these tests may kill."""
    try:
        neo4j_server.start(home, port, heap_mb=400)
    except ServiceMissingError as error:
        services.missing(error)
    yield
    neo4j_server.stop(home)


@pytest.fixture
async def store(own_server: None, home: Path, port: int) -> AsyncIterator[GraphStore]:
    await asyncio.to_thread(neo4j_server.start, home, port, heap_mb=400)
    store = open_graph_store(f"bolt://127.0.0.1:{port}")
    await store.prepare()
    yield store
    await store.aclose()


def running(home: Path) -> neo4j_server.Neo4jServer:
    server = neo4j_server.find(home)
    assert server is not None
    return server


async def put(store: GraphStore, owner: OwnerId, entity: Entity) -> None:
    async def work(tx: GraphTx) -> None:
        await tx.put_entities([entity])

    await store.transact(owner, work)


async def patiently(call: Callable[[], Awaitable[T]]) -> T:
    """Try again as often as a caller would who is told to: a server that has just started is slow at first."""
    for _ in range(PATIENCE):
        try:
            return await call()
        except Unavailable:
            continue
    return await call()


async def hear(store: GraphStore, owner: OwnerId) -> list[Unavailable]:
    """What a read, a write and a check get to hear, all at once."""
    async with asyncio.timeout(ANSWER_WITHIN_S):
        answers = await asyncio.gather(
            store.entities(owner, [an_entity(owner, "Ana").id]),
            put(store, owner, an_entity(owner, "Bob")),
            store.check(),
            return_exceptions=True,
        )
    return [answer for answer in answers if isinstance(answer, Unavailable)]


async def test_a_killed_server_is_unavailable_and_comes_back_without_reopening(
    store: GraphStore, owner: OwnerId, home: Path, port: int
) -> None:
    ana = an_entity(owner, "Ana")
    await put(store, owner, ana)
    running(home).kill()
    heard = await hear(store, owner)
    assert len(heard) == 3
    assert all(error.retry_after_s for error in heard)
    await asyncio.to_thread(neo4j_server.start, home, port, heap_mb=400)
    assert await patiently(lambda: store.entities(owner, [ana.id])) == {ana.id: ana}
    bob = an_entity(owner, "Bob")
    await put(store, owner, bob)
    assert await store.entities(owner, [bob.id]) == {bob.id: bob}


async def test_a_hanging_server_is_unavailable_in_time(store: GraphStore, owner: OwnerId, home: Path) -> None:
    ana = an_entity(owner, "Ana")
    await put(store, owner, ana)
    pid = running(home).pid
    os.kill(pid, signal.SIGSTOP)
    try:
        heard = await hear(store, owner)
    finally:
        os.kill(pid, signal.SIGCONT)
    assert len(heard) == 3
    assert await patiently(lambda: store.entities(owner, [ana.id])) == {ana.id: ana}


async def test_no_acknowledged_write_is_lost_when_the_server_is_killed_under_writers(
    store: GraphStore, home: Path, port: int, owner: OwnerId
) -> None:
    acknowledged: dict[OwnerId, list[Entity]] = {OwnerId(f"{owner}-{i}"): [] for i in range(4)}
    enough = asyncio.Event()

    async def keep_writing(mine: OwnerId) -> None:
        while True:
            entity = an_entity(mine, f"E{len(acknowledged[mine])}")
            await put(store, mine, entity)
            acknowledged[mine].append(entity)
            if sum(map(len, acknowledged.values())) >= 20:
                enough.set()

    writers = [asyncio.create_task(keep_writing(mine)) for mine in acknowledged]
    await enough.wait()
    running(home).kill()
    async with asyncio.timeout(ANSWER_WITHIN_S):
        ends = await asyncio.gather(*writers, return_exceptions=True)
    assert [type(end) for end in ends] == [Unavailable] * 4
    await asyncio.to_thread(neo4j_server.start, home, port, heap_mb=400)
    for mine, entities in acknowledged.items():
        kept = await patiently(partial(store.entities, mine, [entity.id for entity in entities]))
        assert list(kept.values()) == entities
        counts = await patiently(partial(store.counts, mine))
        assert counts.entities - len(entities) in (0, 1)  # one may have been stored unheard
