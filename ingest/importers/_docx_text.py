"""The text of Word's main part as a stream of lines: nothing of the document's tree is kept in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO
from xml.parsers import expat

from doso.errors import TooLarge

MAX_PART_BYTES = 48 * 1024 * 1024
MAX_TEXT_CHARS = 20_000_000
#: Elements open in one another; Word's own nest some dozens.
MAX_DEPTH = 1_000
#: Tables in tables; deeper ones are left out.
MAX_TABLE_DEPTH = 8
#: A cell over several rows is said in each of them, as a label is; a longer one once.
MAX_REPEATED_CHARS = 200
CHUNK_BYTES = 64 * 1024
_W = (
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main ",
    "http://purl.oclc.org/ooxml/wordprocessingml/main ",
)
#: A picture's or shape's second rendering of the same text.
_FALLBACK = "http://schemas.openxmlformats.org/markup-compatibility/2006 Fallback"
_BREAKS = {"tab": "\t", "cr": "\n", "noBreakHyphen": "-"}


class BrokenDocumentError(ValueError):
    """The part is no sound XML, or holds what Word never writes."""


@dataclass(slots=True)
class _Table:
    """A table on its way: the texts of the row at hand and, by column, those of the cells that go on below."""

    row: list[str] = field(default_factory=list)
    inner: list[str] = field(default_factory=list)
    above: dict[int, str] = field(default_factory=dict)
    column: int = 0
    cell: list[str] = field(default_factory=list)
    span: int = 1
    merge: str | None = None


def lines(stream: BinaryIO) -> Iterator[str]:
    """The lines in reading order, a table row as one with bars. Raises BrokenDocumentError or TooLarge."""
    reader = _Reader()
    total = 0
    try:
        while chunk := stream.read(CHUNK_BYTES):
            total += len(chunk)
            if total > MAX_PART_BYTES:
                raise TooLarge(f"The document's text part takes more than {MAX_PART_BYTES} bytes.")
            reader.parser.Parse(chunk, False)
            yield from reader.taken()
        reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise BrokenDocumentError(str(error)) from error
    yield from reader.taken()


class _Reader:
    """Gathers what the parser calls back with."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.StartDoctypeDeclHandler = self._doctype
        self._lines: list[str] = []
        self._paragraphs: list[list[str]] = []
        self._tables: list[_Table] = []
        self._depth = self._fallback = self._skipped_tables = self._chars = 0
        self._is_text = False

    def taken(self) -> list[str]:
        """The lines that are whole, once."""
        found, self._lines = self._lines, []
        return found

    def _doctype(self, *_: object) -> None:
        raise BrokenDocumentError("Word's documents declare no entities.")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise BrokenDocumentError(f"More than {MAX_DEPTH} elements stand in one another.")
        if self._fallback or name == _FALLBACK:
            self._fallback += 1
            return
        local = _local(name)
        if local == "t":
            self._is_text = True
        elif local == "p":
            self._paragraphs.append([])
        elif local in _BREAKS and self._paragraphs:
            self._paragraphs[-1].append(_BREAKS[local])
        elif local == "br" and self._paragraphs and _value(attributes, "type") in (None, "textWrapping"):
            self._paragraphs[-1].append("\n")
        else:
            self._start_of_table(local, attributes)

    def _start_of_table(self, local: str, attributes: dict[str, str]) -> None:
        if local == "tbl":
            if len(self._tables) > MAX_TABLE_DEPTH:
                self._skipped_tables += 1
            self._tables.append(_Table())
        elif not self._tables:
            return
        table = self._tables[-1]
        if local == "tr":
            table.row, table.inner, table.column = [], [], 0
        elif local == "tc":
            table.cell, table.span, table.merge = [], 1, None
        elif local == "gridSpan":
            value = _value(attributes, "val") or "1"
            table.span = int(value) if value.isascii() and value.isdigit() and len(value) < 4 else 1
        elif local == "vMerge":
            table.merge = _value(attributes, "val") or "continue"

    def _end(self, name: str) -> None:
        self._depth -= 1
        if self._fallback:
            self._fallback -= 1
            return
        local = _local(name)
        if local == "t":
            self._is_text = False
        elif local == "p" and self._paragraphs:
            self._paragraph("".join(self._paragraphs.pop()))
        elif local == "tc" and self._tables:
            self._cell(self._tables[-1])
        elif local == "tr" and self._tables:
            table = self._tables[-1]
            self._put([" | ".join(table.row), *table.inner])
        elif local == "tbl" and self._tables:
            self._tables.pop()
            if self._skipped_tables:
                self._skipped_tables -= 1
            elif not self._tables:
                self._put([""])

    def _text(self, data: str) -> None:
        if self._is_text and not self._fallback and self._paragraphs:
            self._paragraphs[-1].append(data)

    def _paragraph(self, text: str) -> None:
        if self._tables:
            self._tables[-1].cell.append(text)
            self._count(text)
        else:
            self._put([f"{text}\n" if text.strip() else ""])

    def _cell(self, table: _Table) -> None:
        text = " ".join(" ".join(table.cell).split())
        if table.merge == "continue":
            text = table.above.get(table.column, "")
        elif table.merge is not None:
            table.above[table.column] = text if len(text) <= MAX_REPEATED_CHARS else ""
        table.row.append(text)
        table.column += table.span

    def _put(self, lines: list[str]) -> None:
        """Lines of the document, or of a table within a cell: those follow the row that the cell is in."""
        for line in lines:
            self._count(line)
        if self._skipped_tables:
            return
        if len(self._tables) > 1:
            self._tables[-2].inner += lines
        else:
            self._lines += lines

    def _count(self, text: str) -> None:
        self._chars += len(text)
        if self._chars > 3 * MAX_TEXT_CHARS:  # a text in tables is counted once in its cell and once in its row
            raise TooLarge(f"The document says more than {MAX_TEXT_CHARS} characters.")


def _local(name: str) -> str:
    for space in _W:
        if name.startswith(space):
            return name[len(space) :]
    return ""


def _value(attributes: dict[str, str], name: str) -> str | None:
    for space in _W:
        if space + name in attributes:
            return attributes[space + name]
    return None
