"""What a sentence is known by wherever it is copied to: a forward or a quotation of it is no second source."""

from __future__ import annotations

import regex

from doso.ids import digest
from doso.text import words

FINGERPRINT_CHARS = 32
_END = regex.compile(r"[.!?…。！？]+(?=\s|$)|\n")


def sentence_around(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """The sentence, or the run of sentences, in which the span lies."""
    start, end = 0, len(text)
    for mark in _END.finditer(text):
        if mark.end() <= span[0]:
            start = mark.end()
        elif mark.end() >= span[1]:
            end = mark.end()
            break
    return start, end


def fingerprint(text: str, span: tuple[int, int] | None) -> str | None:
    """The same for the same sentence, however it is set off, cased or wrapped; None where no words are."""
    if span is None:
        return None
    start, end = sentence_around(text, span)
    said = " ".join(words(text[start:end]))
    return digest(said)[:FINGERPRINT_CHARS] if said else None
