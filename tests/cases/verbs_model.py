"""Verbs with a scripted model: what it replies, byte by byte where the case says so."""

from __future__ import annotations

import json
import re
import time
from functools import partial
from typing import Any

from tests.cases.frames import reply_of
from tests.cases.model import Outcome, RunnerError
from tests.cases.scripts import ScriptedModel, obedient
from tests.cases.steps import Step, together
from tests.cases.values import evaluate
from tests.cases.world import World, decoded
from tests.support.provider import (
    Answer,
    End,
    Pause,
    Seen,
    chunk,
    chunked_stream,
    completion,
    http,
    raw_stream,
    sse,
    text_chunks,
    text_stream,
)

_TOOL_NAME = re.compile(rb'"name":\s*"(\w+)"')
_ENDLESS = 100_000
_CHAT = "/v1/chat/completions"


def chat_with_scripted_llm(world: World, step: Step) -> Outcome:
    """Each turn is said to the memory; the model answers the call for its facts with the case's own text."""
    model = scripted(world)
    replies = [step[name] for name in ("llm_reply", "second_reply") if name in step]
    replies = [evaluate(step["llm_reply_py"])] if "llm_reply_py" in step else replies
    replies = step.get("llm_reply_sequence", replies)
    finishes = [step.get("finish_reason", "stop"), *(["stop"] * len(replies))]
    model.facts = [text_stream(text, finish=finish) for text, finish in zip(replies, finishes, strict=False)]
    before = len(model.stub.chats)
    parts = [_say(world, step, turn) for turn in step["turns"]]
    outcome = together(parts)
    parts[-1].numbers["provider_calls"] = len(model.stub.chats) - before
    return outcome


def _say(world: World, step: Step, turn: str) -> Outcome:
    body = {"text": turn, "occurred_at": step.get("at"), "timezone": step.get("tz")}
    return world.finish(step["user"], world.send("POST", "/v1/remember", user=step["user"], body=body))


def provider_stream(world: World, step: Step) -> Outcome:
    """A streamed question whose draft comes as these very bytes; the memory holds something it can be drafted from."""
    writes = [decoded(text) for text in step["chunks_b64"]]
    hold_s = step.get("hold_open_s")
    end = End.RESET if step.get("reset") else End.HOLD if hold_s else End.CLOSE
    scripted(world).draft = lambda _seen: raw_stream(*writes, end=end)
    _note(world, step, step["ask"])
    names = sorted({name.decode() for name in _TOOL_NAME.findall(b"".join(writes))})
    return ask(world, step.get("user", "u1"), step["ask"], stream=True, **({"tools": _tools(names)} if names else {}))


def scripted_answer_tokens(world: World, step: Step) -> Outcome:
    """A question whose draft comes in these tokens, first streamed, then whole. The memory holds one note for each
    item of the evidence, which says what the draft says; the n-th item of the pack stands for the n-th of the case."""
    user, said = step.get("user", "u1"), "".join(step["tokens"])
    plain = re.sub(r"\[\[?-?[\d, ]+\]?\]|\(https?://\S+?\)", " ", said)
    for place, item in enumerate(step["evidence"], start=1):
        _note(
            world,
            step,
            item["text"] if isinstance(item, dict) else f"{plain}. Source number {place} of {_word(place)}.",
        )
    scripted(world).draft = text_stream(*step["tokens"])
    texts = [item["text"] for item in step["evidence"] if isinstance(item, dict)]
    question = texts[0] if texts else plain
    streamed = ask(world, user, question, stream=True)
    whole = ask(world, user, question, stream=False)
    streamed.label = reply_of(whole).text
    return streamed


def chat_with_scripted_answer(world: World, step: Step) -> Outcome:
    """A question that the model answers with this text."""
    scripted(world).draft = text_stream(step["answer"])
    _note(world, step, step["turn"])
    return ask(world, step["user"], step["turn"], stream=True)


def provider_script(world: World, step: Step) -> Outcome:
    """A request while the model's server answers with these statuses, in order or always."""
    model = scripted(world)
    script = [partial(_status, spec) for spec in step.get("responses", ())]
    always = step.get("responses_always")

    def draft(seen: Seen) -> Answer:
        if script:
            return script.pop(0)(seen)
        return _status(always, seen) if always is not None else text_stream("Hello.")(seen)

    model.draft = draft
    request = step["request"]
    _note(world, request, request["body"]["messages"][-1]["content"])
    before = len(model.stub.chats)
    outcome = world.verbs[request["do"]](world, request)
    calls = model.stub.chats[before:]
    outcome.numbers["provider_calls"] = len(calls)
    if len(calls) > 1:
        outcome.numbers["gap_s"] = calls[1].at - calls[0].at
    return outcome


def stream_then_close(world: World, step: Step) -> Outcome:
    """A streamed request whose client leaves after some pieces of text."""
    pause = Pause(0.1 if "100 ms" in step["provider"] else 0.005)
    pieces = (part for n in range(_ENDLESS) for part in (_piece(n), pause))
    scripted(world).draft = lambda _seen: chunked_stream(*sse(chunk({"role": "assistant"})), *pieces, end=End.HOLD)
    request = step["request"]
    _note(world, request, request["body"]["messages"][-1]["content"])
    outcome = world.leave_stream(request["user"], request["path"], request["body"], after=step["close_after_events"])
    outcome.numbers["left_at"] = time.monotonic()
    return outcome


def obey(world: World) -> None:
    """From now on the model does whatever any text in its prompt says."""
    model = scripted(world)
    model.facts, model.draft = [obedient], obedient


def ask(world: World, user: str, text: str, *, stream: bool, **more: Any) -> Outcome:
    """One question to the chat route."""
    messages = [{"role": "user", "content": text}]
    body = {"model": "doso", "stream": stream, "messages": messages, **more}
    return world.send("POST", _CHAT, user=user, body=body)


def scripted(world: World) -> ScriptedModel:
    """The model of this case."""
    if world.model is None:
        raise RunnerError("this case was given no model")
    return world.model


def _note(world: World, step: Step, text: str) -> None:
    user = step.get("user", "u1")
    world.finish(user, world.send("POST", "/v1/documents", user=user, body={"text": text, "title": "note"}))


def _tools(names: list[str]) -> list[dict[str, Any]]:
    parameters = {"type": "object", "additionalProperties": True}
    return [{"type": "function", "function": {"name": name, "parameters": parameters}} for name in names]


def _status(spec: dict[str, Any], seen: Seen) -> Answer:
    if spec["status"] == 200:
        events = sse(*text_chunks(["Hello."]))
        return chunked_stream(*events) if seen.is_stream else http(200, completion("Hello."))
    headers = {name: str(value) for name, value in (spec.get("headers") or {}).items()}
    return http(spec["status"], json.dumps({"error": {"message": "no", "type": "error"}}), **headers)


def _piece(number: int) -> bytes:
    return sse(chunk({"content": f"token{number} "}))[0]


def _word(number: int) -> str:
    return ("nought", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")[number % 10] * number
