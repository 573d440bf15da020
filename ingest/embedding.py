"""The embedding job: gives every stored passage its vector, and facts theirs."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from doso.errors import EmbedderUnavailable, Unavailable
from doso.foreground import Foreground
from doso.ids import OwnerId
from doso.llm.chosen import settled
from doso.llm.ports import Embedder, Vectors
from doso.telemetry import log
from doso.text import token_count
from graph.service import Graph
from ingest.embed_text import embed_text
from ingest.library import SqlLibrary
from ingest.library.vector_rows import IndexRow, Waiting
from ingest.operations import SqlOperations
from ingest.retries import Retries

BATCH_PASSAGES = 64
#: Passages taken up at a time while somebody is being answered.
FEW_PASSAGES = 16
BATCH_TOKENS = 16_000
CONCURRENT_BATCHES = 2

_log = log()


@dataclass(frozen=True, slots=True)
class Embedding:
    """Fills the vector indexes of one owner at a time."""

    library: SqlLibrary
    operations: SqlOperations
    graph: Graph
    embedder: Embedder
    retries: Retries = field(default_factory=Retries)
    foreground: Foreground = field(default_factory=Foreground)

    async def run(self, owner: OwnerId) -> None:
        """Embed all that waits; build and cut over to a new index where the active one is of another embedder. When
        the embedder does not answer, the status and the receipts say why, and what waits stays for the next run."""
        try:
            embedder = await settled(self.embedder)
        except Unavailable as error:
            await self.operations.hold_unembedded(owner, f"{error.code}: {error.message}")
            _log.warning("embedding.held_up", code=error.code)
            return
        await replace(self, embedder=embedder)._run(owner)

    async def _run(self, owner: OwnerId) -> None:
        work = await self.library.stored_work(owner)
        for index in await self.library.open_index(owner, self.embedder.info):
            try:
                await self._fill(owner, index)
            except Unavailable as error:
                await self.library.report_trouble(index, error.message)
                await self.operations.hold_unembedded(owner, f"{error.code}: {error.message}")
                _log.warning("embedding.held_up", code=error.code)
                return
            if index.state == "building" and not await self.library.cut_over(owner):
                return  # more was stored meanwhile; its own job goes on
        try:
            await self.graph.embed_missing(owner, self.embedder, foreground=self.foreground)
        except Unavailable as error:
            _log.warning("embedding.facts_held_up", code=error.code)
        await self.library.mark_embedded(owner, work)

    async def _fill(self, owner: OwnerId, index: IndexRow) -> None:
        after, limit = 0, BATCH_PASSAGES * CONCURRENT_BATCHES
        while found := await self.library.waiting(owner, index.state, after=after, limit=limit):
            limit = await self.foreground.turn(most=BATCH_PASSAGES * CONCURRENT_BATCHES, least=FEW_PASSAGES)
            found = found[:limit]
            runs = list(batches(found))
            for start in range(0, len(runs), CONCURRENT_BATCHES):
                group = runs[start : start + CONCURRENT_BATCHES]
                vectors = await asyncio.gather(*(self._embed(index, run) for run in group))
                for run, result in zip(group, vectors, strict=True):
                    await self._put(owner, index, run, result)
            after = found[-1].number

    async def _embed(self, index: IndexRow, run: Sequence[Waiting]) -> Vectors | None:
        """The vectors of a batch; None when it has to be taken apart to find what the embedder refuses."""
        texts = [embed_text(item.passage) for item in run]
        try:
            return await self.retries.run(lambda: self._checked(index, texts))
        except EmbedderUnavailable:
            if len(run) == 1:
                raise
            return None

    async def _checked(self, index: IndexRow, texts: Sequence[str]) -> Vectors:
        vectors = await self.embedder.embed_passages(texts)
        if vectors.shape != (len(texts), index.info.dimensions):
            raise EmbedderUnavailable(f"{len(texts)} texts came back as vectors of shape {vectors.shape}.")
        return vectors

    async def _put(self, owner: OwnerId, index: IndexRow, run: Sequence[Waiting], vectors: Vectors | None) -> None:
        if vectors is not None:
            hashes = {item.seq: item.passage.content_hash for item in run}
            await self.library.put_vectors(owner, index, hashes, vectors)
            return
        refused: list[Waiting] = []
        last: EmbedderUnavailable | None = None
        for item in run:
            try:
                vector = await self._checked(index, [embed_text(item.passage)])
            except EmbedderUnavailable as error:
                refused.append(item)
                last = error
                if len(refused) > len(run) // 2:
                    raise  # not one bad text: the embedder is down
            else:
                await self.library.put_vectors(owner, index, {item.seq: item.passage.content_hash}, vector)
        if last is not None:
            await self.library.fail_vectors(index, [item.seq for item in refused], last.message)


def batches(found: Sequence[Waiting]) -> Iterator[list[Waiting]]:
    """Runs bounded in number and in tokens; a text over the bound goes alone."""
    run: list[Waiting] = []
    tokens = 0
    for item in found:
        size = token_count(item.passage.text)
        if run and (len(run) >= BATCH_PASSAGES or tokens + size > BATCH_TOKENS):
            yield run
            run, tokens = [], 0
        run.append(item)
        tokens += size
    if run:
        yield run
