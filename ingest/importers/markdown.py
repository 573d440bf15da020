"""Markdown notes with their front matter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from doso.errors import NoText
from doso.records import Incoming, Skipped, Source
from doso.text import clean, is_blank
from ingest.importers._files import decode, file_name, file_uri, is_binary, read_all, title_of
from ingest.importers._times import assumed_zone_note, parse_moment, to_utc, zone_of
from ingest.ports import ImportOptions, Progress

_ENDINGS = (".md", ".markdown", ".mdown", ".mkd")
_FRONT = re.compile(r"\A---[ \t]*\n(?P<front>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"(?m)^(?P<key>title|date|created|author)[ \t]*:[ \t]*(?P<value>.+?)[ \t]*$", re.IGNORECASE)
_HEADING = re.compile(r"(?m)^#[ \t]+(?P<title>.+?)[ \t#]*$")
_MARKDOWN_SIGN = re.compile(r"(?m)^(?:#{1,6} \S|```|- \[[ x]\] |\[[^\]\n]+\]: \S)|\]\(\S+\)|\*\*\S")
#: Front matter is sought in this many first characters only.
MAX_FRONT_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class _Front:
    body: str
    title: str | None = None
    author: str | None = None
    date: str | None = None


def build() -> MarkdownImporter:
    """The importer as the registry knows it."""
    return MarkdownImporter()


class MarkdownImporter:
    """Reads one Markdown note; what it says of its title, date and author counts."""

    name = "markdown"

    def sniff(self, path: Path, head: bytes) -> float:
        """A Markdown ending on text, or text that bears front matter and Markdown's signs."""
        if path.is_dir() or is_binary(head) or not head.strip():
            return 0.0
        if path.suffix.lower() in _ENDINGS:
            return 0.6
        text = clean(decode(head))
        return 0.4 if _FRONT.match(text) or len(_MARKDOWN_SIGN.findall(text)) >= 3 else 0.0

    def read(self, path: Path, options: ImportOptions) -> Iterator[Incoming | Skipped | Progress]:
        """Yield the one note. Raises NoText for a blank one."""
        front = _split_front(clean(decode(read_all(path))))
        if is_blank(front.body):
            raise NoText(f"no text: {file_name(path, options)} is blank")
        heading = _HEADING.search(front.body[:MAX_FRONT_CHARS])
        own_title = front.title or (heading["title"] if heading else None)
        moment, note = _moment(front.date, options.zone)
        yield Incoming(
            uri=file_uri(path, options),
            title=options.title or own_title or title_of(path, options),
            source=Source.NOTE,
            text=front.body,
            author=front.author,
            occurred_at=moment,
            zone=options.zone,
            external_id=file_name(path, options),
            notes=note,
        )


def _split_front(text: str) -> _Front:
    """The note without its front matter, and what that says."""
    found = _FRONT.match(text[:MAX_FRONT_CHARS])
    if found is None:
        return _Front(text)
    fields = {match["key"].lower(): match["value"].strip().strip("\"'") for match in _FIELD.finditer(found["front"])}
    date = fields.get("date") or fields.get("created")
    body = text[found.end() :].lstrip("\n")
    return _Front(body, fields.get("title") or None, fields.get("author") or None, date)


def _moment(date: str | None, zone: str | None) -> tuple[datetime | None, tuple[str, ...]]:
    stated = parse_moment(date) if date else None
    if stated is None:
        return None, ((f"The note's date {date!r} is not understood.",) if date else ())
    return to_utc(stated, zone_of(zone)), (() if stated.tzinfo else (assumed_zone_note(zone),))
