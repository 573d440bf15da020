"""Events are the same however their bytes were cut on the way."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doso.llm.sse import SseDecoder


def read(*chunks: bytes) -> list[str]:
    decoder = SseDecoder()
    return [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.finish()


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data: a\n\ndata: b\n\n", ["a", "b"]),
        (b"data:a\r\rdata:b\r\r", ["a", "b"]),
        (b"data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]),
        (b"data: a\r\n\ndata: b\n\r\n", ["a", "b"]),
        (b"data: a\ndata: b\n\n", ["a\nb"]),
        (b"data:  a\n\n", [" a"]),
        (b"data\n\ndata:\n\n", ["", ""]),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"\xef\xbb\xbf: hello\revent: message\rid: 7\rdata: a\r\r", ["a"]),
        (b": ping\n\nretry: 10\n\ndata: a\n\n", ["a"]),
        (b"data: a", ["a"]),
        (b"data: a\n", ["a"]),
        (b"data: a\ndata: b", ["a\nb"]),
        ("data: a\u2028b\u2029c\u0085d\n\n".encode(), ["a\u2028b\u2029c\u0085d"]),
        (b"data: a\x0bb\x0cc\x1cd\n\n", ["a\x0bb\x0cc\x1cd"]),
        (b'data: a\n\n{"error": 1}\n', ["a", '{"error": 1}']),
        (b"dataset: a\n\n", []),
        (b"", []),
        (b"data: \xff\n\n", ["\ufffd"]),
    ],
)
def test_fields_lines_and_events(stream: bytes, events: list[str]) -> None:
    assert read(stream) == events
    assert read(*(stream[place : place + 1] for place in range(len(stream)))) == events


def test_an_event_is_given_out_with_the_blank_line_that_ends_it() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: a\n") == []
    assert decoder.feed(b"\n") == ["a"]
    assert decoder.feed(b"data: b\r\n\r") == ["b"]
    assert decoder.feed(b"\n") == []
    assert decoder.finish() == []


_LINES = st.lists(
    st.one_of(
        st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=12).map("data: {}".format),
        st.sampled_from([": comment", "event: x", "", "", "data", '{"a": 1}', "data:é🌍\u2028"]),
    ),
    max_size=12,
)


@given(_LINES, st.lists(st.sampled_from(["\r", "\n", "\r\n"]), min_size=12, max_size=12), st.data())
def test_any_cutting_gives_the_same_events(lines: list[str], ends: list[str], data: st.DataObject) -> None:
    # a CR that ends one line and an LF that ends an empty one would be a CRLF
    stream = "".join(line + end for line, end in zip(lines, ends, strict=False)).encode()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=20)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert read(*pieces) == read(stream)
