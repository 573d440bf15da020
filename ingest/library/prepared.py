"""An incoming document made ready to be stored: cleaned, hashed, cut into passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from doso.ids import DocumentId, OwnerId, PassageId, digest, stable_id
from doso.records import DocumentKind, Incoming, Message, Skipped
from doso.text import clean, is_blank, search_tokens
from ingest.library.rows import head_json
from ingest.split import split

MAX_DOCUMENT_CHARS = 20_000_000
MAX_MESSAGE_CHARS = 200_000
MAX_NAME_CHARS = 2_000
#: People kept of one thread.
MAX_PARTICIPANTS = 5_000


@dataclass(frozen=True, slots=True)
class Draft:
    """A passage as it should be stored."""

    id: PassageId
    text: str
    start: int
    end: int
    content_hash: str
    part: int
    author: str | None
    occurred_at: datetime | None
    is_owner: bool
    message_id: str | None = None
    tokens: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Prepared:
    """A cleaned document with its identity and hashes. `why_not` is set when it can't be stored at all."""

    document_id: DocumentId
    incoming: Incoming
    head: str
    head_hash: str
    content_hash: str
    messages: tuple[Message, ...]
    hashes: Mapping[str, str]  # by message id
    skipped: tuple[Skipped, ...] = ()
    why_not: Skipped | None = None

    @property
    def is_thread(self) -> bool:
        """Whether it comes as messages."""
        return self.incoming.kind is DocumentKind.THREAD


def document_id_of(owner: OwnerId, uri: str) -> DocumentId:
    """The identity of a document: the same uri of the same owner is the same document."""
    return DocumentId(stable_id("document", owner, uri))


def prepare(owner: OwnerId, incoming: Incoming) -> Prepared:
    """Clean, check and hash; cutting waits until something is known to have changed."""
    incoming = _cleaned(incoming)
    head = head_json(incoming)
    head_hash = digest(head_json(replace(incoming, notes=())))
    document_id = document_id_of(owner, incoming.uri)
    if incoming.kind is DocumentKind.THREAD:
        messages, skipped = _messages(incoming.messages)
        hashes = {message.id: message_hash(message) for message in messages}
        return Prepared(document_id, incoming, head, head_hash, head_hash, messages, hashes, skipped)
    content_hash = digest(f"{head_hash}\x1f{incoming.text}")
    return Prepared(document_id, incoming, head, head_hash, content_hash, (), {}, why_not=_refusal(incoming))


def with_people_of(document: Prepared, stored: Incoming) -> Prepared:
    """The same thread with those who took part before: batches and later exports name only who speaks in them."""
    people = tuple(dict.fromkeys((*stored.participants, *document.incoming.participants)))[:MAX_PARTICIPANTS]
    incoming = replace(document.incoming, participants=people)
    head_hash = digest(head_json(replace(incoming, notes=())))
    return replace(document, incoming=incoming, head=head_json(incoming), head_hash=head_hash, content_hash=head_hash)


def text_drafts(document: Prepared) -> list[Draft]:
    """The passages of a document that is one text. Identity is by content: text that stays keeps its passage,
    vector and facts, wherever it moves."""
    seen: dict[str, int] = {}
    drafts = []
    incoming = document.incoming
    for ordinal, piece in enumerate(split(incoming.text)):
        content_hash = digest(piece.text)
        nth = seen[content_hash] = seen.get(content_hash, -1) + 1
        drafts.append(
            Draft(
                id=PassageId(stable_id("passage", document.document_id, content_hash, str(nth))),
                text=piece.text,
                start=piece.start,
                end=piece.end,
                content_hash=content_hash,
                part=ordinal,
                author=incoming.author,
                occurred_at=incoming.occurred_at,
                is_owner=incoming.is_owner,
                tokens=tuple(search_tokens(piece.text)),
            )
        )
    return drafts


