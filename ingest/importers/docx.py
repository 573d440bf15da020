"""Word documents (DOCX): paragraphs and tables in reading order."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import docx
from docx.document import Document as DocxDocument
from docx.opc.exceptions import OpcError
from docx.table import Table
from docx.text.paragraph import Paragraph

from doso.errors import DosoError, NoText
from doso.records import Incoming, Skipped, Source
from doso.text import clean, is_blank
from ingest.importers._files import file_name, file_uri, read_all, title_of
from ingest.importers._times import to_utc, zone_of
from ingest.importers._zips import check_inflated, open_zip
from ingest.ports import ImportOptions, Progress

#: All parts of the file inflated, pictures included.
MAX_INFLATED_BYTES = 96 * 1024 * 1024
MAX_TABLE_DEPTH = 8
_PART = "word/document.xml"
#: What python-docx raises on files that are no sound DOCX; lxml's own errors are SyntaxErrors.
BROKEN_DOCX = (
    OpcError, SyntaxError, zipfile.BadZipFile, ValueError, KeyError, AttributeError, TypeError, IndexError, OSError,
    RecursionError,
)  # fmt: skip


def build() -> DocxImporter:
    """The importer as the registry knows it."""
    return DocxImporter()


class DocxImporter:
    """Reads the body of a DOCX as text; a table row is a line, its cells parted by bars."""

    name = "docx"

    def sniff(self, path: Path, head: bytes) -> float:
        """A ZIP that holds Word's main part."""
        if not head.startswith(b"PK\x03\x04"):
            return 0.0
        try:
            with open_zip(path) as archive:
                return 0.95 if _PART in archive.NameToInfo else 0.0
        except DosoError:
            return 0.0

    def read(self, path: Path, options: ImportOptions) -> Iterator[Incoming | Skipped | Progress]:
        """Yield the one document. Raises NoText for an empty or damaged file, TooLarge for a bomb."""
        name = file_name(path, options)
        check_inflated(path, MAX_INFLATED_BYTES)
        try:
            document = docx.Document(io.BytesIO(read_all(path)))
            text = clean("\n".join(_lines(document))).strip()
            title, author, changed_at = _stated(document)
        except BROKEN_DOCX as error:
            raise NoText(f"no text: {name} is no readable DOCX ({type(error).__name__})") from error
        if is_blank(text):
            raise NoText(f"no text: {name} is blank")
        yield Incoming(
            uri=file_uri(path, options),
            title=options.title or title or title_of(path, options),
            source=Source.FILE,
            text=text,
            author=author,
            occurred_at=to_utc(changed_at, zone_of("UTC")) if changed_at else None,
            zone=options.zone,
            external_id=name,
        )


def _lines(document: DocxDocument) -> Iterator[str]:
    for block in document.iter_inner_content():
        if isinstance(block, Paragraph):
            yield f"{block.text}\n" if block.text.strip() else ""
        else:
            yield from _rows(block, 0)
            yield ""


def _rows(table: Table, depth: int) -> Iterator[str]:
    """The rows of a table; a merged cell is said once, a table in a cell follows its row."""
    for row in table.rows:
        seen: list[object] = []
        texts: list[str] = []
        nested: list[Table] = []
        for cell in row.cells:
            if cell._tc in seen:
                continue
            seen.append(cell._tc)
            texts.append(" ".join(cell.text.split()))
            nested.extend(cell.tables)
        yield " | ".join(texts)
        if depth < MAX_TABLE_DEPTH:
            for inner in nested:
                yield from _rows(inner, depth + 1)


def _stated(document: DocxDocument) -> tuple[str | None, str | None, datetime | None]:
    """Title, author and time of last change that the file states of itself; the maker's stock values don't count."""
    stated = document.core_properties
    author = clean(stated.author or "").strip()
    title = clean(stated.title or "").strip()
    return title or None, (author if author and author != "python-docx" else None), stated.modified
