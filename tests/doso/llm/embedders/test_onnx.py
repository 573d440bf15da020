"""Local models: the pulled one, the one by pip, and folders that are not whole."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from doso.errors import EmbedderUnavailable, InvalidInput
from doso.llm.embedders import minilm
from doso.llm.embedders.manifest import MANIFEST_FILE, sha256_of
from doso.llm.embedders.onnx import OnnxEmbedder, build, open_folder
from doso.llm.embedders.wordpiece import uncased_tokenizer
from doso.llm.ports import Embedder
from doso.settings import EmbedSettings

ODD_TEXTS = ["", " ", "a", "東京タワー", "\u200b\u202e", "a\ud800b", "\x00", "🎉" * 50, "x" * 100_000, "word " * 20_000]


@pytest.fixture
async def e5(e5_dir: Path) -> AsyncIterator[OnnxEmbedder]:
    embedder = open_folder(e5_dir)
    yield embedder
    await embedder.aclose()


@pytest.fixture(params=["e5", "minilm"])
async def embedder(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Embedder]:
    made: Embedder = (
        open_folder(request.getfixturevalue("e5_dir"))
        if request.param == "e5"
        else minilm.build(EmbedSettings(), tmp_path)
    )
    yield made
    await made.aclose()


async def test_any_text_has_a_unit_vector(embedder: Embedder) -> None:
    rows = await embedder.embed_passages(ODD_TEXTS)
    assert rows.shape == (len(ODD_TEXTS), embedder.info.dimensions)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)


async def test_a_text_has_the_same_vector_alone_and_in_company(embedder: Embedder) -> None:
    texts = [f"Ana met person {n} " + "and walked " * (n % 5) for n in range(21)]
    together = await embedder.embed_passages(texts)
    for text, row in zip(texts, together, strict=True):
        np.testing.assert_array_equal((await embedder.embed_passages([text]))[0], row)


async def test_meaning_counts_more_than_words(embedder: Embedder) -> None:
    question = await embedder.embed_query("Where does Ana live?")
    rows = await embedder.embed_passages(
        [
            "Her home is an apartment in Lisbon, Ana said.",
            "Where does the music festival take place?",
            "The tyre is flat.",
        ]
    )
    scores = rows @ question
    assert scores[0] > scores[1] > scores[2]


async def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert (await embedder.embed_passages([])).shape == (0, 384)


async def test_many_tasks_may_ask_at_once(embedder: Embedder) -> None:
    questions = [f"question {n}" for n in range(20)]
    alone = [await embedder.embed_query(question) for question in questions]
    at_once = await asyncio.gather(*(embedder.embed_query(question) for question in questions))
    np.testing.assert_array_equal(alone, at_once)


async def test_questions_and_passages_are_marked_apart(e5: OnnxEmbedder) -> None:
    question, passage = await e5.embed_query("Ana moved"), (await e5.embed_passages(["Ana moved"]))[0]
    assert 0.8 < float(question @ passage) < 0.999


async def test_what_lies_beyond_the_last_token_does_not_count(e5: OnnxEmbedder) -> None:
    one, other = await e5.embed_passages(["word " * 600 + "apple", "word " * 600 + "submarine"])
    np.testing.assert_array_equal(one, other)


def test_the_tokenizer_kept_here_splits_as_the_models_own(e5_dir: Path) -> None:
    own, pulled = uncased_tokenizer(), Tokenizer.from_file(str(e5_dir / "tokenizer.json"))
    assert own.get_vocab_size() == 30522
    assert own.get_vocab() == pulled.get_vocab()
    text = "Ana's café-bar, 東京 & Straße №5: unaffordable!"
    assert own.encode(text).ids == pulled.encode(text).ids
    assert own.encode("hello world").ids == [101, 7592, 2088, 102]


# -- folders that are not whole


def edited(e5_dir: Path, folder: Path, **changes: Any) -> Path:
    """A copy of the model folder (files linked) with an edited manifest; None drops a field."""
    folder.mkdir()
    manifest = json.loads((e5_dir / MANIFEST_FILE).read_text()) | changes
    for name in ("model.onnx", "tokenizer.json"):
        (folder / name).symlink_to(e5_dir / name)
    kept = {key: value for key, value in manifest.items() if value is not None}
    (folder / MANIFEST_FILE).write_text(json.dumps(kept))
    return folder


@pytest.mark.parametrize(
    "changes",
    [
        {"pooling": "max"},
        {"dimensions": None},
        {"dimensions": 0},
        {"unknown": 1},
        {"model_file": "../model.onnx"},
        {"model_file": "other.onnx"},
        {"sha256": {}},
        {"sha256": {"other.onnx": "0", "tokenizer.json": "0"}, "model_file": "other.onnx"},
    ],
    ids=str,
)
def test_a_manifest_that_can_not_be_meant_is_refused_at_opening(
    changes: dict[str, Any], e5_dir: Path, tmp_path: Path
) -> None:
    folder = edited(e5_dir, tmp_path / "model", **changes)
    with pytest.raises(InvalidInput):
        open_folder(folder)


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b"\xff\xfe", b"[" * 50_000])
def test_a_folder_without_a_readable_manifest_is_refused_at_opening(content: bytes | None, tmp_path: Path) -> None:
    if content is not None:
        (tmp_path / MANIFEST_FILE).write_bytes(content)
    with pytest.raises(InvalidInput):
        build(EmbedSettings(model_dir=tmp_path), tmp_path)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
async def test_a_file_that_was_changed_is_never_used(name: str, e5_dir: Path, tmp_path: Path) -> None:
    folder = edited(e5_dir, tmp_path / "model")
    (folder / name).unlink()
    (folder / name).write_bytes((e5_dir / name).read_bytes()[:-1] + b"!")
    embedder = open_folder(folder)
    with pytest.raises(EmbedderUnavailable, match=name):
        await embedder.embed_query("ok")
    await embedder.aclose()


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
async def test_a_file_that_is_something_else_is_told(name: str, e5_dir: Path, tmp_path: Path) -> None:
    folder = edited(e5_dir, tmp_path / "model")
    (folder / name).unlink()
    (folder / name).write_bytes(b"no such thing")
    manifest = json.loads((folder / MANIFEST_FILE).read_text())
    manifest["sha256"][name] = sha256_of(folder / name)
    (folder / MANIFEST_FILE).write_text(json.dumps(manifest))
    embedder = open_folder(folder)
    with pytest.raises(EmbedderUnavailable):
        await embedder.embed_query("ok")
    await embedder.aclose()


async def test_a_wrong_size_in_the_manifest_is_told(e5_dir: Path, tmp_path: Path) -> None:
    embedder = open_folder(edited(e5_dir, tmp_path / "model", dimensions=512))
    with pytest.raises(EmbedderUnavailable, match="gives 384 dimensions, its manifest says 512"):
        await embedder.embed_query("ok")
    await embedder.aclose()


async def test_the_pooling_of_the_manifest_is_used(e5: OnnxEmbedder, e5_dir: Path, tmp_path: Path) -> None:
    first = open_folder(edited(e5_dir, tmp_path / "model", pooling="cls"))
    assert float(await first.embed_query("Ana moved") @ await e5.embed_query("Ana moved")) < 0.99
    await first.aclose()


async def test_a_file_that_vanished_after_opening_is_told(e5_dir: Path, tmp_path: Path) -> None:
    folder = edited(e5_dir, tmp_path / "model")
    embedder = open_folder(folder)
    shutil.rmtree(folder)
    with pytest.raises(EmbedderUnavailable, match="can't be read"):
        await embedder.embed_query("ok")
    await embedder.aclose()
