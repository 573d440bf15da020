"""Text that others wrote, put into a prompt: fenced, and without what a model would read as more than text."""

from __future__ import annotations

import regex

from doso.ids import digest

_CODE_CHARS = 16
_TAGS = (
    "s|think|tool_call|function_calls?|(?:start|end)_of_turn|im_start|im_end|"
    "system|assistant|user|evidence|passages|document|instructions?"
)
#: What the templates of models take for a change of speaker, a call or the end of a fence; apart it is text again.
_CONTROL = regex.compile(rf"<(?=[|｜]|/?(?:{_TAGS})\b[^<>\n]{{0,40}}>)|\[(?=/?INST\])|<(?=</?SYS>>)", regex.IGNORECASE)


def fenced(tag: str, body: str, *, salt: str = "") -> tuple[str, str]:
    """The fence's code, and the body between two lines that carry it. The code depends on all of the text, so that no
    text can hold it."""
    code = digest(f"{salt}\n{body}")[:_CODE_CHARS]
    return code, f"<{tag} {code}>\n{body}\n</{tag} {code}>"


def indented(text: str) -> str:
    """The text as one item of a fence: inert, and later lines indented, so that none looks like another item."""
    return "\n    ".join(line.strip() for line in inert(text).splitlines())


def inert(text: str) -> str:
    """The text without what a model's template would read as more than text."""
    return _CONTROL.sub(lambda match: f"{match.group()} ", text)
