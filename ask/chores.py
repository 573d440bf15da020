"""Answers clients' housekeeping prompts: by a model without retrieval and without memory, else by rule."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing

import regex

from ask.draft import Draft, DraftEvent
from ask.ending import shown
from ask.events import AskEvent, Phase, PhaseChanged
from ask.housekeeping import Chore, Housekeeping
from ask.prompting import history_messages
from ask.underway import Ask
from doso.llm.chat import ChatMessage, ModelFinished, ModelRequest, Profile, ReasoningDelta, Role, TextDelta
from doso.text import STOPWORDS, words

MAX_TITLE_WORDS, MAX_TITLE_CHARS = 6, 60
MAX_TAGS = 3
HISTORY_TOKENS = 4_000
#: The task under which each chore is put to a model; where none serves it, the one that drafts is asked.
_PROFILES = {Chore.TAGS: Profile.CLASSIFY, Chore.QUERIES: Profile.CLASSIFY}
NO_TITLE, NO_TAG, EMOJI = "New conversation", "General", "💬"
_FIRST = regex.compile(
    r"(?:^|\|\|>)\s*(?:\*\*)?(?:user|human)(?:\*\*)?\s*:\s*(.+?)\s*(?=\n|\|\|>|\Z)", regex.I | regex.M
)
_CLAUSE = regex.compile(r"[.!?\n]")
_EDGES = " \t\n\"'“”‘’*_`#.,;:!?-"


async def keep_house(ask: Ask, chore: Housekeeping) -> AsyncGenerator[AskEvent, None]:
    """The client's own prompt put to a model as it stands; nothing is looked up, nothing is remembered."""
    yield PhaseChanged(Phase.ANSWERING)
    async with aclosing(_drafted(ask, chore)) as drafting:
        async for event in shown(ask, drafting):
            yield event


async def _drafted(ask: Ask, chore: Housekeeping) -> AsyncGenerator[DraftEvent, None]:
    models, wish = ask.means.models, ask.wish
    wanted = _PROFILES.get(chore.chore, Profile.TITLE)
    profile = next((one for one in (wanted, ask.profile) if models.ability(one) is not None), None)
    if profile is None:
        text = without_model(ask, chore)
        if text:
            yield TextDelta(text)
        yield Draft(text)
        return
    system = (ChatMessage(Role.SYSTEM, wish.instructions),) if wish.instructions else ()
    history = history_messages(ask.question.history, HISTORY_TOKENS)
    messages = (*system, *history, ChatMessage(Role.USER, ask.written))
    request = ModelRequest(messages, wish.max_output_tokens, wish.temperature, wish.stop, wish.shape)
    said: list[str] = []
    with ask.trace.span("model.first_attempt", profile=profile.value):
        async with aclosing(models.stream(profile, request)) as events:
            async for event in events:
                if isinstance(event, ModelFinished):
                    yield Draft(
                        "".join(said),
                        reason=event.reason,
                        usage=event.usage,
                        provider=event.provider,
                        model=event.model,
                    )
                elif isinstance(event, TextDelta | ReasoningDelta):
                    said.extend([event.text] if isinstance(event, TextDelta) else [])
                    yield event


def without_model(ask: Ask, chore: Housekeeping) -> str:
    """A title or tags out of the first words of the conversation, in the form that was asked for."""
    subject = _first_words(ask, chore)
    made: dict[Chore, str | list[str]] = {
        Chore.TITLE: _title(subject),
        Chore.SUMMARY: _title(subject),
        Chore.TAGS: _tags(subject),
        Chore.EMOJI: EMOJI,
        Chore.COMPLETION: "",
    }
    result = made.get(chore.chore, [])
    if chore.key is None and not ask.wish.is_json:
        return ", ".join(result) if isinstance(result, list) else result
    if chore.is_list and isinstance(result, str):
        result = [result] if result else []
    return json.dumps({chore.key or chore.chore.value: result}, ensure_ascii=False)


def _first_words(ask: Ask, chore: Housekeeping) -> str:
    """What the person said first."""
    if chore.subject:
        first = _FIRST.search(chore.subject)
        return chore.subject if first is None else first[1]
    said = next((turn.text for turn in ask.question.history if turn.role == "user"), None)
    return ask.written if said is None else said


def _title(text: str) -> str:
    clause = next((part.strip(_EDGES) for part in _CLAUSE.split(text) if part.strip(_EDGES)), "")
    short = " ".join(clause.split()[:MAX_TITLE_WORDS])[:MAX_TITLE_CHARS].strip(_EDGES)
    return short[:1].upper() + short[1:] if short else NO_TITLE


def _tags(text: str) -> list[str]:
    counts = Counter(word for word in words(text) if len(word) > 2 and word not in STOPWORDS)
    return [word.capitalize() for word, _ in counts.most_common(MAX_TAGS)] or [NO_TAG]
