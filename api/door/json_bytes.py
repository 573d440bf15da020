"""Whether bytes are JSON that is safe to parse, told without parsing nested values."""

import re

import msgspec
import numpy as np

from doso.errors import InvalidInput, TooLarge

MAX_DEPTH = 64
#: Arrays and objects in one body; the largest lawful ones (5,000 messages, 2,000 facts) have far fewer.
MAX_NODES = 100_000
_STRING = re.compile(rb'"(?:[^"\\]++|\\(?:.|\Z))*+(?:"|\Z)', re.DOTALL)
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_OPEN = np.zeros(256, dtype=np.int32)
_OPEN[list(b"[{")] = 1
_OPEN[list(b"]}")] = -1


def shape_of(body: bytes) -> tuple[int, int]:
    """How deep arrays and objects nest in JSON text, and how many there are; brackets inside strings don't count.

    Linear in the length of the body, whatever is in it.
    """
    brackets = _STRING.sub(b"", body).translate(None, _NOT_BRACKETS)
    if not brackets:
        return 0, 0
    steps = _OPEN[np.frombuffer(brackets, dtype=np.uint8)]
    return int(np.cumsum(steps).max()), len(brackets) // 2


def check_json(body: bytes) -> None:
    """Raises InvalidInput for anything that isn't one JSON document in UTF-8, TooLarge for one nested too deep."""
    if not body.strip():
        raise InvalidInput("The body is empty; this route takes a JSON object.")
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput("The body is not UTF-8.") from error
    if body.startswith(b"\xef\xbb\xbf"):
        raise InvalidInput("The body starts with a byte order mark; send plain UTF-8.")
    depth, nodes_count = shape_of(body)
    if depth > MAX_DEPTH:
        raise TooLarge(f"The JSON is nested deeper than {MAX_DEPTH} levels.")
    if nodes_count > MAX_NODES:
        raise TooLarge(f"The JSON has more than {MAX_NODES} arrays and objects.")
    try:
        msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InvalidInput("The body is not valid JSON.") from error
