"""A noun phrase as it was read, and the bond that its noun states."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.extract.reading.nouns import Bond
from ingest.extract.reading.records import Stated, Term


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase. `attribute`: what of the bearer is spoken of ("my birthday"), None for the bearer itself."""

    terms: tuple[Term, ...]
    end: int
    facts: tuple[Stated, ...] = ()
    attribute: str | None = None
    noun: str = ""  # the attribute's or relation's noun
    is_sure: bool = True
    is_unclear: bool = False  # a pronoun that may mean several
    is_thing: bool = False
    is_named: bool = True  # False: "my sister", without a name
    owner: Term | None = None  # whose relative, doctor or plumber it is
    is_claim: bool = False  # "istri saya namanya Sinta" is a whole statement
    span: tuple[int, int] = (0, 0)

    @property
    def term(self) -> Term:
        return self.terms[0]


def bond_facts(bond: Bond, bearer: Term, owner: Term, span: tuple[int, int]) -> tuple[Stated, ...]:
    """What "owner's <noun> bearer" states."""
    if not bond.predicate:
        return ()
    pair = (owner, bearer) if bond.is_turned else (bearer, owner)
    return (Stated(pair[0], bond.predicate, pair[1], span=span),)
