"""A client's messages as an ask takes them: instructions, earlier turns, the question, what came after it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from api.schemas.chat import MessageIn, PartIn
from ask.question import MAX_HISTORY_TURNS, MAX_QUESTION_CHARS, Turn
from doso.errors import InvalidInput
from doso.llm.chat import ChatMessage, Role, ToolCall
from doso.text import clean, is_blank

#: All text of a request together; what a model takes of it is the model's own bound.
MAX_TEXT_CHARS = 1_000_000
#: All earlier turns together, the latest first.
MAX_HISTORY_CHARS = 40_000
#: A mark of an earlier answer: it named an item of evidence that is not at hand any more.
_MARK = re.compile(r"\s?\[S\d{1,4}\]")
_GAP = "\n[…]\n"
_INSTRUCTING = ("system", "developer")


@dataclass(frozen=True, slots=True)
class Conversation:
    """`question` is the last user message as it stands; `searched` is the part of it that is looked up."""

    instructions: str
    history: tuple[Turn, ...]
    question: str
    searched: str
    messages: tuple[ChatMessage, ...]
    notes: tuple[str, ...] = ()


def to_conversation(messages: Sequence[MessageIn]) -> Conversation:
    """The parts of a conversation. Raises InvalidInput where there is no question, or far too much text."""
    asked_at = _last_question(messages)
    read = [_text(message, at) for at, message in enumerate(messages)]
    if sum(map(len, read)) > MAX_TEXT_CHARS:
        raise InvalidInput(f"The messages have more than {MAX_TEXT_CHARS} characters.", param="messages")
    question = read[asked_at]
    if is_blank(question):
        raise InvalidInput("The last user message has no text.", param=f"messages[{asked_at}].content")
    spoken = list(zip(messages, read, strict=True))
    instructions = (text for message, text in spoken if message.role in _INSTRUCTING and not is_blank(text))
    later = [(message, text) for message, text in spoken[asked_at + 1 :] if message.role not in _INSTRUCTING]
    return Conversation(
        instructions="\n\n".join(instructions),
        history=_history(spoken[:asked_at]),
        question=question,
        searched=shortened(question, MAX_QUESTION_CHARS),
        messages=tuple(_message(message, text) for message, text in later),
        notes=_notes(messages[asked_at]),
    )


def shortened(text: str, limit: int) -> str:
    """The head and the tail of a text that is longer than this: a question stands before or behind what is pasted."""
    if len(text) <= limit:
        return text
    half = (limit - len(_GAP)) // 2
    return text[:half] + _GAP + text[-half:]


def _last_question(messages: Sequence[MessageIn]) -> int:
    for at in range(len(messages) - 1, -1, -1):
        if messages[at].role == "user":
            return at
    raise InvalidInput("There is no user message to answer.", param="messages")


def _text(message: MessageIn, at: int) -> str:
    content = message.content
    if content is None:
        return ""
    if isinstance(content, str):
        return clean(content)
    return clean("\n".join(_part(part, at) for part in content))


def _part(part: PartIn, at: int) -> str:
    if part.type == "input_audio":
        raise InvalidInput("Audio is not understood; send text.", param=f"messages[{at}].content")
    if part.type in ("text", "input_text", "output_text"):
        return part.text or ""
    if part.type == "refusal":
        return part.refusal or ""
    return f"[{_kind(part)} left out]"


def _kind(part: PartIn) -> str:
    return "image" if "image" in part.type else "file" if "file" in part.type else "part"


def _notes(question: MessageIn) -> tuple[str, ...]:
    parts = question.content if isinstance(question.content, list) else []
    left_out = dict.fromkeys(_kind(part) for part in parts if part.type in ("image_url", "input_image", "file"))
    return tuple(f"The {kind} in the question was left out: only text is read." for kind in left_out)


def _history(spoken: Sequence[tuple[MessageIn, str]]) -> tuple[Turn, ...]:
    """The latest turns that people and assistants spoke, each cut to a question's length."""
    turns: list[Turn] = []
    left = MAX_HISTORY_CHARS
    for message, text in reversed(spoken):
        if message.role not in ("user", "assistant") or is_blank(text):
            continue
        told = text if message.role == "user" else _MARK.sub("", text)
        cut = shortened(told, MAX_QUESTION_CHARS)
        if len(turns) == MAX_HISTORY_TURNS or len(cut) > left:
            break
        turns.append(Turn(message.role, cut))
        left -= len(cut)
    return tuple(reversed(turns))


def _message(message: MessageIn, text: str) -> ChatMessage:
    if message.role in ("tool", "function"):
        return ChatMessage(Role.TOOL, text, tool_call_id=message.tool_call_id or message.name or "")
    calls = tuple(ToolCall(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or ())
    if message.function_call is not None:
        called = message.function_call
        calls = (*calls, ToolCall(called.name, called.name, called.arguments))
    return ChatMessage(Role.ASSISTANT, text, calls)
