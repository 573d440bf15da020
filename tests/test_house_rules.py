"""Rules of the house that no linter knows."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("doso", "graph", "ingest", "ask", "api")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 60
#: Where catching everything is right: the two job workers, whose one bad document or file must end in a receipt, and
#: the last line of a stream, which must end in an event.
BROAD_EXCEPT_ALLOWED = {"ingest/extraction.py", "ingest/importing.py", "api/wire/sending.py"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_every_module_says_what_it_is_for(path: Path) -> None:
    docstring = ast.get_docstring(tree_of(path))
    assert docstring, f"{name_of(path)} has no docstring"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_modules_and_functions_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_MODULE_LINES, "the module is too long; split it"
    long = [
        f"{node.name} ({node.end_lineno - node.lineno + 1} lines)"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno is not None
        and node.end_lineno - node.lineno + 1 > MAX_FUNCTION_LINES
    ]
    assert long == []


def test_only_the_settings_read_the_environment() -> None:
    readers = {
        name_of(path)
        for path in SOURCES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "os"
        and node.attr in ("environ", "getenv", "putenv")
    }
    assert readers == {"doso/settings.py"}


def broad_handlers(path: Path) -> Iterator[ast.ExceptHandler]:
    for node in ast.walk(tree_of(path)):
        if not isinstance(node, ast.ExceptHandler):
            continue
        is_broad = node.type is None or (
            isinstance(node.type, ast.Name) and node.type.id in ("Exception", "BaseException")
        )
        last = node.body[-1]
        is_passed_on = isinstance(last, ast.Raise) and last.exc is None  # tidied up and raised again
        if is_broad and not is_passed_on:
            yield node


def test_everything_is_caught_only_where_it_must_be() -> None:
    catching = {name_of(path) for path in SOURCES for _ in broad_handlers(path)}
    assert catching <= BROAD_EXCEPT_ALLOWED


def test_nothing_opens_at_import() -> None:
    for path in SOURCES:
        for node in tree_of(path).body:
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                raise AssertionError(f"{name_of(path)}:{node.lineno} calls something when it is imported")


def is_pause(node: ast.AST) -> bool:
    """A sleep of some time; `sleep(0)` only lets other tasks run."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "sleep"
        and not (isinstance(node.args[0], ast.Constant) and node.args[0].value == 0)
    )


def test_no_test_sleeps() -> None:
    sleepers = [
        f"{name_of(path)}:{node.lineno}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and is_pause(node)
    ]
    assert sleepers == []


REGISTRIES = (
    ("graph.registry", "BACKENDS", "graph/backends", "graph-backend"),
    ("ingest.registry", "IMPORTERS", "ingest/importers", "importer"),
    ("ingest.registry", "EXTRACTORS", "ingest/extract", "extractor"),
    ("ingest.registry", "LIVE", "ingest/live", "live-source"),
    ("ask.skeptics.registry", "LENSES", "ask/skeptics/lenses", "lens"),
    ("doso.llm.registry", "EMBEDDERS", "doso/llm/embedders", "embedder"),
    ("doso.llm.registry", "PROVIDERS", "doso/llm/providers", "provider"),
)


@pytest.mark.parametrize(("module", "table", "folder", "page"), REGISTRIES, ids=str)
def test_every_plug_in_is_registered_loads_and_is_documented(module: str, table: str, folder: str, page: str) -> None:
    registry: dict[str, str] = getattr(importlib.import_module(module), table)
    registered = set()
    text = (ROOT / "docs" / "extending" / f"{page}.md").read_text(encoding="utf-8")
    for name, target in registry.items():
        path, _, function = target.partition(":")
        assert callable(getattr(importlib.import_module(path), function)), target
        assert f"`{name}`" in text, f"docs/extending/{page}.md does not name {name}"
        registered.add(path.replace(".", "/"))
    builders = {
        name_of(path).removesuffix("/__init__.py").removesuffix(".py")
        for path in (ROOT / folder).rglob("*.py")
        if any(isinstance(node, ast.FunctionDef) and node.name == "build" for node in tree_of(path).body)
    }
    assert builders == registered
