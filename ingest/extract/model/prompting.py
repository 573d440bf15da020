"""Passages into a prompt: fenced as data, each with its mark, its writer and its time, cut to the model's size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from doso.fencing import fenced, indented, inert
from doso.llm.chat import ChatMessage, ModelRequest, ReplyShape, Role
from doso.llm.ports import Ability
from doso.records import Incoming, Passage, Source
from doso.text import token_count
from ingest.prompts import extracting as words

#: Passages, and estimated tokens of passages, of one call: more makes models skip.
MAX_PASSAGES = 30
MAX_BATCH_TOKENS = 2_500
MIN_BATCH_TOKENS = 200
MAX_OUTPUT_TOKENS = 3_000
MIN_OUTPUT_TOKENS = 200
#: What rules and schema take, and how much of the context is planned for: estimates by characters run low.
OVERHEAD_TOKENS = 1_000
FILLED = 0.75
#: Passages that state facts densely give a reply of about their own length.
TOKENS_PER_REPLY_TOKEN = 1.5
_MAX_HEAD_CHARS = 120


@dataclass(frozen=True, slots=True)
class Batch:
    """Passages of one call, in order: the first has the mark P1."""

    document: Incoming
    passages: tuple[Passage, ...]

    def halves(self) -> tuple[Batch, Batch]:
        """Two batches of half the size."""
        middle = len(self.passages) // 2
        return Batch(self.document, self.passages[:middle]), Batch(self.document, self.passages[middle:])


def batches(document: Incoming, passages: Sequence[Passage], ability: Ability) -> tuple[Batch, ...]:
    """The passages in runs that fit the model, none split."""
    budget = batch_tokens(ability)
    runs: list[list[Passage]] = []
    left = 0
    for passage in passages:
        cost = token_count(_line(1, passage))
        if not runs or cost > left or len(runs[-1]) >= MAX_PASSAGES:
            runs.append([])
            left = budget
        runs[-1].append(passage)
        left -= cost
    return tuple(Batch(document, tuple(run)) for run in runs)


def batch_tokens(ability: Ability) -> int:
    """Estimated tokens of passages that one call takes."""
    reply = output_tokens(ability)
    room = int(ability.context_tokens * FILLED) - OVERHEAD_TOKENS - reply
    return max(MIN_BATCH_TOKENS, min(MAX_BATCH_TOKENS, int(reply * TOKENS_PER_REPLY_TOKEN), room))


def output_tokens(ability: Ability) -> int:
    """The longest reply that is asked for."""
    return max(MIN_OUTPUT_TOKENS, min(ability.max_output_tokens, MAX_OUTPUT_TOKENS, ability.context_tokens // 3))


def request_of(
    batch: Batch, ability: Ability, more: Sequence[ChatMessage] = (), *, times_longer: int = 1
) -> ModelRequest:
    """What the model is asked; `more` continues the exchange. `times_longer` than usual a reply may be."""
    code, fenced = _fenced(batch)
    hint = words.HINTS[words.HINT_OF.get(_source(batch), "note")]
    rules = words.RULES.format(
        code=code, predicates=words.PREDICATES, types=", ".join(words.TYPES), example=words.EXAMPLE, hint=hint
    )
    return ModelRequest(
        messages=(ChatMessage(Role.SYSTEM, rules), ChatMessage(Role.USER, fenced), *more),
        max_output_tokens=min(output_tokens(ability) * times_longer, ability.context_tokens // 2),
        temperature=0.0,
        reply=ReplyShape("triples", words.ExtractedTriples.model_json_schema()),
    )


def _fenced(batch: Batch) -> tuple[str, str]:
    """The code of the fence and the text in it."""
    title = " ".join(batch.document.title.split())[:_MAX_HEAD_CHARS]
    lines = [f"title: {inert(title)}"] if title else []
    lines += [_line(place, passage) for place, passage in enumerate(batch.passages, 1)]
    return fenced("passages", "\n".join(lines))


def _line(place: int, passage: Passage) -> str:
    head = ", ".join(part for part in (_writer(passage), _moment(passage)) if part)
    return f"[P{place}] {inert(head)}: {indented(passage.text)}"


def _writer(passage: Passage) -> str:
    if passage.is_owner:
        return "the owner"
    return " ".join((passage.author or "unknown writer").split())[:_MAX_HEAD_CHARS]


def _moment(passage: Passage) -> str:
    if passage.occurred_at is None:
        return ""
    try:
        local = passage.occurred_at.astimezone(ZoneInfo(passage.zone or "UTC"))
    except (ZoneInfoNotFoundError, ValueError):
        local = passage.occurred_at
    return local.strftime("%Y-%m-%d %H:%M (%a)")


def _source(batch: Batch) -> Source:
    return batch.document.source
