"""Headers and readable text of one mail, whatever its sender's program got wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message as Mail
from email.utils import getaddresses, parsedate_to_datetime

from doso.records import Participant, Skipped
from doso.text import clean
from ingest.importers._files import decode
from ingest.importers.html import decode_page, visible_text

MAX_PARTS = 2_000
MAX_ADDRESSES = 500
_ANGLED = re.compile(r"([^<>,;]{0,200})<([^<>\s]{1,300})>")
_FOLDS = re.compile(r"\s*[\r\n]+\s*")


def header(mail: Mail, name: str) -> str:
    """A header as text: encoded words and raw bytes of any charset decoded, folds undone; "" when there is none."""
    return clean(_decoded(_readable(raw_header(mail, name), _charset(mail)))).strip()


def raw_header(mail: Mail, name: str) -> str:
    """The header as it stands in the file, unfolded. Raw items, since reading by name parses and may raise."""
    wanted = name.lower()
    for key, value in mail.raw_items():
        if key.lower() == wanted:
            return _FOLDS.sub(" ", str(value))
    return ""


def people(mail: Mail, name: str, role: str) -> tuple[Participant, ...]:
    """Who stands in an address header. The names are decoded after splitting: they may hold commas."""
    raw = _readable(raw_header(mail, name), _charset(mail))
    if not raw:
        return ()
    found = []
    for shown, written in _addresses(raw)[:MAX_ADDRESSES]:
        address = clean(written).strip()
        label = clean(_decoded(shown)).strip().strip("'\"") or address
        if label:
            found.append(Participant(label, address.lower() if "@" in address else None, role))
    return tuple(found)


def _addresses(raw: str) -> list[tuple[str, str]]:
    """Names and addresses; a header that the strict parser gives up on is read by its angle brackets."""
    parsed = getaddresses([raw])
    if any(address for _, address in parsed):
        return parsed
    return _ANGLED.findall(raw)


def sent_at(mail: Mail, postmark: str | None) -> datetime | None:
    """When it was sent: the Date header, else the newest hop's stamp, else the postmark line of the mailbox."""
    hops = [str(value).rsplit(";", 1)[-1] for key, value in mail.raw_items() if key.lower() == "received"]
    for text in (raw_header(mail, "Date"), *hops[:1], postmark or ""):
        moment = _date(text)
        if moment is not None:
            return moment
    return None


def body(mail: Mail) -> tuple[str, list[Skipped]]:
    """The plain text, else the HTML as text; what is attached is named as skipped."""
    plain: list[str] = []
    pages: list[str] = []
    skipped: list[Skipped] = []
    for number, part in enumerate(mail.walk()):
        if number >= MAX_PARTS:
            skipped.append(Skipped("parts", "too_large", f"Only the first {MAX_PARTS} parts were read."))
            break
        if part.is_multipart():
            continue
        kind = part.get_content_type()
        name = _file_name(part)
        if part.get_content_disposition() == "attachment" or name or not kind.startswith("text/"):
            what = name or kind
            skipped.append(Skipped(f"attachment {what}", "unsupported", "Attachments are not imported."))
        elif kind == "text/html":
            pages.append(visible_text(_page(part))[1])
        elif kind == "text/plain":
            plain.append(_text(part))
    text = "\n\n".join(piece for piece in plain if piece.strip()) or "\n\n".join(pages)
    return clean(text).strip(), skipped


def is_one_of(person: Participant, names: Iterable[str]) -> bool:
    """Whether a participant bears one of these names or addresses."""
    mine = {name.strip().casefold() for name in names}
    return person.name.casefold() in mine or (person.address or "").casefold() in mine - {""}


def _payload(part: Mail) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _text(part: Mail) -> str:
    """The characters of a part: its stated charset when there is such a one and it fits, else a guess."""
    data = _payload(part)
    charset = _charset(part)
    if charset:
        try:
            return data.decode(charset)
        except (LookupError, UnicodeDecodeError):
            return decode(data)
    return decode(data)


def _page(part: Mail) -> str:
    return _text(part) if _charset(part) else decode_page(_payload(part))


def _charset(part: Mail) -> str | None:
    try:
        charset = part.get_content_charset()
    except (LookupError, ValueError, TypeError):
        return None
    return None if charset in (None, "us-ascii", "ascii") else charset


def _file_name(part: Mail) -> str:
    try:
        return clean(_decoded(part.get_filename() or ""))
    except (LookupError, ValueError, TypeError):
        return "a file"


def _readable(raw: str, charset: str | None) -> str:
    """Bytes that came through as surrogates: UTF-8, else the charset of the body, else Western; too short to guess."""
    if raw.isascii() or not any("\ud800" <= char <= "\udfff" for char in raw):
        return raw
    data = raw.encode("utf-8", "surrogateescape")
    for name in ("utf-8", charset or "utf-8"):
        try:
            return data.decode(name)
        except (LookupError, UnicodeDecodeError):
            continue
    return data.decode("cp1252", "replace")


def _decoded(raw: str) -> str:
    if "=?" not in raw:
        return raw
    try:
        pieces = decode_header(raw)
    except (HeaderParseError, ValueError):
        return raw
    return "".join(_word(piece, charset) for piece, charset in pieces)


def _word(piece: bytes | str, charset: str | None) -> str:
    if isinstance(piece, str):
        return piece
    try:
        return piece.decode(charset or "ascii")
    except (LookupError, UnicodeDecodeError):
        return decode(piece)


def _date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text.strip())
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError, AttributeError):
        return None
