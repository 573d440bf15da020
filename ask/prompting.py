"""Fits a draft's prompt into what the model takes: our rules first, then what there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ask.fence import prompt_of
from ask.prompts import drafting
from ask.question import Turn
from ask.underway import Ask
from doso.llm.chat import ChatMessage, Role
from doso.llm.ports import Ability
from doso.records.evidence import Evidence, EvidenceItem
from doso.text import token_count

#: Left free for what a model's own template adds to a prompt.
MARGIN_TOKENS = 256
#: What a reply is given room for, where the client sets no bound.
REPLY_TOKENS = 1_000
#: The part of the room that history may take, and the longest part of one turn that is told.
HISTORY_SHARE, MAX_TURN_CHARS = 0.25, 4_000
#: The part of the room that the client's instructions may take.
WISHES_SHARE = 0.4
#: Evidence is worth so much room even where the estimate says that there is none.
LEAST_TOKENS = 200
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT}


@dataclass(frozen=True, slots=True)
class Prompt:
    """The messages, and the items that they show: no others may be cited."""

    messages: tuple[ChatMessage, ...]
    items: tuple[EvidenceItem, ...]


def draft_prompt(ask: Ask, ability: Ability, evidence: Evidence, *, form: str, earlier: str = "") -> Prompt:
    """The prompt of a grounded draft. `form` says how to reply, `earlier` is a draft to be mended."""
    room = _room(ask, ability)
    rules = drafting.RULES.format(day=_day(ask))
    system = "\n\n".join(part for part in (rules, form, _wishes(ask, room)) if part)
    asked = f"{ask.written}\n(In full: {ask.question.text})" if ask.is_rewritten else ask.written
    room -= token_count(system) + token_count(asked) + token_count(earlier) + _tokens(ask.wish.messages)
    history = history_messages(ask.question.history, round(max(room, 0) * HISTORY_SHARE))
    items = _fitting(evidence.items, max(room - _tokens(history), LEAST_TOKENS))
    shown = prompt_of(evidence.id, items) if items else drafting.NOTHING_FOUND
    draft = f"{drafting.EARLIER_DRAFT}\n{earlier}\n\n" if earlier else ""
    last = ChatMessage(Role.USER, f"{shown}\n\n{draft}Question: {asked}")
    return Prompt((ChatMessage(Role.SYSTEM, system), *history, last, *ask.wish.messages), items)


def talk_prompt(ask: Ask, ability: Ability) -> Prompt:
    """The prompt of a turn that nothing is looked up for."""
    room = _room(ask, ability)
    rules = drafting.TALK_RULES.format(day=_day(ask))
    system = "\n\n".join(part for part in (rules, _wishes(ask, room)) if part)
    room -= token_count(system) + token_count(ask.written) + _tokens(ask.wish.messages)
    history = history_messages(ask.question.history, max(room, 0))
    last = ChatMessage(Role.USER, ask.written)
    return Prompt((ChatMessage(Role.SYSTEM, system), *history, last, *ask.wish.messages), ())


def _room(ask: Ask, ability: Ability) -> int:
    reply = ask.wish.max_output_tokens or REPLY_TOKENS
    return ability.context_tokens - min(reply, ability.context_tokens // 2) - MARGIN_TOKENS


def _wishes(ask: Ask, room: int) -> str:
    """The client's instructions, below ours and bounded."""
    text = ask.wish.instructions.strip()[: round(max(room, LEAST_TOKENS) * WISHES_SHARE) * 4]
    return f"{drafting.WISHES}\n<client>\n{text}\n</client>" if text else ""


def history_messages(turns: Sequence[Turn], room: int) -> tuple[ChatMessage, ...]:
    """The latest turns that fit."""
    kept: list[ChatMessage] = []
    for turn in reversed(turns):
        message = ChatMessage(_ROLES.get(turn.role, Role.USER), turn.text[:MAX_TURN_CHARS])
        room -= token_count(message.text)
        if room < 0:
            break
        kept.append(message)
    return tuple(reversed(kept))


def _fitting(items: Sequence[EvidenceItem], room: int) -> tuple[EvidenceItem, ...]:
    """The first items that fit; their marks stay what they are."""
    kept: list[EvidenceItem] = []
    for item in items:
        room -= item.tokens + 4
        if room < 0 and kept:
            break
        kept.append(item)
    return tuple(kept)


def _tokens(messages: Sequence[ChatMessage]) -> int:
    return sum(
        token_count(message.text) + sum(token_count(c.arguments) for c in message.tool_calls) for message in messages
    )


def _day(ask: Ask) -> str:
    now: datetime = ask.question.as_of or ask.kit.clock()
    local = now.astimezone(ask.question.zone)
    return f"{local:%A}, {local.day} {local:%B %Y}"
