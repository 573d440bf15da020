"""The body of a chat completion as an ask."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from api.schemas.chat import ChatIn
from api.schemas.conversation import Conversation, to_conversation
from api.schemas.evidence import ScopeIn, to_scope
from ask.question import Question
from ask.wish import Effort, Wish
from doso.errors import InvalidInput, ModelNotFound
from doso.ids import OwnerId
from doso.llm.chat import ReplyShape
from doso.runtime import Runtime

#: Names of the answering models, and the topology that each stands for; None: `reasoning_effort` decides.
MODELS: Mapping[str, Effort | None] = {"doso": None, "doso-fast": Effort.FAST, "doso-expert": Effort.EXPERT}
#: How hard OpenAI's clients ask a model to think, as a topology.
REASONING: Mapping[str, Effort] = {
    "none": Effort.FAST,
    "minimal": Effort.FAST,
    "low": Effort.FAST,
    "medium": Effort.EXPERT,
    "high": Effort.EXPERT,
    "xhigh": Effort.EXPERT,
    "max": Effort.EXPERT,
}
_TRUE, _FALSE = (True, "true", "1"), (False, "false", "0", None)


@dataclass(frozen=True, slots=True)
class Asked:
    """An ask as a client made it. `notes` tell what of the request could not be heeded."""

    question: Question
    wish: Wish
    has_trace: bool = False
    notes: tuple[str, ...] = ()


def to_ask(body: ChatIn, owner: OwnerId, runtime: Runtime) -> Asked:
    """The ask. Raises InvalidInput naming the parameter, ModelNotFound for a model that is none."""
    named = known_model(body.model)
    _check(body)
    heard = to_conversation(body.messages)
    return Asked(
        to_question(heard, _scope(body), owner, runtime),
        _wish(body, heard, _effort(body, named)),
        has_trace=_flag(body.trace, body.metadata, "trace"),
        notes=heard.notes,
    )


def to_question(heard: Conversation, scope: ScopeIn, owner: OwnerId, runtime: Runtime) -> Question:
    """The question of a conversation, with the runtime's values."""
    return Question(
        owner=owner,
        text=heard.searched,
        scope=to_scope(scope),
        history=heard.history,
        max_tokens=runtime.max_tokens,
        limit=runtime.limit,
        include_candidates=runtime.include_candidates,
        timezone=runtime.timezone,
    )


def known_model(name: str) -> Effort | None:
    """What the name of a model says of the topology. Raises ModelNotFound."""
    if name not in MODELS:
        raise ModelNotFound(f"There is no model {name[:100]!r}; there are {', '.join(MODELS)}.", param="model")
    return MODELS[name]


def effort_of(reasoning: str | None) -> Effort | None:
    """The topology for a reasoning effort; None where none is given. Raises InvalidInput for one that is none."""
    if reasoning is None:
        return None
    if reasoning not in REASONING:
        raise InvalidInput(f"reasoning_effort is one of {', '.join(REASONING)}.", param="reasoning_effort")
    return REASONING[reasoning]


def _check(body: ChatIn) -> None:
    if body.n is not None and body.n != 1:
        raise InvalidInput("There is one answer to a question: n must be 1.", param="n")
    if body.audio is not None or any(kind != "text" for kind in body.modalities or ()):
        raise InvalidInput("Answers are text only.", param="modalities" if body.modalities else "audio")
    if body.functions:
        raise InvalidInput("`functions` is not read any more; send `tools`.", param="functions")
    if body.conversation_id is not None or "conversation_id" in (body.metadata or {}):
        raise InvalidInput(
            "This server keeps no conversations yet: leave conversation_id out and send the earlier messages.",
            param="conversation_id",
        )
    _flag(body.incognito, body.metadata, "incognito")  # nothing of a chat is stored so far


def _effort(body: ChatIn, named: Effort | None) -> Effort:
    reasoned = effort_of(body.reasoning_effort)
    if body.effort is not None:
        return Effort(body.effort)
    said = (body.metadata or {}).get("effort")
    if said is not None and said not in tuple(Effort):
        raise InvalidInput("effort is fast or expert.", param="metadata.effort")
    return Effort(said) if said is not None else named or reasoned or Effort.FAST


def _scope(body: ChatIn) -> ScopeIn:
    said = (body.metadata or {}).get("scope")
    if body.scope is not None or said is None:
        return body.scope or ScopeIn()
    try:
        if isinstance(said, str):  # OpenAI's metadata holds texts only
            return msgspec.json.decode(said, type=ScopeIn) if said.lstrip().startswith("{") else _mode(said)
        return msgspec.convert(said, ScopeIn)
    except msgspec.MsgspecError as error:
        raise InvalidInput(f"This is no scope: {str(error)[:200]}", param="metadata.scope") from error


def _mode(name: str) -> ScopeIn:
    return msgspec.convert({"mode": name}, ScopeIn)


def _flag(value: bool | None, metadata: Mapping[str, Any] | None, name: str) -> bool:
    said = (metadata or {}).get(name) if value is None else value
    if said in _TRUE:
        return True
    if said in _FALSE:
        return False
    raise InvalidInput(f"{name} is true or false.", param=f"metadata.{name}")


def _wish(body: ChatIn, heard: Conversation, effort: Effort) -> Wish:
    form = body.response_format
    is_json = form is not None and form.type != "text"
    shape = None
    if form is not None and form.type == "json_schema":
        if form.json_schema is None or form.json_schema.schema is None:
            raise InvalidInput("json_schema needs a schema.", param="response_format.json_schema")
        shape = ReplyShape(form.json_schema.name, form.json_schema.schema)
    return Wish(
        effort=effort,
        instructions=heard.instructions,
        messages=heard.messages,
        max_output_tokens=body.max_completion_tokens or body.max_tokens,
        temperature=body.temperature,
        stop=to_stops(body.stop),
        is_json=is_json,
        shape=shape,
        tools=to_tools(body.tools),
        tool_choice=to_tool_choice(body),
        whole_question=None if heard.searched == heard.question else heard.question,
    )


def to_stops(stop: str | list[str] | None) -> tuple[str, ...]:
    """The texts at which to stop. Raises InvalidInput for an empty one, at which every answer would."""
    stops = (stop,) if isinstance(stop, str) else tuple(stop or ())
    if "" in stops:
        raise InvalidInput("A stop text can't be empty.", param="stop")
    return stops


def to_tools(tools: list[dict[str, Any]] | None) -> str | None:
    """The client's tools as JSON text, unchanged. Raises InvalidInput naming the one that is none."""
    for at, tool in enumerate(tools or ()):
        function = tool.get("function")
        if not isinstance(tool.get("type"), str):
            raise InvalidInput("A tool needs a type.", param=f"tools[{at}].type")
        if tool["type"] == "function" and not (isinstance(function, dict) and isinstance(function.get("name"), str)):
            raise InvalidInput("A function needs a name.", param=f"tools[{at}].function.name")
    return msgspec.json.encode(tools).decode() if tools else None


def to_tool_choice(body: ChatIn) -> str | None:
    """Which tool is to be called, as JSON text; nothing where there are no tools."""
    if body.tool_choice is None or not body.tools:
        return None
    return msgspec.json.encode(body.tool_choice).decode()
