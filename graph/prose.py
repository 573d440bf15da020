"""Facts as sentences, the way a person and a model read them."""

from __future__ import annotations

import calendar
from datetime import date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import regex

from doso.records import Entity, EntityType, Literal, LiteralKind
from graph.predicates import Predicate, Wording, describe

OWNER_ROLE = "owner"
_ARTICLE_NEEDLESS = regex.compile(r"^(?:an?|the|my|your|his|her|our|their|one|some|head|chief|co-)\b", regex.IGNORECASE)
_VOWEL_SOUND = regex.compile(r"^(?:(?i:(?!uni|use|eu|one\b|u[sk]\b)[aeiou]|hour|honest|heir)|[FHLMNRSX]\p{Lu})")
_ISO_DATE = regex.compile(r"^(?:(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?|(\d{2})-(\d{2}))$")


def fact_text(
    predicate: str,
    subject: Entity,
    object: Entity | Literal,
    *,
    valid_from: datetime | None,
    valid_until: datetime | None,
    zone: str | None,
    now: datetime,
) -> str:
    """The fact as one sentence without a full stop; "" when a side has no name.

    The owner is You. A fact that is over by `now` stands in the past tense, with its dates spelled out.
    """
    if not subject.name.strip() or not (object.name if isinstance(object, Entity) else object.text).strip():
        return ""
    row = describe(predicate)
    started, ended = _day(valid_from, zone), _day(valid_until, zone)
    is_past = valid_until is not None and valid_until <= now
    if row.is_occasion and valid_until is None and valid_from is not None:
        is_past = valid_from < now
    sentence = _sentence(row, subject, object, is_past=is_past)
    return sentence[:1].upper() + sentence[1:] + _when(row, started, ended)


def spell_date(text: str) -> str:
    """An ISO date in words: "14 February 1991", "24 December", "March 2020"; other text as it is."""
    match = _ISO_DATE.match(text.strip())
    if not match:
        return text
    year, month, day, bare_month, bare_day = match.groups()
    month, day = month or bare_month, day or bare_day
    if month and not 1 <= int(month) <= 12:
        return text
    parts = (str(int(day)) if day else "", calendar.month_name[int(month)] if month else "", year or "")
    return " ".join(part for part in parts if part)


def _sentence(row: Predicate, subject: Entity, object: Entity | Literal, *, is_past: bool) -> str:
    who, what = _subject(subject), _object(object)
    if row.wording is Wording.NOUN:
        verb = _be(plural=row.text.endswith("s"), is_past=is_past)
        return f"{_possessive(subject)} {row.text} {verb} {what}"
    if row.wording is Wording.ROLE:
        return _role(row, subject, object, is_past=is_past)
    if row.wording is Wording.VERB:
        verb = _verb(row, is_you=_is_owner(subject), is_past=is_past)
        return f"{who} {verb} {what}" if verb else f"{who} {what}"
    verb = row.third or _be(plural=_is_owner(subject), is_past=is_past)
    if row.wording is Wording.KIND:
        return f"{who} {verb} {_with_article(what)}"
    filled = row.text.format(what) if "{}" in row.text else f"{row.text} {what}".strip()
    return f"{who} {verb} {filled}"


def _role(row: Predicate, subject: Entity, object: Entity | Literal, *, is_past: bool) -> str:
    if row.is_symmetric and _is_owner(subject) and isinstance(object, Entity):
        subject, object = object, subject
    verb = _be(plural=_is_owner(subject), is_past=is_past)
    owner_of_it = _possessive(object) if isinstance(object, Entity) else f"{object.text}'s"
    return f"{_subject(subject)} {verb} {owner_of_it} {row.text}"


def _verb(row: Predicate, *, is_you: bool, is_past: bool) -> str:
    if not row.text:
        return ""  # the value says what was done
    head, _, rest = row.text.partition(" ")
    tail = f" {rest}" if rest else ""
    if is_past:
        return row.past or f"{head}{'d' if head.endswith('e') else 'ed'}{tail}"
    return row.text if is_you else row.third or f"{head}s{tail}"


def _be(*, plural: bool, is_past: bool) -> str:
    if is_past:
        return "were" if plural else "was"
    return "are" if plural else "is"


def _is_owner(entity: Entity) -> bool:
    return entity.role == OWNER_ROLE


def _subject(entity: Entity) -> str:
    return "You" if _is_owner(entity) else _spoken(entity)


def _object(object: Entity | Literal) -> str:
    if isinstance(object, Entity):
        return "you" if _is_owner(object) else _spoken(object)
    return spell_date(object.text) if object.kind is LiteralKind.DATE else object.text


def _possessive(entity: Entity) -> str:
    return "your" if _is_owner(entity) else f"{_spoken(entity)}'s"


def _spoken(entity: Entity) -> str:
    """The name in a sentence: "my sister" said by the owner is "your sister" said to the owner."""
    name = entity.name
    if entity.type in (EntityType.PERSON, EntityType.PET, EntityType.EVENT) and name[:3].casefold() == "my ":
        return f"your {name[3:]}"
    return name


def _with_article(kind: str) -> str:
    if _ARTICLE_NEEDLESS.match(kind):
        return kind
    return f"{'an' if _VOWEL_SOUND.match(kind) else 'a'} {kind}"


def _day(moment: datetime | None, zone: str | None) -> date | None:
    if moment is None:
        return None
    try:
        return moment.astimezone(ZoneInfo(zone)).date() if zone else moment.date()
    except (ZoneInfoNotFoundError, ValueError):
        return moment.date()


def _when(row: Predicate, started: date | None, ended: date | None) -> str:
    if row.is_occasion:
        if started and ended and started != ended:
            return f" from {_spelled(started)} to {_spelled(ended)}"
        return f" on {_spelled(started)}" if started else ""
    if started and ended:
        return f" from {_first_day(started)} to {_last_day(ended)}"
    if ended:
        return f" until {_last_day(ended)}"
    return f" as of {_first_day(started)}" if started else ""


def _spelled(day: date) -> str:
    return f"{day.day} {calendar.month_name[day.month]} {day.year}"


def _first_day(day: date) -> str:
    """A period starts on its first day: 1 January of a year reads as that year."""
    if day.day == 1:
        return str(day.year) if day.month == 1 else f"{calendar.month_name[day.month]} {day.year}"
    return _spelled(day)


def _last_day(day: date) -> str:
    """A period ends on its last day: 31 December of a year reads as that year."""
    if day.day == calendar.monthrange(day.year, day.month)[1]:
        return str(day.year) if day.month == 12 else f"{calendar.month_name[day.month]} {day.year}"
    return _spelled(day)
