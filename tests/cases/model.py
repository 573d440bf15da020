"""What the runner speaks of: a case, a step's outcome, a verdict."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: Verbs that script a model.
_MODEL_VERBS = frozenset(
    {
        "chat_with_scripted_answer",
        "chat_with_scripted_llm",
        "provider_script",
        "provider_stream",
        "scripted_answer_tokens",
        "stream_then_close",
    }
)


class NoDoorError(Exception):
    """The case needs something that a later issue brings."""

    def __init__(self, capability: str, issue: int) -> None:
        super().__init__(f"{capability} (issue {issue})")


class CaseFailedError(AssertionError):
    """An expectation was not met."""


class TooSlowError(CaseFailedError):
    """Only a limit of time was passed."""


class RunnerError(Exception):
    """The runner does not know a verb or an expectation: its own fault, and a failure."""


@dataclass(frozen=True)
class Case:
    """One line of the file."""

    id: str
    area: str
    kind: str
    input: dict[str, Any]
    expected: dict[str, Any]

    @property
    def stores(self) -> tuple[str, ...]:
        """The stores it speaks of, SQLite where it names none."""
        for part in _walk([self.input, self.expected]):
            if "store" in part:
                named = part["store"]
                return (named,) if isinstance(named, str) else tuple(named)
        return ("sqlite",)

    @property
    def needs_own_server(self) -> bool:
        """Whether a step stops the server or starts it differently, or calls of a provider are counted."""
        verbs = {"restart_server", "kill9", "start_server", "server_env", "start"}
        is_scripted = self.counts_calls or self.needs_model or self.needs_web
        return is_scripted or any(part.get("do") in verbs for part in _walk(self.input))

    @property
    def counts_calls(self) -> bool:
        """Whether calls of the embedder are counted: then the server has one on loopback that counts them."""
        return not self.needs_model and any("provider_calls" in part for part in _walk(self.expected))

    @property
    def needs_model(self) -> bool:
        """Whether a model is scripted: then the server has one on loopback."""
        if any("llm" in part or "provider" in part for part in _walk(self.input)):
            return True
        return any(part.get("do") in _MODEL_VERBS for part in _walk(self.input))

    @property
    def needs_web(self) -> bool:
        """Whether something is read live: then the server has a Firecrawl on loopback."""
        return any(part.get("live") is True for part in _walk(self.input))

    @property
    def is_said_to_chat(self) -> bool:
        """Whether something is said to the chat route, which only answers until it remembers as well."""
        return any(str(part.get("path")).endswith("/chat/completions") for part in _walk(self.input))

    @property
    def is_free_text(self) -> bool:
        """Whether what it expects of the graph has to be understood from sentences."""
        verbs = {"chat", "import_text", "upload", "upload_many", "import_messages", "import_whatsapp"}
        return any(part.get("do") in verbs for part in _walk(self.input))


#: The label of a request whose time is what a case is about.
TIMED = "timed"


@dataclass
class Outcome:
    """What a step gave. `label` names it where a loop or `for_each` made several."""

    status: int = 200
    body: Any = None
    text: str = ""
    seconds: float = 0.0
    headers: dict[str, str] = field(default_factory=dict)
    label: Any = None
    user: str | None = None
    path: str = ""
    verb: str = ""
    operations: list[dict[str, Any]] = field(default_factory=list)
    parts: list[Outcome] = field(default_factory=list)
    missing: NoDoorError | None = None
    numbers: dict[str, float] = field(default_factory=dict)

    def leaves(self) -> list[Outcome]:
        """The outcomes of single requests."""
        return [leaf for part in self.parts for leaf in part.leaves()] if self.parts else [self]


@dataclass(frozen=True)
class Verdict:
    """How a case ended: passed, failed or no door. `is_slow`: a limit of time was the only fault."""

    case: Case
    state: str
    why: str = ""
    is_slow: bool = False

    def line(self) -> str:
        """One line for the terminal."""
        return f"{self.case.id}  {self.case.area:<9} {self.state}" + (f": {self.why}" if self.why else "")


def read_cases(path: Path) -> list[Case]:
    """All cases of a file."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [Case(row["id"], row["area"], row["kind"], row["input"], row["expected"]) for row in rows]


def _walk(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _walk(child)
