"""Answers that need no model: nothing was found, or nothing was asked."""

from __future__ import annotations

from ask.claims import languages_of

NOTHING_FOUND = "I found nothing about this in your memory."
GREETING = "Hello! Ask me about anything in your memory."
THANKS = "You're welcome."
GOODBYE = "Goodbye!"
#: The same in the language of the question, where its words tell.
_NOTHING_FOUND = {
    "id": "Saya tidak menemukan apa pun tentang ini di memori Anda.",
    "de": "Dazu habe ich in deinem Gedächtnis nichts gefunden.",
}


def nothing_found_text(question: str) -> str:
    """That nothing was found, said to who asked so."""
    languages = languages_of(question)
    return _NOTHING_FOUND.get(next(iter(languages)), NOTHING_FOUND) if len(languages) == 1 else NOTHING_FOUND
