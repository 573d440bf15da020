"""Parts of a text that give orders to an assistant: in quotation marks they are text, standing free they state nothing.

Nobody is obeyed because of this; it keeps such a passage from standing behind what an obedient model made of it.
"""

from __future__ import annotations

import regex

_WHOM = r"(?:the |any |all |every )?(?:ai |llm )?(?:assistants?|models?|ais?|llms?|agents?|chatbots?)"
_ORDER = regex.compile(
    rf"(?<![\"“'‘«`])\b(?:notes?|messages?|instructions?|attention|notice|reminder) (?:to|for) {_WHOM}\b[^\n]*"
    rf"|^[ \t>*#-]*(?:system|assistant|attention {_WHOM})[ \t]*:[^\n]*"
    r"|(?<![\"“'‘«`])\b(?:ignore|disregard|forget) (?:all |any )?(?:of )?(?:the |your )?"
    r"(?:previous|earlier|prior|above|preceding) (?:instructions|rules|prompts|messages)[^\n]*"
    r"|(?<![\"“'‘«`])\b(?:abaikan|lupakan) (?:semua )?(?:instruksi|perintah) (?:sebelumnya|di atas)[^\n]*",
    regex.IGNORECASE | regex.MULTILINE,
)


def without_orders(text: str) -> str:
    """The text without its free-standing orders to an assistant, each up to the end of its line."""
    return _ORDER.sub("", text)
