"""Log lines: JSON with fields, nothing below the level, the request's id on each."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import msgspec
import pytest

from doso.telemetry import configure_logging, log, log_fields


@pytest.fixture(autouse=True)
def _levels() -> Iterator[None]:
    yield
    configure_logging("WARNING")


def _lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [msgspec.json.decode(line) for line in capsys.readouterr().err.splitlines()]


def test_a_line_is_json_with_its_fields(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("INFO")
    log().info("request", ms=1.5, route=None)
    log().debug("too.fine")
    (line,) = _lines(capsys)
    assert str(line.pop("timestamp")).endswith("Z")
    assert line == {"event": "request", "level": "info", "ms": 1.5, "route": None}


async def test_bound_fields_stay_with_their_task(capsys: pytest.CaptureFixture[str]) -> None:
    async def serve(request_id: str) -> None:
        with log_fields(request_id=request_id):
            await asyncio.sleep(0)
            log().warning("seen")
        log().warning("after")

    await asyncio.gather(serve("a"), serve("b"))
    assert sorted(str(line.get("request_id")) for line in _lines(capsys)) == ["None", "None", "a", "b"]
