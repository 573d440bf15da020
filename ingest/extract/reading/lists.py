"""Lists about a person: "About me: - Name: Ana - City: Leeds"."""

# ruff: noqa: E501 - a table of words and patterns reads best with one form a line
from __future__ import annotations

import regex

from ingest.extract.reading.attributes import valued
from ingest.extract.reading.gate import is_secret
from ingest.extract.reading.line import Line
from ingest.extract.reading.nouns import FAVOURITES, NARROW_FAVOURITES, attribute_at
from ingest.extract.reading.phrase import Phrase
from ingest.extract.reading.phrases import phrase_at
from ingest.extract.reading.records import Stated, Term
from ingest.extract.reading.tokens import tokenize
from ingest.extract.reading.world import World

_HEAD = regex.compile(
    r"^[ \t]*(?P<mine>(?:(?:some |quick |basic )?my (?:profile|details|info|data|bio|facts|basics|card)|(?:data|profil|info|biodata|identitas)(?: diri)? (?:saya|aku|gue)|(?:data|profil|biodata)ku))[ \t]*:[ \t]*$"
    r"|^[ \t]*(?:(?:some |a few |the )?(?:facts|things|info|information|details|data|notes|basics|profile?|bio(?:data)?|quick facts|more|here(?:['’]s| is) (?:a bit|some \w+|my \w+))?[ ]*(?:about|on|of|tentang|soal|mengenai) )?"
    r"(?P<who>me|myself|saya|aku|gue|diri saya|(?-i:\p{Lu}[\p{L}’'-]*(?: \p{Lu}[\p{L}’'-]*){0,2}))[ \t]*:[ \t]*$",
    regex.IGNORECASE | regex.MULTILINE,
)
_ITEM = regex.compile(
    r"^[ \t]*(?:[-*•–]|\d{1,2}[.)])?[ \t]*(?P<key>\p{L}[\p{L} '’-]{1,40}?)[ \t]*[:=][ \t]*(?P<value>\S[^\n]{0,200})$",
    regex.MULTILINE,
)
MAX_ITEMS = 40


def listed(text: str, world: World) -> tuple[str, list[Stated]]:
    """The facts of lists headed by whom they are about, and the text with these lists blanked out."""
    found: list[Stated] = []
    for head in _HEAD.finditer(text):
        owner = _owner(head, world)
        end = text.find("\n\n", head.end() + 2)
        end = len(text) if end < 0 else end
        items = list(_ITEM.finditer(text, head.end(), end))[:MAX_ITEMS]
        if owner is None or not items:
            continue
        for item in items:
            found.extend(_item(item, owner, text, world))
        text = text[: head.start()] + regex.sub(r"[^\n]", "\u0000", text[head.start() : end]) + text[end:]
    return text, found


def _owner(head: regex.Match[str], world: World) -> Term | None:
    who = (head["who"] or "").casefold()
    if head["mine"] or who in ("me", "myself", "saya", "aku", "gue", "diri saya"):
        return world.speaker
    line = Line(tokenize(head["who"]), head["who"])
    phrase = phrase_at(line, 0, world)
    return (
        phrase.term
        if phrase is not None
        and phrase.is_sure
        and not phrase.is_thing
        and phrase.attribute is None
        and phrase.end == len(line)
        else None
    )


def _item(item: regex.Match[str], owner: Term, text: str, world: World) -> list[Stated]:
    if is_secret(item.group()):
        return []
    padded = " " * item.start("key") + text[item.start("key") : item.end("value")]
    line = Line(tokenize(padded), text)
    key = list(line.norms)
    colon = next((i for i, norm in enumerate(key) if norm in (":", "=")), 0)
    attribute = _attribute(line, colon)
    if attribute is None:
        return []
    subject = Phrase((owner,), colon, attribute=attribute)
    return list(valued(attribute, line, line.slice(colon), colon, subject, world))


def _attribute(line: Line, colon: int) -> str | None:
    at = 0
    while line.norm(at) in ("my", "the", "current", "saya") and at < colon:
        at += 1
    words = line.norms[at:colon]
    if "favourite" in words or "favorit" in words or "kesukaan" in words:
        noun = next((word for word in words if word in FAVOURITES), "")
        return ("likes" if noun in NARROW_FAVOURITES else FAVOURITES[noun]) if noun else None
    found = attribute_at(line.norms, at)
    return (
        found[0]
        if (found is not None and found[0] and found[1] == colon)
        or (found is not None and found[0] and line.norm(found[1]) == "saya")
        else None
    )
