"""What an OpenAI-compatible server's refusal means, and what it says about the request."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from doso.clock import Clock
from doso.errors import (
    PromptTooLong,
    ProviderLimited,
    ProviderRefused,
    ProviderTimeout,
    ProviderUnavailable,
)
from doso.llm.ports import CallFailed
from doso.llm.retry_after import asked_wait_s
from doso.telemetry import log

#: Repeats of a call whose failure may pass by itself.
TRANSIENT_RETRIES = 3
_TRANSIENT = frozenset({408, 409, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
#: Statuses with which servers turn down a request for something in it.
ABOUT_THE_REQUEST = frozenset({400, 404, 405, 415, 422, 501})
_TOO_LONG = re.compile(
    r"context.{0,12}(length|window|size)|maximum context|max(imum)?[ _]model[ _]len|too many (input )?tokens"
    r"|(prompt|input|request)( is|'s)? too (long|large)|exceed\w* .{0,30}(context|token limit)|n_ctx|reduce the length",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(r"insufficient[ _](quota|credit|balance|funds)|billing|payment", re.IGNORECASE)
_OVERLOADED = re.compile(r"overload|rate.?limit|too many requests", re.IGNORECASE)


class Feature(StrEnum):
    """What a request may ask for and a server may not know."""

    STREAM = "stream"
    USAGE = "usage"
    SCHEMA = "schema"
    JSON_OBJECT = "json_object"
    TOOLS = "tools"
    MAX_TOKENS = "max_tokens"
    MAX_COMPLETION_TOKENS = "max_completion_tokens"
    TEMPERATURE = "temperature"
    STOP = "stop"


#: How refusals name what they refuse, the most telling first.
_NAMED = (
    (Feature.USAGE, re.compile(r"stream_options|include_usage")),
    (Feature.SCHEMA, re.compile(r"json.?schema|response_format|structured.?output|grammar|guided")),
    (Feature.JSON_OBJECT, re.compile(r"json_object|json mode|response_format")),
    (Feature.TOOLS, re.compile(r"\btools?\b|tool_choice|tool use|tool call|function.?call")),
    (Feature.MAX_TOKENS, re.compile(r"max_tokens")),
    (Feature.MAX_COMPLETION_TOKENS, re.compile(r"max_completion_tokens")),
    (Feature.TEMPERATURE, re.compile(r"temperature")),
    (Feature.STREAM, re.compile(r"\bstream(ing)?\b")),
    (Feature.STOP, re.compile(r"\bstop\b")),
)
#: Refused for no stated reason, these go first: nothing of the answer depends on them.
_DISPENSABLE = (Feature.USAGE, Feature.SCHEMA, Feature.JSON_OBJECT)


@dataclass(frozen=True, slots=True)
class Complaint:
    """What a server's error object says. It is read for its kind only and never told on."""

    message: str = ""
    code: str = ""
    param: str = ""

    @property
    def all(self) -> str:
        return f"{self.param} {self.code} {self.message}".lower()


def complaint_of(body: bytes | str) -> Complaint:
    """The error object in a body, in any of its usual shapes; the body itself where there is none."""
    text = body.decode(errors="replace") if isinstance(body, bytes) else body
    try:
        found = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return Complaint(text[:2_000])
    return complaint_in(found)


def complaint_in(found: object) -> Complaint:
    """The complaint of a parsed error object."""
    if isinstance(found, list) and found:
        found = found[0]  # some gateways send a list of one
    if isinstance(found, dict):
        found = found.get("error", found)
    if not isinstance(found, dict):
        return Complaint(str(found)[:2_000])
    said = found.get("message", found.get("detail", ""))
    kind = found.get("code") or found.get("type") or found.get("status") or ""
    return Complaint(str(said)[:2_000], str(kind)[:200], str(found.get("param") or "")[:200])


def is_too_long(complaint: Complaint) -> bool:
    """Whether the prompt does not fit."""
    return "context_length" in complaint.code or bool(_TOO_LONG.search(complaint.message))


def refused_feature(
    status: int, complaint: Complaint, used: frozenset[Feature], unproven: frozenset[Feature]
) -> Feature | None:
    """What of the request the server does not know, so that it can be asked again without; None for anything else.

    Where the complaint names nothing, it is taken to be about what the server has not been seen to take before.
    """
    if status not in ABOUT_THE_REQUEST or is_too_long(complaint):
        return None
    if status != 404:
        for text in (complaint.param.lower(), complaint.all):
            for feature, names in _NAMED:
                if feature in used and text and names.search(text):
                    return feature
    if status in (404, 405):
        return None
    return next((feature for feature in _DISPENSABLE if feature in unproven), None)


def refusal(status: int, headers: Mapping[str, str], complaint: Complaint, name: str, clock: Clock) -> CallFailed:
    """A status other than 200 as a failed call of the model of this name. A refused key and a lack of credit are
    alarms: only the person who runs the server can mend them."""
    wait_s = asked_wait_s(headers, clock)
    if status == 402 or (status in (403, 429) and _NO_CREDIT.search(complaint.all)):
        failed = _no_credit(name)
    elif status in (401, 403):
        failed = _key_refused(name)
    elif status == 429:
        failed = limited(name, wait_s)
    elif status == 413 or (status < 500 and is_too_long(complaint)):
        failed = _too_long(name)
    elif status in (408, 504):
        failed = CallFailed(ProviderTimeout(f"The model {name!r} took too long."), 1, wait_s)
    elif status in _TRANSIENT:
        message = f"The server of the model {name!r} answered with status {status}."
        failed = CallFailed(ProviderUnavailable(message, retry_after_s=_up(wait_s)), TRANSIENT_RETRIES, wait_s)
    elif status == 404:
        message = f"The server of {name!r} does not know the address or the model; check base_url and model."
        failed = CallFailed(ProviderRefused(message))
    else:
        message = f"The server of the model {name!r} turned the request down (status {status})."
        failed = CallFailed(ProviderRefused(message))
    return failed


def _no_credit(name: str) -> CallFailed:
    log().error("provider.no_credit", model=name)
    return CallFailed(ProviderUnavailable(f"The model {name!r} has no credit left at its provider."))


def _key_refused(name: str) -> CallFailed:
    log().error("provider.key_refused", model=name)
    return CallFailed(ProviderRefused(f"The server of the model {name!r} refused the key; check its api_key."))


def _too_long(name: str) -> CallFailed:
    return CallFailed(PromptTooLong(f"The prompt is longer than the model {name!r} takes."))


def limited(name: str, wait_s: float | None) -> CallFailed:
    """A model that is asked too often."""
    error = ProviderLimited(f"The model {name!r} is being asked too often.", retry_after_s=_up(wait_s))
    return CallFailed(error, TRANSIENT_RETRIES, wait_s)


def error_in_stream(complaint: Complaint, name: str) -> CallFailed:
    """An error object that came with status 200."""
    if is_too_long(complaint):
        return _too_long(name)
    if _NO_CREDIT.search(complaint.all):
        return _no_credit(name)
    if complaint.code == "429" or _OVERLOADED.search(complaint.all):
        return limited(name, None)
    if complaint.code in ("401", "403", "invalid_api_key"):
        return _key_refused(name)
    return CallFailed(ProviderUnavailable(f"The server of the model {name!r} reported a failure."), TRANSIENT_RETRIES)


def _up(wait_s: float | None) -> int | None:
    return None if wait_s is None else max(1, math.ceil(wait_s))
