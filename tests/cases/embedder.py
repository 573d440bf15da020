"""Stub embedders of a case: `/embeddings` on loopback, whose model name says the size of its vectors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.support.provider import Answer, ProviderStub, Seen, http, threaded_stub


@dataclass(frozen=True)
class StubEmbedders:
    """Where they are, and how often they were called."""

    stub: ProviderStub

    @property
    def url(self) -> str:
        return self.stub.url

    @property
    def calls_count(self) -> int:
        return len(self.stub.requests)


@contextmanager
def stub_embedders() -> Iterator[StubEmbedders]:
    """They answer for the length of the block."""
    with threaded_stub(_by_digest) as stub:
        yield StubEmbedders(stub)


def embedder_env(name: str, base_url: str) -> dict[str, str]:
    """The server's environment for a stub such as "stub-1024"."""
    return {
        "LLM_EMBED_PROVIDER": "openai",
        "LLM_EMBED_BASE_URL": base_url,
        "LLM_EMBED_API_KEY": "stub",
        "LLM_EMBED_MODEL": name,
        "LLM_EMBED_DIMENSIONS": name.removeprefix("stub-"),
    }


def _by_digest(seen: Seen) -> Answer:
    """Vectors from a digest of the text: the same for the same text, unrelated for others."""
    size = int(seen.body["model"].removeprefix("stub-"))
    rows = [
        {"object": "embedding", "index": index, "embedding": _vector(text, size)}
        for index, text in enumerate(seen.body["input"])
    ]
    return http(200, {"object": "list", "model": seen.body["model"], "data": rows, "usage": {}})


def _vector(text: str, size: int) -> list[float]:
    raw = hashlib.shake_256(text.encode()).digest(size)
    return [byte / 127.5 - 1 for byte in raw]
