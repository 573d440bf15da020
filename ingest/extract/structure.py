"""Facts that the structure of a document gives for certain: who attends what where, whose address it is, who wrote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import regex

from doso.records import (
    DocumentKind,
    EntityType,
    EventDetails,
    FactDraft,
    Incoming,
    Literal,
    LiteralKind,
    Mention,
    Participant,
    Passage,
    Status,
)
from doso.text import fold
from graph.names import is_generic, name_key
from graph.naming.lists import given_names
from ingest.extract.statements import OWNER_NAME
from ingest.extract.support import support_of

EXTRACTOR = "structure"
#: Attendees of one event, or recipients of one mail, that are read.
MAX_PARTICIPANTS = 50
MAX_NAME_CHARS = 120
_ONLINE = regex.compile(
    r"https?://|\b(?:zoom|google meet|teams|skype|webex|online|virtual|phone|tba|tbd)\b", regex.IGNORECASE
)
_SHARED_BOX = regex.compile(
    r"^(?:info|admin|office|contact|hello|support|sales|team|no-?reply|postmaster|billing|newsletter|notifications?|"
    r"mailer-daemon|hr|press|marketing|events?|resource.*|room.*)(?:[+.-].*)?$"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """A document at hand and the passage that its structure is shown by."""

    document: Incoming
    passage: Passage

    @property
    def zone(self) -> str | None:
        return self.document.zone or self.passage.zone

    def person(self, participant: Participant, *, is_owner: bool) -> Mention | None:
        """The participant as a person, None where the name is a shared box or says nothing."""
        if is_owner or participant.is_owner:
            return Mention(OWNER_NAME, EntityType.PERSON, role="owner", document_id=self.passage.document_id)
        name = participant.name.strip() or participant.address or ""
        if (
            not name_key(name)
            or len(name) > MAX_NAME_CHARS
            or is_generic(name)
            or _is_shared(participant.address or name)
        ):
            return None
        return Mention(name, EntityType.PERSON, document_id=self.passage.document_id)

    def draft(
        self,
        subject: Mention,
        predicate: str,
        object: Mention | Literal,
        *,
        valid_from: datetime | None = None,
        valid_until: datetime | None = None,
    ) -> FactDraft:
        support = support_of(self.passage, EXTRACTOR)
        zone = self.zone if valid_from is not None else None
        return FactDraft(subject, predicate, object, support, Status.VERIFIED, 1.0, valid_from, valid_until, zone)


def structure(document: Incoming, passages: Sequence[Passage]) -> Iterator[FactDraft]:
    """What the document's structure states, shown by its first passage (a reply: by its own)."""
    if not passages:
        return
    reading = Reading(document, passages[0])
    if document.event is not None:
        yield from _event(reading, document.event)
    elif document.kind is DocumentKind.MAIL:
        yield from _mail(reading)
    elif document.kind is DocumentKind.THREAD:
        yield from _replies(document, passages)


def _event(reading: Reading, event: EventDetails) -> Iterator[FactDraft]:
    """Attendance, place and day. The event's own id tells it from others of its title; a series is one event."""
    title = reading.document.title.strip()
    if not name_key(title) or len(title) > MAX_NAME_CHARS:
        return
    held = Mention(title, EntityType.EVENT, context=event.uid, document_id=reading.passage.document_id)
    until = event.ends_at if event.ends_at is not None and event.ends_at - event.starts_at > timedelta(days=1) else None
    if event.recurrence is None:
        day = Literal(_local_day(event.starts_at, reading.zone), LiteralKind.DATE)
        yield reading.draft(held, "happens_on", day)
    place = (event.location or "").strip().split("\n")[0]
    if name_key(place) and len(place) <= MAX_NAME_CHARS and not _ONLINE.search(place):
        yield reading.draft(
            held, "located_in", Mention(place, EntityType.PLACE, document_id=reading.passage.document_id)
        )
    last = until - timedelta(seconds=1) if until is not None else None
    if event.organizer is not None:
        organizer = reading.person(event.organizer, is_owner=reading.document.is_owner)
        if organizer is not None:
            yield reading.draft(organizer, "organizes", held, valid_from=event.starts_at, valid_until=last)
            yield from _address(reading, event.organizer, organizer)
    for attendee in event.attendees[:MAX_PARTICIPANTS]:
        is_organizer = event.organizer is not None and _is_one(attendee, event.organizer)
        person = reading.person(attendee, is_owner=is_organizer and reading.document.is_owner)
        if person is not None:
            yield reading.draft(person, "attends", held, valid_from=event.starts_at, valid_until=last)
            yield from _address(reading, attendee, person)


def _mail(reading: Reading) -> Iterator[FactDraft]:
    """Whose address is whose, and who wrote (or replied) to whom; copies say nothing."""
    document = reading.document
    senders = [one for one in document.participants if one.role == "from"][:1]
    sender = reading.person(senders[0], is_owner=document.is_owner) if senders else None
    for participant in document.participants[:MAX_PARTICIPANTS]:
        is_sender = bool(senders) and _is_one(participant, senders[0])
        person = reading.person(participant, is_owner=document.is_owner and is_sender)
        if person is None:
            continue
        yield from _address(reading, participant, person)
        if sender is not None and participant.role == "to" and not is_sender and _is_person(participant):
            yield reading.draft(sender, "replied_to" if document.in_reply_to else "wrote_to", person)


def _replies(document: Incoming, passages: Sequence[Passage]) -> Iterator[FactDraft]:
    """Who answers whom in a thread that marks answers."""
    by_id = {message.id: message for message in document.messages}
    for passage in passages:
        for id in passage.external_ids:
            message = by_id.get(id)
            answered = by_id.get(message.reply_to or "") if message is not None else None
            if message is None or answered is None or message.author == answered.author:
                continue
            reading = Reading(document, passage)
            one = reading.person(Participant(message.author), is_owner=message.is_owner)
            other = reading.person(Participant(answered.author), is_owner=answered.is_owner)
            if one is not None and other is not None:
                yield reading.draft(one, "replied_to", other)


def _address(reading: Reading, participant: Participant, person: Mention) -> Iterator[FactDraft]:
    """The mail address of a person who is named beside it."""
    address = (participant.address or "").strip()
    if "@" in address and (person.role == "owner" or _is_person(participant)):
        yield reading.draft(person, "email", Literal(address.casefold()))


def _is_person(participant: Participant) -> bool:
    """Whether name and address are a person's: a given name, or a word of the name within the address."""
    words = name_key(participant.name).split()
    address = (participant.address or "").casefold()
    if not words or "@" in participant.name or _is_shared(address):
        return False
    local = fold(address.partition("@")[0])
    return words[0] in given_names() or any(len(word) > 2 and word in local for word in words)


def _is_shared(address: str) -> bool:
    return _SHARED_BOX.match(address.partition("@")[0].casefold()) is not None


def _is_one(a: Participant, b: Participant) -> bool:
    if a.address and b.address:
        return a.address.casefold() == b.address.casefold()
    return name_key(a.name) == name_key(b.name)


def _local_day(moment: datetime, zone: str | None) -> str:
    try:
        return moment.astimezone(ZoneInfo(zone)).date().isoformat() if zone else moment.date().isoformat()
    except (ZoneInfoNotFoundError, ValueError):
        return moment.date().isoformat()
