"""What a model's server may do while passages are read: each fault ends in a receipt that says so, keeps the document
and the rules' facts, stores nothing half-done, is metered, shows no secret, and heals or can be tried again."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from doso.db.engine import Database
from doso.records import OperationState, Status
from ingest.library.rereading import Again
from tests.doso.llm.models import KEY
from tests.support.databases import empty_database
from tests.support.library import OWNER, note
from tests.support.provider import (
    Answer,
    End,
    Pause,
    Scripted,
    chunk,
    chunked_stream,
    failure,
    http,
    json_reply,
    raw_stream,
    sse,
    text_chunks,
    text_stream,
    tool_call,
    usage_of,
)
from tests.support.reading_kit import ReadingKit, reading_kit

REPLY = '{"facts": [["Rina", "plays", "cello"]]}'
#: What a provider may put into the text of an error.
SECRET = "sk-live-provider-secret"
FINE, HELD, SHOWN = "fine", "held", "shown"
WHOLE = sse(*text_chunks([REPLY[:12], REPLY[12:]]))
MAX_CALLS = 4


@dataclass(frozen=True)
class Fault:
    """`outcome`: FINE, the facts come in; HELD, it is tried again by itself; SHOWN, the document is given up and says
    so. `code`: what the receipt names."""

    name: str
    answers: Sequence[Scripted]
    outcome: str
    code: str = ""
    is_always: bool = True  # the last answer comes again and again
    limits: dict[str, float] = field(default_factory=dict)
    address: Callable[[int], str] | None = None

    def __str__(self) -> str:
        return self.name


def refused(_port: int) -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}/v1"


def odd_stream() -> Answer:
    """Comments, a BOM, CRLF and CR, data over several lines, one byte per write."""
    first, second = (chunk({"content": piece}) for piece in (REPLY[:20], REPLY[20:]))

    pretty = json.dumps(first, indent=1).splitlines()
    body = "\ufeff: hello\r\n\r\n" + "".join(f"data: {line}\r\n" for line in pretty) + "\r\n"
    body += f"event: x\rdata: {json.dumps(second)}\r\r" + f"data:{json.dumps(chunk({}, 'stop'))}\n\ndata: [DONE]\n\n"
    return raw_stream(*(bytes([byte]) for byte in body.encode()))


def split_text() -> Answer:
    """Code points over several writes, U+2028 raw, half a surrogate pair as an escape."""
    text = '{"facts": [["Rina", "plays", "cello"], ["Rina", "likes", "caf\u00e9 \u2028 \U0001f9c7"]]}'
    raw = b"".join(sse(*text_chunks([text[:30], text[30:]])))
    raw = raw.replace(b'"role": "assistant"', b'"role": "assistant", "note": "\\ud83d"')
    return raw_stream(*(raw[at : at + 3] for at in range(0, len(raw), 3)))


FAULTS = (
    Fault("01 no such host", (), HELD, "provider.unavailable", address=lambda _: "http://nobody.example/v1"),
    Fault("02 connection refused", (), HELD, "provider.unavailable", address=refused),
    Fault("03 no TLS", (), HELD, "provider.", address=lambda port: f"https://127.0.0.1:{port}/v1"),
    Fault("05 silence before the headers", (Answer((), End.HOLD),), HELD, "provider.timeout"),
    Fault("06 headers, then silence", (chunked_stream(WHOLE[0], WHOLE[1], end=End.HOLD),), HELD, "provider."),
    Fault("07 FIN in mid-stream", (raw_stream(WHOLE[0], WHOLE[1]),), HELD, "provider."),
    Fault("08 RST in mid-stream", (raw_stream(WHOLE[0], WHOLE[1], end=End.RESET),), HELD, "provider."),
    Fault("09 [DONE], socket open", (chunked_stream(*WHOLE, end=End.HOLD),), FINE),
    Fault("10 no [DONE]", (raw_stream(*WHOLE[:-2]),), FINE),
    Fault("11 usage-only chunk first", (raw_stream(*sse({"choices": [], "usage": usage_of(1, 1)}), *WHOLE),), FINE),
    Fault("12 missing choices", (raw_stream(*sse({"id": "x"}, {"choices": None}), *WHOLE),), FINE),
    Fault("13 null delta", (raw_stream(*sse(chunk(None)), *WHOLE),), FINE),
    Fault(
        "14 an error in the stream",
        (raw_stream(WHOLE[0], WHOLE[1], *sse({"error": {"message": SECRET, "type": "server_error"}})),),
        HELD,
        "provider.",
    ),
    Fault("15 any line ends, one byte a write", (odd_stream(),), FINE),
    Fault("16 text split anywhere", (split_text(),), FINE),
    Fault("17 a tool's call instead", (tool_call("list", {"a": 1}),), SHOWN, "provider.reply"),
    Fault(
        "18 context too long",
        (failure(400, "maximum context length", code="context_length_exceeded"),),
        SHOWN,
        "provider.context_length",
    ),
    Fault("19 401", (failure(401, SECRET),), HELD, "provider.refused"),
    Fault("19 403", (failure(403, SECRET),), HELD, "provider.refused"),
    Fault("20 no credit", (failure(402, SECRET),), HELD, "provider.unavailable"),
    *(
        Fault(f"21 429, {after}", (failure(429, SECRET, retry_after=after),), HELD, "provider.rate_limited")
        for after in ("2", "-5", "99999999", "soon", "Wed, 21 Oct 2065 07:28:00 GMT")
    ),
    *(
        Fault(f"22 {status} once", (failure(status), json_reply({"facts": [["Rina", "plays", "cello"]]})), FINE)
        for status in (500, 502, 503)
    ),
    Fault("22 500 always", (failure(500, SECRET),), HELD, "provider.unavailable"),
    Fault("23 HTML", (http(200, "<html><p>Bad gateway</p></html>", type="text/html"),), HELD, "provider."),
    Fault("23 an empty body", (http(200, b""),), HELD, "provider."),
    Fault("24 another shape", (json_reply({"answer": 42}),), SHOWN, "provider.reply"),
    Fault("24 a shape of numbers", (json_reply([[1, 2, 3], [float("inf"), None, 1]]),), FINE + " without facts"),
    Fault(
        "25 a byte now and then",
        (raw_stream(*(part for byte in b"".join(WHOLE) for part in (bytes([byte]), Pause(0.05)))),),
        HELD,
        "provider.",
        limits={"total_s": 0.6},
    ),
    Fault("25 a stream without end", (text_stream(*["la la la " * 1_000] * 400),), SHOWN, "provider.reply"),
    Fault("25 a body without end", (raw_stream(*[b"x" * 1_000_000] * 60),), HELD, "provider."),
    Fault("26 chunks twice, two ends", (raw_stream(*WHOLE[:-2], *sse(chunk({}, "stop")), WHOLE[-2], WHOLE[-1]),), FINE),
)


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    """SQLite: what a model's server does is the same to every engine."""
    database = await empty_database(f"sqlite:///{tmp_path / 'doso.db'}")
    yield database
    await database.aclose()


