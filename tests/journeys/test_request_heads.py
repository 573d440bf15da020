"""The head of a request over a raw socket: bounded however it comes, strict in what it takes."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from doso.http_protocol import MAX_HEAD_BYTES
from tests.support.server import Server, running

LINE = b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("home")) as server:
        yield server


def status_of(server: Server, *parts: bytes) -> int:
    """The status of the answer to these bytes, each part sent by itself; 0 where the connection just ends."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for part in parts:
                connection.sendall(part)
            answer = connection.recv(4096)
        except ConnectionError:
            return 0
    return int(answer.split(b" ")[1]) if answer else 0


def test_a_head_of_ordinary_size_is_read_however_it_is_cut(server: Server) -> None:
    head = LINE + b"x-padding: " + b"x" * (MAX_HEAD_BYTES // 2) + b"\r\n\r\n"
    assert status_of(server, head) == 200
    assert status_of(server, *(head[at : at + 997] for at in range(0, len(head), 997))) == 200


@pytest.mark.parametrize(
    "endless",
    [b"x-padding: " + b"x" * 300_000, b"".join(b"x-%d: y\r\n" % n for n in range(60_000)), b"x" * 300_000],
    ids=["value", "headers", "name"],
)
def test_a_head_that_does_not_end_is_refused_before_it_is_whole(server: Server, endless: bytes) -> None:
    pieces = [endless[at : at + 8_000] for at in range(0, len(endless), 8_000)]
    assert status_of(server, LINE, *pieces) in (0, 400)
    assert status_of(server, LINE + b"\r\n") == 200


def test_a_whole_head_over_the_bound_is_refused(server: Server) -> None:
    head = LINE + b"x-padding: " + b"x" * (MAX_HEAD_BYTES + 1) + b"\r\n\r\n"
    assert status_of(server, head) == 400


def test_a_large_body_is_not_taken_for_a_head(server: Server) -> None:
    body = b'{"text":"' + b"x" * 80_000 + b'"}'
    head = b"POST /v1/documents HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    request = head + b"Content-Length: %d\r\n\r\n" % len(body) + body
    assert status_of(server, request) == 200 or status_of(server, request) == 202
    assert status_of(server, request + LINE + b"\r\n") in (200, 202)


@pytest.mark.parametrize(
    "request_bytes",
    [
        LINE + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        LINE + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        LINE + b"Content-Length: five\r\n\r\n",
        LINE + b"bad header: x\r\n\r\n",
        LINE + b"x: a\x00b\r\n\r\n",
        b"GET /health/live HTTP/9.9\r\nHost: x\r\n\r\n",
        b"NOT HTTP AT ALL\r\n\r\n",
        "GET /health/lïve HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode(),
    ],
    ids=str,
)
def test_what_two_readers_could_read_in_two_ways_is_refused(server: Server, request_bytes: bytes) -> None:
    assert status_of(server, request_bytes) in (0, 400)
