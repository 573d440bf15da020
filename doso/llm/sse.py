"""Reading of a provider's event stream: bytes in, the data of whole events out."""

from __future__ import annotations

_BOM = b"\xef\xbb\xbf"
_CR = 0x0D
_LF = 0x0A


class SseDecoder:
    """Cuts bytes into events, however they were cut on their way.

    Lines end at CR, LF or CRLF and nowhere else. A line that begins with a brace is no field of an event: some servers
    write their errors so, and it is given out as data of its own. Who feeds it bounds how much.
    """

    def __init__(self) -> None:
        self._partial: list[bytes] = []  # of the line that has not ended yet
        self._data: list[str] = []  # of the event that has not ended yet
        self._is_after_cr = False
        self._is_first_line = True

    def feed(self, chunk: bytes) -> list[str]:
        """The data of the events that end within this chunk."""
        if self._is_after_cr and chunk:
            self._is_after_cr = False
            if chunk[0] == _LF:
                chunk = chunk[1:]
        if not chunk:
            return []
        lines = chunk.splitlines()  # of bytes: at CR, LF and CRLF only
        last = chunk[-1]
        rest = b"" if last in (_CR, _LF) else lines.pop()
        self._is_after_cr = last == _CR
        events: list[str] = []
        if lines:
            if self._partial:
                lines[0] = b"".join(self._partial) + lines[0]
                self._partial.clear()
            for line in lines:
                self._take(line, events)
        if rest:
            self._partial.append(rest)
        return events

    def finish(self) -> list[str]:
        """The data of what was still open when the stream ended: not all servers send the last blank line."""
        events: list[str] = []
        if self._partial:
            line = b"".join(self._partial)
            self._partial.clear()
            self._take(line, events)
        self._take(b"", events)
        return events

    def _take(self, line: bytes, events: list[str]) -> None:
        if self._is_first_line:
            self._is_first_line = False
            line = line.removeprefix(_BOM)
        if not line:
            if self._data:
                events.append("\n".join(self._data))
                self._data.clear()
        elif line.startswith(b"data:"):
            value = line[5:]
            self._data.append((value[1:] if value[:1] == b" " else value).decode(errors="replace"))
        elif line == b"data":
            self._data.append("")
        elif line.startswith(b"{"):
            events.append(line.decode(errors="replace"))
