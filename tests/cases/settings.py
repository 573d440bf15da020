"""What a case says of the far ends before its first step: the model's ways, the pages of the web."""

from __future__ import annotations

from itertools import count
from typing import Any

from tests.cases.verbs_live import web_of
from tests.cases.verbs_model import obey, scripted
from tests.cases.world import World
from tests.support.provider import Answer, End, Seen, failure, raw_stream


def prepare(world: World, case: dict[str, Any]) -> None:
    """Set up the model and the web as the case's first level says."""
    if str(case.get("llm", "")).startswith("obedient"):
        obey(world)
    if case.get("provider") == "503 then connection reset":
        scripted(world).draft = _failing()
    if "stub_firecrawl" in case:
        web_of(world).pages = case["stub_firecrawl"]


def _failing() -> Any:
    calls = count()

    def answer(_seen: Seen) -> Answer:
        return failure(503) if next(calls) % 2 == 0 else raw_stream(end=End.RESET)

    return answer
