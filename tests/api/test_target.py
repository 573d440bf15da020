"""Paths and queries that no route can mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.door.target import MAX_QUERY_BYTES, check_target
from doso.errors import DosoError


@pytest.mark.parametrize(
    ("path", "query", "status"),
    [
        (b"/v1/search", b"q=%ff%fe", 400),
        (b"/v1/search", b"q=%ed%a0%bd", 400),
        (b"/v1/search", b"q=\xff", 400),
        (b"/v1/documents/%00", b"", 404),
        (b"/v1/documents/%ff", b"", 404),
        (b"//v1/documents", b"", 404),
        (b"/v1/search", b"q=" + b"x" * MAX_QUERY_BYTES, 414),
        (b"/" + b"x" * 5_000, b"", 414),
    ],
)
def test_refused(path: bytes, query: bytes, status: int) -> None:
    with pytest.raises(DosoError) as caught:
        check_target(path, query)
    assert caught.value.status == status


@pytest.mark.parametrize("query", [b"", b"q=%20%20", b"q=%00", b"q=%E6%9D%B1%E4%BA%AC", b"q=a+b&limit=3", b"q=100%"])
def test_passed_on(query: bytes) -> None:
    check_target(b"/v1/search", query)


@given(st.binary(max_size=60), st.binary(max_size=60))
def test_no_bytes_raise_anything_but_a_refusal(path: bytes, query: bytes) -> None:
    try:
        check_target(b"/" + path, query)
    except DosoError as error:
        assert error.status in (400, 404, 414)
