"""Words in quotation marks or reported: whose they are, and what stands around them."""

# ruff: noqa: E501 - a table of words and patterns reads best with one form a line
from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from ingest.extract.reading.wordsets import word_set

_QUOTED = regex.compile(
    r"“[^”\n]{1,2000}”|„[^“”\n]{1,2000}[“”]|«[^»\n]{1,2000}»|\"[^\"\n]{1,2000}\"|(?<![\p{L}\p{N}])['‘][^'‘’\n]*(?:\p{L}['’]\p{L}[^'‘’\n]*)*['’](?![\p{L}\p{N}])"
)
MAX_QUOTES = 100
_SAYS = (
    "says|said|told me|tells me|told us|wrote|writes|texted(?: me)?|texts|messaged(?: me)?|mentioned|announced|insists|replied|answered|claims|claimed|explained|"
    "emailed(?: me)?|shouted|whispered|confirmed|admitted|reported|informed me|let me know|swears|keeps saying|just said|just told me|bilang|cerita|ngomong|menulis|katanya|berkata|mengaku|ngaku|curhat|ngabarin|"
    "memberi tahu|kasih tahu|told everyone|posted|tweeted"
)
_WHO = r"(?P<who>(?:[Mm]y \p{L}+ )?\p{Lu}[\p{L}\p{M}.'’-]*(?: (?:(?:de|van|von|bin|al) )?\p{Lu}[\p{L}\p{M}.'’-]*){0,3}|[Mm]y \p{L}+)"
_BEFORE = regex.compile(
    rf"(?:^|(?<=[.!?\n,;] ?))\s*(?:(?:so|and|but|yesterday|today|just now|then|well|tadi|kemarin)[, ]+)*{_WHO} (?:also |just |once |always |even |tadi |kemarin |barusan |pernah )*(?:{_SAYS})(?: (?:to )?(?:me|us|everyone|ke saya|ke aku|sama aku|yesterday|today|this morning|last night))*\s*(?:that|kalau|bahwa)?\s*[:,]?\s*$"
)
_KATA = regex.compile(rf"(?:^|(?<=[.!?\n,;] ?))\s*[Kk]ata(?:nya)? (?:si )?{_WHO}\s*[:,]?\s*$")
_REPORTED = regex.compile(
    rf"^\s*(?:(?:so|and|but|yesterday|today|just now|then|well|tadi|kemarin)[, ]+)*{_WHO} (?:also |just |once |tadi |kemarin |barusan )*(?:{_SAYS})(?: me| us| to me| ke saya| ke aku| sama aku)?(?: that| kalau| kalo| bahwa|:|,)*\s+(?=\S)"
)
_KATA_REPORTED = regex.compile(rf"^\s*(?:[Kk]ata|[Mm]enurut|[Aa]ccording to) (?:si )?{_WHO}\s*[:,]?\s+(?=\S)")
_NO_WHO = word_set(
    "i we you it he she they this that there the a an who what everyone people someone saya aku kami kita dia mereka nobody somebody and so but"
)


@dataclass(frozen=True, slots=True)
class Quote:
    """A stretch of the text between marks. `who` said it, "" when nothing tells; offsets of the inner words."""

    start: int
    end: int
    outer_start: int
    outer_end: int
    who: str = ""


def quotes(text: str) -> Iterator[Quote]:
    """Every stretch in quotation marks, with its speaker where the words before name one."""
    for match in itertools.islice(_QUOTED.finditer(text), MAX_QUOTES):
        line_start = max(text.rfind("\n", 0, match.start()), match.start() - 160, 0)
        before = text[line_start : match.start()]
        lead = _BEFORE.search(before) or _KATA.search(before)
        who = lead["who"] if lead and lead["who"].casefold() not in _NO_WHO else ""
        outer = line_start + lead.start("who") if lead and who else match.start()
        if lead and who and lead.re is _KATA:
            outer = line_start + lead.start()
        yield Quote(match.start() + 1, match.end() - 1, outer, match.end(), who)


def reported(sentence: str) -> tuple[str, int] | None:
    """Who is reported at the beginning of a sentence ("Hugo says he's moving …"), and where their words begin."""
    match = _REPORTED.match(sentence) or _KATA_REPORTED.match(sentence)
    if not match or match["who"].casefold() in _NO_WHO:
        return None
    return match["who"], match.end()
