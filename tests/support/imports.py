"""Running an importer on what a test writes, and looking at what came out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from doso.records import Incoming, Message, Skipped
from ingest.ports import Importer, ImportOptions, Progress
from ingest.registry import detect


@dataclass(frozen=True, slots=True)
class Read:
    """All that an importer yielded."""

    documents: tuple[Incoming, ...]
    skipped: tuple[Skipped, ...]
    progress: tuple[Progress, ...]

    @property
    def messages(self) -> list[Message]:
        return [message for document in self.documents for message in document.messages]

    @property
    def texts(self) -> list[str]:
        return [message.text for message in self.messages] or [document.text for document in self.documents]

    @property
    def notes(self) -> list[str]:
        return [note for document in self.documents for note in document.notes]

    @property
    def codes(self) -> list[str]:
        return [skip.code for skip in self.skipped]

    def times(self) -> list[str]:
        return [message.sent_at.strftime("%Y-%m-%dT%H:%M:%SZ") for message in self.messages if message.sent_at]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    """A file in the folder."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path, options: ImportOptions | None = None, importer: Importer | None = None) -> Read:
    """Everything that the fitting importer makes of the file."""
    items = list((importer or detect(path)).read(path, options or ImportOptions()))
    return Read(
        tuple(item for item in items if isinstance(item, Incoming)),
        tuple(item for item in items if isinstance(item, Skipped)),
        tuple(item for item in items if isinstance(item, Progress)),
    )
