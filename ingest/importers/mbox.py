"""Mailboxes (mbox, as Google Takeout writes them) and single mails (eml)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email import message_from_bytes
from email.errors import MessageError
from email.message import Message as Mail
from email.policy import compat32
from pathlib import Path
from typing import BinaryIO

from doso.errors import NoText
from doso.ids import digest
from doso.records import DocumentKind, Incoming, Participant, Skipped, Source
from doso.text import clean, is_blank
from ingest.importers._files import file_name
from ingest.importers._mail_labels import CHATS, SPAM, TRASH
from ingest.importers._mail_parts import body, header, is_one_of, people, raw_header, sent_at
from ingest.importers._mail_quotes import Forwarded, part
from ingest.ports import ImportOptions, Progress

#: What one mail may take in memory; the rest of a larger one, its attachments as a rule, is not read.
MAX_MAIL_BYTES = 32 * 1024 * 1024
MAX_LINE_BYTES = 1024 * 1024
#: No program writes a longer postmark line; of a hostile one the pattern would try every split.
MAX_POSTMARK_BYTES = 500
MAX_TEXT_CHARS = 2_000_000
PROGRESS_EVERY_MAILS = 100
MAX_HEADER_LINES = 5_000
#: Lines that begin with two dashes: edges of parts, signatures, rules.
MAX_BOUNDARIES = 8_000
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_POSTMARK = re.compile(
    rb"^From (?:\S.*?\s+)?(?P<date>(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),?\s+"
    rb"(?:[A-Z][a-z]{2}\s+\d{1,2}|\d{1,2}\s+[A-Z][a-z]{2})\s+"
    rb"(?:\d{4}\s+)?\d{1,2}:\d{2}(?::\d{2})?.*?\d{4}.*?)\s*$"
)
_HEADER_LINE = re.compile(rb"^(?:[!-9;-~]{1,100}:|>?From )")
_ESCAPED = re.compile(rb"(?m)^>(>*From )")
_MESSAGE_ID = re.compile(r"<[^<>\s]+>")
_MAIL_HEADS = re.compile(rb"(?im)^(from|to|subject|date|message-id|received|return-path|mime-version|delivered-to):")


def build() -> MboxImporter:
    """The importer as the registry knows it."""
    return MboxImporter()


@dataclass(frozen=True, slots=True)
class _Raw:
    """One mail as bytes, with the date of its postmark line; `at` is its offset in the file."""

    data: bytes
    postmark: str | None
    at: int
    is_cut: bool


class MboxImporter:
    """Reads mails one by one; a mail's own words are its text, what it quotes is left out."""

    name = "mbox"

    def sniff(self, path: Path, head: bytes) -> float:
        """A postmark line, or the heads of a mail."""
        start = head.lstrip(b"\xef\xbb\xbf\r\n")
        first, _, rest = start.partition(b"\n")
        if len(first) <= MAX_POSTMARK_BYTES and _POSTMARK.match(first.rstrip(b"\r")) and _HEADER_LINE.match(rest):
            return 0.97
        fields = {found.lower() for found in _MAIL_HEADS.findall(re.split(rb"\r?\n\r?\n", start, maxsplit=1)[0])}
        return 0.85 if _HEADER_LINE.match(start) and len(fields) >= 3 and b"from" in fields else 0.0

    def read(self, path: Path, options: ImportOptions) -> Iterator[Incoming | Skipped | Progress]:
        """Yield each mail as a document. Raises NoText when the file holds none."""
        total = path.stat().st_size
        count = 0
        with path.open("rb") as file:
            for raw in split_mails(file):
                count += 1
                yield from _read_mail(raw, options)
                if count % PROGRESS_EVERY_MAILS == 0:
                    yield Progress(raw.at, total)
        if count == 0:
            raise NoText(f"no text: {file_name(path, options)} holds no mail")
        yield Progress(total, total)


def split_mails(file: BinaryIO) -> Iterator[_Raw]:
    """Cut at postmark lines only: at the file's start or behind a blank line, with a header right after.

    Body lines that merely begin with "From " don't split; mboxrd's escapes are undone.
    """
    pieces: list[bytes] = []
    size = at = position = 0
    postmark: str | None = None
    is_blank_before, has_mail, is_cut = True, False, False
    line = file.readline(MAX_LINE_BYTES)
    while line:
        following = file.readline(MAX_LINE_BYTES)
        may_be = is_blank_before and line.startswith(b"From ") and len(line) <= MAX_POSTMARK_BYTES
        found = _POSTMARK.match(line.rstrip(b"\r\n")) if may_be else None
        if found and _HEADER_LINE.match(following):
            if has_mail:
                yield _Raw(_unescaped(pieces), postmark, at, is_cut)
            pieces, size, at, is_cut = [], 0, position, False
            postmark = found["date"].decode("ascii", "replace")
            has_mail = True
        elif size + len(line) <= MAX_MAIL_BYTES:
            pieces.append(line)
            size += len(line)
            has_mail = has_mail or bool(line.strip())
        else:
            is_cut = True
        is_blank_before = not line.strip()
        position += len(line)
        line = following
    if has_mail:
        yield _Raw(_unescaped(pieces), postmark, at, is_cut)


def _unescaped(pieces: list[bytes]) -> bytes:
    return _ESCAPED.sub(rb"\1", b"".join(pieces))


