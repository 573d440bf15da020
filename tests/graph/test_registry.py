"""The registry of graph backends: every entry loads, every file is registered, the page's example runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from doso.errors import InvalidInput
from doso.plugins import load
from graph.registry import BACKENDS, SCHEMES, open_graph_store

ROOT = Path(__file__).parents[2]


def test_every_backend_is_registered_and_loads() -> None:
    folders = {path.parent.name for path in (ROOT / "graph" / "backends").glob("*/__init__.py")}
    assert set(BACKENDS) == folders == set(SCHEMES.values())
    for name in BACKENDS:
        assert callable(load(BACKENDS, "graph backend", name))


def test_an_unknown_url_names_what_is_known() -> None:
    with pytest.raises(InvalidInput, match="sqlite"):
        open_graph_store("mongodb://somewhere")


async def test_the_example_of_the_page_runs(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "extending" / "graph-backend.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    names: dict[str, object] = {"__name__": "example"}
    exec(compile(code, "graph-backend.md", "exec"), names)
    main = names["main"]
    assert callable(main)
    assert await main(f"sqlite:///{tmp_path / 'graph.db'}") == ["Rex's breed is beagle"]
