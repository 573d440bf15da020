"""Quotes an item of a pack the way a person would tell it: who wrote what when, what stands where."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from ask.orders import without_orders
from ask.sentences import flat
from doso.records import Source
from doso.records.evidence import EvidenceItem

#: The longest quotation and title.
MAX_QUOTED, MAX_TITLE = 280, 80
_SPOKEN = regex.compile(r"^\((?P<when>\d{1,2} \p{L}+ \d{1,4}, \d\d:\d\d)\) (?:(?P<who>[^\n:]{1,80}): )?")
_SENTENCE = regex.compile(r".+?(?:[.!?…]+[\"'”’)\]]*(?=\s|$)|\n|$)", regex.DOTALL)
_ABBREVIATED = regex.compile(
    r"(?:^|\s)(?:\p{L}|Mr|Mrs|Ms|Dr|Prof|No|St|Jl|ca|vs|e\.g|i\.e|[ap]\.m|\d{1,2})\.$", regex.IGNORECASE
)
_GREETING = regex.compile(
    r"^(?:hi|hello|hey|dear|halo|hai|good (?:morning|evening)|best|cheers|regards|love|salam)\b[^.?]{0,40}[,!]?$",
    regex.IGNORECASE,
)
_LEADING = regex.compile(r"^[\s\-*•>#|]+")
_MARKUP = regex.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_FIELD = regex.compile(r"^(?P<name>When|Where): (?P<value>.+)$", regex.MULTILINE)
_ZONE = regex.compile(r" \([A-Z]\w+/\w+(?:/\w+)?\)$")
_KINDS = {Source.NOTE: "Your note", Source.FIRECRAWL: "The page", Source.X: "The post"}


def body_of(item: EvidenceItem) -> str:
    """What an item says, without the day and speaker that stand before what was said."""
    spoken = _SPOKEN.match(item.text)
    return item.text if spoken is None else item.text[spoken.end() :]


def speaker_of(item: EvidenceItem) -> str:
    """Who said it, "" where that is not known."""
    spoken = _SPOKEN.match(item.text)
    if spoken is not None and spoken["who"]:
        return str(spoken["who"])
    return (item.sources[0].author or "") if item.sources else ""


def sentences_of(item: EvidenceItem) -> list[str]:
    """Sentences and lines of an item, without its title, greetings and the signs of lists."""
    title = flat(_title(item))
    return [one for one in _sentences(without_orders(body_of(item))) if flat(one) != title and not _GREETING.match(one)]


def told(item: EvidenceItem, quote: str) -> str:
    """'On 8 May 2023 Mara wrote: "…" [S1].'"""
    mark = f"[{item.mark}]"
    if item.sources and item.sources[0].source is Source.CALENDAR:
        event = _event(item)
        if event:
            return f"{event} {mark}."
    text = _MARKUP.sub("", quote).strip().replace('"', "'").replace("[", "(").replace("]", ")").replace(" | ", ": ")
    return f'{_introduced(item)}: "{text.rstrip(".")}" {mark}.'


def shortened(text: str) -> str:
    """On one line, cut at a word where it is too long."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_QUOTED else line[: MAX_QUOTED - 1].rsplit(" ", 1)[0] + "…"


def _event(item: EvidenceItem) -> str:
    """'Your calendar has "Dentist" on Thursday, 12 March 2026, at Klinik Melati'; "" for a text that is no event."""
    fields = {match["name"]: match["value"].strip() for match in _FIELD.finditer(item.text)}
    if "When" not in fields:
        return ""
    where = f", at {fields['Where']}" if "Where" in fields else ""
    return f'Your calendar has "{_title(item)}" on {_ZONE.sub("", fields["When"])}{where}'


def _introduced(item: EvidenceItem) -> str:
    spoken = _SPOKEN.match(item.text)
    if spoken is not None:
        day = spoken["when"].partition(",")[0]
        return f"On {day} {spoken['who']} wrote" if spoken["who"] else f"A message of {day} says"
    if not item.sources:
        return "Your memory says"
    source = item.sources[0]
    named = f' "{_title(item)}"' if source.title.strip() else ""
    if source.source is Source.GMAIL:
        day = "" if source.occurred_at is None else f" on {source.occurred_at.day} {source.occurred_at:%B %Y}"
        return f"{source.author or 'Someone'} wrote{day}"
    if source.source is Source.CALENDAR:
        return f"Your calendar has{named}"
    return f"{_KINDS.get(source.source, 'The document')}{named} says"


def _title(item: EvidenceItem) -> str:
    title = item.sources[0].title if item.sources else ""
    return " ".join(title.replace('"', "'").replace("[", "(").replace("]", ")").split())[:MAX_TITLE]


def _sentences(text: str) -> Iterator[str]:
    """An abbreviation ends no sentence."""
    pending = ""
    for match in _SENTENCE.finditer(text):
        pending += match.group()
        if _ABBREVIATED.search(pending.rstrip()) and not pending.endswith("\n"):
            continue
        yield from _whole(pending)
        pending = ""
    yield from _whole(pending)


def _whole(text: str) -> Iterator[str]:
    line = " ".join(_LEADING.sub("", text).split())
    if any(char.isalnum() for char in line):
        yield line
