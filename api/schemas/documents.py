"""Documents, threads and receipts as the wire shows them."""

from datetime import datetime
from typing import Annotated

import msgspec

from api.schemas.common import Moment, Name, RequestId, to_moment, visible
from doso.errors import InvalidInput
from doso.ids import digest
from doso.records import Document, DocumentKind, Incoming, Operation, Participant, Passage, Skipped, Source
from doso.text import clean
from ingest.importers.thread import RawMessage, parse_messages, thread_uri
from ingest.live.page import Asked

MAX_MESSAGES = 5_000
MAX_TITLE_CHARS = 500
MAX_PARTICIPANTS = 1_000

Title = Annotated[str, msgspec.Meta(max_length=MAX_TITLE_CHARS)]


class DocumentIn(msgspec.Struct, frozen=True):
    """A document sent as JSON: its text, or the address of a page."""

    text: str | None = None
    url: str | None = None
    title: Title = ""
    source: str = "note"
    uri: Annotated[str, msgspec.Meta(max_length=2_000)] | None = None
    author: Title | None = None
    occurred_at: Moment | None = None
    timezone: str | None = None
    request_id: RequestId | None = None


class ParticipantIn(msgspec.Struct, frozen=True):
    """Someone in a thread."""

    name: Name
    address: Title | None = None
    role: Title = ""
    is_owner: bool = False


class MessageIn(msgspec.Struct, frozen=True):
    """One message; `id` is its identity in the thread."""

    id: Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
    author: Title
    sent_at: str
    text: str
    reply_to: Annotated[str, msgspec.Meta(max_length=500)] | None = None


class ThreadIn(msgspec.Struct, frozen=True):
    """Messages to append to a thread, or to update in it."""

    chat_id: Name
    messages: Annotated[list[MessageIn], msgspec.Meta(min_length=1, max_length=MAX_MESSAGES)]
    title: Title = ""
    source: str = "note"
    timezone: str | None = None
    participants: Annotated[list[str | ParticipantIn], msgspec.Meta(max_length=MAX_PARTICIPANTS)] = []
    me: Annotated[list[Name], msgspec.Meta(max_length=50)] = []
    request_id: RequestId | None = None


class RememberIn(msgspec.Struct, frozen=True):
    """A sentence of the user's own."""

    text: str
    occurred_at: Moment | None = None
    timezone: str | None = None
    request_id: RequestId | None = None


class DocumentOut(msgspec.Struct, frozen=True):
    """A stored document with its ingest status and badge."""

    id: str
    title: str
    source: str
    kind: str
    status: str
    uri: str
    author: str | None
    occurred_at: datetime | None
    chat_id: str | None
    external_id: str | None
    timezone: str | None
    passages: int
    created_at: datetime
    updated_at: datetime
    error: str | None
    text: str | None = None


class SkippedOut(msgspec.Struct, frozen=True):
    """An item that was not taken, and why."""

    ref: str
    code: str
    why: str


class OperationOut(msgspec.Struct, frozen=True):
    """The receipt of a write."""

    id: str
    kind: str
    state: str
    stored: int
    unchanged: int
    skipped: int
    why: list[SkippedOut]
    notes: list[str]
    facts: int
    tokens: int
    document_ids: list[str]
    error: str | None
    created_at: datetime
    updated_at: datetime


class PassageOut(msgspec.Struct, frozen=True):
    """A quotable part of a document."""

    id: str
    text: str
    author: str | None
    occurred_at: datetime | None
    external_ids: list[str]
    start: int
    end: int


def source_of(name: str) -> Source:
    """The badge of this name. Raises InvalidInput."""
    try:
        return Source(name.strip().lower())
    except ValueError as error:
        known = ", ".join(source.value for source in Source)
        raise InvalidInput(f"source is one of: {known}.", param="source") from error


def to_text_document(body: DocumentIn, zone: str) -> Incoming:
    """A text as it comes in. Without a uri its identity is its content: the same text again is the same document."""
    if body.text is None:
        raise InvalidInput("A document needs its text.", param="text")
    text = visible(body.text, param="text")
    title = clean(body.title).strip()
    return Incoming(
        uri=clean(body.uri) if body.uri else f"text:{digest(title + chr(31) + text)}",
        title=title,
        source=source_of(body.source),
        text=text,
        author=clean(body.author) if body.author else None,
        occurred_at=to_moment(body.occurred_at, zone=zone, param="occurred_at"),
        zone=zone,
    )


def to_asked_page(body: DocumentIn, zone: str) -> Asked:
    """The page at an address as it is asked for. Raises InvalidInput when a text comes with it."""
    if body.url is None or body.text is not None:
        raise InvalidInput("A document is a text or the page at a url, not both.", param="url")
    return Asked(body.url, clean(body.title).strip(), zone)


def to_thread(body: ThreadIn, zone: str) -> tuple[Incoming, tuple[Skipped, ...]]:
    """A thread as it comes in, and the messages that can't be taken, each with its index."""
    people = [ParticipantIn(who) if isinstance(who, str) else who for who in body.participants]
    mine = [*body.me, *(who.name for who in people if who.is_owner)]
    items = [RawMessage(one.author, one.text, one.sent_at, one.id, one.reply_to) for one in body.messages]
    parsed = parse_messages(items, zone=zone, me=mine)
    chat_id = visible(body.chat_id, param="chat_id")
    incoming = Incoming(
        uri=thread_uri(chat_id),
        title=clean(body.title).strip() or chat_id,
        source=source_of(body.source),
        kind=DocumentKind.THREAD,
        messages=parsed.messages,
        chat_id=chat_id,
        zone=zone,
        participants=tuple(Participant(clean(who.name), who.address, who.role or "author") for who in people),
        notes=parsed.notes,
    )
    return incoming, parsed.skipped


def to_passage(passage: Passage) -> PassageOut:
    """A passage."""
    return PassageOut(
        id=passage.id,
        text=passage.text,
        author=passage.author,
        occurred_at=passage.occurred_at,
        external_ids=list(passage.external_ids),
        start=passage.start,
        end=passage.end,
    )


def to_document(document: Document, text: str | None = None) -> DocumentOut:
    """A document, with its text where one asked for it."""
    return DocumentOut(
        id=document.id,
        title=document.title,
        source=document.source.value,
        kind=document.kind.value,
        status=document.state.value,
        uri=document.uri,
        author=document.author,
        occurred_at=document.occurred_at,
        chat_id=document.chat_id,
        external_id=document.external_id,
        timezone=document.zone,
        passages=document.passages_count,
        created_at=document.created_at,
        updated_at=document.updated_at,
        error=document.error,
        text=text,
    )


def to_operation(operation: Operation) -> OperationOut:
    """A receipt."""
    return OperationOut(
        id=operation.id,
        kind=operation.kind,
        state=operation.state.value,
        stored=operation.stored,
        unchanged=operation.unchanged,
        skipped=operation.skipped_count,
        why=[SkippedOut(item.ref, item.code, item.why) for item in operation.skipped],
        notes=list(operation.notes),
        facts=operation.facts,
        tokens=operation.tokens,
        document_ids=list(operation.document_ids),
        error=operation.error,
        created_at=operation.created_at,
        updated_at=operation.updated_at,
    )
