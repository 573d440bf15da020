"""Passages as tests of the model's reader need them."""

from __future__ import annotations

from datetime import UTC, datetime

from doso.ids import DocumentId, OwnerId, PassageId
from doso.records import DocumentKind, FactDraft, Incoming, Mention, Passage, Source

OWNER = OwnerId("ana")
AT = datetime(2026, 3, 11, 3, 0, tzinfo=UTC)


def passage(
    text: str,
    *,
    place: int = 0,
    source: Source = Source.WHATSAPP,
    author: str | None = "Budi Santoso",
    is_owner: bool = False,
) -> Passage:
    """A message of Budi's in a chat of the owner's, unless told otherwise."""
    return Passage(
        id=PassageId(f"p{place}"),
        owner=OWNER,
        document_id=DocumentId("d1"),
        ordinal=place,
        text=text,
        start=0,
        end=len(text),
        content_hash=f"h{place}",
        source=source,
        title="",
        uri="thread://1",
        author=author,
        occurred_at=AT,
        chat_id="c1",
        zone="Asia/Jakarta",
        is_owner=is_owner,
    )


def said(text: str, *, place: int = 0) -> Passage:
    """What the owner tells Doso."""
    return passage(text, place=place, source=Source.CHAT, author=None, is_owner=True)


def document_of(source: Source) -> Incoming:
    """The document that such passages stand in."""
    kind = DocumentKind.TEXT if source in (Source.CHAT, Source.NOTE) else DocumentKind.THREAD
    return Incoming("thread://1", "Trip to Lombok", source, kind=kind, occurred_at=AT)


def triples(drafts: list[FactDraft]) -> list[tuple[str, str, str]]:
    """Names of both sides and the predicate."""
    return [
        (
            draft.subject.name,
            draft.predicate,
            draft.object.name if isinstance(draft.object, Mention) else draft.object.text,
        )
        for draft in drafts
    ]
