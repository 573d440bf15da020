"""The words for an animal: its kind, its breed, and what "my dog Rex" states of it."""

from __future__ import annotations

from dataclasses import dataclass

from ingest.extract.reading.line import Line
from ingest.extract.reading.nouns import BREEDS, CAT_BREEDS, SPECIES, SPECIES_PAIRS
from ingest.extract.reading.records import Stated, Term


@dataclass(frozen=True, slots=True)
class Animal:
    """The words for an animal: its kind and, where it was said, its breed."""

    species: str
    breed: str
    end: int
    start: int


def animal_at(line: Line, at: int) -> Animal | None:
    """The noun of an animal that begins here, behind up to three adjectives that are part of a breed."""
    for size in (3, 2, 1):
        words = line.norms[at : at + size]
        joined = " ".join(words)
        if len(words) != size:
            continue
        if tuple(words) in SPECIES_PAIRS:
            return Animal(SPECIES_PAIRS[tuple(words)], "", at + size, at)  # type: ignore[index]
        if joined in BREEDS:
            end = at + size
            species = SPECIES.get(line.norm(end), "")
            return Animal(species, joined, end + bool(species), at)
        if size == 1 and joined in SPECIES:
            breed = line.norm(at + 1) if line.norm(at + 1) in BREEDS else ""
            return Animal(SPECIES[joined], breed, at + 1 + bool(breed), at)
    return None


def species_of(animal: Animal) -> str:
    """The kind of animal, known from the breed where only that was said."""
    return animal.species or ("cat" if animal.breed.split()[-1] in CAT_BREEDS or animal.breed == "maine coon" else "")


def pet_facts(owner: Term, pet: Term, animal: Animal, span: tuple[int, int]) -> tuple[Stated, ...]:
    """What "the owner's dog Rex, a beagle" states."""
    facts = [Stated(owner, "has_pet", pet, span=span)]
    if animal.species:
        facts.append(Stated(pet, "species", Term(animal.species), span=span))
    if animal.breed:
        facts.append(Stated(pet, "breed", Term(animal.breed), span=span))
    return tuple(facts)