def _tamed(data: bytes) -> bytes:
    """The mail as far as its headers and parts are of a number that a person's program writes: each is an object to
    the parser, of a hundred times its size."""
    end = _HEAD_END.search(data)
    head_size = end.start() if end else len(data)
    if data.count(b"\n", 0, head_size) > MAX_HEADER_LINES:
        data = data[: _nth(data, b"\n", MAX_HEADER_LINES)] + (data[head_size:] if end else b"")
    return data if data.count(b"\n--") <= MAX_BOUNDARIES else data[: _nth(data, b"\n--", MAX_BOUNDARIES)]


def _nth(data: bytes, mark: bytes, number: int) -> int:
    at = -1
    for _ in range(number):
        at = data.index(mark, at + 1)
    return at


def _read_mail(raw: _Raw, options: ImportOptions) -> Iterator[Incoming | Skipped]:
    ref = f"mail at byte {raw.at}"
    try:
        # compat32 keeps headers as they stand; the newer policy parses them on access and raises on broken ones.
        mail = message_from_bytes(_tamed(raw.data.lstrip(b"\xef\xbb\xbf")), policy=compat32)
        unwanted = _unwanted(mail)
        if unwanted:
            yield Skipped(_ref(mail, ref), *unwanted)
            return
        text, skipped = body(mail)
    except (MessageError, ValueError, LookupError, TypeError, AttributeError, RecursionError, AssertionError) as error:
        yield Skipped(ref, "unreadable", f"The mail cannot be read ({type(error).__name__}).")
        return
    for skip in skipped:
        yield Skipped(f"{_ref(mail, ref)}: {skip.ref}", skip.code, skip.why)
    if raw.is_cut:
        yield Skipped(_ref(mail, ref), "too_large", f"Only the first {MAX_MAIL_BYTES} bytes of the mail were read.")
    yield from _documents(mail, raw, text[:MAX_TEXT_CHARS], options, ref)


def _documents(mail: Mail, raw: _Raw, text: str, options: ImportOptions, ref: str) -> Iterator[Incoming | Skipped]:
    """The mail's own words, and apart from them a mail that it forwards."""
    subject = header(mail, "Subject")
    parted = part(text)
    if is_blank(parted.own) and parted.forwarded is None and is_blank(subject):
        yield Skipped(_ref(mail, ref), "no_text", "The mail says nothing of its own.")
        return
    senders = _marked(people(mail, "From", "from"), options)
    identity = _message_id(mail) or f"<{digest(raw_header(mail, 'Date') + subject + text + str(senders))[:32]}@digest>"
    moment = sent_at(mail, raw.postmark)
    notes = [] if moment else ["The mail bears no date that can be read."]
    if parted.quoted_count:
        notes.append("Quoted earlier mails were left out.")
    document = Incoming(
        uri=f"mail:{identity}",
        title=options.title or subject or "(no subject)",
        source=Source.GMAIL,
        kind=DocumentKind.MAIL,
        text=parted.own or subject,
        author=senders[0].name if senders else None,
        occurred_at=moment,
        chat_id=options.chat_id or _thread(mail, identity),
        participants=senders + _marked(people(mail, "To", "to") + people(mail, "Cc", "cc"), options),
        external_id=identity.strip("<>"),
        in_reply_to=_first_id(header(mail, "In-Reply-To")),
        is_owner=bool(senders) and senders[0].is_owner,
        notes=tuple(notes),
    )
    yield document
    if parted.forwarded is not None:
        yield _forward_document(document, parted.forwarded)


def _marked(found: tuple[Participant, ...], options: ImportOptions) -> tuple[Participant, ...]:
    return tuple(replace(person, is_owner=is_one_of(person, options.me)) for person in found)


def _forward_document(outer: Incoming, forwarded: Forwarded) -> Incoming:
    """The passed-on mail as a document of its own, so that its words are its author's."""
    who = (Participant(forwarded.author, forwarded.address, "from"),) if forwarded.author else ()
    return Incoming(
        uri=f"{outer.uri}#forwarded",
        title=outer.title,
        source=outer.source,
        kind=DocumentKind.MAIL,
        text=forwarded.text,
        author=forwarded.author,
        occurred_at=outer.occurred_at,
        chat_id=outer.chat_id,
        participants=who,
        external_id=outer.external_id,
        notes=("Forwarded: the date is that of the mail which passed it on.",),
    )


def _unwanted(mail: Mail) -> tuple[str, str] | None:
    """Code and reason when the mail's labels put it among what people don't keep."""
    labels = {label.strip().strip('"').casefold() for label in header(mail, "X-Gmail-Labels").split(",")}
    if labels & SPAM:
        return "spam", "The mail is labelled as spam."
    if labels & TRASH:
        return "spam", "The mail lies in the trash."
    if labels & CHATS:
        return "unsupported", "A chat line that the mail service keeps among mails."
    return None


def _message_id(mail: Mail) -> str | None:
    raw = header(mail, "Message-ID")
    return _angled(_first_id(raw)) if raw else None


def _first_id(text: str) -> str | None:
    found = _MESSAGE_ID.search(text)
    if found:
        return found.group().strip("<>")
    return text.split(maxsplit=1)[0].strip("<>") if text.split() else None


def _angled(identity: str | None) -> str | None:
    return f"<{identity}>" if identity else None


def _thread(mail: Mail, identity: str) -> str:
    """The conversation a mail belongs to: the mail service's own number, else the first mail that it refers to."""
    number = header(mail, "X-GM-THRID")
    if number:
        return f"gmail:{number}"
    root = _first_id(header(mail, "References")) or _first_id(header(mail, "In-Reply-To")) or identity.strip("<>")
    return f"mail:{root}"


def _ref(mail: Mail, fallback: str) -> str:
    return clean(_message_id(mail) or fallback)
