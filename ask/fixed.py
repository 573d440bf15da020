"""Answers that need no model: nothing was found, or nothing was asked."""

from __future__ import annotations

NOTHING_FOUND = "I found nothing about this in your memory."
GREETING = "Hello! Ask me about anything in your memory."
THANKS = "You're welcome."
GOODBYE = "Goodbye!"
