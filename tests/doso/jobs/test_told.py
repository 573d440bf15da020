"""Jobs are told as they begin and end."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from doso.db.engine import open_database
from doso.db.migrate import upgrade
from doso.errors import Unavailable
from doso.ids import OwnerId
from doso.jobs.memory import MemoryQueue
from doso.jobs.told import ToldQueue
from doso.workflow_events import WorkflowEvents

ANA = OwnerId("ana")


async def test_a_job_is_told_to_its_owner_whatever_its_end(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path / 'doso.db'}")
    await upgrade(database)
    events = WorkflowEvents(database)
    handlers: dict[str, object] = {}

    class Plain(MemoryQueue):
        def register(self, name: str, handler) -> None:  # type: ignore[no-untyped-def]
            handlers[name] = handler

    async def work(payload: Mapping[str, str]) -> None:
        if payload.get("operation") == "o-2":
            raise Unavailable("secret words")

    ToldQueue(Plain(), events).register("import", work)
    run = handlers["import"]
    assert callable(run)
    await run({"owner": ANA, "operation": "o-1"})
    with pytest.raises(Unavailable):
        await run({"owner": ANA, "operation": "o-2"})
    await events.flush()
    told = [numbered.event for numbered in await events.read(ANA, after=0)]
    assert [(event.name, event.work_id, event.fields.get("code")) for event in told] == [
        ("import.started", "o-1", None),
        ("import.done", "o-1", None),
        ("import.started", "o-2", None),
        ("import.failed", "o-2", "store.unavailable"),
    ]
    assert "secret" not in repr(told)
    await database.aclose()