@pytest.fixture
async def kit(database: Database, tmp_path: Path) -> AsyncIterator[ReadingKit]:
    """An intake whose model misbehaves as the test says."""
    async with reading_kit(database, tmp_path) as kit:
        yield kit


@pytest.fixture
def no_name_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """No name but that of loopback is found, and nobody is asked for one."""
    known = socket.getaddrinfo

    def found(host: str, *args: object, **more: object) -> object:
        if host in ("127.0.0.1", b"127.0.0.1"):
            return known(host, *args, **more)  # type: ignore[arg-type]
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", found)


def misbehave(kit: ReadingKit, fault: Fault) -> None:
    kit.bench.stub.script[:] = fault.answers[:-1]
    if fault.answers:
        last = fault.answers[-1]
        kit.bench.stub.respond = last if callable(last) else lambda _: last
    kit.bench.limits |= fault.limits
    kit.bench.base_url = None if fault.address is None else fault.address(kit.bench.stub.port)


@pytest.mark.usefixtures("no_name_service")
@pytest.mark.parametrize("fault", FAULTS, ids=str)
async def test_a_fault_of_the_models_server(kit: ReadingKit, fault: Fault, capsys: pytest.CaptureFixture[str]) -> None:
    misbehave(kit, fault)
    text = "Nina lives in Bogor. Rina plays the cello."
    receipt = await kit.settled(await kit.intake.store_document(OWNER, note(text)))

    assert (await kit.library.text_of(OWNER, receipt.document_ids[0])) == text
    assert await kit.facts() == ["Nina lives in Bogor"]
    found = await kit.facts(Status.CANDIDATE)
    assert len(kit.bench.stub.chats) <= MAX_CALLS
    assert kit.bench.sink.events, "no call goes unmetered"
    if fault.outcome.startswith(FINE):
        assert (receipt.state, receipt.error) == (OperationState.DONE, None)
        assert (found == []) is (fault.outcome != FINE)
        assert "Rina plays cello" in found or fault.outcome != FINE
    else:
        assert receipt.state is OperationState.FAILED
        assert found == []
        stated = receipt.error or ""
        assert stated.removeprefix("extraction_failed: ").startswith(fault.code), stated
        assert await kit.state(receipt) == ("failed" if fault.outcome == SHOWN else "stored")

    logged = capsys.readouterr()
    for told in (logged.out, logged.err, str(receipt)):
        assert SECRET not in told
        assert KEY not in told

    misbehave(kit, Fault("well again", (json_reply({"facts": [["Rina", "plays", "cello"]]}),), FINE))
    if fault.outcome == SHOWN:
        receipt = await kit.intake.reextract(OWNER, Again(receipt.document_ids[0]))
    healed = await kit.sweep(receipt)
    assert (healed.state, healed.error) == (OperationState.DONE, None)
    assert len([fact for fact in await kit.facts(Status.CANDIDATE) if fact == "Rina plays cello"]) == (
        0 if fault.outcome.endswith("without facts") else 1
    )
