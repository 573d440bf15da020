"""An embedder behind any OpenAI-compatible `/embeddings` address."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx2
import msgspec
import numpy as np
import openai

from doso.clock import Clock, system_clock
from doso.errors import EmbedderUnavailable, InvalidInput
from doso.llm.ports import Embedder, EmbedderInfo, Vectors
from doso.llm.retry_after import asked_wait_s, wait_s
from doso.settings import EmbedSettings
from doso.text import clean, is_blank, token_count

MAX_BATCH_TEXTS = 32
MAX_BATCH_TOKENS = 16_000
MAX_CONCURRENT_REQUESTS = 4
MAX_ATTEMPTS = 4
CONNECT_TIMEOUT_S = 10.0
REQUEST_TIMEOUT_S = 60.0
LONGEST_WAIT_S = 20.0
#: A float takes some 25 characters; twice that, and room for the frame.
_BYTES_PER_FLOAT = 50
_FRAME_BYTES = 64 * 1024
_KNOWN_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}
_RESIZABLE = "text-embedding-3"  # only these take a `dimensions` field; others refuse unknown ones
_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_TOO_MUCH = frozenset({400, 413, 422})  # what a batch that is too long is answered with
_REASONS = {
    401: "refused the key; check LLM_EMBED_API_KEY",
    402: "has no credit left",
    403: "does not allow this key to embed",
    404: "does not know the address or the model; check LLM_EMBED_BASE_URL and LLM_EMBED_MODEL",
    429: "is being asked too often",
}
Pause = Callable[[float], Awaitable[None]]


class _Row(msgspec.Struct):
    index: int
    embedding: list[float]


class _Reply(msgspec.Struct):
    data: list[_Row]


@dataclass(eq=False)  # not frozen: the interpreter hangs a traceback on it
class _Refused(Exception):
    """One attempt that failed. `status` is None when no usable answer came; `wait_s` is what the far end asked for."""

    reason: str
    status: int | None = None
    wait_s: float | None = None
    is_transient: bool = True


class OpenAiEmbedder:
    """Embeds in bounded batches, with bounded retries of what may pass by itself."""

    def __init__(
        self,
        client: openai.AsyncOpenAI,
        info: EmbedderInfo,
        *,
        pause: Pause = asyncio.sleep,
        clock: Clock = system_clock,
    ) -> None:
        self.info = info
        self._client = client
        self._pause = pause
        self._clock = clock
        self._gate = asyncio.Semaphore(MAX_CONCURRENT_REQUESTS)

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts, in order. Raises EmbedderUnavailable when any of them can't be had."""
        if not texts:
            return np.empty((0, self.info.dimensions), dtype=np.float32)
        batches = list(_batches([_sendable(text) for text in texts]))
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._embed(batch)) for batch in batches]
        except* EmbedderUnavailable as failures:
            raise _first(failures) from None
        return np.concatenate([task.result() for task in tasks])

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a question. Raises EmbedderUnavailable."""
        rows = await self.embed_passages([text])
        return np.asarray(rows[0], dtype=np.float32)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _embed(self, texts: list[str]) -> Vectors:
        """One batch, cut in halves while the far end finds it too long."""
        try:
            return await self._insist(texts)
        except _Refused as refusal:
            if refusal.status not in _TOO_MUCH or len(texts) == 1:
                raise self._unavailable(refusal) from None
        half = len(texts) // 2
        return np.concatenate([await self._embed(texts[:half]), await self._embed(texts[half:])])

    async def _insist(self, texts: list[str]) -> Vectors:
        """Try until it works, the attempts are used up, or the failure will not pass."""
        attempt = 1
        while True:
            try:
                async with self._gate:
                    return await self._request(texts)
            except _Refused as refusal:
                pause_s = wait_s(refusal.wait_s, attempt - 1)
                if not refusal.is_transient or attempt == MAX_ATTEMPTS or pause_s > LONGEST_WAIT_S:
                    raise
            await self._pause(pause_s)
            attempt += 1

    async def _request(self, texts: list[str]) -> Vectors:
        sized = self.info.dimensions if self.info.model.startswith(_RESIZABLE) else openai.omit
        most_bytes = len(texts) * self.info.dimensions * _BYTES_PER_FLOAT + _FRAME_BYTES
        try:
            async with (
                asyncio.timeout(REQUEST_TIMEOUT_S),
                self._client.embeddings.with_streaming_response.create(
                    input=texts, model=self.info.model, dimensions=sized, encoding_format="float"
                ) as response,
            ):
                body = bytearray()
                async for chunk in response.iter_bytes():
                    body += chunk
                    if len(body) > most_bytes:
                        raise _Refused("sent more than the vectors asked for", is_transient=False)
        except openai.APIStatusError as error:
            raise _refusal(error, self._clock) from None
        except (openai.APITimeoutError, httpx2.TimeoutException, TimeoutError):
            raise _Refused("took too long") from None
        except (openai.APIConnectionError, httpx2.HTTPError):
            raise _Refused("can't be reached") from None
        return _vectors(bytes(body), len(texts), self.info.dimensions)

    def _unavailable(self, refusal: _Refused) -> EmbedderUnavailable:
        wait_s = None if refusal.wait_s is None else max(1, math.ceil(refusal.wait_s))
        return EmbedderUnavailable(f"The embedding service {refusal.reason}.", retry_after_s=wait_s)


def build(settings: EmbedSettings, home: Path) -> Embedder:
    """The embedder at the configured address. Raises InvalidInput naming the setting that is missing."""
    if not settings.base_url:
        raise InvalidInput("The embedder 'openai' needs LLM_EMBED_BASE_URL.", param="LLM_EMBED_BASE_URL")
    if not settings.base_url.startswith(("http://", "https://")):
        raise InvalidInput("LLM_EMBED_BASE_URL must begin with http:// or https://.", param="LLM_EMBED_BASE_URL")
    if not settings.model:
        raise InvalidInput("The embedder 'openai' needs LLM_EMBED_MODEL.", param="LLM_EMBED_MODEL")
    dimensions = settings.dimensions or _KNOWN_DIMENSIONS.get(settings.model)
    if dimensions is None:
        raise InvalidInput(
            f"The size of the vectors of {settings.model!r} is not known; set LLM_EMBED_DIMENSIONS.",
            param="LLM_EMBED_DIMENSIONS",
        )
    client = openai.AsyncOpenAI(
        base_url=settings.base_url,
        api_key=settings.api_key or "none",  # many local servers want none; the client refuses an empty one
        max_retries=0,
        timeout=httpx2.Timeout(REQUEST_TIMEOUT_S, connect=CONNECT_TIMEOUT_S),
    )
    return OpenAiEmbedder(client, EmbedderInfo(model=settings.model, dimensions=dimensions, version="1"))


def _sendable(text: str) -> str:
    """The text as JSON can carry it; far ends refuse an empty one."""
    return "." if is_blank(text) else clean(text)


def _batches(texts: list[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    tokens = 0
    for text in texts:
        size = max(token_count(text), len(text.encode()) // 3)  # scripts other than Latin take more tokens
        if batch and (len(batch) == MAX_BATCH_TEXTS or tokens + size > MAX_BATCH_TOKENS):
            yield batch
            batch, tokens = [], 0
        batch.append(text)
        tokens += size
    if batch:
        yield batch


def _vectors(body: bytes, count: int, dimensions: int) -> Vectors:
    """The rows of a reply by their index, at unit length. Raises _Refused for anything but exactly what was asked."""
    try:
        reply = msgspec.json.decode(body, type=_Reply)  # strict JSON: NaN and HTML end here
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise _Refused("answered with something other than vectors") from None
    rows = {row.index: row.embedding for row in reply.data}
    if len(reply.data) != count or rows.keys() != set(range(count)):
        raise _Refused(f"answered with {len(reply.data)} vectors for {count} texts", is_transient=False)
    wrong = next((len(row) for row in rows.values() if len(row) != dimensions), None)
    if wrong is not None:
        raise _Refused(
            f"gives vectors of {wrong} dimensions, not {dimensions}; check LLM_EMBED_DIMENSIONS", is_transient=False
        )
    vectors = np.array([rows[place] for place in range(count)], dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise _Refused("gave a vector without direction", is_transient=False)
    return np.asarray(vectors / lengths, dtype=np.float32)


def _refusal(error: openai.APIStatusError, clock: Clock) -> _Refused:
    status = error.status_code
    reason = _REASONS.get(status, f"answered with status {status}")
    return _Refused(reason, status, asked_wait_s(error.response.headers, clock), status in _TRANSIENT)


def _first(failures: BaseExceptionGroup[EmbedderUnavailable]) -> EmbedderUnavailable:
    found = failures.exceptions[0]
    return found if isinstance(found, EmbedderUnavailable) else _first(found)
