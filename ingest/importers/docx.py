"""Word documents (DOCX): paragraphs and tables in reading order."""

from __future__ import annotations

import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from doso.errors import DosoError, NoText, TooLarge
from doso.records import Incoming, Skipped, Source
from doso.text import clean, is_blank
from ingest.importers import _docx_text
from ingest.importers._files import file_name, file_uri, title_of
from ingest.importers._times import parse_moment, to_utc, zone_of
from ingest.importers._zips import BROKEN_ZIP, open_entry, open_zip
from ingest.ports import ImportOptions, Progress

MAX_CORE_BYTES = 256 * 1024
_PART = "word/document.xml"
_CORE = "docProps/core.xml"
_NAMES = {
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
}


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
        with open_zip(path) as archive:
            try:
                with open_entry(archive, archive.getinfo(_PART)) as stream:
                    text = clean("\n".join(_docx_text.lines(stream))).strip()
                title, author, changed_at = _stated(archive)
            except TooLarge:
                raise
            except (*BROKEN_ZIP, KeyError) as error:
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


def _stated(archive: zipfile.ZipFile) -> tuple[str | None, str | None, datetime | None]:
    """Title, author and time of last change that the file states of itself; the maker's stock values don't count."""
    try:
        with open_entry(archive, archive.getinfo(_CORE)) as stream:
            data = stream.read(MAX_CORE_BYTES)
        if b"<!DOCTYPE" in data:
            return None, None, None
        stated = ET.fromstring(data)  # noqa: S314 - bounded, and one with entities was turned away above
    except (*BROKEN_ZIP, KeyError, ET.ParseError):
        return None, None, None
    title = clean(stated.findtext("dc:title", "", _NAMES)).strip()
    author = clean(stated.findtext("dc:creator", "", _NAMES)).strip()
    changed_at = parse_moment(stated.findtext("dcterms:modified", "", _NAMES))
    return title or None, (author if author and author != "python-docx" else None), changed_at
