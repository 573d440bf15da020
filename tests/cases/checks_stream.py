"""Expectations of an answer of the chat route: its prose, its frames, its citations."""

from __future__ import annotations

import base64
import json
import re
import time
from typing import Any

from tests.cases.frames import Reply, reply_of
from tests.cases.model import CaseFailedError, Outcome
from tests.cases.scene import Check, Scene, answered, items, must, needs, within
from tests.cases.verbs_model import scripted
from tests.support.provider import by_default

_REASONING = re.compile(rb'"reasoning(?:_content)?":\s*("(?:[^"\\]|\\.)*")')


def content(_scene: Scene, outcome: Outcome, value: str) -> None:
    must(_reply(outcome).plain == value, f"the prose is {_reply(outcome).text!r}")


def finish_reason(_scene: Scene, outcome: Outcome, value: str) -> None:
    must(_reply(outcome).finish == [value], f"finished {_reply(outcome).finish}")


def errors(_scene: Scene, outcome: Outcome, value: int) -> None:
    must((_reply(outcome).error is not None) == bool(value), f"error: {_reply(outcome).error}")


def usage(scene: Scene, _outcome: Outcome, value: dict[str, int]) -> None:
    """Usage comes only where it is asked for: the same question once more, asking."""
    body = {"model": "doso", "messages": [{"role": "user", "content": scene.case.input["ask"]}], "stream": True}
    again = scene.world.send(
        "POST", "/v1/chat/completions", user=scene.user, body={**body, "stream_options": {"include_usage": True}}
    )
    found = _reply(again).usage or {}
    must({name: found.get(name) for name in value} == value, f"usage is {found}")


def reasoning_apart(scene: Scene, outcome: Outcome, _value: bool) -> None:
    thoughts = [json.loads(found) for found in _REASONING.findall(_sent(scene))]
    reply = _reply(outcome)
    must(
        thoughts and not any(thought.strip() and thought in reply.text for thought in thoughts), "thinking in the prose"
    )
    must("".join(thoughts) == reply.reasoning, f"reasoning is {reply.reasoning!r}")


def tool_calls(_scene: Scene, outcome: Outcome, value: list[dict[str, Any]]) -> None:
    found = list(_reply(outcome).calls.values())
    must(len(found) == len(value), f"{len(found)} calls")
    for call, wanted in zip(found, value, strict=True):
        must(call["name"] == wanted["name"], f"the name is {call['name']!r}")
        must(json.loads(call["arguments"]) == wanted["arguments"], f"the arguments are {call['arguments']!r}")
        is_made = wanted["id"] == "generated, non-empty"
        must(call["id"] if is_made else call["id"] == wanted["id"], f"the id is {call['id']!r}")


def name_not_doubled(_scene: Scene, outcome: Outcome, _value: bool) -> None:
    for call in _reply(outcome).calls.values():
        half = len(call["name"]) // 2
        must(call["name"][:half] * 2 != call["name"], f"the name is {call['name']!r}")


def replacement_chars(_scene: Scene, outcome: Outcome, value: int) -> None:
    must(_reply(outcome).text.count("\ufffd") == value, "characters were lost")


def ends_with_error(_scene: Scene, outcome: Outcome, _value: str) -> None:
    reply = _reply(outcome)
    must(reply.error is not None and "stop" not in reply.finish, f"error {reply.error}, finished {reply.finish}")
    must(reply.frames[-1] == "[DONE]", "the stream does not end in [DONE]")


def error_text_has_no(_scene: Scene, outcome: Outcome, value: list[str]) -> None:
    must(not any(secret in outcome.text for secret in value), "the error quotes the model's server")


def partial_text_kept(_scene: Scene, outcome: Outcome, value: str) -> None:
    must(_reply(outcome).plain.rstrip() == value.rstrip(), f"the prose is {_reply(outcome).text!r}")


def retry_possible(scene: Scene, _outcome: Outcome, _value: bool) -> None:
    scripted(scene.world).draft = by_default
    body = {"model": "doso", "messages": [{"role": "user", "content": scene.case.input["ask"]}]}
    again = scene.world.send("POST", "/v1/chat/completions", user=scene.user, body=body)
    must(again.status == 200, f"the next try gave {again.status}")


