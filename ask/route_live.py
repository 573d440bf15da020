"""Decides whether a question needs the world outside: never for what is personal only, by rule where words tell."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import Enum, auto

import regex

from ask.question import ScopeMode
from ask.rewrite import outward
from ask.underway import Ask
from ask.words import question_words
from doso.errors import ProviderUnavailable
from doso.llm.chat import ChatMessage, ModelRequest, Profile, Role
from doso.records import Entity, EntityType

#: The share of the time for the whole ask in which the decision must be there, and its tokens.
ROUTE_SHARE, ROUTE_TOKENS = 0.25, 60
#: The outside is asked for in so many words.
_ORDERED = regex.compile(
    r"\b(?:search|look|check|find|browse|google)\b.{0,40}\b(?:web|internet|online|google|news|twitter)\b"
    r"|\b(?:on|from) (?:the (?:web|internet)|x\.com|twitter)\b|\bon X\b|https?://|\btweets?\b"
    r"|\b(?i:cari|cek) .{0,30}(?:internet|daring|online)\b",
    regex.IGNORECASE,
)
#: The world changes in these.
_WORLDLY = regex.compile(
    r"\b(?:news|headlines?|weather|forecast|stock|share price|exchange rates?|election|opening hours|open now|traffic"
    r"|latest (?:version|release|model|news)|released|announced|who won|score|berita|cuaca|kurs"
    r"|harga (?:saham|emas))\b",
    regex.IGNORECASE,
)
_OWN = frozenset({EntityType.PERSON, EntityType.PET})


class Need(Enum):
    """What the words alone tell."""

    NEVER = auto()
    UNSURE = auto()
    ALWAYS = auto()


def route_live_need(ask: Ask, seeds: Sequence[Entity]) -> Need:
    """Whether live research is needed, as far as rules tell. Pages that are named are read whatever the question."""
    question = ask.question
    if ask.means.live is None:
        return Need.NEVER
    if ask.wish.urls:
        return Need.ALWAYS
    is_narrowed = question.scope.mode is ScopeMode.STRICT_CHAT or question.sources is not None
    if is_narrowed or question.as_of is not None:
        return Need.NEVER
    if _ORDERED.search(ask.written):
        return Need.ALWAYS
    is_worldly = _WORLDLY.search(question.text) is not None
    if _is_personal(ask, seeds):
        return Need.UNSURE if is_worldly else Need.NEVER
    return Need.ALWAYS if is_worldly else Need.UNSURE


async def wants_live(ask: Ask, need: Need, seeds: Sequence[Entity]) -> bool:
    """The decision; where rules leave it open a model's, and without one it is no."""
    models = ask.means.models
    if need is not Need.UNSURE:
        return need is Need.ALWAYS
    if models.ability(Profile.ROUTE_LIVE) is None:
        return False
    from ask.prompts.routing import RULES, Routed  # noqa: PLC0415  # pydantic takes a tenth of a second to load

    known = ", ".join(f"{seed.name} ({seed.type.value.lower()})" for seed in seeds) or "none"
    asked = f"Known names: {known}\nQuestion: {outward(ask)}"
    messages = (ChatMessage(Role.SYSTEM, RULES), ChatMessage(Role.USER, asked))
    try:
        async with asyncio.timeout_at(ask.until(ROUTE_SHARE)):
            reply = await models.reply(Profile.ROUTE_LIVE, ModelRequest(messages, ROUTE_TOKENS, 0.0), Routed)
    except (ProviderUnavailable, TimeoutError):
        return False
    return reply.needs_live


def _is_personal(ask: Ask, seeds: Sequence[Entity]) -> bool:
    """Whether it asks about the asker, or about nobody but people the memory knows."""
    is_about_own = bool(seeds) and all(seed.type in _OWN for seed in seeds)
    asked = (ask.written, ask.question.text)
    return is_about_own or any(question_words(text).is_first_person for text in asked)
