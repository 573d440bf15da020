"""Plain text files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from doso.errors import NoText
from doso.records import Incoming, Skipped, Source
from doso.text import clean, is_blank
from ingest.importers._files import decode, file_name, file_uri, is_binary, read_all, title_of
from ingest.ports import ImportOptions, Progress


def build() -> TextImporter:
    """The importer as the registry knows it."""
    return TextImporter()


class TextImporter:
    """Reads a text file of any encoding as one document."""

    name = "text"

    def sniff(self, path: Path, head: bytes) -> float:
        """The last resort for anything that is text, an empty file included: it is refused with a clear reason."""
        if path.is_dir() or is_binary(head):
            return 0.0
        return 0.2

    def read(self, path: Path, options: ImportOptions) -> Iterator[Incoming | Skipped | Progress]:
        """Yield the one document. Raises NoText for a blank file."""
        text = clean(decode(read_all(path)))
        if is_blank(text):
            raise NoText(f"no text: {file_name(path, options)} is blank")
        yield Incoming(
            uri=file_uri(path, options),
            title=clean(title_of(path, options)),
            source=Source.FILE,
            text=text,
            external_id=file_name(path, options),
            zone=options.zone,
            chat_id=options.chat_id,
        )
