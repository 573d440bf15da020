"""PDF files: the text layer, page by page."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from pypdf import PdfReader
from pypdf.errors import PyPdfError

from doso.errors import NoText
from doso.records import Incoming, Skipped, Source
from doso.text import clean, is_blank
from ingest.importers._files import file_name, file_uri, read_all, title_of
from ingest.importers._times import to_utc, zone_of
from ingest.ports import ImportOptions, Progress

MAX_PAGES = 5_000
MAX_TEXT_CHARS = 20_000_000
#: Pages begun after this many seconds are left out: a hostile file must not hold the queue.
MAX_SECONDS = 60.0
#: What pypdf raises on broken or hostile files; it checks little of what it reads.
BROKEN_PDF = (
    PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, OSError, ArithmeticError,
    NotImplementedError, AssertionError, MemoryError, StopIteration, UnboundLocalError, LookupError, EOFError,
)  # fmt: skip
PAGE_BREAK = "\n\n"


def build() -> PdfImporter:
    """The importer as the registry knows it."""
    return PdfImporter()


class PdfImporter:
    """Reads the text that a PDF itself carries; pictures of text hold none."""

    name = "pdf"

    def sniff(self, path: Path, head: bytes) -> float:
        """The file's own mark, which may stand behind some junk."""
        return 0.95 if b"%PDF-" in head[:1024] else 0.0

    def read(self, path: Path, options: ImportOptions) -> Iterator[Incoming | Skipped | Progress]:
        """Yield the pages as one document, after a skip for each page that cannot be read. Raises NoText for an
        encrypted, empty or damaged file."""
        name = file_name(path, options)
        reader = _open(read_all(path), name)
        pages: list[str] = []
        for item in _pages(reader):
            if isinstance(item, str):
                pages.append(item)
            else:
                yield item
        text = PAGE_BREAK.join(pages)
        if is_blank(text):
            raise NoText(f"no text: {name} has no text layer (a scan, or damaged)")
        title, created_at = _stated(reader)
        yield Incoming(
            uri=file_uri(path, options),
            title=options.title or title or title_of(path, options),
            source=Source.FILE,
            text=text,
            occurred_at=to_utc(created_at, zone_of(options.zone)) if created_at else None,
            zone=options.zone,
            external_id=name,
        )


def _open(data: bytes, name: str) -> PdfReader:
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise NoText(f"no text: {name} is encrypted; save it without a password first")
    except BROKEN_PDF as error:
        raise NoText(f"no text: {name} is no readable PDF ({type(error).__name__})") from error
    return reader


def _pages(reader: PdfReader) -> Iterator[str | Skipped | Progress]:
    """The text of each page; a page that fails is a skip."""
    try:
        count = len(reader.pages)
    except BROKEN_PDF:
        return
    give_up_at = time.monotonic() + MAX_SECONDS
    chars = 0
    for number in range(count):
        ref = f"page {number + 1}"
        if number >= MAX_PAGES or chars > MAX_TEXT_CHARS or time.monotonic() > give_up_at:
            yield Skipped(ref, "too_large", "This page and the following ones are beyond the bounds of one file.")
            return
        try:
            page = clean(reader.pages[number].extract_text()).strip()
        except BROKEN_PDF as error:
            yield Skipped(ref, "unreadable", f"The page cannot be read ({type(error).__name__}).")
            continue
        chars += len(page)
        yield page
        yield Progress(number + 1, count)


def _stated(reader: PdfReader) -> tuple[str | None, datetime | None]:
    """Title and date that the file states of itself."""
    try:
        stated = reader.metadata
        if stated is None:
            return None, None
        title = clean(str(stated.title or "")).strip()
        created_at = stated.creation_date
    except BROKEN_PDF:
        return None, None
    return title or None, created_at
