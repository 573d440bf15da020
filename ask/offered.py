"""The tools that the client offered: a model's calls of any other go nowhere."""

from __future__ import annotations

import json

from doso.llm.chat import ToolCallDelta


class OfferedTools:
    """Of one request; `tools` is the client's JSON text, None where it offered none."""

    def __init__(self, tools: str | None) -> None:
        self._names = frozenset() if tools is None else _names(tools)
        self._allowed: dict[int, bool] = {}

    def lets_through(self, delta: ToolCallDelta) -> bool:
        """Whether a piece is one of a call of an offered tool; the first piece of each call names the tool."""
        if delta.name is not None:
            self._allowed[delta.index] = delta.name in self._names
        return self._allowed.get(delta.index, False)


def _names(tools: str) -> frozenset[str]:
    try:
        entries = json.loads(tools)
    except (ValueError, RecursionError):
        return frozenset()
    functions = [entry.get("function", entry) for entry in entries if isinstance(entry, dict)]
    return frozenset(str(function.get("name")) for function in functions if isinstance(function, dict))
