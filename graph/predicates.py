"""The vocabulary's front door: any spelling of a predicate or a type, understood."""

from __future__ import annotations

import regex

from doso.errors import InvalidInput
from doso.records import EntityType
from graph.naming.things import singular
from graph.predicate_kinds import CanonicalPredicate, Predicate, Wording
from graph.predicate_spellings import SPELLINGS, TYPE_WORDS
from graph.predicate_table import PREDICATES


def canonical(predicate: str) -> CanonicalPredicate:
    """The vocabulary's name for any spelling; an unknown one becomes snake case. Raises InvalidInput when blank."""
    name = _snake(predicate)
    if not name:
        raise InvalidInput("A predicate needs at least one letter.", param="predicate")
    name, is_negated = _without_negation(name)
    known, is_inverse = SPELLINGS.get(name, (name, False))
    return CanonicalPredicate(known, is_negated, is_inverse)


def describe(name: str) -> Predicate:
    """What is known of a predicate; sensible defaults for one outside the vocabulary."""
    known = PREDICATES.get(name)
    if known is not None:
        return known
    text = name.replace("_", " ")
    head, _, rest = text.partition(" ")
    if head in _BE_WORDS and rest:
        return Predicate(name=name, wording=Wording.BE, text=rest, strength=0.4)
    role = text.removesuffix(" of")
    if role != text and _BEARER.fullmatch(role):  # tutor_of, landlord_of: Mara is your tutor
        return Predicate(name=name, wording=Wording.ROLE, text=role, strength=0.4)
    return Predicate(name=name, wording=Wording.VERB, text=text, third=text, past=text, strength=0.4)


def parse_type(text: str) -> EntityType:
    """The entity type that a word such as "company" or "Person " stands for. Raises InvalidInput for others."""
    word = " ".join(text.replace("_", " ").casefold().split())
    found = TYPE_WORDS.get(word) or TYPE_WORDS.get(singular(word))
    if found is None:
        known = ", ".join(sorted(type.value for type in EntityType))
        raise InvalidInput(f"Unknown entity type {text!r}; known: {known}.", param="type")
    return found


#: Nouns of what somebody does, by their ending.
_BEARER = regex.compile(r"\p{L}{2,}(?:er|or|ist|ian|ant|lord|lady|coach|guru|nanny|mentor|pelatih)")
_BE_WORDS = frozenset({"is", "was", "are", "were"})
_CAMEL = regex.compile(r"(?<=[\p{Ll}\p{N}])(?=\p{Lu})")
_NOT_WORD = regex.compile(r"[^\p{L}\p{M}\p{N}]+")
_BE_NEGATION = regex.compile(r"^(is|are|was|were)_?(?:not|nt|no_longer)_")
_NEGATION = regex.compile(
    r"^(?:(?:do|does|did|has|have|had|can|could|will|would|must|should)_?(?:not|nt)_|(?:not|never|no_longer)_"
    r"|(?:isnt|arent|wasnt|werent|cannot|cant|wont)_|(?:tidak|bukan|tak|nggak|gak|belum)_(?:lagi_)?)"
)


def _snake(predicate: str) -> str:
    plain = regex.sub(r"['’ʼ]", "", predicate).strip()
    return _NOT_WORD.sub("_", _CAMEL.sub("_", plain)).strip("_").casefold()


def _without_negation(name: str) -> tuple[str, bool]:
    rest = _BE_NEGATION.sub(r"\1_", name)
    if rest == name:
        rest = _NEGATION.sub("", name)
    return (rest, True) if rest and rest != name else (name, False)


__all__ = ["PREDICATES", "CanonicalPredicate", "Predicate", "Wording", "canonical", "describe", "parse_type"]