def no_exception(scene: Scene, outcome: Outcome, _value: bool) -> None:
    log = scene.world.server.log_path.read_text(errors="replace")
    must("Traceback" not in log and "request.failed" not in log, "an exception in the log")
    must(all(part.status < 500 for part in answered(outcome)), "a 5xx")


def content_type(_scene: Scene, outcome: Outcome, value: str) -> None:
    must(outcome.headers.get("content-type", "").split(";")[0] == value, outcome.headers.get("content-type", "none"))


def first_delta(_scene: Scene, outcome: Outcome, value: dict[str, str]) -> None:
    delta = _reply(outcome).frames[0]["choices"][0]["delta"]
    must({name: delta.get(name) for name in value} == value, f"the first delta is {delta}")


def distinct_ids(_scene: Scene, outcome: Outcome, value: int) -> None:
    ids = {frame["id"] for frame in _reply(outcome).frames if isinstance(frame, dict)}
    must(len(ids) == value, f"{len(ids)} ids")


def finish_chunks(_scene: Scene, outcome: Outcome, value: int) -> None:
    must(len(_reply(outcome).finish) == value, f"finished {_reply(outcome).finish}")


def last_frame(_scene: Scene, outcome: Outcome, value: str) -> None:
    must(_reply(outcome).frames[-1] == value, f"the last frame is {_reply(outcome).frames[-1]}")


def usage_frames(_scene: Scene, outcome: Outcome, value: int) -> None:
    must(len(_usage(_reply(outcome))) == value, f"{len(_usage(_reply(outcome)))} frames of usage")


def usage_frame(_scene: Scene, outcome: Outcome, value: dict[str, Any]) -> None:
    frame = _usage(_reply(outcome))[0]
    must({name: frame[name] for name in value} == value, f"the frame of usage is {frame}")


def frames_after_usage(_scene: Scene, outcome: Outcome, value: list[str]) -> None:
    frames = _reply(outcome).frames
    must(frames[frames.index(_usage(_reply(outcome))[0]) + 1 :] == value, "frames after the usage")


def provider_closed_within(scene: Scene, outcome: Outcome, value: float) -> None:
    seen = scripted(scene.world).stub.chats[-1]
    deadline = time.monotonic() + 10
    while seen.left_at is None and time.monotonic() < deadline:
        time.sleep(0.02)
    must(seen.left_at is not None, "the call of the model goes on")
    took = (seen.left_at or 0) - outcome.numbers["left_at"]
    within(took <= value, f"the call of the model went on for {took:.2f} s")


def partial_text_events(_scene: Scene, outcome: Outcome, value: int) -> None:
    must(outcome.numbers["events"] == value, f"{outcome.numbers['events']:.0f} pieces were read")


def open_tasks_after(scene: Scene, _outcome: Outcome, value: int) -> None:
    """Neither a question nor a call of the model is still at work."""
    deadline = time.monotonic() + 10
    while (found := _at_work(scene)) != value and time.monotonic() < deadline:
        time.sleep(0.02)
    must(found == value, f"{found} still at work")


def _at_work(scene: Scene) -> int:
    metrics = scene.world.send("GET", "/metrics", user=scene.user).text
    gauges = re.findall(r"^doso_evidence_(?:in_flight|waiting) (\S+)", metrics, re.MULTILINE)
    calls = sum(seen.left_at is None for seen in scripted(scene.world).stub.chats)
    return int(sum(map(float, gauges))) + calls


def citations(scene: Scene, outcome: Outcome, value: Any) -> None:
    """Marks of a draft as the case names its items, or the addresses of what was read live."""
    if value and str(value[0]).startswith("http"):
        uris = {source.get("uri") for item in items(outcome) for source in item["sources"]}
        must(set(value) <= uris, f"cited are {sorted(map(str, uris))}")
        return
    cited = list(dict.fromkeys(mark.lower() for mark in _reply(outcome).cited))
    must(cited == value, f"cited are {cited}")


def no_raw_marker(_scene: Scene, outcome: Outcome, _value: bool) -> None:
    must(not re.search(r"\[\[?\d", _reply(outcome).text), f"the prose is {_reply(outcome).text!r}")


