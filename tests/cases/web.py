"""The web of a case: a Firecrawl on loopback that answers as scripted, and a canary that nobody may reach."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.firecrawl import SEARCH, page, refusal, results
from tests.support.provider import Answer, End, Pause, ProviderStub, Seen, http, threaded_stub

FIRECRAWL_KEY = "fc-case-CANARY-000111"


@dataclass
class Web:
    """What is there to be read. `pages` by address; `always` stands above them."""

    stub: ProviderStub
    pages: dict[str, dict[str, Any]] = field(default_factory=dict)
    always: Answer | None = None

    def answer(self, seen: Seen) -> Answer:
        """As Firecrawl's server answers a search or a scrape."""
        if self.always is not None:
            return self.always
        if seen.path == SEARCH:
            return results([])
        held = self.pages.get(seen.body["url"], {"status": 500})
        if held["status"] != 200:
            return refusal(held["status"])
        return page(held["markdown"], url=seen.body["url"])


def as_scripted(spec: dict[str, Any]) -> Answer:
    """The answer that a case spells out."""
    if "delay_s" in spec:
        return Answer((Pause(spec["delay_s"]),), End.CLOSE)
    status, headers = spec.get("status", 200), spec.get("headers") or {}
    body = spec["json"] if "json" in spec else spec.get("body", "")
    return http(status, body, **headers)


@contextmanager
def scripted_web() -> Iterator[Web]:
    """A web for the block."""
    with threaded_stub() as stub:
        web = Web(stub)
        stub.respond = web.answer
        yield web


def web_env(web: Web) -> dict[str, str]:
    """The server's environment for this web."""
    return {
        "TOOLS_FIRECRAWL": "true",
        "FIRECRAWL_BASE_URL": web.stub.url.removesuffix("/v1"),
        "FIRECRAWL_API_KEY": FIRECRAWL_KEY,
    }


@dataclass
class Canary:
    """Listens on loopback, on both families where there are two, and counts who comes."""

    port: int = 0
    hits: int = 0
    _sockets: list[socket.socket] = field(default_factory=list)

    def watch(self, listener: socket.socket) -> None:
        """Count connections until the listener closes."""
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self.hits += 1
            connection.close()


@contextmanager
def canary() -> Iterator[Canary]:
    """A canary for the block."""
    found = Canary()
    threads = []
    for family, host in ((socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::1")):
        listener = socket.socket(family)
        try:
            listener.bind((host, found.port))
        except OSError:  # a machine without IPv6
            listener.close()
            continue
        listener.listen(64)
        found.port = listener.getsockname()[1]
        found._sockets.append(listener)
        thread = threading.Thread(target=found.watch, args=(listener,), daemon=True)
        thread.start()
        threads.append(thread)
    try:
        yield found
    finally:
        for listener in found._sockets:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        for thread in threads:
            thread.join(5)
