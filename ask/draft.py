"""One draft as it is written: by a model where one serves, else out of the pack's own sentences."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import Protocol

from ask.answer_field import AnswerField
from ask.cite import CitedProse, Prose
from ask.client_json import ClientJson, json_without_model
from ask.events import Citation, DroppedCitation
from ask.extractive import extract_draft
from ask.fixed import nothing_found_text
from ask.offered import OfferedTools
from ask.prompting import Prompt, draft_prompt, talk_prompt
from ask.prompts import drafting
from ask.talk import fixed_reply
from ask.underway import Ask
from doso.errors import ProviderStreamFailed, ReplyUnreadable
from doso.llm.chat import (
    FinishReason,
    ModelEvent,
    ModelFinished,
    ModelRequest,
    ReasoningDelta,
    ReplyShape,
    TextDelta,
    TokenUsage,
    ToolCallDelta,
)
from doso.llm.ports import Ability
from doso.records.evidence import Evidence, EvidenceItem

#: What the JSON around an answer costs beside its own tokens.
_WRAPPING_TOKENS = 120
#: How often a draft is made of which nothing is shown before it is whole.
MAX_TRIES = 2
NO_TOOLS = "No model here calls tools: the answer was made without the client's tools."
UNVERIFIED = "No citation stood the check: what the answer states is unverified."


@dataclass(frozen=True, slots=True)
class Draft:
    """A whole draft; `calls` are those of the client's tools. `provider` and `model` are None where no model wrote it,
    `is_verified` is as in Cited."""

    text: str
    citations: tuple[Citation, ...] = ()
    dropped: tuple[DroppedCitation, ...] = ()
    is_verified: bool | None = None
    reason: FinishReason = FinishReason.STOP
    usage: TokenUsage = field(default_factory=TokenUsage)
    provider: str | None = None
    model: str | None = None
    calls: tuple[ToolCallDelta, ...] = ()


DraftEvent = ReasoningDelta | TextDelta | ToolCallDelta | Draft


class _Reader(Protocol):
    """Reads what a model writes and gives what is shown of it."""

    def feed(self, text: str) -> str: ...

    def finish(self) -> str: ...


async def draft(ask: Ask, evidence: Evidence, *, earlier: str = "") -> AsyncGenerator[DraftEvent, None]:
    """A grounded draft, ending in Draft. Raises ProviderUnavailable where the model fails: it is not replaced."""
    ability = ask.means.models.ability(ask.profile)
    if ability is None:
        async for event in _without_model(ask, evidence):
            yield event
        return
    form = _Form.of(ask, ability)
    prompt = draft_prompt(ask, ability, evidence, form=form.instruction, earlier=earlier)
    async with aclosing(_written(ask, prompt, form)) as events:
        async for event in events:
            yield event


async def whole_draft(
    ask: Ask, evidence: Evidence, tell: Callable[[ReasoningDelta], None], *, earlier: str = ""
) -> Draft:
    """A grounded draft that is shown only when it is whole; `tell` hears its reasoning. Since no word of it was shown,
    one that breaks off is made once more."""
    tries = MAX_TRIES
    while True:
        tries -= 1
        try:
            async with aclosing(draft(ask, evidence, earlier=earlier)) as events:
                async for event in events:
                    if isinstance(event, Draft):
                        return event
                    if isinstance(event, ReasoningDelta):
                        tell(event)
        except ProviderStreamFailed:
            if not tries:
                raise


async def talk(ask: Ask) -> AsyncGenerator[DraftEvent, None]:
    """A reply to what asks nothing of the memory, ending in Draft."""
    ability = ask.means.models.ability(ask.profile)
    if ability is None:
        reply = _fixed(ask, fixed_reply(ask.question.text))
        yield TextDelta(reply.text)
        yield reply
        return
    form = _Form.of(ask, ability, has_marks=False)
    async with aclosing(_written(ask, talk_prompt(ask, ability), form)) as events:
        async for event in events:
            yield event


def nothing_found(ask: Ask) -> Draft:
    """The answer where nothing passes the floor; it costs no call."""
    return _fixed(ask, nothing_found_text(ask.written))


def _fixed(ask: Ask, text: str) -> Draft:
    return Draft(json_without_model(ask.wish, text, ()) if ask.wish.is_json else text)


async def _without_model(ask: Ask, evidence: Evidence) -> AsyncGenerator[DraftEvent, None]:
    if ask.wish.tools is not None:
        ask.note(NO_TOOLS)
    prose = CitedProse(evidence.items, ask.written)
    text = prose.feed(extract_draft(evidence, ask.question.text)) + prose.finish()
    whole = prose.prose()
    if ask.wish.is_json:
        reply = json_without_model(ask.wish, text, [citation.mark for citation in whole.citations])
        yield TextDelta(reply)
        yield Draft(reply)
        return
    yield TextDelta(text)
    yield Draft(text, whole.citations, whole.dropped, _is_verified(whole, evidence.items))


@dataclass(frozen=True, slots=True)
class _Form:
    """How the model is to reply, and so how its reply is read."""

    instruction: str
    reply: ReplyShape | None = None
    is_client_json: bool = False
    has_marks: bool = True
    tools: str | None = None
    tool_choice: str | None = None

    @classmethod
    def of(cls, ask: Ask, ability: Ability, *, has_marks: bool = True) -> _Form:
        wish = ask.wish
        tools = wish.tools if ability.has_tools else None
        if wish.tools is not None and tools is None:
            ask.note(NO_TOOLS)
        choice = None if tools is None else wish.tool_choice
        if wish.is_json:
            shape = wish.shape or _ANY_OBJECT
            return cls(
                drafting.CLIENT_FORM, shape, is_client_json=True, has_marks=False, tools=tools, tool_choice=choice
            )
        if tools is None and ability.has_schema and has_marks and not wish.stop:
            return cls(drafting.JSON_REPLY, drafting.ANSWER_SHAPE)
        return cls("", None, has_marks=has_marks, tools=tools, tool_choice=choice)


_ANY_OBJECT = ReplyShape("reply", {"type": "object"})


async def _written(ask: Ask, prompt: Prompt, form: _Form) -> AsyncGenerator[DraftEvent, None]:
    """What a model writes, read as it comes."""
    most = ask.wish.max_output_tokens
    is_wrapped = form.reply is drafting.ANSWER_SHAPE
    request = ModelRequest(
        messages=prompt.messages,
        max_output_tokens=most + _WRAPPING_TOKENS if most is not None and is_wrapped else most,
        temperature=ask.wish.temperature,
        stop=ask.wish.stop,
        reply=form.reply,
        tools=form.tools,
        tool_choice=form.tool_choice,
    )
    writing = _Writing.of(ask, prompt.items, form)
    with ask.trace.span("model.first_attempt", profile=ask.profile.value) as span:
        began_s, is_first = ask.trace.now_s(), True
        async with aclosing(ask.means.models.stream(ask.profile, request)) as events:
            async for event in events:
                if is_first:
                    span.attributes["time_to_first_token_s"] = ask.trace.now_s() - began_s
                    is_first = False
                for shown in writing.take(event):
                    yield shown
        end = writing.finished()
        span.attributes.update(provider=end.provider, model=end.model, output_tokens=end.usage.output_tokens)
    rest = writing.rest()
    if rest:
        yield TextDelta(rest)
    yield writing.draft()


class _Writing:
    """The reply of one model while it comes."""

    def __init__(
        self, reader: _Reader, prose: CitedProse | None, items: Sequence[EvidenceItem], tools: str | None
    ) -> None:
        self._reader = reader
        self._offered = OfferedTools(tools)
        self._prose = prose
        self._items = items
        self._shown: list[str] = []
        self._calls: list[ToolCallDelta] = []
        self._end: ModelFinished | None = None

    @classmethod
    def of(cls, ask: Ask, items: Sequence[EvidenceItem], form: _Form) -> _Writing:
        if form.is_client_json:
            return cls(ClientJson(), None, items, form.tools)
        return cls(AnswerField(), CitedProse(items, ask.written), items, form.tools)

    def take(self, event: ModelEvent) -> list[ReasoningDelta | TextDelta | ToolCallDelta]:
        """What is shown of one event of the model."""
        if isinstance(event, TextDelta):
            text = self._read(self._reader.feed(event.text))
            return [TextDelta(text)] if text else []
        if isinstance(event, ModelFinished):
            self._end = event
            return []
        if isinstance(event, ToolCallDelta):
            if not self._offered.lets_through(event):
                return []
            self._calls.append(event)
        return [event]

    def finished(self) -> ModelFinished:
        assert self._end is not None, "a stream that did not fail ends in ModelFinished"
        return self._end

    def rest(self) -> str:
        """What was held back to the end."""
        text = self._read(self._reader.finish())
        if self._prose is not None:
            last = self._prose.finish()
            self._shown.append(last)
            text += last
        return text

    def draft(self) -> Draft:
        """The whole. Raises ReplyUnreadable where nothing of it can be shown."""
        end, text = self.finished(), "".join(self._shown)
        if end.reason is FinishReason.TOOL_CALLS and not self._calls:
            end = replace(end, reason=FinishReason.STOP)  # what it called, nobody offered
        if not text.strip() and not self._calls and end.reason is FinishReason.STOP:
            raise ReplyUnreadable("The model's reply holds no answer.")
        calls = tuple(self._calls)
        if self._prose is None:
            return Draft(text, (), (), None, end.reason, end.usage, end.provider, end.model, calls)
        prose = self._prose.prose()
        is_verified = None if calls else _is_verified(prose, self._items)
        cited, dropped = prose.citations, prose.dropped
        return Draft(text, cited, dropped, is_verified, end.reason, end.usage, end.provider, end.model, calls)

    def _read(self, text: str) -> str:
        shown = text if self._prose is None else self._prose.feed(text)
        if shown:
            self._shown.append(shown)
        return shown


def _is_verified(prose: Prose, items: Sequence[EvidenceItem]) -> bool | None:
    """Whether a citation stands; None where there was nothing to cite or nothing is stated."""
    if not items or not (prose.is_claiming or prose.citations):
        return None
    return bool(prose.citations)
