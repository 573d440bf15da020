"""Ways of saying what one is called and where one is reached."""

from __future__ import annotations

import regex

from ingest.extract.reading.line import Line
from ingest.extract.reading.names import name_at, shown
from ingest.extract.reading.records import Stated, Term
from ingest.extract.reading.world import World

_CALLS = regex.compile(
    r"(?:^|.* )(?:calls?|panggil|call) (?:me|saya)(?: (?:just|by my nickname|simply|dengan|sebagai))? "
)


def calls_me(line: Line, world: World) -> list[Stated]:
    """ "Call me Raf", "everybody calls me Raf"."""
    match = _CALLS.match(line.text + " ")
    if not match or world.speaker is None or "not" in line.norms or "tidak" in line.norms:
        return []
    name = name_at(line, line.index(match.end()), is_lower=True)
    if name is None or (
        name.end < len(line) and line.norm(name.end) not in (",", "for", "because", "and", "everyone", "instead")
    ):
        return []
    return [
        Stated(
            world.speaker, "nickname", Term(shown(name.text), None, line.span(name.start, name.end)), span=line.span()
        )
    ]


_REACH = regex.compile(
    r"(?:reach|contact|e-?mail|mail|call|text|phone|write|whatsapp|hubungi|kontak|wa|telepon|message|ping)"
    r" (?:to )?(?:me|saya)(?: (?:at|on|via|di|ke|lewat|by|under|anytime|email|phone|nomor))* $"
)


def reached_at(line: Line, world: World) -> list[Stated]:
    """ "You can reach me at …"."""
    for at, token in enumerate(line.tokens):
        if (
            token.kind in ("mail", "phone")
            and _REACH.search(" ".join(line.norms[:at]) + " ")
            and world.speaker is not None
        ):
            value = Term(token.text, None, line.span(at, at + 1))
            return [Stated(world.speaker, "email" if token.kind == "mail" else "phone", value, span=line.span())]
    return []
