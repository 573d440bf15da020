"""What reading a statement gives: facts and corrections in the words that were said, not bound to anything yet."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from doso.records import EntityType

ME = "me"


@dataclass(frozen=True, slots=True)
class Term:
    """A side of a fact: an entity by the name that was said, or a value (`type` None)."""

    text: str
    type: EntityType | None = None
    span: tuple[int, int] = (0, 0)  # offsets in the text that was read
    context: str = ""  # what tells namesakes apart: "Ana from accounting"

    @property
    def is_me(self) -> bool:
        return self.text == ME and self.type is EntityType.PERSON


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact as it was stated. Days are local ones, the last included; `is_ended`: over, nobody said when."""

    subject: Term
    predicate: str
    object: Term
    valid_from: date | None = None
    valid_until: date | None = None
    is_ended: bool = False
    over: str = ""  # the losing side of a preference
    span: tuple[int, int] = (0, 0)

    @property
    def triple(self) -> tuple[str, str, str]:
        return self.subject.text, self.predicate, self.object.text


@dataclass(frozen=True, slots=True)
class Retraction:
    """A triple goes; None stands for whatever is on file. `why`: ended, wrong, forget."""

    subject: Term | None
    predicate: str | None
    object: Term | None
    why: str
    valid_until: date | None = None


@dataclass(frozen=True, slots=True)
class Replacement:
    """The old triple was wrong, the new one (which is among the facts) stands instead."""

    old: Retraction
    new: Stated


@dataclass(frozen=True, slots=True)
class Equation:
    """Two names are one bearer's."""

    a: Term
    b: Term


@dataclass(frozen=True, slots=True)
class Distinction:
    """Two names are two bearers'."""

    a: Term
    b: Term


@dataclass(frozen=True, slots=True)
class Renaming:
    """The same bearer is rightly spelled so."""

    entity: Term
    to: str


Amendment = Retraction | Replacement | Equation | Distinction | Renaming


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier message of the conversation."""

    role: str  # "user" or "assistant"
    text: str


@dataclass(frozen=True, slots=True)
class Reading:
    """All that a text states. `candidates` are unsure; `why` tells what kept the rest out, when something did."""

    facts: tuple[Stated, ...] = ()
    corrections: tuple[Amendment, ...] = ()
    candidates: tuple[Stated, ...] = ()
    why: str = ""
    amending: tuple[Stated, ...] = ()  # facts that were said as a correction, of what was not said

    @property
    def is_share(self) -> bool:
        """Whether the text asserts, withdraws or corrects something that lasts."""
        return bool(self.facts or self.corrections)
