"""Calendars, mails and threads give facts by their structure, and nothing that structure does not say."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from doso.ids import DocumentId, OwnerId, PassageId
from doso.records import (
    DocumentKind,
    EntityType,
    EventDetails,
    FactDraft,
    Incoming,
    Literal,
    Mention,
    Message,
    Participant,
    Passage,
    Source,
    Status,
)
from ingest.extract.rules import build

STARTS = datetime(2026, 3, 12, 8, 30, tzinfo=UTC)
ZONE = "Asia/Jakarta"


def passage(source: Source, id: str = "p", text: str = "-", external_ids: tuple[str, ...] = ()) -> Passage:
    return Passage(
        PassageId(id), OwnerId("o"), DocumentId("d"), 0, text, 0, len(text), "hash", source, "title", "uri",
        zone=ZONE, external_ids=external_ids,
    )  # fmt: skip


async def read(document: Incoming, *passages: Passage) -> list[FactDraft]:
    return list(await build().extract(OwnerId("o"), document, passages or [passage(document.source)]))


def triples(drafts: list[FactDraft]) -> list[tuple[str, str, str]]:
    return [
        (
            draft.subject.name,
            draft.predicate,
            draft.object.text if isinstance(draft.object, Literal) else draft.object.name,
        )
        for draft in drafts
    ]


def calendar(event: EventDetails, *, is_owner: bool = False) -> Incoming:
    return Incoming(
        "ics://1",
        "Poster review",
        Source.CALENDAR,
        DocumentKind.EVENT,
        text="-",
        zone=ZONE,
        event=event,
        is_owner=is_owner,
    )


def mail(*participants: Participant, is_owner: bool = False, reply: str | None = None) -> Incoming:
    return Incoming(
        "mail://1", "Hello", Source.GMAIL, DocumentKind.MAIL, text="-", participants=participants, is_owner=is_owner,
        in_reply_to=reply,
    )  # fmt: skip


async def test_an_event_has_a_day_a_place_and_people() -> None:
    ana = Participant("Ana Torres", "ana.torres@example.org", "attendee")
    event = EventDetails("uid-1", STARTS, STARTS + timedelta(hours=1), location="Studio Quill", attendees=(ana,))
    drafts = await read(calendar(event))
    assert triples(drafts) == [
        ("Poster review", "happens_on", "2026-03-12"),
        ("Poster review", "located_in", "Studio Quill"),
        ("Ana Torres", "attends", "Poster review"),
        ("Ana Torres", "email", "ana.torres@example.org"),
    ]
    attends = drafts[2]
    assert (attends.valid_from, attends.valid_until, attends.zone) == (STARTS, None, ZONE)
    assert {draft.status for draft in drafts} == {Status.VERIFIED}
    assert all(draft.provenance.passage_id == "p" for draft in drafts)


async def test_events_of_one_title_are_told_apart_by_their_id() -> None:
    one, other = [await read(calendar(EventDetails(uid, STARTS))) for uid in ("a", "b")]
    assert one[0].subject.context != other[0].subject.context


async def test_a_series_has_no_single_day_and_a_video_call_no_place() -> None:
    event = EventDetails("uid-1", STARTS, location="https://zoom.example/j/1", recurrence="FREQ=WEEKLY")
    assert await read(calendar(event)) == []


async def test_the_local_day_counts() -> None:
    late = datetime(2026, 3, 12, 18, tzinfo=UTC)  # already the 13th in Jakarta
    assert triples(await read(calendar(EventDetails("uid-1", late)))) == [("Poster review", "happens_on", "2026-03-13")]


async def test_the_owners_own_event_is_organized_by_the_owner() -> None:
    event = EventDetails("uid-1", STARTS, organizer=Participant("Mara", "mara@example.org"), recurrence="FREQ=DAILY")
    drafts = await read(calendar(event, is_owner=True))
    assert triples(drafts) == [("me", "organizes", "Poster review"), ("me", "email", "mara@example.org")]
    assert drafts[0].subject.role == "owner"


async def test_a_mail_gives_addresses_of_people_and_who_wrote_to_whom() -> None:
    drafts = await read(
        mail(
            Participant("Rania Haddad", "rania.haddad@example.org", "from"),
            Participant("Mara Lindqvist", "mara@example.org", "to"),
            Participant("Karim Haddad", "karim@example.org", "cc"),
            Participant("Klinik Hewan Melati", "info@example.org", "cc"),
        )
    )
    assert triples(drafts) == [
        ("Rania Haddad", "email", "rania.haddad@example.org"),
        ("Mara Lindqvist", "email", "mara@example.org"),
        ("Rania Haddad", "wrote_to", "Mara Lindqvist"),
        ("Karim Haddad", "email", "karim@example.org"),
    ]


async def test_an_answer_is_a_reply_and_the_owners_mail_is_the_owners() -> None:
    sender, recipient = (
        Participant("Mara", "mara@example.org", "from"),
        Participant("Ana Torres", "ana@example.org", "to"),
    )
    drafts = await read(mail(sender, recipient, is_owner=True, reply="<1@example.org>"))
    assert ("me", "replied_to", "Ana Torres") in triples(drafts)
    assert all(draft.subject.role == "owner" for draft in drafts if draft.subject.name == "me")


async def test_a_shared_box_is_nobody() -> None:
    assert await read(mail(Participant("Newsletter", "noreply@example.org", "from"))) == []


async def test_a_reply_in_a_thread_is_shown_by_its_own_passage() -> None:
    messages = (
        Message("1", "Ana Torres", "when?", STARTS),
        Message("2", "me", "soon", STARTS, reply_to="1", is_owner=True),
        Message("3", "Ana Torres", "ok", STARTS, reply_to="1"),
    )
    document = Incoming("thread://1", "Ana", Source.SLACK, DocumentKind.THREAD, messages=messages, chat_id="c")
    drafts = await read(
        document, *(passage(Source.SLACK, id=f"p{message.id}", external_ids=(message.id,)) for message in messages)
    )
    assert triples(drafts) == [("me", "replied_to", "Ana Torres")]
    assert drafts[0].provenance.passage_id == "p2"


async def test_a_participant_marked_as_the_owner_is_the_owner_in_every_role() -> None:
    ana = Participant("Ana Tan", "ana@example.org", "from")
    mara = Participant("Mara L.", "mara@example.org", "to", is_owner=True)
    drafts = await read(mail(ana, mara))
    objects = [draft.object for draft in drafts if draft.predicate == "wrote_to"]
    assert [(one.role, one.type) for one in objects if isinstance(one, Mention)] == [("owner", EntityType.PERSON)]
    owned = [draft for draft in drafts if draft.subject.role == "owner"]
    assert [(draft.predicate, draft.object) for draft in owned] == [("email", Literal("mara@example.org"))]
