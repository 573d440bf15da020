"""Where something came from, and how far that is trusted."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Source(StrEnum):
    """The badge a document wears."""

    WHATSAPP = "whatsapp"
    TELEGRAM = "telegram"
    SLACK = "slack"
    IMESSAGE = "imessage"
    GMAIL = "gmail"
    CALENDAR = "calendar"
    NOTE = "note"
    FILE = "file"
    WEB = "web"  # a page that the owner took in; what live research read has the badge of its tool
    CHAT = "chat"
    FIRECRAWL = "firecrawl"
    X = "x"


class Trust(IntEnum):
    """Trust tiers; a lower tier never supersedes a higher one."""

    INFERRED = 0
    WEB = 1
    IMPORTED = 2
    USER = 3


#: Sources whose documents never enter the document arm of retrieval.
UNLISTED_SOURCES = frozenset({Source.CHAT, Source.FIRECRAWL, Source.X})


def trust_of(source: Source) -> Trust:
    """The tier of what a document of this source says."""
    if source is Source.CHAT:
        return Trust.USER
    if source in (Source.WEB, Source.FIRECRAWL, Source.X):
        return Trust.WEB
    return Trust.IMPORTED
