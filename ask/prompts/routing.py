"""The prompt that decides whether a question needs the world outside, and its reply."""

from __future__ import annotations

from pydantic import BaseModel

RULES = """\
Decide whether a question can only be answered well with fresh public information from the web: news, prices, opening \
hours, what a company or public person does now. A question about the person's own life, people they know, or what \
somebody told them needs none. You are told which names in it the person's memory knows. Reply with one JSON object: \
{"needs_live": true} or {"needs_live": false}\
"""


class Routed(BaseModel):
    """Whether to look outside."""

    needs_live: bool
