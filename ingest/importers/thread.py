"""Message threads as JSON: the body of the thread route, also as a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import msgspec

from doso.errors import NoText, UnknownFormat
from doso.ids import digest
from doso.records import DocumentKind, Incoming, Message, Participant, Skipped, Source
from doso.text import clean, is_blank
from ingest.importers._files import file_name, file_uri, read_all, title_of
from ingest.importers._times import assumed_zone_note, parse_moment, to_utc, zone_of
from ingest.ports import ImportOptions, Progress

BATCH_MESSAGES = 500


@dataclass(frozen=True, slots=True)
class RawMessage:
    """A message as a caller sends it: nothing of it is checked yet."""

    author: str
    text: str
    sent_at: str | None
    id: str | None = None
    reply_to: str | None = None


@dataclass(frozen=True, slots=True)
class ParsedMessages:
    """The messages that can be stored, those that cannot with the reason, and what the sender should know."""

    messages: tuple[Message, ...]
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...]


class _WireMessage(msgspec.Struct, frozen=True):
    author: str = ""
    text: str = ""
    sent_at: str | None = None
    id: str | int | None = None
    reply_to: str | int | None = None


class _WireParticipant(msgspec.Struct, frozen=True):
    name: str
    address: str | None = None


class _WireThread(msgspec.Struct, frozen=True):
    messages: list[msgspec.Raw]
    chat_id: str | None = None
    title: str | None = None
    source: str | None = None
    timezone: str | None = None
    participants: list[_WireParticipant | str] = []


def build() -> ThreadImporter:
    """The importer as the registry knows it."""
    return ThreadImporter()


class ThreadImporter:
    """Reads one thread, or several in a list or one a line."""

    name = "thread"

    def sniff(self, path: Path, head: bytes) -> float:
        """JSON that names messages and a chat."""
        start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if start[:1] not in (b"{", b"[") or b'"messages"' not in head:
            return 0.0
        return 0.9 if b'"chat_id"' in head or b'"sent_at"' in head else 0.0

    def read(self, path: Path, options: ImportOptions) -> Iterator[Incoming | Skipped | Progress]:
        """Yield the messages in batches. Raises UnknownFormat for JSON of another shape, NoText without messages."""
        found = False
        for number, thread in enumerate(_threads(read_all(path)), start=1):
            found = found or bool(thread.messages)
            chat_id = options.chat_id or thread.chat_id or f"{file_uri(path, options)}#{number}"
            shell = Incoming(
                uri=thread_uri(chat_id),
                title=clean(options.title or thread.title or title_of(path, options)),
                source=_source(thread.source),
                kind=DocumentKind.THREAD,
                chat_id=chat_id,
                participants=tuple(_participant(who) for who in thread.participants),
                external_id=file_name(path, options),
            )
            yield from _batches(shell, thread, options)
        if not found:
            raise NoText(f"no text: {file_name(path, options)} holds no messages")


def thread_uri(chat_id: str) -> str:
    """The identity of the document that a thread becomes."""
    return f"thread:{chat_id}"


def parse_messages(items: Sequence[RawMessage], *, zone: str | None, me: Collection[str] = ()) -> ParsedMessages:
    """Check a thread's messages one by one: a naive time takes the zone (and a note says so), a message without a
    readable date or text is skipped under its index and the others stay. Raises InvalidInput for an unknown zone."""
    place = zone_of(zone)
    mine = {name.strip().casefold() for name in me}
    messages: dict[str, Message] = {}
    skipped: list[Skipped] = []
    is_assumed = False
    repeats: Counter[str] = Counter()
    for index, item in enumerate(items):
        stated = parse_moment(item.sent_at) if item.sent_at else None
        sent_at = to_utc(stated, place) if stated else None
        text = clean(item.text).strip()
        if stated is None or sent_at is None:
            skipped.append(Skipped(str(index), "no_date", f"The date {item.sent_at!r} is not an ISO 8601 time."))
            continue
        if is_blank(text):
            skipped.append(Skipped(str(index), "no_text", "The message holds no text."))
            continue
        is_assumed = is_assumed or _is_naive(stated)
        author = clean(item.author).strip()
        identity = clean(item.id or "").strip() or _identity(author, sent_at, text, repeats)
        messages.pop(identity, None)  # the later of two with one id is the edited one
        messages[identity] = Message(
            id=identity,
            author=author,
            text=text,
            sent_at=sent_at,
            reply_to=clean(item.reply_to) if item.reply_to else None,
            is_owner=author.casefold() in mine,
        )
    notes = (assumed_zone_note(zone),) if is_assumed else ()
    return ParsedMessages(tuple(messages.values()), tuple(skipped), notes)


def _is_naive(moment: datetime) -> bool:
    return moment.tzinfo is None or moment.utcoffset() is None


def _identity(author: str, sent_at: datetime, text: str, repeats: Counter[str]) -> str:
    """An identity for a message that bears none: equal repeats stay apart by their number."""
    key = digest(f"{author}\x1f{sent_at.isoformat()}\x1f{text}")[:32]
    repeats[key] += 1
    return key if repeats[key] == 1 else f"{key}-{repeats[key]}"


def _threads(data: bytes) -> Iterator[_WireThread]:
    """The threads of a file: one object, a list of them, or one a line."""
    text = data.removeprefix(b"\xef\xbb\xbf").strip()
    try:
        if text.startswith(b"["):
            yield from msgspec.json.decode(text, type=list[_WireThread])
            return
        try:
            whole = [msgspec.json.decode(text, type=_WireThread)]
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            lines = [line for line in text.splitlines() if line.strip()]
            whole = [msgspec.json.decode(line, type=_WireThread) for line in lines]
        yield from whole
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise UnknownFormat(f"This JSON is no message thread: {error}.") from error


def _batches(shell: Incoming, thread: _WireThread, options: ImportOptions) -> Iterator[Incoming | Skipped | Progress]:
    zone = thread.timezone or options.zone
    broken: list[Skipped] = []
    items: list[RawMessage] = []
    places: list[int] = []
    for index, raw in enumerate(thread.messages):
        item = _raw_message(raw)
        if item is None:
            broken.append(Skipped(str(index), "unreadable", "The message is not of the thread's shape."))
            continue
        items.append(item)
        places.append(index)
    parsed = parse_messages(items, zone=zone, me=options.me)
    yield from broken
    yield from (replace(skip, ref=str(places[int(skip.ref)])) for skip in parsed.skipped)
    for start in range(0, len(parsed.messages), BATCH_MESSAGES):
        batch = parsed.messages[start : start + BATCH_MESSAGES]
        yield replace(shell, messages=batch, zone=zone, notes=parsed.notes if start == 0 else ())
        yield Progress(min(start + BATCH_MESSAGES, len(parsed.messages)), len(parsed.messages))


def _raw_message(raw: msgspec.Raw) -> RawMessage | None:
    try:
        wire = msgspec.json.decode(raw, type=_WireMessage)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return None
    return RawMessage(
        author=wire.author,
        text=wire.text,
        sent_at=wire.sent_at,
        id=None if wire.id is None else str(wire.id),
        reply_to=None if wire.reply_to is None else str(wire.reply_to),
    )


def _source(name: str | None) -> Source:
    """The stated badge; a thread without one wears the badge of notes, since chat is what one says to Doso itself."""
    try:
        source = Source(name or "")
    except ValueError:
        return Source.NOTE
    return Source.NOTE if source is Source.CHAT else source


def _participant(wire: _WireParticipant | str) -> Participant:
    if isinstance(wire, str):
        return Participant(clean(wire), role="author")
    return Participant(clean(wire.name), wire.address, "author")
