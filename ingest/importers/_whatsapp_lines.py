"""Lines of a WhatsApp file gathered into messages; a line that only looks like a head stays part of its message."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from ingest.importers._whatsapp_header import match_header
from ingest.importers._whatsapp_survey import Survey

#: Heads that are looked at ahead to see whether time goes on from a head or falls back behind it.
LOOK_AHEAD = 4
#: Clocks step back an hour in autumn, and messages overtake each other; only a longer step makes a head doubtful.
TOLERANCE = timedelta(hours=2)
#: A head this far ahead of all that follows is quoted text, whoever it names.
FAR_AHEAD = timedelta(days=1)
#: A message longer than this continues as a further one of the same author and time.
MAX_MESSAGE_CHARS = 1_000_000


@dataclass(slots=True)
class Entry:
    """One message or line of the app. `line` counts from 1; `author` is None for the app's own lines."""

    line: int
    raw: str
    at: datetime | None
    author: str | None
    body: list[str]
    size: int = 0

    @property
    def text(self) -> str:
        """The body with its line breaks."""
        return "\n".join(self.body)

    def add(self, lines: Iterable[str]) -> None:
        """Continue the body."""
        for line in lines:
            self.body.append(line)
            self.size += len(line) + 1


def entries(lines: Iterable[str], survey: Survey) -> Iterator[Entry]:
    """The messages of the file in order, whatever its bodies hold; nothing of the text is lost."""
    ahead: deque[Entry] = deque()
    current: Entry | None = None
    for candidate in _candidates(lines, survey):
        ahead.append(candidate)
        if len(ahead) > LOOK_AHEAD:
            current, done = _settle(current, ahead, survey)
            yield from done
    while ahead:
        current, done = _settle(current, ahead, survey)
        yield from done
    if current is not None:
        yield current


def _candidates(lines: Iterable[str], survey: Survey) -> Iterator[Entry]:
    entry: Entry | None = None
    for number, line in enumerate(lines, start=1):
        header = match_header(line)
        moment = header.moment(survey.order) if header is not None and header.shape == survey.shape else None
        if header is not None and moment is not None:
            if entry is not None:
                yield entry
            author, body = survey.split(header.rest)
            entry = Entry(number, line, moment, author, [body], len(body))
        elif entry is None:
            entry = Entry(number, line, None, None, [line], len(line))
        else:
            if entry.size > MAX_MESSAGE_CHARS:
                yield entry
                entry = Entry(number, line, entry.at, entry.author, [])
            entry.add([line])
    if entry is not None:
        yield entry


def _settle(current: Entry | None, ahead: deque[Entry], survey: Survey) -> tuple[Entry, list[Entry]]:
    """Take the next candidate: a new entry, or more text of the current one."""
    entry = ahead.popleft()
    if current is None:
        return entry, []
    if _is_quoted(current, entry, ahead, survey) and current.size + entry.size < MAX_MESSAGE_CHARS:
        current.add([entry.raw, *entry.body[1:]])
        return current, []
    return entry, [current]


def _is_quoted(current: Entry, entry: Entry, ahead: deque[Entry], survey: Survey) -> bool:
    """Whether the head is text of the message before it: time jumps with it and comes back after it."""
    if current.at is None or entry.at is None or current.author is None:
        return False
    following = [later.at for later in ahead if later.at is not None]
    is_strange = not survey.is_known(entry.author)
    if entry.at < current.at - TOLERANCE:
        on = sum(at >= current.at - TOLERANCE for at in following)
        return is_strange and bool(following) and 2 * on >= len(following)
    back = sum(current.at - TOLERANCE <= at < entry.at - TOLERANCE for at in following)
    is_taken_back = bool(following) and 2 * back >= len(following)
    far = sum(current.at - TOLERANCE <= at < entry.at - FAR_AHEAD for at in following)
    return is_taken_back and (is_strange or (bool(following) and 2 * far >= len(following)))
