"""The fault matrix of the chat route: whatever a model's server does, the caller gets an answer or is told why not.

`docs/provider-faults.md` shows it; extraction and embedding have theirs beside their own tests.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.provider import (
    Answer,
    End,
    Pause,
    ProviderStub,
    Scripted,
    chunk,
    chunked_stream,
    completion,
    failure,
    http,
    raw_stream,
    sse,
    text_chunks,
    text_stream,
    threaded_stub,
    tool_chunks,
    usage_of,
)
from tests.support.server import Server, free_port
from tests.support.waiting import until

PAGE = Path(__file__).parents[2] / "docs" / "provider-faults.md"
SECRET = "sk-live-provider-secret"
KEY = "sk-canary-of-the-settings"
NOTE = "Nina lives in Bogor. She keeps bees behind the old mill."
QUESTION = "Where does Nina keep bees?"
ANSWER = "Behind the old mill [S1]."
WITHIN_S = 30.0
MAX_CALLS = 4
#: For faults that only time ends.
SHORT = {"connect_s": 2, "first_token_s": 1.5, "idle_s": 1, "total_s": 3}

WHOLE = sse(*text_chunks(["Behind the ", "old mill ", "[S1]."]))
BEGUN = WHOLE[:3]
TRICKLE = [part for byte in WHOLE[1] * 9 for part in (bytes([byte]), Pause(0.05))]


@dataclass(frozen=True)
class Fault:
    """`codes`: what the caller is told, none where the answer is whole; `calls`: how often the server may be asked."""

    row: str
    name: str
    script: tuple[Scripted, ...] = ()
    codes: tuple[str, ...] = ()
    calls: tuple[int, int] = (1, 1)
    base_url: Callable[[ProviderStub], str] = field(default=lambda stub: stub.url)
    limits: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.row} {self.name}"


def always(row: str, name: str, answer: Scripted, *codes: str, calls: tuple[int, int] = (2, MAX_CALLS)) -> Fault:
    return Fault(row, name, (answer,) * MAX_CALLS, codes, calls)


def broken(row: str, name: str, answer: Answer) -> Fault:
    return Fault(row, name, (answer,), ("provider.stream_failed",))


def timed(fault: Fault) -> Fault:
    return replace(fault, limits=SHORT)


def fine(row: str, name: str, *script: Scripted) -> Fault:
    return Fault(row, name, script, calls=(len(script), len(script)))


def lines_of_every_kind() -> Answer:
    """BOM, comments, CR, CRLF, data over several lines, a byte a write."""
    first, *rest = (json.loads(part[6:]) for part in WHOLE[1:-1])
    body = "\ufeff: hello\r\r" + "".join(f"data: {line}\r\n" for line in json.dumps(first, indent=1).split("\n"))
    body += "\r\n" + "".join(f"event: x\rdata:{json.dumps(one)}\r\r" for one in rest) + "data: [DONE]"
    return raw_stream(*(bytes([byte]) for byte in body.encode()))


def split_characters() -> Answer:
    """Code points cut between writes, a raw U+2028, half a surrogate pair."""
    raw = b"".join(WHOLE).replace(b"Behind the ", "\u2028\\ud83dBehind the ".encode())
    return raw_stream(*(raw[place : place + 2] for place in range(0, len(raw), 2)))


FAULTS = (
    Fault(
        "1", "no such host", codes=("provider.unavailable",), calls=(0, 0), base_url=lambda _: "http://doso.invalid/v1"
    ),
    Fault(
        "2",
        "refused",
        codes=("provider.unavailable",),
        calls=(0, 0),
        base_url=lambda _: f"http://127.0.0.1:{free_port()}/v1",
    ),
    timed(
        Fault(
            "3",
            "no TLS",
            codes=("provider.unavailable", "provider.timeout"),
            calls=(0, 0),
            base_url=lambda stub: stub.url.replace("http:", "https:"),
        )
    ),
    timed(always("5", "silence before the head", Answer((), End.HOLD), "provider.timeout", calls=(2, 2))),
    timed(always("6", "silence after the head", raw_stream(end=End.HOLD), "provider.timeout", calls=(2, 2))),
    timed(broken("6", "silence after a word", raw_stream(*BEGUN, end=End.HOLD))),
    broken("7", "FIN in the middle", raw_stream(*BEGUN)),
    broken("7", "FIN within a chunked body", chunked_stream(*BEGUN, end=End.CLOSE)),
    broken("8", "RST in the middle", raw_stream(*BEGUN, end=End.RESET)),
    fine("9", "[DONE], held open", raw_stream(*WHOLE, end=End.HOLD)),
    fine("10", "a finish without [DONE]", raw_stream(*WHOLE[:-2])),
    fine("10", "a finish, held open", raw_stream(*WHOLE[:-2], end=End.HOLD)),
    fine("11", "usage alone", raw_stream(*sse({"choices": [], "usage": usage_of(1, 1)}), *WHOLE)),
    fine("12", "empty and missing choices", raw_stream(*sse({"choices": []}, {}, {"choices": None}), *WHOLE)),
    fine("13", "null delta", raw_stream(*sse(chunk(None)), *WHOLE)),
    broken("14", "an error object", raw_stream(*BEGUN, *sse({"error": {"message": SECRET, "code": 500}}, "[DONE]"))),
    broken("14", "an error without data", raw_stream(*BEGUN, f'{{"success":false,"error":"{SECRET}"}}\n'.encode())),
    fine("15", "lines of every kind", lines_of_every_kind()),
    fine("16", "split characters", split_characters()),
    broken("17", "a cut tool call", raw_stream(*BEGUN, *sse(*tool_chunks("f", ['{"a": "b'])))),
    always(
        "18", "too long", failure(400, SECRET, code="context_length_exceeded"), "provider.context_length", calls=(1, 1)
    ),
    always("19", "401", failure(401, SECRET), "provider.refused", calls=(1, 1)),
    always("19", "403", failure(403, SECRET), "provider.refused", calls=(1, 1)),
    always("20", "402", failure(402, SECRET), "provider.unavailable", calls=(1, 1)),
    fine("21", "429, one second", failure(429, retry_after="1"), text_stream(ANSWER)),
    fine("21", "429, milliseconds", failure(429, retry_after_ms="300"), text_stream(ANSWER)),
    *(
        always("21", f"429, {spelled}", failure(429, SECRET, retry_after=spelled), "provider.rate_limited")
        for spelled in ("-5", "soon")
    ),
    *(
        always(
            "21", f"429, {spelled}", failure(429, SECRET, retry_after=spelled), "provider.rate_limited", calls=(1, 1)
        )
        for spelled in ("3600", "86400")
    ),
    *(fine("22", f"{status} once", failure(status, SECRET), text_stream(ANSWER)) for status in (500, 502, 503)),
    always("22", "500 always", failure(500, SECRET), "provider.unavailable"),
    always("23", "a page", http(200, f"<html>{SECRET}</html>", type="text/html"), "provider.reply", calls=(2, 2)),
    always("23", "an empty body", http(200, b""), "provider.reply", calls=(2, 2)),
    always("23", "no JSON", http(200, SECRET, type="text/plain"), "provider.reply", "provider.unavailable"),
    always("24", "JSON of another kind", http(200, {"data": [1, None]}), "provider.reply", calls=(2, 2)),
    fine("24", "one completion for a stream", http(200, completion(ANSWER))),
    timed(broken("25", "a trickle", raw_stream(*BEGUN, *TRICKLE))),
    broken("25", "a body without end", raw_stream(*BEGUN, *[b"x" * 1_000_000] * 40)),
    fine("26", "two finishes and late words", raw_stream(*WHOLE[:-2], *sse(chunk({}, "stop")), WHOLE[1], *WHOLE[-2:])),
)


@dataclass
class Place:
    """A server whose memory knows the answer, and the model's server behind it."""

    server: Server
    stub: ProviderStub
    client: httpx.Client

    def configure(self, fault: Fault) -> None:
        """A model of the fault's own: what was learnt about another counts for nothing."""
        self.stub.script[:] = fault.script
        self.stub.respond = text_stream(ANSWER)
        self.stub.requests.clear()
        entry = {
            "name": str(fault),
            "base_url": fault.base_url(self.stub),
            "model": "m",
            "api_key": KEY,
            "limits": fault.limits,
            "profiles": ["draft_fast"],  # nothing reads documents meanwhile
        }
        self.client.patch("/v1/settings", json={"models": [entry]}).raise_for_status()

    def ask(self, *, stream: bool) -> Told:
        body = {"model": "doso", "stream": stream, "messages": [{"role": "user", "content": QUESTION}]}
        response = self.client.post("/v1/chat/completions", json=body)
        return Told(response.status_code, response.text)

    def usage_count(self) -> int:
        with sqlite3.connect(self.server.home / "doso.db") as connection:
            return int(connection.execute("SELECT count(*) FROM usage_events").fetchone()[0])


