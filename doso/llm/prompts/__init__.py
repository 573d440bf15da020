"""The words in which a structured reply is asked for where a server takes no schema, and asked for again."""

from __future__ import annotations

import msgspec

from doso.llm.chat import ReplyShape

FITTING = """\
Answer with one JSON object and with nothing else: no explanation, no code fence.
The object must fit this JSON schema. Fill it with values; never repeat the schema itself.
{schema}"""

AGAIN = """\
Your last answer could not be read. Answer again, with the one JSON object that was asked for and nothing else."""

SHORTER = """\
Your last answer was too long and was cut off. Answer again, shorter, with one whole JSON object and nothing else."""


def fitting_words(shape: ReplyShape) -> str:
    """What is asked for, in words."""
    return FITTING.format(schema=msgspec.json.encode(shape.schema).decode())
