"""WhatsApp chats exported from iOS or Android: a text file, or a ZIP of it with its media."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO
from zipfile import ZipFile, ZipInfo
from zoneinfo import ZoneInfo

from doso.errors import DosoError, NoText, TooLarge
from doso.ids import digest
from doso.records import DocumentKind, Incoming, Message, Participant, Skipped, Source
from doso.text import clean, is_blank
from ingest.importers import _whatsapp_phrases as phrases
from ingest.importers._files import HEAD_BYTES, decode, file_name, text_lines
from ingest.importers._times import assumed_zone_note, to_utc, zone_of
from ingest.importers._whatsapp_header import MARKS, match_header, visible
from ingest.importers._whatsapp_lines import Entry, entries
from ingest.importers._whatsapp_survey import Survey, survey
from ingest.importers._zips import BROKEN_ZIP, entry_name, is_unsafe, open_entry, open_zip
from ingest.ports import ImportOptions, Progress

BATCH_MESSAGES = 500
PROGRESS_EVERY_LINES = 5_000
#: Author-minutes whose messages are counted at once; a message arrives late by days, not by this many others.
MAX_MINUTES = 50_000
MAX_CHATS_IN_ZIP = 1_000
#: "WhatsApp Chat with Ana", "Chat de WhatsApp con Ana", "WhatsApp Chat - Ana", "Ana ile WhatsApp Sohbeti", "与Ana的…"
_TITLES = (
    re.compile(
        r"whats ?app.*?(?:^|[\s-])(?:with|mit|con|avec|com|dengan|met|с контактом|с|med|-|–)\s+(?P<title>.+)$",
        re.IGNORECASE,
    ),
    re.compile(r"^(?P<title>.+?)\s+ile whats ?app", re.IGNORECASE),
    re.compile(r"^[与與](?P<title>.+?)的.*whats ?app", re.IGNORECASE),
)
_COPY = re.compile(r"\s*(?:\(\d+\)|- (?:copy|kopie|copia|copie|salinan))$", re.IGNORECASE)
_LINE_MARKS = re.compile(rf"(?m)^[{MARKS}]+")
Open = Callable[[], BinaryIO]


def build() -> WhatsAppImporter:
    """The importer as the registry knows it."""
    return WhatsAppImporter()


class WhatsAppImporter:
    """Reads WhatsApp exports of any phone language; each chat is a thread in batches."""

    name = "whatsapp"

    def sniff(self, path: Path, head: bytes) -> float:
        """Sure when the first lines bear heads; a ZIP when one of its texts does."""
        if path.is_dir() or not head:
            return 0.0
        if head.startswith(b"PK"):
            return 0.95 if _zip_holds_chat(path) else 0.0
        return _score(decode(head))

    def read(self, path: Path, options: ImportOptions) -> Iterator[Incoming | Skipped | Progress]:
        """Yield the chat's messages in batches of one thread. Raises NoText when no message is found."""
        zone = zone_of(options.zone)
        name = file_name(path, options)
        if not _is_zip(path):
            yield from _Chat(lambda: path.open("rb"), "", name, options, zone, path.stat().st_size).items()
            return
        with open_zip(path) as archive:
            chats = [e for e in archive.infolist() if e.filename.lower().endswith(".txt")]
            found = False
            for entry in chats[:MAX_CHATS_IN_ZIP]:
                inner = entry_name(entry)
                if is_unsafe(entry):
                    yield Skipped(inner, "unsafe_path", "The name of this entry leads out of the archive.")
                    continue
                if _entry_score(archive, entry) == 0:
                    yield Skipped(inner, "no_chat", "A text in the archive that is no WhatsApp chat.")
                    continue
                found = True
                label = name if inner.lower() == "_chat.txt" else inner
                opener = _entry_opener(archive, entry)
                yield from _Chat(opener, f"{inner}: ", label, options, zone, entry.file_size).items()
            if not found:
                raise NoText("no text: the archive holds no WhatsApp chat")


