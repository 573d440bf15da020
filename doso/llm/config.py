"""Which generation models are configured, for which tasks, and what was declared about them."""

from __future__ import annotations

import functools
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from urllib.parse import urlsplit

import msgspec

from doso.errors import InvalidInput
from doso.llm.chat import Profile
from doso.llm.prices import Price
from doso.llm.registry import PROVIDERS

MAX_MODELS = 20
CONNECT_S = 4.0
FIRST_TOKEN_S = 45.0
IDLE_S = 30.0
TOTAL_S = 300.0
MAX_LIMIT_S = 3_600.0
MAX_CONTEXT_TOKENS = 100_000_000


class DataPolicy(StrEnum):
    """How far what a model is told may travel: it stays on this machine or network, or it leaves."""

    LOCAL = "local"
    REMOTE = "remote"


class Structured(StrEnum):
    """The strictest form of reply that a server can be held to."""

    NONE = "none"
    JSON_OBJECT = "json_object"
    JSON_SCHEMA = "json_schema"


@dataclass(frozen=True, slots=True)
class Capability:
    """What was declared about a model; None is found out from its answers, never assumed.

    `streaming` False: replies are asked for whole and given out as a stream of one piece.
    """

    streaming: bool | None = None
    structured: Structured | None = None
    tools: bool | None = None
    usage: bool | None = None
    context_tokens: int | None = None
    max_output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """How long a model may take: to connect, to its first token, between two tokens, altogether."""

    connect_s: float = CONNECT_S
    first_token_s: float = FIRST_TOKEN_S
    idle_s: float = IDLE_S
    total_s: float = TOTAL_S


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """One configured model. `profiles` are the tasks it serves, all when empty; `extra` is JSON for each request."""

    name: str
    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    provider: str = "openai"
    profiles: tuple[Profile, ...] = ()
    ability: Capability = Capability()
    data_policy: DataPolicy = DataPolicy.REMOTE
    price: Price | None = None
    limits: TimeLimits = TimeLimits()
    extra: str = "{}"

    def serves(self, profile: Profile) -> bool:
        """Whether this task may be given to it."""
        return not self.profiles or profile in self.profiles


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    """A model as it is written in JSON."""

    base_url: str
    model: str
    name: str | None = None
    api_key: str | None = None
    provider: str = "openai"
    profiles: list[Profile] = []
    ability: Capability = Capability()
    data_policy: DataPolicy | None = None
    price: Price | None = None
    limits: TimeLimits = TimeLimits()
    extra: dict[str, object] = {}


@functools.lru_cache(maxsize=32)
def parse_models(text: str, *, param: str = "models") -> tuple[ModelConfig, ...]:
    """The models of a JSON list, in order of preference. Raises InvalidInput naming the entry and the field."""
    try:
        entries = msgspec.json.decode(text, type=list[_Entry])
    except msgspec.ValidationError as error:
        raise InvalidInput(f"{param}: {error}.", param=param) from None  # names places and types, never values
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise InvalidInput(f"{param} is not a JSON list of models.", param=param) from None
    if len(entries) > MAX_MODELS:
        raise InvalidInput(f"{param}: at most {MAX_MODELS} models.", param=param)
    models = tuple(_model(entry, f"{param}[{place}]", param) for place, entry in enumerate(entries))
    if len({model.name for model in models}) != len(models):
        raise InvalidInput(f"{param}: each model has a name of its own.", param=param)
    return models


def candidates(models: Sequence[ModelConfig], profile: Profile) -> tuple[ModelConfig, ...]:
    """The models that may serve a task, in order. A fallback never takes data further than the first one does."""
    serving = [model for model in models if model.serves(profile)]
    if serving and serving[0].data_policy is DataPolicy.LOCAL:
        serving = [model for model in serving if model.data_policy is DataPolicy.LOCAL]
    return tuple(serving)


def _model(entry: _Entry, place: str, param: str) -> ModelConfig:
    if not entry.model.strip():
        raise InvalidInput(f"{place}.model is empty.", param=param)
    key = (entry.api_key or "").strip()
    if any(not "!" <= char <= "~" for char in key):
        raise InvalidInput(f"{place}.api_key has characters that no key has.", param=param)
    if entry.provider not in PROVIDERS:
        raise InvalidInput(f"{place}.provider is unknown; known: {', '.join(sorted(PROVIDERS))}.", param=param)
    _check_limits(entry, place, param)
    host = _host(entry.base_url, place, param)
    return ModelConfig(
        name=entry.name or entry.model,
        base_url=entry.base_url.rstrip("/"),
        model=entry.model,
        api_key=key or None,
        provider=entry.provider,
        profiles=tuple(entry.profiles),
        ability=entry.ability,
        data_policy=entry.data_policy or (DataPolicy.LOCAL if _is_near(host) else DataPolicy.REMOTE),
        price=entry.price,
        limits=entry.limits,
        extra=msgspec.json.encode(entry.extra).decode(),
    )


def _host(base_url: str, place: str, param: str) -> str:
    try:
        parts = urlsplit(base_url)
        host = parts.hostname if parts.scheme in ("http", "https") and (parts.port or 1) > 0 else None
    except ValueError:
        host = None
    if not host or parts.username or parts.query or parts.fragment or any(not "!" <= c <= "~" for c in base_url):
        raise InvalidInput(f"{place}.base_url is an address that begins with http:// or https://.", param=param)
    return host


def _is_near(host: str) -> bool:
    """Whether the address is on this machine or in its own network."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".internal")) or "." not in host
    return address.is_private or address.is_loopback


def _check_limits(entry: _Entry, place: str, param: str) -> None:
    limits = entry.limits
    for name in ("connect_s", "first_token_s", "idle_s", "total_s"):
        if not 0 < getattr(limits, name) <= MAX_LIMIT_S:
            raise InvalidInput(f"{place}.limits.{name} is over 0 and at most {MAX_LIMIT_S:.0f}.", param=param)
    for name in ("context_tokens", "max_output_tokens"):
        tokens = getattr(entry.ability, name)
        if tokens is not None and not 0 < tokens <= MAX_CONTEXT_TOKENS:
            raise InvalidInput(f"{place}.ability.{name} is a number of tokens.", param=param)
    price = entry.price
    if price is not None and min(price.input, price.output, price.cached_input or 0) < 0:
        raise InvalidInput(f"{place}.price is not below 0.", param=param)