@dataclass(frozen=True)
class Told:
    """What the caller got."""

    status: int
    body: str

    @property
    def objects(self) -> list[dict[str, Any]]:
        texts = re.findall(r"^data: (\{.*)$", self.body, re.MULTILINE) or [self.body]
        return [json.loads(text) for text in texts]

    @property
    def code(self) -> str | None:
        """The code of the error, wherever it stands."""
        return next((one["error"]["code"] for one in self.objects if "error" in one), None)

    @property
    def finishes(self) -> list[str]:
        return [
            choice["finish_reason"]
            for one in self.objects
            for choice in one.get("choices", ())
            if choice["finish_reason"]
        ]

    @property
    def _choices(self) -> list[dict[str, Any]]:
        return [choice for one in self.objects for choice in one.get("choices", ())]

    @property
    def text(self) -> str:
        parts = (choice.get("delta") or choice.get("message") or {} for choice in self._choices)
        return "".join(part.get("content") or "" for part in parts)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """One server for all cells: each of them must leave it as it was."""
    with threaded_stub() as stub:
        server = Server(tmp_path_factory.mktemp("faults"))
        try:
            server.start()
            with httpx.Client(base_url=server.url, timeout=WITHIN_S, trust_env=False) as client:
                client.post("/v1/documents", json={"text": NOTE, "title": "Nina"}).raise_for_status()
                yield Place(server, stub, client)
        finally:
            server.stop()


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "plain"])
@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_a_fault_of_the_models_server(place: Place, fault: Fault, stream: bool) -> None:
    place.configure(fault)
    before = place.usage_count()
    told = place.ask(stream=stream)

    if fault.codes:
        assert told.code in fault.codes
        assert told.finishes == [], "no answer that broke off ends as if it were whole"
        assert told.status in ((200, 400, 429, 502, 503, 504) if stream else (400, 429, 502, 503, 504))
    else:
        assert told.code is None
        assert told.finishes == ["stop"]
        assert "Behind the old mill" in told.text
    least, most = fault.calls
    assert least <= len(place.stub.chats) <= most
    until(lambda: place.usage_count() > before)
    for shown in (told.body, place.server.log_path.read_text()):
        assert SECRET not in shown
        assert KEY not in shown

    place.configure(Fault("0", "well again"))
    assert "Behind the old mill" in place.ask(stream=stream).text, "the next request works"


def test_the_page_shows_every_row() -> None:
    rows = re.findall(r"^\| ([\d, ]+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    shown = {number.strip() for row in rows for number in row.split(",")}
    assert {fault.row for fault in FAULTS} <= shown
    assert {str(number) for number in range(1, 27)} <= shown
