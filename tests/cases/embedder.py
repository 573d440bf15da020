"""Stub embedders of a case: `/embeddings` on loopback, whose model name says the size of its vectors."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_COUNTING = threading.Lock()


@dataclass
class StubEmbedders:
    """Where they are, and how often they were called."""

    url: str
    calls_count: int = 0


@contextmanager
def stub_embedders() -> Iterator[StubEmbedders]:
    """They answer for the length of the block."""
    server = _Server(("127.0.0.1", 0), _Handler)
    server.stub = StubEmbedders(f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def embedder_env(name: str, base_url: str) -> dict[str, str]:
    """The server's environment for a stub such as "stub-1024"."""
    return {
        "LLM_EMBED_PROVIDER": "openai",
        "LLM_EMBED_BASE_URL": base_url,
        "LLM_EMBED_API_KEY": "stub",
        "LLM_EMBED_MODEL": name,
        "LLM_EMBED_DIMENSIONS": name.removeprefix("stub-"),
    }


class _Server(ThreadingHTTPServer):
    """Knows whose calls it counts."""

    stub: StubEmbedders


class _Handler(BaseHTTPRequestHandler):
    """Vectors from a digest of the text: the same for the same text, unrelated for others."""

    protocol_version = "HTTP/1.1"

    server: _Server

    def do_POST(self) -> None:
        with _COUNTING:
            self.server.stub.calls_count += 1
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        size = int(request["model"].removeprefix("stub-"))
        rows = [
            {"object": "embedding", "index": index, "embedding": _vector(text, size)}
            for index, text in enumerate(request["input"])
        ]
        body = json.dumps({"object": "list", "model": request["model"], "data": rows, "usage": {}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing to say."""


def _vector(text: str, size: int) -> list[float]:
    raw = hashlib.shake_256(text.encode()).digest(size)
    return [byte / 127.5 - 1 for byte in raw]
