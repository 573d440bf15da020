"""Compiles a question without a model: what it is after, when, who, where. The same words give the same plan."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from ask.dates import month_number
from ask.question import Question
from ask.timerange import parse_time_range
from doso.records import Entity, EntityType
from doso.records.evidence import Intent, Location, PersonRef, Plan, Ranking, RequestedAction, Route

DEFAULT_RANKED, MAX_RANKED = 12, 50
#: Only so much of a question is read for signs.
MAX_READ_CHARS = 1_000
OWNER_ROLE = "owner"

_I = re.IGNORECASE
_ACTION = re.compile(
    r"^(?:please |can you |could you |would you |tolong )?(?P<verb>draft|write|send|reply|message|text|email|mail|"
    r"schedule|book|remind|invite|call|kirim|balas|tulis|jadwalkan|ingatkan)\b(?! (?:did|was|were|is)\b)",
    _I,
)
_ACTION_TYPES = {
    "schedule": "create_event",
    "book": "create_event",
    "invite": "create_event",
    "jadwalkan": "create_event",
}
_ACTION_TYPES |= {"remind": "create_reminder", "ingatkan": "create_reminder"}
_RANKING = re.compile(
    r"\b(?:who (?:are|do|have) (?:my|i)\b.{0,40}\b(?:closest|best|most|top|strongest|often)"
    r"|(?:closest|best|top|most important) (?:\d{1,3} )?(?:friends|people|contacts|colleagues|relationships)"
    r"|rank (?:my|the) (?:friends|people|contacts)|siapa .{0,30}paling)",
    _I,
)
_RANKED = re.compile(r"\b(?:top|best|closest) (\d{1,3})\b|\b(\d{1,3}) (?:closest|best|people|friends|contacts)\b", _I)
_IDENTITY = re.compile(
    r"^(?:who(?:'s| is| was| are| am)\b|siapa\b|what(?:'s| is) (?:my|the|\w+(?:'s|’s)) (?:full )?name\b)", _I
)
_PLANNING = re.compile(
    r"\b(?:plans?|planned|planning|schedule[ds]?|meeting|meet up|appointment|booked|reservation|itinerary|trip|agenda"
    r"|rencana|jadwal|janji|rapat)\b",
    _I,
)
_STATUS = (
    ("proposed", re.compile(r"\b(?:propos\w+|suggest\w*|tentative\w*|usul\w*)\b", _I)),
    ("confirmed", re.compile(r"\b(?:confirm\w*|agreed|settled|booked|pasti|sepakat)\b", _I)),
    ("changed", re.compile(r"\b(?:chang\w+|mov(?:ed|ing) to|reschedul\w*|postpon\w*|diubah|ditunda)\b", _I)),
    ("cancelled", re.compile(r"\b(?:cancel\w*|called off|batal\w*|dibatalkan)\b", _I)),
)
_RECENT = re.compile(
    r"^(?:please |can you )?(?:catch me up|what(?:'s| is) new|what did i miss|anything new"
    r"|bring me up to (?:date|speed)|apa kabar terbaru|ada apa saja)\b",
    _I,
)
_PLACE = re.compile(r"\b(?:in|near|around|at|di)\s+(?P<name>[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+){0,3})")


def compile_plan(question: Question, now: datetime) -> Plan:
    """The plan as far as the words alone tell it; `with_entities` adds who and where."""
    text = question.text[:MAX_READ_CHARS].strip()
    action = _ACTION.match(text)
    intent = _intent(text, is_action=action is not None)
    return Plan(
        intent=intent,
        route=Route.RECENT if _RECENT.match(text) else Route.HYBRID,
        time_range=parse_time_range(text, now, question.zone),
        location=_location(text, question, now),
        plan_status=tuple(name for name, pattern in _STATUS if pattern.search(text)) if _is_plan(text) else (),
        ranking=Ranking("relationship_strength", _ranked(text)) if intent is Intent.PEOPLE_RANKING else None,
        requested_action=None
        if action is None
        else RequestedAction(_ACTION_TYPES.get(action["verb"].casefold(), "draft_outreach")),
    )


def with_entities(plan: Plan, seeds: Sequence[Entity], now: datetime) -> Plan:
    """The plan with the people and places that the graph knows by the question's names."""
    people = tuple(
        PersonRef(seed.name, (seed.context,) if seed.context else ())
        for seed in seeds
        if seed.type is EntityType.PERSON and seed.role != OWNER_ROLE
    )
    place = next((seed.name for seed in seeds if seed.type is EntityType.PLACE), None)
    return replace(plan, people=people, location=plan.location if place is None else Location(place, now))


def _intent(text: str, *, is_action: bool) -> Intent:
    if is_action:
        return Intent.ACTION_REQUEST
    if _RANKING.search(text):
        return Intent.PEOPLE_RANKING
    if _IDENTITY.match(text):
        return Intent.IDENTITY_LOOKUP
    return Intent.PLAN_RECALL if _is_plan(text) else Intent.CONVERSATION_QA


def _is_plan(text: str) -> bool:
    return _PLANNING.search(text) is not None


def _ranked(text: str) -> int:
    match = _RANKED.search(text)
    return min(max(int(match[1] or match[2]), 1), MAX_RANKED) if match else DEFAULT_RANKED


def _location(text: str, question: Question, now: datetime) -> Location | None:
    for match in _PLACE.finditer(text):
        if month_number(match["name"].casefold().split()[0]) is None:
            return Location(match["name"], question.as_of or now)
    return None
