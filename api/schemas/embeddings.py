"""Embeddings as the wire shows them."""

import base64
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from doso.errors import InvalidInput
from doso.llm.ports import Vectors
from doso.text import clean, is_blank, token_count

MAX_INPUTS = 2_048
MAX_INPUT_CHARS = 100_000
_NO_TOKENS = "The input is a text or a list of texts; token ids of another model mean nothing to this one."


class EmbeddingsIn(msgspec.Struct, frozen=True):
    """Texts to embed. Token ids are refused: the server's embedder has its own tokens, not the client's."""

    input: str | Annotated[list[Any], msgspec.Meta(min_length=1, max_length=MAX_INPUTS)]
    model: str
    encoding_format: Literal["float", "base64"] | None = None
    dimensions: int | None = None


class EmbeddingOut(msgspec.Struct, frozen=True):
    """One vector: numbers, or base64 of little-endian float32."""

    embedding: list[float] | str
    index: int
    object: str = "embedding"


class EmbeddingUsage(msgspec.Struct, frozen=True):
    """Tokens by the estimate that Doso uses everywhere."""

    prompt_tokens: int
    total_tokens: int


class EmbeddingsOut(msgspec.Struct, frozen=True):
    """A vector per text, in order."""

    data: list[EmbeddingOut]
    model: str
    usage: EmbeddingUsage
    object: str = "list"


def to_texts(body: EmbeddingsIn) -> list[str]:
    """The texts of a request. Raises InvalidInput for token ids, blank or overlong ones."""
    given = [body.input] if isinstance(body.input, str) else body.input
    texts: list[str] = []
    for at, text in enumerate(given):
        param = "input" if isinstance(body.input, str) else f"input[{at}]"
        if not isinstance(text, str):
            raise InvalidInput(_NO_TOKENS, param=param)
        if is_blank(text):
            raise InvalidInput("A text to embed can't be blank.", param=param)
        if len(text) > MAX_INPUT_CHARS:
            raise InvalidInput(f"A text to embed has at most {MAX_INPUT_CHARS} characters.", param=param)
        texts.append(clean(text))
    return texts


def to_embeddings(texts: list[str], vectors: Vectors, *, model: str, is_base64: bool) -> EmbeddingsOut:
    """The reply."""
    tokens = sum(map(token_count, texts))
    rows = vectors.astype("<f4")
    data = [EmbeddingOut(_packed(row) if is_base64 else row.tolist(), at) for at, row in enumerate(rows)]
    return EmbeddingsOut(data, model, EmbeddingUsage(tokens, tokens))


def _packed(row: np.ndarray[tuple[int, ...], np.dtype[np.float32]]) -> str:
    return base64.b64encode(row.tobytes()).decode("ascii")
