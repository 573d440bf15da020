"""What a predicate is: the record that the vocabulary is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from doso.records import EntityType, LiteralKind


class Wording(StrEnum):
    """How a predicate becomes a sentence."""

    VERB = "verb"  # You live in Porto
    BE = "be"  # You are allergic to penicillin
    KIND = "kind"  # You are a paramedic
    NOUN = "noun"  # Your birthday is 14 February 1991
    ROLE = "role"  # Nadia is your cousin


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """What the graph knows about a predicate; the first type of each tuple is the default.

    `text` is the verb in its base form, the words after "is", or the noun, as `wording` says. `strength` ranks facts
    in evidence (0 to 1). `cues` are folded words of a question that ask for it. `is_occasion`: each `valid_from` is a
    fact of its own. `is_state`: true as of when it was said, so that the day of an undated statement is worth keeping.
    """

    name: str
    wording: Wording
    text: str
    subject_types: tuple[EntityType, ...] = (EntityType.PERSON,)
    object_types: tuple[EntityType, ...] = ()  # empty: the object is a literal
    literal_kind: LiteralKind = LiteralKind.TEXT
    is_single_valued: bool = False
    is_symmetric: bool = False
    inverse: str | None = None
    is_occasion: bool = False
    is_state: bool = False
    third: str = ""  # third person singular, where adding -s (or "is") is wrong
    past: str = ""  # simple past, where adding -ed is wrong
    strength: float = 0.6
    cues: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class CanonicalPredicate:
    """How a spelling reads in the vocabulary. `is_inverse`: subject and object change places."""

    name: str
    is_negated: bool = False
    is_inverse: bool = False
