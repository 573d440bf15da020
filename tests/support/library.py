"""Builders for tests of the library and the intake: incoming documents, stands for the graph and the embedder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import numpy as np

from doso.errors import EmbedderUnavailable, NoText, Unavailable
from doso.foreground import Foreground
from doso.ids import DocumentId, OwnerId
from doso.llm.ports import EmbedderInfo, Vectors
from doso.records import (
    Actor,
    DocumentKind,
    EntityType,
    FactDraft,
    ForgetReceipt,
    Incoming,
    Literal,
    Mention,
    Message,
    Passage,
    Provenance,
    Skipped,
    Source,
    StoredFact,
    Trust,
)
from doso.text import search_tokens
from graph.service import Graph
from ingest.ports import ImportOptions, Progress

OWNER = OwnerId("ana")
START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def note(text: str, *, uri: str = "note://1", title: str = "", source: Source = Source.NOTE) -> Incoming:
    """A document that is one text."""
    return Incoming(uri=uri, title=title, source=source, text=text, occurred_at=START)


def message(number: int, text: str, *, author: str = "Bo", minute: int | None = None) -> Message:
    """A message of a thread, a minute after the one before it."""
    at = START + timedelta(minutes=number if minute is None else minute)
    return Message(id=f"m{number}", author=author, text=text, sent_at=at)


def thread(
    *messages: Message, chat_id: str = "c1", title: str = "Family", source: Source = Source.WHATSAPP
) -> Incoming:
    """A thread of these messages."""
    return Incoming(
        uri=f"thread://{chat_id}",
        title=title,
        source=source,
        kind=DocumentKind.THREAD,
        messages=messages,
        chat_id=chat_id,
    )


@dataclass(slots=True)
class WordEmbedder:
    """An embedder whose vectors count words; `refuses` tells which texts it won't take, `is_down` refuses all."""

    dimensions: int = 64
    model: str = "words"
    refuses: Callable[[str], bool] = lambda _: False
    is_down: bool = False
    embedded: list[str] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    info: EmbedderInfo = field(init=False)

    def __post_init__(self) -> None:
        self.info = EmbedderInfo(self.model, self.dimensions, "1")

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors in order."""
        if self.is_down or any(self.refuses(text) for text in texts):
            raise EmbedderUnavailable("the stand refuses")
        self.embedded += texts
        self.batches.append(len(texts))
        return np.stack([self.vector(text) for text in texts])

    async def embed_query(self, text: str) -> Vectors:
        """One vector."""
        return self.vector(text)

    async def aclose(self) -> None:
        """Nothing to release."""

    def vector(self, text: str) -> Vectors:
        """Words hashed into a unit vector."""
        vector = np.full(self.dimensions, 1e-3, dtype=np.float32)
        for token in search_tokens(text):
            vector[sum(token.encode()) % self.dimensions] += 1
        return cast(Vectors, (vector / np.linalg.norm(vector)).astype(np.float32))


@dataclass(slots=True)
class StandGraph:
    """The three verbs that ingestion uses, kept in a dict: fact text by passage."""

    facts: dict[tuple[OwnerId, str, str], set[str]] = field(default_factory=dict)
    is_down: bool = False

    async def assert_facts(
        self, owner: OwnerId, drafts: Sequence[FactDraft], actor: Actor, *, request_id: str | None = None
    ) -> tuple[StoredFact, ...]:
        """Keep what each draft says under its passage."""
        self._check()
        stored = []
        for draft in drafts:
            key = (owner, str(draft.provenance.document_id), str(draft.provenance.passage_id))
            known = self.facts.setdefault(key, set())
            text = cast(Literal, draft.object).text
            stored.append(StoredFact(draft, None, "known" if text in known else "stored"))
            known.add(text)
        return tuple(stored)

    async def forget_document(
        self, owner: OwnerId, document_id: DocumentId, *, passage_ids: Collection[str] | None = None
    ) -> ForgetReceipt:
        """Drop what the document, or these passages, said."""
        self._check()
        for key in list(self.facts):
            if key[:2] == (owner, document_id) and (passage_ids is None or key[2] in passage_ids):
                del self.facts[key]
        return ForgetReceipt()

    async def embed_missing(self, owner: OwnerId, embedder: object, *, foreground: Foreground) -> int:
        """Nothing to embed."""
        return 0

    def said(self) -> set[str]:
        """Every fact that is held."""
        return {text for texts in self.facts.values() for text in texts}

    def as_graph(self) -> Graph:
        """Itself, where a Graph is asked for."""
        return cast(Graph, self)

    def _check(self) -> None:
        if self.is_down:
            raise Unavailable("the stand is down")


@dataclass(slots=True)
class LivesInExtractor:
    """Says "lives in X" of every passage that holds these words; "explode" raises as a bug would."""

    name: str = "stand"
    is_down: bool = False

    async def extract(self, owner: OwnerId, document: Incoming, passages: Sequence[Passage]) -> Sequence[FactDraft]:
        """One draft per passage at most."""
        if self.is_down:
            raise Unavailable("the model is down")
        drafts = []
        for passage in passages:
            if "explode" in passage.text:
                raise ValueError(passage.text)
            before, found, place = passage.text.partition(" lives in ")
            if found:
                drafts.append(_draft(passage, before.split()[-1], place.split()[0].strip(".")))
        return drafts


def _draft(passage: Passage, who: str, place: str) -> FactDraft:
    return FactDraft(
        subject=Mention(who, EntityType.PERSON),
        predicate="lives_in",
        object=Literal(f"{who} lives in {place}"),
        provenance=Provenance(passage.document_id, passage.id, passage.source, Trust.IMPORTED, "stand"),
    )


class LinesImporter:
    """Reads a file of lines, each a message of one thread."""

    name = "lines"

    def sniff(self, path: Path, head: bytes) -> float:
        """Never by itself."""
        return 0.0

    def read(self, path: Path, options: ImportOptions) -> Iterator[Incoming | Skipped | Progress]:
        """Ten messages at a time; a line "-" is skipped, a file without lines holds no text."""
        lines = path.read_text().splitlines()
        if not lines:
            raise NoText("The file holds no text.")
        for start in range(0, len(lines), 10):
            run = [(start + n, line) for n, line in enumerate(lines[start : start + 10])]
            yield from (Skipped(f"line {n}", "placeholder", "nothing said") for n, line in run if line == "-")
            yield thread(*(message(n, line) for n, line in run if line != "-"), title=options.title or "Lines")
            yield Progress(start + len(run), len(lines))
