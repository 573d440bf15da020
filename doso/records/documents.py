"""Documents, passages and the receipts of writing them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from doso.ids import DocumentId, OperationId, OwnerId, PassageId
from doso.records.source import Source


class DocumentKind(StrEnum):
    """How a document is cut and read."""

    TEXT = "text"
    THREAD = "thread"  # a chat: one passage per message (a long message gives several)
    MAIL = "mail"
    EVENT = "event"


class IngestState(StrEnum):
    """How far a document has come. Text is searchable from STORED on."""

    STORED = "stored"
    INDEXED = "indexed"
    FAILED = "failed"
    DELETING = "deleting"


@dataclass(frozen=True, slots=True)
class Participant:
    """Someone who takes part in a mail, an event or a thread. `address` is a mail address or handle."""

    name: str
    address: str | None = None
    role: str = ""  # from, to, cc, organizer, attendee, author
    is_owner: bool = False  # a name or address that the owner of the memory stated as theirs


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a thread. `id` is its identity within the thread, stable over re-imports; `sent_at` is aware."""

    id: str
    author: str
    text: str
    sent_at: datetime | None
    reply_to: str | None = None
    is_owner: bool = False  # written by the owner of the memory


@dataclass(frozen=True, slots=True)
class EventDetails:
    """What a calendar entry says. Ends are exclusive; an all-day event has midnight of `zone` as its start."""

    uid: str
    starts_at: datetime
    ends_at: datetime | None = None
    is_all_day: bool = False
    location: str | None = None
    organizer: Participant | None = None
    attendees: tuple[Participant, ...] = ()
    recurrence: str | None = None  # in words or RRULE text


@dataclass(frozen=True, slots=True)
class Incoming:
    """A document on its way in, as an importer yields it. `uri` is its identity for this owner: the same uri again
    is the same document, unchanged when its content hash is the same, else updated.

    `text` for TEXT, MAIL and EVENT; `messages` for THREAD (each yield appends to or updates the thread).
    `zone` is the IANA zone that naive times took. `notes` are things the person should know (assumed zone, …).
    """

    uri: str
    title: str
    source: Source
    kind: DocumentKind = DocumentKind.TEXT
    text: str = ""
    messages: tuple[Message, ...] = ()
    author: str | None = None
    occurred_at: datetime | None = None
    chat_id: str | None = None
    zone: str | None = None
    participants: tuple[Participant, ...] = ()
    external_id: str | None = None  # the source's own id: Message-ID, event UID, file name
    event: EventDetails | None = None
    in_reply_to: str | None = None
    is_owner: bool = False  # the owner of the memory wrote it
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something an importer or the library did not take, and why. `code` is stable: placeholder, system, no_date,
    no_text, spam, unreadable, duplicate, too_large, cancelled, unsupported, no_chat, unsafe_path."""

    ref: str  # which one: line number, entry name, message index
    code: str
    why: str


@dataclass(frozen=True, slots=True)
class Document:
    """A stored document."""

    id: DocumentId
    owner: OwnerId
    uri: str
    title: str
    source: Source
    kind: DocumentKind
    state: IngestState
    content_hash: str
    created_at: datetime
    updated_at: datetime
    author: str | None = None
    occurred_at: datetime | None = None
    chat_id: str | None = None
    zone: str | None = None
    external_id: str | None = None
    passages_count: int = 0
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """Quotable text of a document. `start`/`end` are offsets into the document's text (into the message's text for a
    thread); `ordinal` orders the passages of a document, a thread's by time sent.

    `external_ids` are the source's own ids of what it covers.
    """

    id: PassageId
    owner: OwnerId
    document_id: DocumentId
    ordinal: int
    text: str
    start: int
    end: int
    content_hash: str
    source: Source
    title: str
    uri: str
    external_ids: tuple[str, ...] = ()
    author: str | None = None
    occurred_at: datetime | None = None
    chat_id: str | None = None
    zone: str | None = None
    is_owner: bool = False


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """What became of one incoming document. `outcome`: stored, updated, unchanged, skipped."""

    document_id: DocumentId | None
    outcome: str
    stored_count: int = 0  # passages new or changed
    unchanged_count: int = 0
    skipped: tuple[Skipped, ...] = ()


class OperationState(StrEnum):
    """Where a write stands; the last three are final."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Operation:
    """The receipt of a write. `stored`, `unchanged`, `skipped_count` count items (messages, mails, events, files)."""

    id: OperationId
    owner: OwnerId
    kind: str  # import, threads, document, delete, reembed, reextract, remember
    state: OperationState
    created_at: datetime
    updated_at: datetime
    stored: int = 0
    unchanged: int = 0
    skipped_count: int = 0
    skipped: tuple[Skipped, ...] = ()  # the first of them, bounded
    notes: tuple[str, ...] = ()
    facts: int = 0
    tokens: int = 0
    document_ids: tuple[DocumentId, ...] = ()  # bounded
    error: str | None = None


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """How far the active vector index is, from counters kept with each write."""

    passages: int
    embedded: int
    pending: int
    failed: int
    model: str = ""
    dimensions: int = 0
    warnings: tuple[str, ...] = field(default_factory=tuple)

    @property
    def ready(self) -> bool:
        """Whether every passage that can be embedded is."""
        return self.pending == 0
