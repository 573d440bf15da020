"""Embeddings over a real socket."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest

import api.routes.openai_models
from api.routes.openai_embeddings import BATCH
from tests.support.wire import Wire


async def test_vectors_as_numbers_and_as_bytes(wire: Wire) -> None:
    body = {"model": "doso-embed", "input": ["red tea", "tea"]}
    plain = await wire.post("/v1/embeddings", body)
    packed = await wire.post("/v1/embeddings", body | {"encoding_format": "base64", "dimensions": 4})
    assert (plain.status, packed.status) == (200, 200)
    reply = plain.json
    assert (reply["object"], reply["model"], reply["usage"]) == (
        "list",
        "doso-embed",
        {"prompt_tokens": 3, "total_tokens": 3},
    )
    assert [(one["object"], one["index"]) for one in reply["data"]] == [("embedding", 0), ("embedding", 1)]
    for one, other in zip(reply["data"], packed.json["data"], strict=True):
        assert list(struct.unpack("<4f", base64.b64decode(other["embedding"]))) == one["embedding"]


async def test_many_texts_keep_their_order(wire: Wire) -> None:
    texts = [f"w{at}" for at in range(3 * BATCH + 1)]
    many = (await wire.post("/v1/embeddings", {"model": "words", "input": texts})).json["data"]
    one = (await wire.post("/v1/embeddings", {"model": "words", "input": texts[-1]})).json["data"]
    assert len(many) == len(texts)
    assert many[-1]["embedding"] == one[0]["embedding"]


@pytest.mark.parametrize(
    ("more", "status", "code", "param"),
    [
        ({"model": "text-embedding-3-small"}, 404, "model_not_found", "model"),
        ({"model": "doso"}, 404, "model_not_found", "model"),
        ({"dimensions": 1_536}, 400, "validation", "dimensions"),
        ({"encoding_format": "hex"}, 400, "validation", "encoding_format"),
        ({"input": []}, 400, "validation", "input"),
        ({"input": ""}, 400, "validation", "input"),
        ({"input": ["ok", " "]}, 400, "validation", "input[1]"),
        ({"input": [1, 2, 3]}, 400, "validation", "input[0]"),
        ({"input": [[1, 2], [3]]}, 400, "validation", "input[0]"),
        ({"input": {"text": "x"}}, 400, "validation", "input"),
        ({"input": ["x"] * 2_049}, 400, "validation", "input"),
        ({"input": "x" * 100_001}, 400, "validation", "input"),
    ],
    ids=lambda value: str(value)[:60],
)
async def test_what_is_refused_names_the_parameter(
    wire: Wire, more: dict[str, Any], status: int, code: str, param: str
) -> None:
    response = await wire.post("/v1/embeddings", {"model": "doso-embed", "input": "tea"} | more)
    error = response.json["error"]
    assert (response.status, error["code"], error["param"]) == (status, code, param)


async def test_a_model_whose_name_has_a_slash_can_be_read(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.routes.openai_models, "EMBEDDING_MODEL", "some/embedder")
    reply = await wire.get("/v1/models/some/embedder")
    assert (reply.status, reply.json["id"]) == (200, "some/embedder")
    assert (await wire.get("/v1/models/some%2Fembedder")).json["id"] == "some/embedder"
    assert (await wire.get("/v1/models/other/embedder")).json["error"]["code"] == "model_not_found"
