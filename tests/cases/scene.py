"""What a check looks at, and how it says that something was not met."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from tests.cases import doors
from tests.cases.model import Case, CaseFailedError, NoDoorError, Outcome, TooSlowError
from tests.cases.state import Memory
from tests.cases.world import World


@dataclass(frozen=True)
class Scene:
    """The case, the world it ran in, and what was measured around it."""

    case: Case
    world: World
    root: Outcome
    user: str
    zone: str
    rss_growth_mb: float
    check: Callable[[Scene, Outcome, dict[str, Any]], list[NoDoorError]]

    def memory(self) -> Memory:
        """The memory now."""
        return Memory.read(self.world, self.user, self.zone)

    def of(self, user: str | None) -> Scene:
        """The same scene seen by another user of the case."""
        return self if user is None else replace(self, user=user)


Check = Callable[[Scene, Outcome, Any], "list[NoDoorError] | None"]


def must(condition: object, why: str) -> None:
    """Raises CaseFailedError with the reason."""
    if not condition:
        raise CaseFailedError(why)


def within(condition: object, why: str) -> None:
    """Raises TooSlowError with the reason."""
    if not condition:
        raise TooSlowError(why)


def answered(outcome: Outcome) -> list[Outcome]:
    """The single requests that had a door."""
    return [leaf for leaf in outcome.leaves() if leaf.missing is None and (leaf.status or leaf.verb == "raw_http")]


def too_few(scene: Scene, why: str) -> None:
    """What free text should have left behind isn't there: that takes understanding of statements."""
    if scene.case.is_said_to_chat:
        raise doors.no_door("chat memory")
    if scene.case.is_free_text:
        raise doors.no_door(doors.UNDERSTANDING)
    raise CaseFailedError(why)


def items(outcome: Outcome) -> list[dict[str, Any]]:
    """What a list or a search gave."""
    bodies: list[dict[str, Any]] = [leaf.body for leaf in outcome.leaves() if isinstance(leaf.body, dict)]
    lists = (body.get("items", body.get("data", body.get("facts", []))) for body in bodies)
    return [item for found in lists if isinstance(found, list) for item in found]


def words(outcome: Outcome) -> str:
    """The texts of what was found."""
    return "\n".join(str(item.get("text", "")) for item in items(outcome))


def operations(outcome: Outcome) -> list[dict[str, Any]]:
    """The final receipts of a step."""
    return [operation for leaf in outcome.leaves() for operation in leaf.operations]


def needs(capability: str) -> Check:
    """A check that a later issue brings the door for."""

    def missing(_scene: Scene, _outcome: Outcome, _value: Any) -> None:
        raise doors.no_door(capability)

    return missing
