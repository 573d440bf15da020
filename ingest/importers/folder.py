"""Folders: every file in them by its own importer, in a fixed order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from doso.errors import DosoError, NoText, TooLarge, UnknownFormat
from doso.records import Incoming, Skipped, Source
from ingest.ports import ImportOptions, Progress
from ingest.registry import detect

MAX_FILES = 100_000
MAX_DEPTH = 32
#: Folders that tools keep for themselves.
_TOOL_FOLDERS = frozenset({"node_modules", "__pycache__", "__MACOSX", "$RECYCLE.BIN"})


def build() -> FolderImporter:
    """The importer as the registry knows it."""
    return FolderImporter()


class FolderImporter:
    """Walks a folder sorted by name; hidden files are left alone, links that lead out of it are not followed."""

    name = "folder"

    def sniff(self, path: Path, head: bytes) -> float:
        """Any folder."""
        return 1.0 if path.is_dir() else 0.0

    def read(self, path: Path, options: ImportOptions) -> Iterator[Incoming | Skipped | Progress]:
        """Yield what each file yields; one that cannot be read is skipped with its reason. Raises NoText when the
        folder holds no file."""
        inner = replace(options, title=None, chat_id=None, origin=None)
        files = list(_files(path))
        if not files:
            raise NoText(f"no text: the folder {path.name} holds no files")
        for number, file in enumerate(files, start=1):
            ref = file.relative_to(path).as_posix()
            if number > MAX_FILES:
                yield Skipped(ref, "too_large", f"At most {MAX_FILES} files of a folder are read.")
                return
            yield from _read_one(file, ref, inner)
            yield Progress(number, len(files))


def _read_one(file: Path, ref: str, options: ImportOptions) -> Iterator[Incoming | Skipped]:
    try:
        found = detect(file)
        for item in found.read(file, options):
            if isinstance(item, Skipped):
                yield replace(item, ref=f"{ref}: {item.ref}")
            elif isinstance(item, Incoming):
                yield replace(item, source=Source.NOTE) if found.name == "text" else item
    except NoText as error:
        yield Skipped(ref, "no_text", error.message)
    except UnknownFormat as error:
        yield Skipped(ref, "unsupported", error.message)
    except TooLarge as error:
        yield Skipped(ref, "too_large", error.message)
    except (DosoError, OSError) as error:
        yield Skipped(ref, "unreadable", str(error))


def _files(root: Path) -> Iterator[Path]:
    """The visible regular files below the folder, sorted; at most MAX_FILES and one more."""
    home = root.resolve()
    count = 0
    for folder, folders, names in os.walk(root):
        here = Path(folder)
        folders[:] = sorted(n for n in folders if not n.startswith(".") and n not in _TOOL_FOLDERS)
        if len(here.relative_to(root).parts) >= MAX_DEPTH:
            folders.clear()
        for name in sorted(names):
            file = here / name
            if name.startswith(".") or not file.is_file() or not file.resolve().is_relative_to(home):
                continue
            count += 1
            yield file
            if count > MAX_FILES:
                return
