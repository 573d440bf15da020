"""What taking things in needs: importers, an extractor, a library."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from doso.errors import ReplyUnreadable
from doso.ids import DocumentId, OperationId, OwnerId, PassageId
from doso.records import (
    Document,
    FactDraft,
    Incoming,
    IndexStatus,
    Page,
    Passage,
    Skipped,
    Source,
    StoredDocument,
)
from doso.records.live import FailedSource


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What the person states about an archive. `zone`: IANA zone of naive times. `me`: the names (or addresses) the
    owner bears in it. `title`: overrides the archive's own. `origin`: the name an uploaded file had at home, from which
    its identity and title are made; None takes the path itself."""

    zone: str | None = None
    me: tuple[str, ...] = ()
    title: str | None = None
    chat_id: str | None = None
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an importer has read: bytes (or entries) done of all, None when unknown."""

    done: int
    total: int | None


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """A document of which the archive itself says that it is no more (a cancelled event); what an earlier archive
    brought of it goes. `with_parts`: those too whose uri goes on behind a "#"."""

    uri: str
    with_parts: bool = False


class Importer(Protocol):
    """Reads one kind of archive as a stream; keeps nothing of it in memory but the item at hand."""

    name: str

    def sniff(self, path: Path, head: bytes) -> float:
        """How surely this file or folder is of this format, 0..1; `head` is its first 64 KiB (b"" for a folder)."""
        ...

    def read(self, path: Path, options: ImportOptions) -> Iterator[Incoming | Skipped | Progress | Withdrawn]:
        """Yield documents, skips, progress and what is withdrawn. Never raises for one bad item; raises UnknownFormat
        or NoText only when nothing of the file can be read."""
        ...


class Extractor(Protocol):
    """Turns a document into fact drafts. Never guesses: an unsure fact is a candidate or left out."""

    name: str

    async def extract(self, owner: OwnerId, document: Incoming, passages: Sequence[Passage]) -> Sequence[FactDraft]:
        """Drafts with provenance. Raises Unavailable when its model does not answer (the job retries)."""
        ...


@dataclass(frozen=True, slots=True)
class LiveConfig:
    """The service behind a live source, as the owner of this Doso configured it: its address may be a private one.
    `model`: where one has to be named."""

    base_url: str
    api_key: str | None = field(default=None, repr=False)
    model: str | None = None


@dataclass(frozen=True, slots=True)
class LivePage:
    """Something of the web, as a live source read it. `text` is what it says, never blank; `published` is the day or
    time that it states of itself."""

    uri: str
    title: str
    text: str
    source: Source
    author: str | None = None
    published: str | None = None
    notes: tuple[str, ...] = ()


class LiveSource(Protocol):
    """A way to look something up in the world at the moment it is asked. `deadline_s` bounds all of one call;
    `reads_pages` tells whether `read` can do more than refuse."""

    @property
    def name(self) -> str: ...

    @property
    def deadline_s(self) -> float: ...

    @property
    def reads_pages(self) -> bool: ...

    def search(self, query: str) -> AsyncGenerator[LivePage | FailedSource, None]:
        """What the source finds for the query, each piece as soon as it is read. Never raises for what fails: that is
        yielded with its reason. The query is all that may be sent."""
        ...

    def read(self, urls: Sequence[str]) -> AsyncGenerator[LivePage | FailedSource, None]:
        """These pages, in any order; a page that could not be read comes as failed, under the address it was asked
        by."""
        ...


#: How the names begin, in provenance, of what a model read.
MODEL_FAMILY = "model:"


class PassagesUnreadable(ReplyUnreadable):
    """The model answers, but about these passages never with facts in any form."""


class Reader(Protocol):
    """Reads passages with a model, after the extractors: what it finds are candidates. `family`: how the names begin
    that it gives in provenance, whichever model served."""

    family: str

    async def serves(self, owner: OwnerId) -> bool:
        """Whether a model is configured for this owner now."""
        ...

    async def read(
        self, owner: OwnerId, document: Incoming, passages: Sequence[Passage], certain: Sequence[FactDraft]
    ) -> Sequence[FactDraft]:
        """Candidates with confidence and span, none of those that the extractors state as `certain`. Raises
        ProviderUnavailable; of those PassagesUnreadable and PromptTooLong are about these very passages."""
        ...


class Library(Protocol):
    """Documents and passages. Every write commits document, passages, search rows and counters together."""

    async def store(
        self, owner: OwnerId, incoming: Incoming, *, operation_id: OperationId | None = None
    ) -> StoredDocument:
        """Store, update or recognise as unchanged; searchable by text on return."""
        ...

    async def document(self, owner: OwnerId, document_id: DocumentId) -> Document: ...

    async def text_of(self, owner: OwnerId, document_id: DocumentId) -> str: ...

    async def incoming_of(self, owner: OwnerId, document_id: DocumentId) -> Incoming:
        """The stored document as it came, for (re-)extraction."""
        ...

    async def passages_of(self, owner: OwnerId, document_id: DocumentId) -> tuple[Passage, ...]: ...

    async def passages(self, owner: OwnerId, ids: Collection[PassageId]) -> dict[PassageId, Passage]: ...

    async def list_documents(
        self, owner: OwnerId, *, source: Source | None, cursor: str | None, limit: int
    ) -> Page[Document]: ...

    async def index_status(self, owner: OwnerId) -> IndexStatus: ...

    async def begin_delete(self, owner: OwnerId, document_id: DocumentId) -> tuple[PassageId, ...]: ...

    async def finish_delete(self, owner: OwnerId, document_id: DocumentId) -> None: ...


__all__ = [
    "MODEL_FAMILY",
    "AsyncIterator",
    "Extractor",
    "ImportOptions",
    "Importer",
    "Library",
    "LiveConfig",
    "LivePage",
    "LiveSource",
    "PassagesUnreadable",
    "Progress",
    "Reader",
    "Withdrawn",
]
