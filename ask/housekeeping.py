"""Recognises prompts by which clients keep house (titles, tags, follow-ups, queries), by structure, not by client.

Such a prompt says what to make of a conversation and in what form to give it; a person's question may speak of titles
and conversations too, but sets no form, or means a conversation with somebody.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import regex

#: Where a prompt says what is wanted: at its head, or behind a transcript.
_HEAD_CHARS, _TAIL_CHARS = 600, 400
#: A system prompt longer than this does more than name conversations.
_MAX_INSTRUCTIONS = 4_000
_I = regex.IGNORECASE


class Chore(StrEnum):
    """What is wanted."""

    TITLE = "title"
    TAGS = "tags"
    FOLLOW_UPS = "follow_ups"
    QUERIES = "queries"
    EMOJI = "emoji"
    COMPLETION = "completion"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Housekeeping:
    """A recognised prompt. `key` is the name under which a JSON object is to hold the result, None for plain text;
    `is_list` whether it is to be a list there. `subject` is the transcript in the prompt, "" where it is elsewhere."""

    chore: Chore
    key: str | None = None
    is_list: bool = False
    subject: str = ""


def _any(*words: str) -> str:
    return f"(?:{'|'.join(words)})"


_COUNT = _any(r"\d+", "two", "three", "four", "five", "six", "seven", "eight", "ten")
_MAKE = _any(
    r"generat\w+", r"creat\w+", r"writ(?:e|ing)", r"suggest\w*", r"provid\w+", r"giv(?:e|ing)", r"mak(?:e|ing)",
    r"com(?:e|ing) up with", r"produc\w+", r"propos\w+", r"summari[sz]\w+", r"predict\w*", "reply with", "respond with",
    r"craft\w*", "need", r"reflect\w*", r"extract\w*", r"assign\w*", r"buat\w*",
)  # fmt: skip
_NOUNS = {
    Chore.FOLLOW_UPS: _any(r"follow[- _]?ups?", r"(?:next|suggested) (?:questions|prompts|messages|replies)"),
    Chore.QUERIES: _any(r"search (?:quer(?:y|ies)|terms)", r"retrieval quer(?:y|ies)", "queries? for (?:a )?search"),
    Chore.TAGS: _any(r"(?:broad |topic |subtopic )?tags\b", "categor(?:y|ies) (?:tags|labels)"),
    Chore.EMOJI: _any("(?:fitting |single )?emoji (?:that|to|for|representing)", "through a fitting emoji"),
    Chore.TITLE: _any(
        r"titles?\b", "headline", r"(?:chat|conversation) names?\b", "(?:conversation|chat|thread) a (?:short )?name",
        r"judul\b",
    ),
}  # fmt: skip
_WANTED = tuple((chore, regex.compile(rf"\b{_MAKE}\b[^.!?\n]{{0,90}}?\b{noun}", _I)) for chore, noun in _NOUNS.items())
_CHINESE_TALK, _CHINESE_NAME = _any("会话", "对话", "對話", "聊天", "會話"), _any("标题", "標題")
_CHINESE_TITLE = regex.compile(rf"{_CHINESE_TALK}.{{0,40}}{_CHINESE_NAME}|{_CHINESE_NAME}.{{0,40}}{_CHINESE_TALK}")
_COMPLETION = regex.compile(r"\bautocomplet(?:e|ion) (?:system|engine|assistant)\b", _I)
_SUMMARY = regex.compile(
    r"\bsummari[sz]e (?:the|our|this) (?:discussion|conversation|chat)\b.{0,120}"
    r"\b(?:future context|as a prompt|context for)",
    _I | regex.DOTALL,
)
_NAMER = regex.compile(
    r"\b(?:title|tag|conversation|chat)[- ](?:generat|creat|nam|writ|tagg)\w*\b|\bpithy titles\b", _I
)
_OF_TALK = regex.compile(
    _any(
        r"\bchat history\b", r"\bconversations?\b", r"\bchats?\b", r"\bchatbot\b", r"\bdialog(?:ue)?s?\b",
        r"\bdiscussion\b", r"\bexchange\b", r"\bfirst (?:user )?message\b", r"\bmessages?\b", r"\bpercakapan\b",
        r"\buser['’]?s? (?:first )?(?:message|prompt|query|question|request|input)\b",
        r"\b(?:this|the|following) (?:message|prompt|text|request)\b", "<(?:chat_history|conversation|messages?|text)>",
    ),
    _I,
)  # fmt: skip
_FRAMED = regex.compile(
    _any(
        r"^\s*#{1,4}\s*(?:task|guidelines|output|chat history|instructions)\b",
        "<(?:chat_history|conversation|messages)>", r"\|\|>\s*user",
        r"^\s*(?:\*\*)?(?:user|human|assistant|ai)(?:\*\*)?\s*:\s",
    ),
    _I | regex.MULTILINE,
)  # fmt: skip
_FORM = regex.compile(
    _any(
        r"\bjson\b", r"\bnothing else\b", r"\bonly (?:the |a |return|output|reply|respond)",
        r"\b(?:return|output|reply|respond|answer|provide|give|write)(?: with)? (?:me )?(?:only|just|nothing but)\b",
        r"\b(?:no|without)(?: any)? (?:additional|extra|other|lead-?in|explanation|quot\w*|punctuation)",
        r"\b(?:no|avoid|(?:do not|don['’]t|never) use)(?: any)? (?:quot\w*|punctuation|markdown|special|colon|emoji)",
        rf"\b{_COUNT}(?:\s*(?:-|–|to|or)\s*{_COUNT})?[- ]words?\b",
        r"\b(?:under|at most|not? more than|max(?:imum)?(?: of)?|up to|fewer than|less than|within) \d+ (?:word|char)",
        r"\b\d+ (?:words|characters) (?:max|or|long)", r"\b(?:brief|short|concise|pithy) title",
        "字以内", "不超过", "只返回",
    ),
    _I,
)  # fmt: skip
#: A conversation with somebody, or about something, is one of the memory.
_IN_MEMORY = regex.compile(
    r"\b(?:conversation|chat|thread|discussion|talk|message)s? (?:(?:i|we) ha(?:d|ve) )?(?:with|about|between|from)\b",
    _I,
)
_KEYED = regex.compile(r"\{\s*[\"“](\w{1,40})[\"”]\s*:\s*(\[|[\"“])")
_TRANSCRIPT = regex.compile(r"<(chat_history|conversation|messages?|text)>\s*(.*?)\s*(?:</\1>|\Z)", _I | regex.DOTALL)
_SPOKEN = regex.compile(r"(?:^|\|\|>)\s*(?:\*\*)?(?:user|human)(?:\*\*)?\s*:", _I | regex.MULTILINE)


def recognise(text: str, instructions: str) -> Housekeeping | None:
    """The housekeeping that a prompt asks for, in itself or by the client's instructions; None for a question."""
    for part in (text[:_HEAD_CHARS], text[-_TAIL_CHARS:]):
        chore = _chore(part)
        if chore is not None and _is_formal(text, part):
            return _made(chore, text, _subject(text))
    if len(instructions) > _MAX_INSTRUCTIONS:
        return None
    head = instructions[: _HEAD_CHARS // 2]
    chore = _chore(head) or (Chore.TITLE if _NAMER.search(head) else None)
    is_namer = chore in (Chore.TITLE, Chore.TAGS) and _OF_TALK.search(head) is not None
    if chore is not None and is_namer and _FORM.search(instructions):
        return _made(chore, instructions, "")
    return None


def _chore(part: str) -> Chore | None:
    if _COMPLETION.search(part):
        return Chore.COMPLETION
    if _SUMMARY.search(part):
        return Chore.SUMMARY
    if _CHINESE_TITLE.search(part):
        return Chore.TITLE
    return next((chore for chore, wanted in _WANTED if wanted.search(part)), None)


def _is_formal(text: str, part: str) -> bool:
    """Whether it is about the conversation at hand, and says in what form it is to be given."""
    if _COMPLETION.search(part):
        return _FRAMED.search(text) is not None
    if _CHINESE_TITLE.search(part) or _SUMMARY.search(part):
        return _FORM.search(text) is not None or _SUMMARY.search(part) is not None
    if _OF_TALK.search(text) is None or (_FORM.search(text) is None and not _KEYED.search(text)):
        return False
    return _FRAMED.search(text) is not None or _IN_MEMORY.search(part) is None


def _made(chore: Chore, prompt: str, subject: str) -> Housekeeping:
    keyed = _KEYED.search(prompt)
    return Housekeeping(chore, keyed[1] if keyed else None, bool(keyed and keyed[2] == "["), subject)


def _subject(text: str) -> str:
    """The conversation inside the prompt."""
    found = list(_TRANSCRIPT.finditer(text))
    if found:
        return found[-1][2]
    spoken = _SPOKEN.search(text)
    return text[spoken.start() :] if spoken is not None else ""
