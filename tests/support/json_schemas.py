"""Strategies for values of a JSON schema, and for values that only look like ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

Schema = Mapping[str, Any]
MAX_DEPTH = 4

#: Texts that broke something somewhere: blank, controls, lone surrogates, query syntax, marks, digits of all kinds.
NASTY = (
    "", " ", "\u200b", "\x00", "a\x00b", "\ud800", "\udc00x", "'\"", "*", "NEAR(", "AND", "[a TO", "{{x}}", "../../etc",
    "-1", "1e999", "9" * 400, "\u202eabc", "\u0130", "\u6771\u4eac", "2026-13-45", "2026-01-01",
    "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00", "Asia/Jakarta", "Not/AZone", "me", "whatsapp",
    "verified", "lives_in", "0198c0de-0000-7000-8000-000000000000",
)  # fmt: skip

texts = st.sampled_from(NASTY) | st.text(max_size=20) | st.text(alphabet="ab \u00e9\u65e5'\"%_:;(", max_size=60)
scalars = st.none() | st.booleans() | st.integers() | st.floats() | texts
junk = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)


def values(schema: Schema, known: Mapping[str, Schema], depth: int = 0) -> st.SearchStrategy[Any]:
    """Mostly values of the schema; now and then, at any place, something else."""
    if depth > MAX_DEPTH:
        return junk
    return st.integers(0, 11).flatmap(lambda roll: junk if roll == 0 else _shaped(schema, known, depth))


def _shaped(schema: Schema, known: Mapping[str, Schema], depth: int) -> st.SearchStrategy[Any]:
    if "$ref" in schema:
        return _shaped(known[schema["$ref"].rpartition("/")[2]], known, depth)
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return st.sampled_from(schema[word]).flatmap(lambda part: _shaped(part, known, depth))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kinds = schema.get("type", "any")
    if isinstance(kinds, list):
        return st.sampled_from(kinds).flatmap(lambda kind: _of_type(kind, schema, known, depth))
    return _of_type(kinds, schema, known, depth)


def _of_type(kind: str, schema: Schema, known: Mapping[str, Schema], depth: int) -> st.SearchStrategy[Any]:
    match kind:
        case "object" if "properties" in schema:
            fields = {name: values(part, known, depth + 1) for name, part in schema["properties"].items()}
            required = set(schema.get("required", ()))
            return st.fixed_dictionaries(
                {name: part for name, part in fields.items() if name in required},
                optional={name: part for name, part in fields.items() if name not in required},
            )
        case "array":
            return st.lists(values(schema.get("items", {}), known, depth + 1), max_size=3)
        case "integer":
            return st.integers(schema.get("minimum", -3), schema.get("maximum", 300)) | st.integers()
        case "number":
            return st.floats() | st.integers(-3, 3)
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
        case "string":
            return texts
    return junk
