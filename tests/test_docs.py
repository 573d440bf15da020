"""The documentation holds what it says: examples run, links lead somewhere, every setting and error is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import doso.errors
from doso.errors import DosoError

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
EXTENDING = sorted(page for page in (ROOT / "docs" / "extending").glob("*.md") if page.name != "README.md")
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)#\s]+)")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", EXTENDING, ids=name_of)
def test_the_example_of_every_extending_page_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    assert blocks, "the page has no example"
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "example"}
    for block in blocks:
        exec(compile(block, name_of(page), "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    broken = [link for link in LINK.findall(page.read_text(encoding="utf-8")) if not (page.parent / link).exists()]
    assert broken == []


def test_every_setting_is_documented() -> None:
    source = (ROOT / "doso" / "settings.py").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    variables = set(re.findall(r'"((?:DOSO|LLM|ASK|TOOLS|FIRECRAWL|XAI|OTEL)_[A-Z_]+)"', source))
    assert variables
    assert {name for name in variables if f"`{name}`" not in page} == set()
    assert set(re.findall(r"`((?:DOSO|LLM|ASK|TOOLS|FIRECRAWL|XAI|OTEL)_[A-Z_]+)`", page)) <= variables


def test_every_error_code_is_documented() -> None:
    page = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8")
    codes = {
        error.code for error in vars(doso.errors).values() if isinstance(error, type) and issubclass(error, DosoError)
    }
    assert {code for code in codes if f"`{code}`" not in page} == set()
