"""PDF files: the text layer, page by page."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from pypdf import Configuration, PdfReader, apply_configuration
from pypdf.errors import PyPdfError

from doso.errors import NoText
from doso.records import Incoming, Skipped, Source
from doso.text import clean, is_blank
from ingest.importers._files import file_name, file_uri, read_all, title_of
from ingest.importers._times import to_utc, zone_of
from ingest.ports import ImportOptions, Progress

MAX_PAGES = 5_000
MAX_TEXT_CHARS = 20_000_000
#: What is not read within so much work is left out: a hostile file must not hold the queue.
MAX_WORK_S = 15.0
#: One stream of a page (its drawing) or of a font, inflated; the drawing of a full page of text takes some 0.1 MB.
MAX_STREAM_BYTES = 4_000_000
_LIMITS = Configuration(
    array_based_stream_maximum_output_length=MAX_STREAM_BYTES,
    jbig2_maximum_output_length=MAX_STREAM_BYTES,
    lzw_maximum_output_length=MAX_STREAM_BYTES,
    run_length_maximum_output_length=MAX_STREAM_BYTES,
    zlib_maximum_output_length=MAX_STREAM_BYTES,
    brotli_maximum_output_length=MAX_STREAM_BYTES,
)
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
        with apply_configuration(_LIMITS):
            reader = PdfReader(io.BytesIO(data))
            is_closed = reader.is_encrypted and not reader.decrypt("")
        if is_closed:
            raise NoText(f"no text: {name} is encrypted; save it without a password first")
    except BROKEN_PDF as error:
        raise NoText(f"no text: {name} is no readable PDF ({type(error).__name__})") from error
    return reader


class _TooMuchWorkError(ValueError):
    """A page draws more than can be read in the time of the file."""


class _Work:
    """What the pages of one file cost; a drawing operation at a time, so that one page can be given up."""

    def __init__(self) -> None:
        self._spent_s = 0.0

    @property
    def is_over(self) -> bool:
        """Whether no further page is to be begun."""
        return self._spent_s > MAX_WORK_S

    def text_of(self, reader: PdfReader, number: int) -> str:
        """The text of a page. Raises one of BROKEN_PDF."""
        begun = time.thread_time()
        give_up_at = begun + MAX_WORK_S - self._spent_s

        def look(*_: object) -> None:
            if time.thread_time() > give_up_at:
                raise _TooMuchWorkError

        try:
            with apply_configuration(_LIMITS):
                return clean(reader.pages[number].extract_text(visitor_operand_before=look)).strip()
        finally:
            self._spent_s += time.thread_time() - begun


def _pages(reader: PdfReader) -> Iterator[str | Skipped | Progress]:
    """The text of each page; a page that fails is a skip."""
    work = _Work()
    try:
        with apply_configuration(_LIMITS):
            count = len(reader.pages)
    except BROKEN_PDF:
        return
    chars = 0
    for number in range(count):
        ref = f"page {number + 1}"
        if number >= MAX_PAGES or chars > MAX_TEXT_CHARS or work.is_over:
            yield Skipped(ref, "too_large", "This page and the following ones are beyond the bounds of one file.")
            return
        try:
            page = work.text_of(reader, number)
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
