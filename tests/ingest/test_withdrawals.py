"""A newer calendar that calls events off removes what an older one brought of them, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from doso.records import OperationState
from ingest import registry
from ingest.importers import ics
from ingest.ports import ImportOptions
from tests.ingest.conftest import Kit
from tests.support.library import OWNER

WEEKLY = "UID:a\nDTSTART:20260302T030000Z\nSUMMARY:Rowing\nRRULE:FREQ=WEEKLY;COUNT=4"
ONCE = "UID:b\nDTSTART:20260311T030000Z\nSUMMARY:Dentist"
ALL = ["Dentist", "Rowing", "Rowing", "Rowing", "Rowing"]


@pytest.fixture(autouse=True)
def spring(monkeypatch: pytest.MonkeyPatch) -> None:
    """The calendar is read in the month of its events."""
    from datetime import UTC, datetime

    monkeypatch.setattr(registry, "importer", lambda _: ics.build(lambda: datetime(2026, 3, 15, tzinfo=UTC)))


async def imported(kit: Kit, folder: Path, *events: str) -> list[str]:
    """Codes of what the receipt names as skipped."""
    body = "".join(f"BEGIN:VEVENT\n{event}\nEND:VEVENT\n" for event in events)
    path = folder / "c.ics"
    path.write_text(f"BEGIN:VCALENDAR\nVERSION:2.0\n{body}END:VCALENDAR\n")
    operation = await kit.intake.import_path(OWNER, path, ImportOptions(zone="UTC"), format="ics")
    await kit.jobs.drain()
    done = await kit.operations.get(OWNER, operation.id)
    assert done.state is OperationState.DONE
    return [skip.code for skip in done.skipped]


async def titles(kit: Kit) -> list[str]:
    page = await kit.library.list_documents(OWNER, source=None, cursor=None, limit=100)
    return sorted(document.title for document in page.data)


@pytest.mark.parametrize(
    ("events", "codes", "left"),
    [
        pytest.param(
            [WEEKLY, "UID:a\nRECURRENCE-ID:20260309T030000Z\nDTSTART:20260309T030000Z\nSTATUS:CANCELLED", ONCE],
            ["cancelled", "removed"],
            ["Dentist", "Rowing", "Rowing", "Rowing"],
            id="one occurrence cancelled",
        ),
        pytest.param(
            [f"{WEEKLY}\nEXDATE:20260309T030000Z,20260316T030000Z", ONCE],
            ["removed", "removed"],
            ["Dentist", "Rowing", "Rowing"],
            id="occurrences left out",
        ),
        pytest.param(
            [f"{WEEKLY}\nSTATUS:CANCELLED", ONCE],
            ["cancelled", "removed", "removed", "removed", "removed"],
            ["Dentist"],
            id="the whole series cancelled",
        ),
        pytest.param([f"{ONCE}\nSTATUS:CANCELLED"], ["cancelled", "removed"], ALL[1:], id="one event cancelled"),
        pytest.param([ONCE], [], ALL, id="a part of the calendar says nothing of the rest"),
    ],
)
async def test_what_was_called_off_goes(
    kit: Kit, tmp_path: Path, events: list[str], codes: list[str], left: list[str]
) -> None:
    assert await imported(kit, tmp_path, WEEKLY, ONCE) == []
    assert await titles(kit) == ALL
    assert await imported(kit, tmp_path, *events) == codes
    assert await titles(kit) == left
    assert [code for code in await imported(kit, tmp_path, *events) if code == "removed"] == []


async def test_what_never_was_imported_and_is_called_off_is_only_skipped(kit: Kit, tmp_path: Path) -> None:
    assert await imported(kit, tmp_path, f"{WEEKLY}\nSTATUS:CANCELLED", ONCE) == ["cancelled"]
    assert await titles(kit) == ["Dentist"]