@dataclass(slots=True)
class _Chat:
    """One chat on its way through: its file is read twice, first for its dialect, then for its messages."""

    open: Open
    prefix: str
    file_name: str
    options: ImportOptions
    zone: ZoneInfo
    size: int
    trouble: Skipped | None = None
    seen: OrderedDict[tuple[str, str], int] = field(default_factory=OrderedDict)

    def items(self) -> Iterator[Incoming | Skipped | Progress]:
        """The chat's batches, its skipped lines and its progress."""
        known = chat_title(self.file_name)
        facts = survey(self._lines(), known, self.options.zone)
        if facts.shape is None:
            raise self._no_message()
        shell = self._shell(facts, known)
        batch: list[Message] = []
        notes = _notes(facts, self.options)
        count = 0
        for entry in entries(self._lines(), facts):
            count += 1
            if count % PROGRESS_EVERY_LINES == 0:
                yield Progress(entry.line, None)
            item = self._item(entry, facts)
            if isinstance(item, Skipped):
                yield item
                continue
            batch.append(item)
            if len(batch) == BATCH_MESSAGES:
                yield _filled(shell, batch, notes)
                batch, notes = [], ()
        if batch:
            yield _filled(shell, batch, notes)
        if self.trouble is not None:
            yield self.trouble
        yield Progress(self.size, self.size)

    def _lines(self) -> Iterator[str]:
        """The file's lines, up to where a damaged archive ends."""
        try:
            with self.open() as stream:
                yield from text_lines(stream)
        except BROKEN_ZIP as error:
            self.trouble = Skipped(f"{self.prefix}end", "unreadable", f"The rest cannot be read: {error}.")
        except TooLarge as error:
            self.trouble = Skipped(f"{self.prefix}end", "too_large", error.message)

    def _no_message(self) -> NoText | TooLarge:
        if self.trouble is not None and self.trouble.code == "too_large":
            return TooLarge(self.trouble.why)
        return NoText(f"no text: {self.file_name} holds no WhatsApp message")

    def _shell(self, facts: Survey, known: str | None) -> Incoming:
        people = [name for name, _ in facts.names.most_common(3) if name not in facts.app_names]
        title = self.options.title or known or " & ".join(people) or Path(self.file_name).stem
        key = f"title {known.casefold()}" if known else f"first {facts.first}"
        chat_id = self.options.chat_id or f"whatsapp:{digest(key)[:24]}"
        return Incoming(
            uri=chat_id if chat_id.startswith("whatsapp:") else f"whatsapp:{chat_id}",
            title=clean(title),
            source=Source.WHATSAPP,
            kind=DocumentKind.THREAD,
            chat_id=chat_id,
            zone=self.zone.key,
            external_id=clean(self.file_name),
        )

    def _item(self, entry: Entry, facts: Survey) -> Message | Skipped:
        ref = f"{self.prefix}line {entry.line}"
        if entry.author is None or entry.author in facts.app_names:
            if entry.at is None and not is_blank(entry.text):
                return Skipped(ref, "no_date", "Text before the first message.")
            return Skipped(ref, "system", "A line of the app, not of a person.")
        assert entry.at is not None  # an author is only read behind a head
        name = clean(entry.author)
        minute = entry.at.isoformat(timespec="minutes")
        number = self._count(minute, name)
        skip = _not_text(entry, ref)
        if skip is not None:
            return skip
        text = _spoken(entry.text)
        if is_blank(text):
            return Skipped(ref, "no_text", "An empty message.")
        return Message(
            id=digest(f"{minute}\x1f{name}\x1f{number}")[:32],
            author=name,
            text=text,
            sent_at=to_utc(entry.at, self.zone),
            is_owner=is_me(name, self.options.me),
        )

    def _count(self, minute: str, name: str) -> int:
        """Which of the author's messages of this minute it is. The text is left out of a message's identity, so that
        an edited one updates; placeholders count, so that a deleted one doesn't shift its neighbours."""
        number = self.seen.pop((minute, name), 0) + 1
        self.seen[minute, name] = number
        if len(self.seen) > MAX_MINUTES:
            self.seen.popitem(last=False)
        return number


