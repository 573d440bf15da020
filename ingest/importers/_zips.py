"""Reading entries of a ZIP that may be hostile: nothing is extracted, and sizes are measured, never believed."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from doso.errors import TooLarge, UnknownFormat

MAX_ENTRIES = 50_000
MAX_DIRECTORY_BYTES = 16 * 1024 * 1024
#: Inflated bytes per stored byte that no written text reaches, judged once enough has been read.
MAX_RATIO = 200
RATIO_FROM_BYTES = 2 * 1024 * 1024
#: How far an archive is read to say what is wrong with it: entries, and inflated bytes of each.
CHECKED_ENTRIES, CHECKED_BYTES = 100, 4 * 1024 * 1024
_PIECE_BYTES = 64 * 1024
_END_RECORD = b"PK\x05\x06"
_WIDE_END_RECORD = b"PK\x06\x06"  # ZIP64
#: What reading a damaged, encrypted or oddly packed entry raises.
BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)


@contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """The archive, its directory bounded before it is read. Raises UnknownFormat or TooLarge."""
    _check_directory(path)
    try:
        archive = zipfile.ZipFile(path)
    except BROKEN_ZIP as error:
        raise UnknownFormat(f"The ZIP archive is damaged: {error}.") from error
    with archive:
        if len(archive.infolist()) > MAX_ENTRIES:
            raise TooLarge(f"The archive has more than {MAX_ENTRIES} entries.")
        yield archive


def open_entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> BinaryIO:
    """The entry as a stream that stops a bomb while reading. Raises TooLarge, or one of BROKEN_ZIP when damaged."""
    return io.BufferedReader(_Measured(archive.open(entry), entry))


def is_unsafe(entry: zipfile.ZipInfo) -> bool:
    """Whether the entry's name would lead out of a folder it were unpacked into."""
    name = entry.filename.replace("\\", "/")
    return name.startswith("/") or ":" in name or ".." in name.split("/")


def check_zip(path: Path) -> None:
    """Say what is wrong with an archive that no importer knows. Raises UnknownFormat when it is damaged, TooLarge when
    it is a bomb; nothing when it is whole, as far as it was read."""
    with open_zip(path) as archive:
        for entry in archive.infolist()[:CHECKED_ENTRIES]:
            try:
                with open_entry(archive, entry) as stream:
                    left = CHECKED_BYTES
                    while left > 0 and (piece := stream.read(_PIECE_BYTES)):
                        left -= len(piece)
            except BROKEN_ZIP as error:
                raise UnknownFormat(f"The ZIP archive is damaged: {entry_name(entry)!r} can't be read.") from error


def entry_name(entry: zipfile.ZipInfo) -> str:
    """The last part of an entry's name, for people only: it never becomes a path."""
    return entry.filename.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


class _Measured(io.RawIOBase):
    """A stream that counts what comes out of an entry against what the entry takes in the archive."""

    def __init__(self, stream: IO[bytes], entry: zipfile.ZipInfo) -> None:
        self._stream = stream
        self._packed = max(entry.compress_size, 1)
        self._count = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        data = self._stream.read(len(view))
        self._count += len(data)
        if self._count > RATIO_FROM_BYTES and self._count > MAX_RATIO * self._packed:
            raise TooLarge("The archive inflates beyond any text: it looks like a bomb.")
        view[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def _check_directory(path: Path) -> None:
    """Bound the directory by the end record, before zipfile reads all of it into memory."""
    size = path.stat().st_size
    with path.open("rb") as file:
        file.seek(max(0, size - 65_557))
        tail = file.read()
    at = tail.rfind(_END_RECORD)
    if at < 0:
        raise UnknownFormat("The ZIP archive is damaged: it has no directory.")
    stated = int.from_bytes(tail[at + 12 : at + 16], "little")
    wide = tail.rfind(_WIDE_END_RECORD)
    if stated == 0xFFFFFFFF and wide >= 0:
        stated = int.from_bytes(tail[wide + 40 : wide + 48], "little")
    if stated > MAX_DIRECTORY_BYTES:
        raise TooLarge(f"The archive's directory takes more than {MAX_DIRECTORY_BYTES} bytes.")
