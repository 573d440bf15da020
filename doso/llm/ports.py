"""What the product asks of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

#: Rows of unit length, float32, one per text.
Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class EmbedderInfo:
    """Identity of an embedder: vectors compare only when all three are equal. `is_semantic` is False where vectors
    merely mirror spelling (hashing), so that ranking weighs them accordingly."""

    model: str
    dimensions: int
    version: str
    is_semantic: bool = True


class Embedder(Protocol):
    """Turns text into unit vectors. Safe to call from several tasks at once."""

    info: EmbedderInfo

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts to be found, shape (len(texts), dimensions), in order.

        Raises EmbedderUnavailable when the model can't be reached or answers wrongly, after its own retries.
        """
        ...

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a question, shape (dimensions,). Raises EmbedderUnavailable."""
        ...

    async def aclose(self) -> None:
        """Release what it holds."""
        ...
