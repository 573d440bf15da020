"""One batch of passages to a model and its claims back, whatever state the reply arrives in."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass

from doso.errors import PromptTooLong
from doso.fencing import inert
from doso.llm.chat import ChatMessage, FinishReason, ModelFinished, ModelRequest, Profile, Role, TextDelta
from doso.llm.ports import Ability, Models
from doso.llm.tolerant import read_json
from doso.telemetry import log
from ingest.extract.model.claims import Claim, read_claims
from ingest.extract.model.prompting import Batch, request_of
from ingest.ports import PassagesUnreadable
from ingest.prompts import extracting as words

#: Calls for one batch: the first, and those for what a cut or unreadable reply left out.
MAX_CALLS = 3
#: How much longer a reply may be whose thinking took all the room.
LONGER = 4
#: A reply that runs on beyond this is cut here.
MAX_REPLY_CHARS = 60_000
#: How much of a bad reply, and of what is listed already, goes back into the prompt.
MAX_ECHO_CHARS = 2_000

_log = log()


@dataclass(frozen=True, slots=True)
class Told:
    """What a model said of some passages."""

    batch: Batch
    claims: tuple[Claim, ...]
    model: str


@dataclass(frozen=True, slots=True)
class _Reply:
    text: str
    is_cut: bool
    model: str


async def ask(models: Models, ability: Ability, batch: Batch) -> tuple[Told, ...]:
    """The claims of a batch, in parts where it had to be halved.

    Raises ProviderUnavailable, PromptTooLong when one passage alone is too long, PassagesUnreadable when no call gave
    facts in any form.
    """
    try:
        told, is_whole = await _exchange(models, ability, batch)
    except PromptTooLong:
        if len(batch.passages) < 2:
            raise
        is_whole, told = False, None
    if is_whole or len(batch.passages) < 2:
        return () if told is None else (told,)
    first, second = batch.halves()
    return (*await ask(models, ability, first), *await ask(models, ability, second))


async def _exchange(models: Models, ability: Ability, batch: Batch) -> tuple[Told, bool]:
    """Claims of at most MAX_CALLS calls, and whether the last reply was whole."""
    found: dict[tuple[str, str, str, bool], Claim] = {}
    more: list[ChatMessage] = []
    model, is_readable, is_whole, is_cut, times_longer = "", False, False, False, 1
    for _ in range(MAX_CALLS):
        reply = await _call(models, request_of(batch, ability, more, times_longer=times_longer))
        model = reply.model or model
        read = read_json(reply.text, read_claims)
        is_cut = reply.is_cut or (read is not None and read.is_cut)
        if is_cut and not found and (read is None or not read.value):  # its thinking took all the room
            times_longer *= LONGER
            continue
        if read is None:
            more = _again(reply)
            continue
        is_readable = True
        is_new = any(claim.identity not in found for claim in read.value)
        found |= {claim.identity: claim for claim in read.value if claim.identity not in found}
        if not is_cut:
            is_whole = True
            break
        _log.warning("extraction.reply_cut", reason="truncated", model=model, claims=len(found))
        if not is_new:  # the model turns in circles: asked again it does the same
            is_whole = True
            break
        more = _rest(found)
    if not is_readable and (len(batch.passages) < 2 or not is_cut):
        raise PassagesUnreadable("The model's reply held no facts in a form that can be read.")
    return Told(batch, tuple(found.values()), model), is_whole


async def _call(models: Models, request: ModelRequest) -> _Reply:
    parts: list[str] = []
    size = 0
    async with aclosing(models.stream(Profile.EXTRACT, request)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                parts.append(event.text)
                size += len(event.text)
                if size > MAX_REPLY_CHARS:
                    return _Reply("".join(parts), is_cut=True, model="")
            elif isinstance(event, ModelFinished):
                is_cut = event.reason is FinishReason.LENGTH
                return _Reply("".join(parts), is_cut, event.model)
    return _Reply("".join(parts), is_cut=True, model="")


def _again(reply: _Reply) -> list[ChatMessage]:
    return [ChatMessage(Role.ASSISTANT, inert(reply.text[:MAX_ECHO_CHARS])), ChatMessage(Role.USER, words.AGAIN)]


def _rest(found: dict[tuple[str, str, str, bool], Claim]) -> list[ChatMessage]:
    objects = (
        (claim, claim.object if isinstance(claim.object, str) else claim.object.text) for claim in found.values()
    )
    listed = "\n".join(f"{claim.subject} | {claim.predicate} | {object}" for claim, object in objects)
    return [ChatMessage(Role.ASSISTANT, inert(listed[:MAX_ECHO_CHARS])), ChatMessage(Role.USER, words.REST)]