def equals_whole(_scene: Scene, outcome: Outcome, _value: bool) -> None:
    must(_reply(outcome).text == outcome.label, f"streamed {_reply(outcome).text!r}, whole {outcome.label!r}")


def untouched(_scene: Scene, outcome: Outcome, value: list[str]) -> None:
    for piece in value:
        must(piece in _reply(outcome).text, f"{piece!r} is gone from {_reply(outcome).text!r}")


def links_to_evil(_scene: Scene, outcome: Outcome, value: int) -> None:
    must(_reply(outcome).text.count("evil.test") == value, f"the prose is {_reply(outcome).text!r}")


def unknown_markers_removed(_scene: Scene, outcome: Outcome, value: list[str]) -> None:
    for number in value:
        must(f"[{number}]" not in _reply(outcome).text, f"[{number}] is still there")


def support_check(_scene: Scene, outcome: Outcome, value: dict[str, bool]) -> None:
    reply = _reply(outcome)
    for name, is_supported in value.items():
        must((name.upper() in reply.cited) is is_supported, f"cited are {reply.cited}")


def flag(_scene: Scene, outcome: Outcome, _value: str) -> None:
    must(_reply(outcome).doso.get("dropped_count"), "nothing tells that a citation does not hold")


def answer_marked(_scene: Scene, outcome: Outcome, _value: str) -> None:
    must(_reply(outcome).doso.get("is_verified") is False, "the answer is not marked as unverified")


def images_inert(_scene: Scene, outcome: Outcome, _value: bool) -> None:
    found = _reply(outcome).text
    must("![" not in found and "<img" not in found, f"an image in {found!r}")


def links_inert(_scene: Scene, outcome: Outcome, _value: bool) -> None:
    must("](http" not in _reply(outcome).text, f"a link in {_reply(outcome).text!r}")


def _usage(reply: Reply) -> list[Any]:
    return [frame for frame in reply.frames if isinstance(frame, dict) and frame.get("usage")]


def _reply(outcome: Outcome) -> Reply:
    if outcome.status != 200 and outcome.body is None:
        raise CaseFailedError(f"no answer: {outcome.status} {outcome.text[:200]}")
    return reply_of(outcome)


def _sent(scene: Scene) -> bytes:

    return b"".join(base64.b64decode(text) for text in scene.case.input["chunks_b64"])


CHECKS: dict[str, Check] = {
    "answer_images_removed_or_inert": images_inert,
    "answer_marked": answer_marked,
    "budget_reserved_after": needs("usage and budgets"),
    "citations": citations,
    "client_gets": ends_with_error,
    "client_stream_ends_with": ends_with_error,
    "code_and_array_text_untouched": untouched,
    "completion_tokens_recorded_between": needs("usage and budgets"),
    "content": content,
    "content_type": content_type,
    "distinct_ids": distinct_ids,
    "error_text_has_no": error_text_has_no,
    "errors": errors,
    "finish_chunks": finish_chunks,
    "finish_reason": finish_reason,
    "first_delta": first_delta,
    "flag": flag,
    "frames_after_usage": frames_after_usage,
    "joined_tokens_equal_non_stream": equals_whole,
    "last_frame": last_frame,
    "links_not_auto_fetched": links_inert,
    "links_to_evil": links_to_evil,
    "name_not_doubled": name_not_doubled,
    "next_turn_context_marks_interruption": needs("conversations"),
    "no_exception": no_exception,
    "open_tasks_after": open_tasks_after,
    "partial_text_events": partial_text_events,
    "partial_text_kept": partial_text_kept,
    "provider_connection_closed_within_s": provider_closed_within,
    "reasoning_not_in_content": reasoning_apart,
    "replacement_chars": replacement_chars,
    "retry_possible": retry_possible,
    "spend_rows": needs("usage and budgets"),
    "stored_message_status": needs("conversations"),
    "support_check": support_check,
    "text_has_no_raw_marker": no_raw_marker,
    "tool_calls": tool_calls,
    "ui_requests_to": needs("pages"),
    "unknown_markers_removed": unknown_markers_removed,
    "usage": usage,
    "usage_frame": usage_frame,
    "usage_frames": usage_frames,
    "usage_recorded": needs("usage and budgets"),
    "user_message_still_stored": needs("conversations"),
}
