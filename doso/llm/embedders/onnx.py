"""A local embedder: any folder with an ONNX model, a tokenizer and a manifest. No torch, no network."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from doso.errors import EmbedderUnavailable, InvalidInput
from doso.llm.embedders.manifest import MANIFEST_FILE, MODELS_FOLDER, Manifest, read_manifest, verify_files
from doso.llm.ports import Embedder, EmbedderInfo, Vectors
from doso.settings import EmbedSettings
from doso.text import clean

if TYPE_CHECKING:
    import onnxruntime  # type: ignore[import-untyped]
    from tokenizers import Tokenizer

MAX_THREADS = 4
#: Texts handed to a worker thread at a time: small, so that a cancelled import stops soon.
TEXTS_PER_TASK = 8
#: No token is longer than this in ordinary text; what lies beyond can't reach the model anyway.
_CHARACTERS_PER_TOKEN = 32


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A session and its tokenizer, both safe to use from several threads."""

    session: onnxruntime.InferenceSession
    tokenizer: Tokenizer
    inputs: frozenset[str]
    failures: tuple[type[Exception], ...]


class OnnxEmbedder:
    """Runs the model in worker threads, one text at a time.

    The scale of a quantised model's activations is shared by a batch, so a text's vector would depend on its
    neighbours there; and batches gain next to nothing on a CPU (docs/decisions/050). Questions have a thread of their
    own, so that none waits behind an import.
    """

    def __init__(self, manifest: Manifest, load: Callable[[], LoadedModel]) -> None:
        self.info: EmbedderInfo = manifest.info
        self._manifest = manifest
        self._load = load
        self._loading = threading.Lock()
        self._model: LoadedModel | None = None
        self._passages = ThreadPoolExecutor(_worker_count(), thread_name_prefix="embed-passages")
        self._questions = ThreadPoolExecutor(1, thread_name_prefix="embed-question")

    async def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts, in order; equal texts have equal vectors whatever stands beside them."""
        if not texts:
            return np.empty((0, self.info.dimensions), dtype=np.float32)
        prefix, loop = self._manifest.passage_prefix, asyncio.get_running_loop()
        tasks = [
            loop.run_in_executor(self._passages, self._embed, prefix, list(texts[start : start + TEXTS_PER_TASK]))
            for start in range(0, len(texts), TEXTS_PER_TASK)
        ]
        return np.concatenate(await asyncio.gather(*tasks))

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a question."""
        loop = asyncio.get_running_loop()
        rows = await loop.run_in_executor(self._questions, self._embed, self._manifest.query_prefix, [text])
        return np.asarray(rows[0], dtype=np.float32)

    async def aclose(self) -> None:
        """Stop the worker threads after what they are doing now."""
        self._passages.shutdown(wait=False, cancel_futures=True)
        self._questions.shutdown(wait=False, cancel_futures=True)

    def _embed(self, prefix: str, texts: list[str]) -> Vectors:
        model = self._loaded()
        longest = self._manifest.max_tokens * _CHARACTERS_PER_TOKEN
        return np.stack([self._vector(model, prefix + clean(text)[:longest]) for text in texts])

    def _vector(self, model: LoadedModel, text: str) -> Vectors:
        ids = np.array([model.tokenizer.encode(text).ids], dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        try:
            outputs = model.session.run(None, {name: feeds[name] for name in model.inputs})
        except model.failures as error:
            raise EmbedderUnavailable(f"The model {self.info.model} failed on a text of {ids.size} tokens.") from error
        return _pooled(np.asarray(outputs[0], dtype=np.float32), self._manifest)

    def _loaded(self) -> LoadedModel:
        with self._loading:
            if self._model is None:
                self._model = self._load()
            return self._model


def build(settings: EmbedSettings, home: Path) -> Embedder:
    """The embedder of the configured folder, else of the one that `doso models pull` filled. Raises InvalidInput when
    there is neither, or when it isn't whole."""
    if settings.model_dir is not None:
        return open_folder(settings.model_dir)
    pulled = sorted((home / MODELS_FOLDER).glob(f"*/{MANIFEST_FILE}"))
    if not pulled:
        raise InvalidInput(
            "No local model: set DOSO_EMBED_MODEL_DIR to a model folder, or run `doso models pull`.",
            param="DOSO_EMBED_MODEL_DIR",
        )
    return open_folder(pulled[0].parent)


def open_folder(folder: Path) -> OnnxEmbedder:
    """The embedder of a model folder; the model is read at first use. Raises InvalidInput when it isn't whole."""
    manifest = read_manifest(folder)

    def load() -> LoadedModel:
        from tokenizers import Tokenizer  # noqa: PLC0415 - opening must cost nothing

        verify_files(folder, manifest)
        try:
            tokenizer = Tokenizer.from_buffer((folder / manifest.tokenizer_file).read_bytes())
        except (ValueError, OSError) as error:
            raise EmbedderUnavailable(f"The tokenizer of {manifest.model} can't be read.") from error
        return load_model(folder / manifest.model_file, tokenizer, manifest)

    return OnnxEmbedder(manifest, load)


def load_model(path: Path, tokenizer: Tokenizer, manifest: Manifest) -> LoadedModel:
    """Open a session on one thread. Raises EmbedderUnavailable when the file is no model that takes tokens."""
    import onnxruntime  # noqa: PLC0415 - opening must cost nothing

    failures = _runtime_failures()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # every text has its own length
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except failures as error:
        raise EmbedderUnavailable(f"The model {manifest.model} can't be opened.") from error
    inputs = frozenset(part.name for part in session.get_inputs())
    if not inputs <= {"input_ids", "attention_mask", "token_type_ids"}:
        raise EmbedderUnavailable(f"The model {manifest.model} wants other inputs than tokens: {sorted(inputs)}.")
    tokenizer.no_padding()
    tokenizer.enable_truncation(manifest.max_tokens)
    return LoadedModel(session, tokenizer, inputs, failures)


def _runtime_failures() -> tuple[type[Exception], ...]:
    """Everything the runtime raises; its own exceptions share no base but Exception."""
    from onnxruntime.capi import (  # type: ignore[import-untyped]  # noqa: PLC0415 - opening must cost nothing
        onnxruntime_pybind11_state as native,
    )

    own = (kind for kind in vars(native).values() if isinstance(kind, type) and issubclass(kind, Exception))
    return (RuntimeError, ValueError, OSError, *own)


def _pooled(states: NDArray[np.float32], manifest: Manifest) -> Vectors:
    """One unit vector from the states of one text: (1, tokens, dimensions), or (1, dimensions) if pooled already."""
    if states.shape[-1] != manifest.dimensions:
        raise EmbedderUnavailable(
            f"The model {manifest.model} gives {states.shape[-1]} dimensions, its manifest says {manifest.dimensions}."
        )
    tokens = states.reshape(-1, manifest.dimensions)
    vector = tokens[0] if manifest.pooling == "cls" else tokens.mean(axis=0)
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0:
        raise EmbedderUnavailable(f"The model {manifest.model} gave a vector without direction.")
    return np.asarray(vector / length, dtype=np.float32)


def _worker_count() -> int:
    """All cores but one, which stays free for answering."""
    return max(1, min(MAX_THREADS, (os.cpu_count() or 1) - 1))
