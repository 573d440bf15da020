"""Which addresses an answer may lead to: those that the evidence or the asker named, letter by letter.

A model that obeys a text could put what it knows into an address; an address that was there before carries nothing out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import regex

_ADDRESS = regex.compile(r"(?:https?://|www\.)[^\s<>\"'`\[\]{}|\\^]+", regex.IGNORECASE)
_SCHEME = regex.compile(r"^(?:https?://)?(?:www\.)?", regex.IGNORECASE)
_ANY_SCHEME = regex.compile(r"^(?:[a-z][a-z0-9+.-]*:)?(?://)?(?:www\.)?", regex.IGNORECASE)
_TRAILING = ".,;:!?)*_~"
#: Addresses of one answer that are kept.
MAX_ADDRESSES = 500


def addresses_in(texts: Iterable[str]) -> frozenset[str]:
    """Every web address that the texts hold, in the form that `allows` compares."""
    found: set[str] = set()
    for text in texts:
        if "://" not in text and "www." not in text.lower():
            continue
        found.update(_plain(match) for match in _ADDRESS.findall(text))
        if len(found) > MAX_ADDRESSES:
            break
    return frozenset(found)


def allows(address: str, known: Collection[str]) -> bool:
    """Whether a web address is a known one, or the beginning of one: that tells its host nothing new."""
    if not _ADDRESS.fullmatch(address):
        return False
    plain = _plain(address)
    return any(plain == each or each.startswith((f"{plain}/", f"{plain}?", f"{plain}#")) for each in known)


def shown(address: str, known: Collection[str]) -> str:
    """The address as an answer shows it: one that is not known stands as text that nothing turns into a link."""
    body = address.rstrip(_TRAILING)
    return address if allows(body, known) else _ANY_SCHEME.sub("", address, count=1)


def _plain(address: str) -> str:
    return _SCHEME.sub("", address.rstrip(_TRAILING), count=1).rstrip("/")
