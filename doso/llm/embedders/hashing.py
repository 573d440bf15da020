"""The embedder that needs nothing: words and their pieces hashed into signed features.

Vectors mirror spelling, not meaning, so `is_semantic` is False; it is there so that Doso always starts.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from doso.llm.ports import Embedder, EmbedderInfo, Vectors
from doso.settings import EmbedSettings
from doso.text import STOPWORDS, fold, search_tokens, stem, words

DIMENSIONS = 512
#: Part of the identity: raise it whenever the same text would get another vector.
VERSION = "1"
_GRAM_LENGTHS = (3, 4)
_STEM_WEIGHT = 1.0
_COMMON_WEIGHT = 0.15
_GRAM_WEIGHT = 0.6
_COMMON = STOPWORDS | {stem(word) for word in STOPWORDS}


class HashingEmbedder:
    """Signed feature hashing of word stems and character n-grams."""

    info = EmbedderInfo(model="hashing", dimensions=DIMENSIONS, version=VERSION, is_semantic=False)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts, in a worker thread."""
        if not texts:
            return np.empty((0, DIMENSIONS), dtype=np.float32)
        return await asyncio.to_thread(lambda: np.stack([_vector(text) for text in texts]))

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a question, made as a passage's is."""
        return _vector(text)

    async def aclose(self) -> None:
        """Nothing to release."""


def build(settings: EmbedSettings, home: Path) -> Embedder:
    """The hashing embedder; it has no settings."""
    return HashingEmbedder()


def _vector(text: str) -> Vectors:
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    for token, count in Counter(search_tokens(text)).items():
        weight = _COMMON_WEIGHT if token in _COMMON else _STEM_WEIGHT
        _add(vector, f"stem:{token}", weight * count**0.5)
    for word, count in Counter(words(text)).items():
        if word not in _COMMON:
            for gram in _grams(word):
                _add(vector, gram, _GRAM_WEIGHT * count**0.5 / len(word) ** 0.5)
    length = float(np.linalg.norm(vector))
    if length < 1e-6:  # nothing but signs, or features that cancelled out: the text itself is the feature
        vector[:] = 0
        _add(vector, f"text:{fold(text)}", 1.0)
        length = 1.0
    return vector / np.float32(length)


def _grams(word: str) -> list[str]:
    framed = f"<{word}>"
    return [framed[i : i + n] for n in _GRAM_LENGTHS for i in range(len(framed) - n + 1)]


def _add(vector: Vectors, feature: str, weight: float) -> None:
    place, sign = _slot(feature)
    vector[place] += sign * weight


@functools.lru_cache(maxsize=65536)
def _slot(feature: str) -> tuple[int, int]:
    """Where a feature goes and with which sign; the same on every machine."""
    number = int.from_bytes(hashlib.blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")
    return (number >> 1) % DIMENSIONS, 1 if number & 1 else -1
