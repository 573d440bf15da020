"""The look at raw JSON bytes: never wrong about depth, never slow, one document or none."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.door.json_bytes import MAX_DEPTH, MAX_NODES, check_json, shape_of
from doso.errors import InvalidInput, TooLarge

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='[]{}"\\ab\u00e9\u65e5'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(alphabet='[]{"\\a'), inner, max_size=4),
    max_leaves=30,
)


def depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


def nodes(value: object) -> int:
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if children is None else 1 + sum(map(nodes, children))


@given(values)
def test_depth_and_count_are_those_of_the_parsed_value(value: object) -> None:
    assert shape_of(json.dumps(value).encode()) == (depth(value), nodes(value))
    assert shape_of(json.dumps(value, ensure_ascii=False).encode()) == (depth(value), nodes(value))


@given(values)
def test_what_a_parser_takes_passes(value: object) -> None:
    if -(2**63) <= 0 and depth(value) <= MAX_DEPTH:
        check_json(json.dumps(value).encode())


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_but_a_refusal(body: bytes) -> None:
    try:
        check_json(body)
    except InvalidInput:
        return
    json.loads(body)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"  \n",
        b'{"a":1,}',
        b"\x00",
        b'{"a":NaN}',
        b'{"a":1e999}',
        b'{"a":1}{"a":2}',
        b'{"a":"\xff\xfe"}',
        "\ufeff{}".encode(),
        "{}".encode("utf-16"),
        "{}".encode("utf-16-le"),
        "{}".encode("utf-32"),
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"a":"\\ud800"}',
        b'{"a',
        b'"' + b'\\"' * 200_000,
        b'"' + b'\\"' * 200_000 + b"\\",
    ],
)
def test_what_is_no_single_json_document_is_refused(body: bytes) -> None:
    with pytest.raises(InvalidInput):
        check_json(body)


@pytest.mark.parametrize(
    "body", [b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 50_000 + b"1" + b"}" * 50_000, b"[" * 99_999]
)
def test_deep_nesting_is_refused_before_parsing(body: bytes) -> None:
    with pytest.raises(TooLarge, match="nested"):
        check_json(body)


def test_too_many_objects_are_refused_before_parsing() -> None:
    with pytest.raises(TooLarge, match="more than"):
        check_json(b"[" + b"{}," * MAX_NODES + b"1]")


def test_the_bounds_themselves_pass() -> None:
    check_json(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    check_json(b"[" + b"[]," * (MAX_NODES - 2) + b"1]")
