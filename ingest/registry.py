"""Every importer, extractor and live source by name, and the choice of the importer that reads a file."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from doso.errors import InvalidInput, UnknownFormat
from doso.plugins import load
from ingest.importers._files import read_head
from ingest.importers._zips import check_zip
from ingest.ports import Importer

IMPORTERS: dict[str, str] = {
    "docx": "ingest.importers.docx:build",
    "folder": "ingest.importers.folder:build",
    "html": "ingest.importers.html:build",
    "ics": "ingest.importers.ics:build",
    "markdown": "ingest.importers.markdown:build",
    "mbox": "ingest.importers.mbox:build",
    "pdf": "ingest.importers.pdf:build",
    "text": "ingest.importers.text:build",
    "thread": "ingest.importers.thread:build",
    "whatsapp": "ingest.importers.whatsapp:build",
}

EXTRACTORS: dict[str, str] = {"rules": "ingest.extract.rules:build"}

LIVE: dict[str, str] = {"firecrawl": "ingest.live.firecrawl:build", "x": "ingest.live.x:build"}


def importer(name: str) -> Importer:
    """The importer of this name. Raises InvalidInput naming the known ones."""
    return cast(Importer, load(IMPORTERS, "format", name)())


def detect(path: Path) -> Importer:
    """The importer that is surest of this file or folder, by its first bytes and never by its name alone.

    Raises UnknownFormat naming the known formats, or the fault of a damaged archive; TooLarge for an archive that
    inflates without end; InvalidInput when there is no such file.
    """
    if not path.exists():
        raise InvalidInput(f"There is no file {path.name!r}.", param="path")
    head = read_head(path)
    scored = [(candidate.sniff(path, head), candidate) for candidate in map(importer, IMPORTERS)]
    score, best = max(scored, key=lambda pair: pair[0])
    if score <= 0:
        if head.startswith(b"PK"):
            check_zip(path)
        raise UnknownFormat(f"No importer reads {path.name!r}; known formats: {', '.join(IMPORTERS)}.")
    return best
