"""What importers share about files: their identity, their head, their characters as text."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from charset_normalizer import from_bytes

from doso.errors import NoText, TooLarge
from ingest.ports import ImportOptions

HEAD_BYTES = 65_536
#: A single text, PDF, DOCX or HTML file; larger ones are refused rather than read into memory.
MAX_FILE_BYTES = 64 * 1024 * 1024
#: A line longer than this comes in several pieces, so that a file without line ends stays bounded.
MAX_LINE_BYTES = 1024 * 1024
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_MAGIC = (
    b"%PDF-",
    b"PK\x03\x04",
    b"\x89PNG",
    b"\xff\xd8\xff",
    b"GIF8",
    b"\x1f\x8b",
    b"SQLite format 3\x00",
    b"\x7fELF",
)


def file_name(path: Path, options: ImportOptions) -> str:
    """The name the person knows the file by: the uploaded one, else its own."""
    return options.origin.replace("\\", "/").rsplit("/", 1)[-1] if options.origin else path.name


def file_uri(path: Path, options: ImportOptions) -> str:
    """The identity of a file: where it lies, or the name it was uploaded under."""
    return f"upload:{options.origin}" if options.origin else path.resolve().as_uri()


def title_of(path: Path, options: ImportOptions) -> str:
    """The stated title, else the file's name without its ending."""
    return options.title or Path(file_name(path, options)).stem or "Untitled"


def read_head(path: Path) -> bytes:
    """The first bytes of a file; empty for a folder."""
    if path.is_dir():
        return b""
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def read_all(path: Path) -> bytes:
    """The whole of a file of bounded size. Raises TooLarge, or NoText for an empty one."""
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise TooLarge(f"The file has {size} bytes; at most {MAX_FILE_BYTES} are read of one file of this kind.")
    data = path.read_bytes()
    if not data.strip():
        raise NoText("no text: the file is empty")
    return data


def is_binary(head: bytes) -> bool:
    """Whether these bytes are no text in any encoding that people write."""
    if any(head.startswith(bom) for bom, _ in _BOMS) or _looks_utf16(head):
        return False
    return head.startswith(_MAGIC) or b"\x00" in head


def encoding_of(head: bytes) -> str:
    """The encoding of a text by its first bytes: its mark, valid UTF-8, else the likeliest legacy one."""
    for bom, name in _BOMS:
        if head.startswith(bom):
            return name
    guess = _looks_utf16(head)
    if guess:
        return guess
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        best = from_bytes(head).best()
        return best.encoding if best is not None else "cp1252"
    return "utf-8"


def decode(data: bytes) -> str:
    """Bytes of any encoding as text; never raises."""
    encoding = encoding_of(data[:HEAD_BYTES])
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        best = from_bytes(data[: 4 * HEAD_BYTES]).best() if encoding == "utf-8" else None
        return data.decode(best.encoding if best is not None else "cp1252", "replace")


def text_lines(stream: BinaryIO) -> Iterator[str]:
    """The lines of a text stream without their ends, decoded by its first bytes, in constant memory.

    In a UTF-8 file a single broken line falls back to a legacy reading instead of losing characters.
    """
    first = stream.readline(MAX_LINE_BYTES)
    second = stream.readline(MAX_LINE_BYTES) if len(first) < HEAD_BYTES else b""
    encoding = encoding_of(first + second)
    pieces = (
        _chunks(stream, first + second) if encoding.startswith(("utf-16", "utf-32")) else _lines(stream, first, second)
    )
    if encoding.startswith(("utf-16", "utf-32")):
        yield from _wide_lines(pieces, encoding)
        return
    for number, line in enumerate(pieces):
        yield _line(line.removeprefix(codecs.BOM_UTF8) if number == 0 else line, encoding)


def _lines(stream: BinaryIO, first: bytes, second: bytes) -> Iterator[bytes]:
    yield from filter(None, (first, second))
    while line := stream.readline(MAX_LINE_BYTES):
        yield line


def _chunks(stream: BinaryIO, start: bytes) -> Iterator[bytes]:
    yield start
    while chunk := stream.read(HEAD_BYTES):
        yield chunk


def _line(raw: bytes, encoding: str) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("cp1252" if encoding.startswith("utf-8") else encoding, "replace")
    return text.rstrip("\r\n")


def _wide_lines(chunks: Iterator[bytes], encoding: str) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    rest = ""
    for chunk in chunks:
        *whole, rest = (rest + decoder.decode(chunk)).split("\n")
        yield from (line.rstrip("\r") for line in whole)
        if len(rest) > MAX_LINE_BYTES:
            yield rest
            rest = ""
    if rest:
        yield rest.rstrip("\r")


def _looks_utf16(head: bytes) -> str | None:
    """UTF-16 without a mark: every other byte of Latin text is zero."""
    sample = head[:512]
    if len(sample) < 8 or b"\x00" not in sample:
        return None
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > 0.8 * half and even == 0:
        return "utf-16-le"
    if even > 0.8 * half and odd == 0:
        return "utf-16-be"
    return None