def message_drafts(document_id: DocumentId, message: Message) -> list[Draft]:
    """The passages of one message, more than one when it is long. Identity is by message, so an edit updates."""
    return [
        Draft(
            id=PassageId(stable_id("passage", document_id, "message", message.id, str(part))),
            text=piece.text,
            start=piece.start,
            end=piece.end,
            content_hash=digest(f"{message.author}\x1f{piece.text}"),
            part=part,
            author=message.author,
            occurred_at=message.sent_at,
            is_owner=message.is_owner,
            message_id=message.id,
            tokens=tuple(search_tokens(piece.text)),
        )
        for part, piece in enumerate(split(message.text))
    ]


class DraftCache:
    """Cutting and folding done once: before the transaction where it can be foreseen, within it where it can't."""

    def __init__(self) -> None:
        self._texts: dict[DocumentId, list[Draft]] = {}
        self._messages: dict[tuple[DocumentId, str], list[Draft]] = {}

    def text(self, document: Prepared) -> list[Draft]:
        """The drafts of a document that is one text."""
        if document.document_id not in self._texts:
            self._texts[document.document_id] = text_drafts(document)
        return self._texts[document.document_id]

    def message(self, document: Prepared, message: Message) -> list[Draft]:
        """The drafts of one message of a thread."""
        key = (document.document_id, f"{message.id}\x1f{document.hashes[message.id]}")
        if key not in self._messages:
            self._messages[key] = message_drafts(document.document_id, message)
        return self._messages[key]

    def warm(self, document: Prepared, messages: Sequence[Message]) -> None:
        """Cut what will probably be stored; meant for a worker thread."""
        if document.is_thread:
            for message in messages:
                self.message(document, message)
        elif document.why_not is None:
            self.text(document)


def message_hash(message: Message) -> str:
    """What tells an edited message from the stored one."""
    sent_at = message.sent_at.isoformat() if message.sent_at else ""
    return digest("\x1f".join((message.author, message.text, sent_at, message.reply_to or "", str(message.is_owner))))


def _cleaned(incoming: Incoming) -> Incoming:
    participants = tuple(replace(p, name=clean(p.name)) for p in incoming.participants)
    return replace(
        incoming,
        uri=clean(incoming.uri),
        title=clean(incoming.title)[:MAX_NAME_CHARS],
        text=clean(incoming.text),
        author=None if incoming.author is None else clean(incoming.author)[:MAX_NAME_CHARS],
        chat_id=None if incoming.chat_id is None else clean(incoming.chat_id),
        external_id=None if incoming.external_id is None else clean(incoming.external_id),
        participants=participants,
    )


def _messages(messages: tuple[Message, ...]) -> tuple[tuple[Message, ...], tuple[Skipped, ...]]:
    """The messages that can be stored, one per id (the last word counts), and why the others can't."""
    kept: dict[str, Message] = {}
    skipped = []
    for message in messages:
        text = clean(message.text)
        identity = clean(message.id)
        if len(text) > MAX_MESSAGE_CHARS:
            skipped.append(Skipped(identity, "too_large", f"More than {MAX_MESSAGE_CHARS} characters."))
            continue
        if identity in kept:
            skipped.append(Skipped(identity, "duplicate", "The same message id came twice; the later one counts."))
        author = clean(message.author)[:MAX_NAME_CHARS]
        reply_to = None if message.reply_to is None else clean(message.reply_to)
        kept[identity] = replace(message, id=identity, text=text, author=author, reply_to=reply_to)
    return tuple(kept.values()), tuple(skipped)


def _refusal(incoming: Incoming) -> Skipped | None:
    if is_blank(incoming.text):
        return Skipped(incoming.uri, "no_text", "It holds no text.")
    if len(incoming.text) > MAX_DOCUMENT_CHARS:
        return Skipped(incoming.uri, "too_large", f"More than {MAX_DOCUMENT_CHARS} characters.")
    return None