def chat_title(name: str) -> str | None:
    """The chat's name in an export's file name; None when the file is not named as WhatsApp does."""
    stem = _COPY.sub("", visible(re.sub(r"\.(?:txt|zip)$", "", name, flags=re.IGNORECASE)))
    for pattern in _TITLES:
        found = pattern.search(stem)
        if found:
            return found["title"].strip()
    return stem if re.search("whats ?app", stem, re.IGNORECASE) else None


def is_me(name: str, me: tuple[str, ...]) -> bool:
    """Whether the name is one that the owner stated for themselves."""
    if not me:
        return False
    key = visible(name).casefold()
    return any(key == visible(own).casefold() for own in me)


def _spoken(body: str) -> str:
    """What the author wrote: the app's marks, its remark of an edit and the attachment's name are left out."""
    text = phrases.without_edit_mark(phrases.without_attachment(body))
    if phrases.is_marked(body):
        text = text.replace("\u200e", "")
    return clean(text if text.isascii() else _LINE_MARKS.sub("", text)).strip()


def _not_text(entry: Entry, ref: str) -> Skipped | None:
    text = entry.text
    if phrases.is_deleted(text):
        return Skipped(ref, "placeholder", "A message that was deleted.")
    if phrases.is_media(text):
        return Skipped(ref, "placeholder", "Media that the export leaves out of the text.")
    if phrases.is_marked(text) and (phrases.is_system(text) or phrases.speaks_of(text, entry.author or "")):
        return Skipped(ref, "system", "A line of the app, not of a person.")
    return None


def _filled(shell: Incoming, batch: list[Message], notes: tuple[str, ...]) -> Incoming:
    people = tuple(Participant(name, role="author") for name in dict.fromkeys(m.author for m in batch))
    return replace(shell, messages=tuple(batch), participants=people, notes=notes)


def _notes(facts: Survey, options: ImportOptions) -> tuple[str, ...]:
    notes = [assumed_zone_note(options.zone)]
    if facts.is_order_assumed:
        notes.append(f"Nothing in the file tells day from month: dates were read {facts.order.value}.")
    if facts.other_heads_count >= 3:
        notes.append(f"{facts.other_heads_count} lines look like heads of another phone and were kept as text.")
    return tuple(notes)


def _score(text: str) -> float:
    """How many of the first lines that begin something are heads with an author or a line of the app."""
    lines = [line for line in text.splitlines()[:400] if line.strip()]
    heads = [header for line in lines if (header := match_header(line)) is not None]
    if not heads:
        return 0.0
    first = next(index for index, line in enumerate(lines) if match_header(line) is not None)
    authored = sum(": " in header.rest or header.rest.rstrip().endswith(":") for header in heads)
    if authored == 0 or first > 3:
        return 0.0
    return 0.95 if first == 0 else 0.7


def _zip_holds_chat(path: Path) -> bool:
    try:
        with open_zip(path) as archive:
            texts = [entry for entry in archive.infolist() if entry.filename.lower().endswith(".txt")]
            return any(_entry_score(archive, entry) > 0 for entry in texts[:MAX_CHATS_IN_ZIP])
    except DosoError:
        return False


def _entry_score(archive: ZipFile, entry: ZipInfo) -> float:
    try:
        with open_entry(archive, entry) as stream:
            return _score(decode(stream.read(HEAD_BYTES)))
    except (*BROKEN_ZIP, TooLarge):
        return 0.0


def _entry_opener(archive: ZipFile, entry: ZipInfo) -> Open:
    return lambda: open_entry(archive, entry)


def _is_zip(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"PK"
