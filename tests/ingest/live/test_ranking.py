"""Passages of pages just read, by words and by meaning."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from doso.errors import EmbedderUnavailable
from doso.ids import DocumentId
from doso.llm.ports import Embedder, EmbedderInfo, Vectors
from doso.records import Source
from ingest.library import SqlLibrary, open_library
from ingest.live import ranking
from ingest.live.ranking import LEADING, best_passages
from tests.support.databases import empty_database
from tests.support.library import OWNER, note

BRIDGE = "jembatan"  # the bridge, in a page of another language


@dataclass
class Meaning:
    """An embedder for which the bridge is the same in both languages; `fails` says how it does not answer."""

    info: EmbedderInfo = field(default_factory=lambda: EmbedderInfo("meaning", 2, "1"))
    fails: str = ""

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        if self.fails == "down":
            raise EmbedderUnavailable("down")
        if self.fails == "slow":
            await asyncio.Event().wait()
        return cast(Vectors, np.array([self._vector(text) for text in texts], dtype=np.float32))

    async def embed_query(self, text: str) -> Vectors:
        return cast(Vectors, np.array(self._vector(text), dtype=np.float32))

    async def aclose(self) -> None: ...

    def _vector(self, text: str) -> tuple[float, float]:
        is_near = "bridge" in text or BRIDGE in text
        return (1.0, 0.0) if is_near else (0.0, 1.0)


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[SqlLibrary]:
    database = await empty_database(f"sqlite:///{tmp_path / 'doso.db'}")
    yield open_library(database)
    await database.aclose()


async def stored(library: SqlLibrary, *texts: str) -> list[DocumentId]:
    """A page for each text."""
    ids = []
    for number, text in enumerate(texts):
        result = await library.store(OWNER, note(text, uri=f"https://{number}.test/", source=Source.FIRECRAWL))
        assert result.document_id is not None
        ids.append(result.document_id)
    return ids


def paragraphs(*said: str) -> str:
    """A passage for each."""
    return "\n\n".join(f"{text} " + "Entah apa saja. " * 50 for text in said)


async def best(library: SqlLibrary, embedder: Embedder, pages: Sequence[DocumentId], limit: int = 12) -> list[str]:
    found = await best_passages(library, embedder, OWNER, "Is the bridge open?", pages, limit=limit)
    return [passage.text.split()[0] for passage in found]


async def test_a_page_in_another_language_is_found_by_meaning(library: SqlLibrary) -> None:
    pages = await stored(library, paragraphs("satu", "dua", f"{BRIDGE} dibuka", "empat", "lima"))
    assert (await best(library, Meaning(), pages))[0] == BRIDGE
    assert len(await best(library, Meaning(), pages)) == LEADING


async def test_words_and_meaning_together_come_before_either(library: SqlLibrary) -> None:
    pages = await stored(library, paragraphs("Openly said", f"{BRIDGE} dibuka", "The bridge opens"))
    assert (await best(library, Meaning(), pages))[0] == "The"


async def test_each_page_comes_before_the_second_passage_of_any(library: SqlLibrary) -> None:
    pages = await stored(library, paragraphs("bridge one", "bridge two", "bridge three"), "Quite another matter.")
    assert (await best(library, Meaning(), pages))[:2] in (["bridge", "Quite"], ["Quite", "bridge"])


@pytest.mark.parametrize("fails", ["down", "slow", "no meaning"])
async def test_without_vectors_the_words_decide(
    library: SqlLibrary, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranking, "COMPARE_S", 0.05)
    embedder = Meaning(fails=fails)
    if fails == "no meaning":
        embedder.info = replace(embedder.info, is_semantic=False)
    pages = await stored(library, paragraphs("satu", "dua", f"{BRIDGE} dibuka"), "The bridge opens.")
    assert await best(library, embedder, pages) == ["The", "satu", "dua"]


async def test_no_more_than_is_asked_for(library: SqlLibrary) -> None:
    pages = await stored(library, paragraphs(*[f"bridge {n}" for n in range(30)]))
    assert len(await best(library, Meaning(), pages, limit=5)) == 5
    assert await best(library, Meaning(), []) == []
