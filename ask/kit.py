"""Everything a question needs, opened elsewhere and handed down."""

from __future__ import annotations

from dataclasses import dataclass

from ask.ports import PassageSearch
from doso.clock import Clock, system_clock
from doso.llm.ports import Embedder
from graph.service import Graph


@dataclass(frozen=True, slots=True)
class AskKit:
    """The memory to ask and the means to search it; `embedder` is None where there is none."""

    graph: Graph
    passages: PassageSearch
    embedder: Embedder | None
    clock: Clock = system_clock
