"""The `manifest.json` beside a local model: what the model is and how to use it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from doso.errors import EmbedderUnavailable, InvalidInput
from doso.llm.ports import EmbedderInfo

MANIFEST_FILE = "manifest.json"
#: The folder under DOSO_HOME that holds one folder per pulled model.
MODELS_FOLDER = "models"
_MAX_MANIFEST_BYTES = 64 * 1024
_FILE_NAME = r"^[A-Za-z0-9_][A-Za-z0-9._-]*$"

FileName = Annotated[str, msgspec.Meta(pattern=_FILE_NAME)]


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to use a folder with an ONNX model. `sha256` maps file names to their digests; model and tokenizer must be
    among them. Vectors are always brought to unit length, so there is no setting for that."""

    model: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    version: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    dimensions: Annotated[int, msgspec.Meta(ge=1, le=8192)]
    pooling: Literal["mean", "cls"]
    max_tokens: Annotated[int, msgspec.Meta(ge=8, le=32768)]
    sha256: dict[FileName, str]
    query_prefix: str = ""
    passage_prefix: str = ""
    model_file: FileName = "model.onnx"
    tokenizer_file: FileName = "tokenizer.json"

    @property
    def info(self) -> EmbedderInfo:
        """The identity of vectors made with it."""
        return EmbedderInfo(model=self.model, dimensions=self.dimensions, version=self.version)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a folder whose files are all there. Raises InvalidInput saying what is wrong with it."""
    path = folder / MANIFEST_FILE
    try:
        with path.open("rb") as file:
            manifest = msgspec.json.decode(file.read(_MAX_MANIFEST_BYTES), type=Manifest)
    except OSError as error:
        raise InvalidInput(f"No readable {MANIFEST_FILE} in the model folder {folder}.", param="model_dir") from error
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not a model manifest: {error}.", param="model_dir") from error
    for name in (manifest.model_file, manifest.tokenizer_file):
        if name not in manifest.sha256:
            raise InvalidInput(f"{path} has no sha256 of {name}.", param="model_dir")
        if not (folder / name).is_file():
            raise InvalidInput(f"{name} is missing in the model folder {folder}.", param="model_dir")
    return manifest


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest into the folder."""
    (folder / MANIFEST_FILE).write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")


def verify_files(folder: Path, manifest: Manifest) -> None:
    """Check every file against its digest. Raises EmbedderUnavailable naming the one that differs."""
    for name, wanted in manifest.sha256.items():
        try:
            found = sha256_of(folder / name)
        except OSError as error:
            raise EmbedderUnavailable(f"{folder / name} can't be read; run `doso models pull` again.") from error
        if found != wanted.lower():
            raise EmbedderUnavailable(f"{folder / name} differs from its manifest; run `doso models pull` again.")


def sha256_of(path: Path) -> str:
    """SHA-256 of a file as hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
