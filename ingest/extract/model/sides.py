"""The two sides of a claim: who or what a name means here, whether it is a name at all, and where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

import regex

from doso.records import EntityType, Literal, LiteralKind, Mention
from graph.names import LIVING, display_name, is_generic, name_key
from graph.predicates import PREDICATES, CanonicalPredicate, Predicate, describe
from graph.resolving import FIRST_PERSON
from ingest.extract.model.claims import MAX_NAME_CHARS, Claim
from ingest.extract.model.grounding import Ground, share
from ingest.extract.statements import Telling, is_person_name
from ingest.extract.when import literal_date


class Footing(IntEnum):
    """How surely the text has it; the higher the surer."""

    INFERRED = 0  # only the sentence is there, not the words
    AROUND = 1  # in the title, among the people of the document, in a passage beside this one
    PARTLY = 2  # most of its words
    WORDS = 3  # its very words, or who speaks


@dataclass(frozen=True, slots=True)
class Side:
    """Subject or object as it may be stored."""

    value: Mention | Literal
    footing: Footing
    is_here: bool  # its words stand in the passage itself; False of who speaks
    is_speaker: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """The passage that states a claim, with what else the model could see."""

    telling: Telling
    ground: Ground
    around: frozenset[str]  # words of the whole batch, the title and the people
    types: Mapping[str, EntityType]  # what rules take names of this batch for
    has_quote: bool


#: Words of a value that must stand in the text.
MOST = 0.5
MAX_NAME_WORDS = 8
MAX_TITLE_WORDS = 12
_TITLED = frozenset({EntityType.EVENT, EntityType.PRODUCT, EntityType.TOPIC, EntityType.ORG})
_SPEAKER = FIRST_PERSON | {"speaker", "the speaker", "author", "the author", "writer", "the writer", "narrator"}
_OWNER = frozenset({"owner", "the owner", "user", "the user"})
_PRONOUNS = """
you your he him his she her it its they them their who whom this that these those someone somebody anyone
everyone everybody nobody people others there here dia ia mereka kamu anda beliau itu ini orang tu el ella
ellos er sie es ihr il elle ils он она они
"""
_PRONOUN = frozenset(_PRONOUNS.split())
_SENTENCE = regex.compile(r"[\n\r]|[.!?;]\s+\S+\s+\S+|[.!?]{2,}|https?://\S+\s")


def entity_side(name: str, type: EntityType | None, allowed: tuple[EntityType, ...], place: Place) -> Side | None:
    """The side as an entity; None for what is no name or stands nowhere."""
    telling = place.telling
    shown = display_name(name)
    key = name_key(shown)
    if key in _SPEAKER or (key in _OWNER and telling.passage.is_owner) or _is_author(key, telling):
        speaker = telling.speaker
        may_be = not allowed or EntityType.PERSON in allowed
        return Side(speaker, Footing.WORDS, False, is_speaker=True) if speaker is not None and may_be else None
    chosen = _type_of(shown, type, allowed, place)
    footing = _footing(shown, place) if chosen is not None and is_sane(shown, chosen) else None
    if footing is None or chosen is None:
        return None
    return Side(telling.named(shown, chosen), footing, is_here=footing is not Footing.AROUND)


def value_side(object: str | Literal, kind: LiteralKind | None, place: Place) -> Side | None:
    """The side as a value. `kind`: what the predicate wants, None outside the vocabulary."""
    text = object if isinstance(object, str) else object.text
    value = object if isinstance(object, Literal) and kind is None else Literal(text, kind or LiteralKind.TEXT)
    if kind is LiteralKind.DATE:
        day = literal_date(text)
        if day is None:
            return None
        value = Literal(day, LiteralKind.DATE)
    held = place.ground.share_of(_readable(value, text))
    if held == 1:
        return Side(value, Footing.WORDS, is_here=True)
    if held >= MOST:
        return Side(value, Footing.PARTLY, is_here=True)
    return Side(value, Footing.INFERRED, is_here=False) if place.has_quote else None


def sides(claim: Claim, spelled: CanonicalPredicate, place: Place) -> tuple[Side, Side] | None:
    """Subject and object in the claim's own direction; None where either can't be had."""
    row, is_known = describe(spelled.name), spelled.name in PREDICATES
    ends = (row.subject_types, row.object_types) if is_known else ((), ())
    ours, theirs = (ends[1], ends[0]) if spelled.is_inverse else ends
    if spelled.is_inverse and is_known and not ours:
        return None  # a value can't be a subject
    subject = entity_side(claim.subject, claim.subject_type, ours, place)
    if subject is None:
        return None
    object = _object_side(claim, row if is_known else None, theirs, place)
    return None if object is None else (subject, object)


def is_sane(name: str, type: EntityType) -> bool:
    """Whether this can be a name: some words with a letter, no pronoun, no kind of thing, no sentence."""
    key = name_key(name)
    words = key.split()
    limit = MAX_TITLE_WORDS if type in _TITLED else MAX_NAME_WORDS
    if not key or len(name) > MAX_NAME_CHARS or len(words) > limit or _SENTENCE.search(name):
        return False
    return bool(regex.search(r"\p{L}", key)) and key not in _PRONOUN and not is_generic(name) and key not in _OWNER


def _footing(name: str, place: Place) -> Footing | None:
    if place.ground.span_of(name) is not None:
        return Footing.WORDS
    if share(name, place.ground.words) == 1:
        return Footing.PARTLY
    return Footing.AROUND if share(name, place.around) == 1 else None


def _object_side(claim: Claim, row: Predicate | None, allowed: tuple[EntityType, ...], place: Place) -> Side | None:
    if row is not None and not allowed:
        return value_side(claim.object, row.literal_kind, place)
    if isinstance(claim.object, Literal):
        return None if row is not None else value_side(claim.object, None, place)
    is_name = row is not None or (claim.object_type is not None and not claim.is_value)
    if not is_name and name_key(claim.object) not in _SPEAKER:
        return value_side(claim.object, None, place)
    return entity_side(claim.object, claim.object_type, allowed, place)


def _type_of(name: str, stated: EntityType | None, allowed: tuple[EntityType, ...], place: Place) -> EntityType | None:
    """As rules have it, as the model has it where the predicate allows it, else the likeliest that it allows; None
    where a living thing is called what only others are, or the other way round."""
    likely = place.types.get(name_key(name)) or stated
    if likely is not None and (not allowed or likely in allowed):
        return likely
    if not allowed:
        return EntityType.PERSON if is_person_name(name) else EntityType.TOPIC
    if likely is not None and (likely in LIVING) is not any(type in LIVING for type in allowed):
        return None
    others = [type for type in allowed if type is not EntityType.PERSON]
    is_person = EntityType.PERSON in allowed and (is_person_name(name) or not others)
    return EntityType.PERSON if is_person else others[0]


def _is_author(key: str, telling: Telling) -> bool:
    return bool(key) and key == name_key(telling.passage.author or "")


def _readable(value: Literal, text: str) -> str:
    """What of a value can stand in a text: of JSON its values, not its keys."""
    if value.kind is not LiteralKind.JSON:
        return text
    return regex.sub(r'"[^"]*"\s*:', " ", value.text)
