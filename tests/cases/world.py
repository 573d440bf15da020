"""The world a case runs in: a real server on one store, users made for the case, plain requests."""

from __future__ import annotations

import base64
import json
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import httpx
import psutil

from tests.cases.embedder import StubEmbedders
from tests.cases.model import CaseFailedError, Outcome
from tests.cases.scripts import ScriptedModel
from tests.cases.web import Canary, Web
from tests.support.server import Server

FINAL = frozenset({"done", "failed", "cancelled"})
WAIT_S = 60.0
MAX_CONNECTIONS = 400
_POLL_S = 0.02


@dataclass
class World:
    """One case on one server. User names of the case are made unique, so that cases can share a server."""

    server: Server
    store: str
    case_id: str
    admin_key: str
    keys: dict[str, str] = field(default_factory=dict)
    acknowledged: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    control: Callable[[str], None] | None = None
    verbs: Mapping[str, Callable[[World, dict[str, Any]], Outcome]] = field(default_factory=dict)
    stub: StubEmbedders | None = None
    counts_calls: bool = False  # whether calls of the stub embedder are counted for each step
    graph_url: str = ""
    notes: list[str] = field(default_factory=list)  # counts worth printing beside a verdict
    history: Any = None  # of a loop with kills: tests.cases.crashes.History
    model: ScriptedModel | None = None
    web: Web | None = None
    canary: Canary | None = None

    @cached_property
    def client(self) -> httpx.Client:
        """One for all threads; connections are not kept, since servers are killed between requests."""
        limits = httpx.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=0)
        return httpx.Client(limits=limits, trust_env=False, verify=False)

    def key(self, user: str) -> str:
        """The bearer key of a user of this case."""
        if user not in self.keys:
            name = f"{self.case_id}-{self.store}-{user}"
            answer = httpx.post(
                f"{self.server.url}/v1/keys",
                json={"user": name},
                headers={"Authorization": f"Bearer {self.admin_key}"},
                timeout=30,
            )
            assert answer.status_code == 200, answer.text
            self.keys[user] = answer.json()["key"]
        return self.keys[user]

    def send(
        self,
        method: str,
        path: str,
        *,
        user: str | None,
        body: Any = None,
        content: bytes | None = None,
        headers: dict[str, str] | None = None,
        files: Any = None,
        data: Any = None,
        timeout_s: float = 60,
    ) -> Outcome:
        """One request, timed."""
        sent = {"Authorization": f"Bearer {self.key(user)}"} if user is not None else {}
        sent |= headers or {}
        started = time.perf_counter()
        kind = (
            {"content": content} if content is not None else {"files": files, "data": data} if files else {"json": body}
        )
        if body is None and content is None and not files:
            kind = {}
        raw = [(name.encode(), value.encode("utf-8")) for name, value in sent.items()]
        answer = self.client.request(method, self.server.url + path, headers=raw, timeout=timeout_s, **kind)
        return Outcome(
            status=answer.status_code,
            body=_json(answer.text),
            text=answer.text,
            seconds=time.perf_counter() - started,
            headers={name.lower(): value for name, value in answer.headers.items()},
            user=user,
            path=path,
        )

    def get(self, user: str, path: str) -> Any:
        """The body of a read that must succeed."""
        outcome = self.send("GET", path, user=user)
        if outcome.status != 200:
            raise CaseFailedError(f"GET {path.split('?', maxsplit=1)[0]} gave {outcome.status}")
        return outcome.body

    def all(self, user: str, path: str) -> list[dict[str, Any]]:
        """Every item of a list, page by page."""
        items: list[dict[str, Any]] = []
        cursor, glue = "", "&" if "?" in path else "?"
        while True:
            page = self.get(user, f"{path}{glue}limit=200{cursor}")
            items += page["data"]
            if page["next_cursor"] is None:
                return items
            cursor = f"&cursor={page['next_cursor']}"

    def finish(self, user: str, outcome: Outcome, *, within_s: float = WAIT_S) -> Outcome:
        """Wait until the write's receipt is final and keep it in the outcome."""
        body = outcome.body
        if outcome.status not in (200, 202) or not isinstance(body, dict) or "state" not in body:
            return outcome
        self.acknowledged.append((user, body))
        outcome.operations.append(self.final(user, body, within_s=within_s))
        return outcome

    def final(self, user: str, operation: dict[str, Any], *, within_s: float = WAIT_S) -> dict[str, Any]:
        """The receipt once it is final."""
        deadline = time.monotonic() + within_s
        while operation["state"] not in FINAL:
            if time.monotonic() > deadline:
                raise CaseFailedError(f"an operation was still {operation['state']} after {within_s:.0f} s")
            time.sleep(_POLL_S)
            operation = self.get(user, f"/v1/operations/{operation['id']}")
        return operation

    def finals(self, *, within_s: float = WAIT_S, healed: bool = False) -> list[dict[str, Any]]:
        """The final receipts of everything acknowledged; each is waited for once. `healed`: those that failed because
        something did not answer are waited for until they are done."""
        if healed:
            self._heal(within_s)
        self.acknowledged = [
            (user, self.final(user, receipt, within_s=within_s)) for user, receipt in self.acknowledged
        ]
        return [receipt for _, receipt in self.acknowledged]

    def _heal(self, within_s: float) -> None:
        deadline = time.monotonic() + within_s
        for user, receipt in self.acknowledged:
            while receipt["state"] != "done" and time.monotonic() < deadline:
                time.sleep(_POLL_S)
                receipt.update(self.get(user, f"/v1/operations/{receipt['id']}"))

    def settle(self, user: str) -> None:
        """Wait until nothing of the user is left to embed, so that calls from now on are of what is done now."""
        deadline = time.monotonic() + WAIT_S
        body = {"question": "Is everything settled?"}
        while not (self.send("POST", "/v1/ask/evidence", user=user, body=body).body or {})["index_status"]["ready"]:
            if time.monotonic() > deadline:
                raise CaseFailedError(f"not all was embedded within {WAIT_S:.0f} s")
            time.sleep(_POLL_S)

    def raw(self, data: bytes) -> Outcome:
        """Bytes on the socket, the status line read back. A connection closed without an answer is status 0."""
        data = data.replace(b"Bearer K\r", b"Bearer " + self.key("u1").encode() + b"\r")
        started = time.perf_counter()
        answer = b""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=10) as connection:
            connection.sendall(data)
            connection.settimeout(10)
            try:
                while b"\r\n\r\n" not in answer and (chunk := connection.recv(65536)):
                    answer += chunk
            except TimeoutError:
                pass
        line = answer.split(b"\r\n", 1)[0].split()
        status = int(line[1]) if len(line) > 1 else 0
        text = answer.split(b"\r\n\r\n", 1)[-1].decode("utf-8", "replace")
        return Outcome(status=status, text=text, body=_json(text), seconds=time.perf_counter() - started)

    def leave_stream(self, user: str, path: str, body: Any, *, after: int) -> Outcome:
        """Read a stream up to its first pieces of text, then close the connection."""
        headers = {"Authorization": f"Bearer {self.key(user)}"}
        read, events = "", 0
        with self.client.stream("POST", self.server.url + path, json=body, headers=headers, timeout=30) as answer:
            for line in answer.iter_lines():
                read += line + "\n"
                events += line.startswith("data:") and '"content":"' in line and '"content":""' not in line
                if events == after:
                    break
        return Outcome(
            status=answer.status_code, text=read, headers=dict(answer.headers), user=user, numbers={"events": events}
        )

    def disk_mb(self) -> float:
        """What lies in the server's home now."""
        count = 0
        for path in self.server.home.rglob("*"):
            with suppress(FileNotFoundError):  # a file that a database has just removed
                count += path.stat().st_size
        return count / 1e6

    def rss_mb(self) -> float:
        """Memory of the server now."""
        assert self.server.process is not None
        return float(psutil.Process(self.server.process.pid).memory_info().rss) / 1e6


def decoded(text: str) -> bytes:
    """Bytes of a base64 value."""
    return base64.b64decode(text)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
