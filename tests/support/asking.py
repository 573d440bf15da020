"""A real memory to ask: library and graph on disk, an embedder, a clock that tests turn."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ask.kit import AskKit
from ask.pipeline import find_evidence
from ask.question import Question
from doso.db.engine import Database
from doso.ids import OwnerId
from doso.llm.ports import Embedder
from doso.records import Incoming, Source
from doso.records.evidence import Evidence, ItemKind
from graph.ports import GraphStore
from graph.service import Graph
from ingest.embedding import Embedding
from ingest.library import SqlLibrary, open_library
from ingest.operations import SqlOperations
from tests.support.databases import empty_database
from tests.support.graphs import Told
from tests.support.library import WordEmbedder, message, note, thread

NOON = datetime(2026, 3, 11, 12, 0, tzinfo=UTC)


@dataclass
class Asked:
    """A memory under test. `told` tells the graph, `store` the library; `ask` asks both."""

    database: Database
    library: SqlLibrary
    told: Told
    embedder: Embedder | None
    now: datetime = NOON
    notes_count: int = field(default=0)

    @property
    def owner(self) -> OwnerId:
        return self.told.owner

    @property
    def graph(self) -> Graph:
        return self.told.graph

    async def store(self, *documents: Incoming) -> None:
        """Store and embed."""
        for document in documents:
            await self.library.store(self.owner, document)
        if self.embedder is not None:
            await Embedding(self.library, SqlOperations(self.database), self.graph, self.embedder).run(self.owner)

    async def note(self, text: str, **more: Any) -> None:
        """Store one note."""
        self.notes_count += 1
        await self.store(note(text, uri=f"note://{self.notes_count}", **more))

    async def chat(self, *lines: str, chat_id: str = "c1", source: Source = Source.WHATSAPP) -> None:
        """Store a thread of lines "Author: text", a minute apart."""
        messages = [
            message(number, text, author=author)
            for number, (author, _, text) in enumerate(line.partition(": ") for line in lines)
        ]
        await self.store(thread(*messages, chat_id=chat_id, source=source))

    async def ask(self, text: str, **more: Any) -> Evidence:
        """The evidence for a question."""
        kit = AskKit(self.graph, self.library, self.embedder, lambda: self.now)
        return await find_evidence(kit, Question(self.owner, text, **more))


def facts_of(evidence: Evidence) -> list[str]:
    """The sentences of the facts of a pack."""
    return [item.text for item in evidence.items if item.kind is ItemKind.FACT]


def passages_of(evidence: Evidence) -> list[str]:
    """The texts of the passages of a pack."""
    return [item.text for item in evidence.items if item.kind is ItemKind.PASSAGE]


@pytest.fixture
async def asked(tmp_path: Path, graph_store: GraphStore, owner: OwnerId) -> AsyncIterator[Asked]:
    """An empty memory with an embedder that counts words."""
    database = await empty_database(f"sqlite:///{tmp_path / 'library.db'}")
    embedder = WordEmbedder(dimensions=256)
    yield Asked(database, open_library(database, embedder=embedder.info), Told(graph_store, owner), embedder)
    await database.aclose()
