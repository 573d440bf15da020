"""An embedder whose vectors of passages are kept on disk, so that a repeated run doesn't make them again."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bench.figures import Bar
from doso.llm.ports import Embedder, Vectors


class RememberingEmbedder:
    """Questions always run through the model; passages only when their vector isn't known yet."""

    def __init__(self, inner: Embedder, folder: Path, expected_count: int) -> None:
        self.info = inner.info
        self._inner = inner
        folder.mkdir(parents=True, exist_ok=True)
        self._known = sqlite3.connect(
            folder / f"{inner.info.model}-{inner.info.version}.sqlite", check_same_thread=False, timeout=60
        )
        self._known.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        self._bar = Bar("embedded", expected_count)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts, in order."""
        if not texts:
            return await self._inner.embed_passages(texts)
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        found = {
            key: self._known.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone() for key in keys
        }
        new = {key: text for key, text in zip(keys, texts, strict=True) if found[key] is None}
        made = await self._inner.embed_passages(list(new.values()))
        with self._known:
            rows = [(key, row.tobytes()) for key, row in zip(new, made, strict=True)]
            self._known.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
        fresh = dict(zip(new, made, strict=True))
        self._bar.add(len(texts))
        return np.stack([fresh[key] if key in fresh else np.frombuffer(found[key][0], np.float32) for key in keys])

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a question, by the model."""
        return await self._inner.embed_query(text)

    async def aclose(self) -> None:
        """Close the model and the file."""
        self._known.close()
        await self._inner.aclose()


class StandInEmbedder:
    """Questions run through the model; passages get a random direction of their own. For a quick look at latency: a
    search costs the same whatever the vectors mean, what it finds does not count."""

    def __init__(self, inner: Embedder) -> None:
        self.info = inner.info  # as the model's own, so that a server takes them for its own
        self._inner = inner

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """A random unit vector per text, the same for the same text."""
        seeds = [int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8]) for text in texts]
        rows = [np.random.default_rng(seed).standard_normal(self.info.dimensions) for seed in seeds]
        made = np.reshape(np.array(rows, dtype=np.float32), (len(texts), self.info.dimensions))
        return np.asarray(made / np.linalg.norm(made, axis=1, keepdims=True), dtype=np.float32)

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a question, by the model."""
        return await self._inner.embed_query(text)

    async def aclose(self) -> None:
        """Close the model."""
        await self._inner.aclose()
