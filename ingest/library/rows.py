"""Rows of the library's tables as records, and back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Row

from doso.ids import DocumentId, OwnerId, PassageId
from doso.records import Document, DocumentKind, Incoming, IngestState, Message, Passage, Source

#: Values bound to one statement, well under what either engine takes.
CHUNK = 1000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

T = TypeVar("T")
#: A row by position; the statement beside its converter fixes the order.
AnyRow = Row[Any]

PASSAGE_COLUMNS = (
    "p.id, p.owner, p.document_id, p.ordinal, p.text, p.offset_start, p.offset_end, p.content_hash, d.source, "
    "d.title, d.uri, p.message_id, d.external_id, p.author, p.occurred_at, d.chat_id, d.zone, p.is_owner, p.seq"
)
#: Scopes rows that are looked up by their own key. Written so that no index on the owner fits: without statistics
#: SQLite would take that one and read all of the owner's rows.
OWNED = "COALESCE(p.owner, '') = :owner"
DOCUMENT_COLUMNS = (
    "id, owner, uri, title, source, kind, state, content_hash, created_at, updated_at, author, occurred_at, chat_id, "
    "zone, external_id, passages_count, error"
)


def micros(moment: datetime | None) -> int | None:
    """Microseconds since 1970, UTC; exact, unlike a float timestamp."""
    return None if moment is None else (moment - _EPOCH) // _MICROSECOND


def moment(value: int | None) -> datetime | None:
    """The aware moment of a stored number."""
    return None if value is None else _EPOCH + timedelta(microseconds=value)


def known_moment(value: int) -> datetime:
    """The aware moment of a column that is never empty."""
    return _EPOCH + timedelta(microseconds=value)


def chunks(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """The items in runs that fit one statement."""
    for start in range(0, len(items), CHUNK):
        yield items[start : start + CHUNK]


def passage_of(row: AnyRow) -> Passage:
    """A row of PASSAGE_COLUMNS."""
    external = row[11] if row[11] is not None else row[12]
    return Passage(
        id=PassageId(row[0]),
        owner=OwnerId(row[1]),
        document_id=DocumentId(row[2]),
        ordinal=row[3],
        text=row[4],
        start=row[5],
        end=row[6],
        content_hash=row[7],
        source=Source(row[8]),
        title=row[9],
        uri=row[10],
        external_ids=() if external is None else (external,),
        author=row[13],
        occurred_at=moment(row[14]),
        chat_id=row[15],
        zone=row[16],
        is_owner=bool(row[17]),
    )


def document_of(row: AnyRow) -> Document:
    """A row of DOCUMENT_COLUMNS."""
    return Document(
        id=DocumentId(row[0]),
        owner=OwnerId(row[1]),
        uri=row[2],
        title=row[3],
        source=Source(row[4]),
        kind=DocumentKind(row[5]),
        state=IngestState(row[6]),
        content_hash=row[7],
        created_at=known_moment(row[8]),
        updated_at=known_moment(row[9]),
        author=row[10],
        occurred_at=moment(row[11]),
        chat_id=row[12],
        zone=row[13],
        external_id=row[14],
        passages_count=row[15],
        error=row[16],
    )


def head_json(incoming: Incoming) -> str:
    """Everything of a document but its text and messages, canonical, as it is stored."""
    return msgspec.json.encode(replace(incoming, text="", messages=()), order="deterministic").decode()


def head_of(stored: str) -> Incoming:
    """The document that head_json wrote, without text and messages."""
    return msgspec.json.decode(stored, type=Incoming)


def messages_of(rows: Iterable[AnyRow]) -> tuple[Message, ...]:
    """Rows of (id, author, text, sent_at, reply_to, is_owner)."""
    return tuple(
        Message(
            id=row[0],
            author=row[1],
            text=row[2],
            sent_at=moment(row[3]),
            reply_to=row[4],
            is_owner=bool(row[5]),
        )
        for row in rows
    )
