"""The values that a running server works with: where the first ones come from, which ones are accepted."""

from __future__ import annotations

import math
import re
import zoneinfo
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import msgspec

from doso.errors import InvalidInput
from doso.llm.config import parse_models
from doso.llm.registry import EMBEDDERS
from doso.masking import MARK, is_kept, masked
from doso.settings import AskSettings, ModelSettings, Settings

MIN_PACK_TOKENS = 100
MAX_PACK_TOKENS = 32_000
MAX_LIMIT = 100
MAX_DEADLINE_S = 600.0
MAX_ADDRESS_CHARS = 500
NO_MODELS = "[]"

#: Each secret and the address that it is sent to.
ADDRESS_OF = {"firecrawl_api_key": "firecrawl_base_url", "xai_api_key": "xai_base_url"}
_MODEL_NAME = re.compile(r"[A-Za-z0-9._:/-]{1,100}")
_SWITCHES = frozenset({"include_candidates", "skeptics", "tools_firecrawl", "tools_x_search"})
_ASK = AskSettings()


@dataclass(frozen=True, slots=True)
class Runtime:
    """The values a request works with. The environment gives the first ones, a stored row stands above it.

    `models` is the JSON list of doso.llm.config, in order of preference; empty where answers are extractive.
    """

    include_candidates: bool = False
    timezone: str = "UTC"
    max_tokens: int = 2_000
    limit: int = 20
    skeptics: bool = _ASK.has_skeptics
    ask_deadline_s: float = _ASK.deadline_s
    tools_firecrawl: bool = False
    firecrawl_api_key: str | None = field(default=None, repr=False)
    firecrawl_base_url: str = _ASK.firecrawl_base_url
    tools_x_search: bool = False
    xai_api_key: str | None = field(default=None, repr=False)
    xai_base_url: str = _ASK.xai_base_url
    xai_model: str = _ASK.xai_model
    models: str = field(default=NO_MODELS, repr=False)
    embed_provider: str = "auto"


class _Entry(msgspec.Struct, frozen=True):
    """Of a configured model what its key has to do with; doso.llm.config reads all of it."""

    model: str
    base_url: str
    name: str | None = None
    api_key: str | None = None


#: What `accepted` returns for the masked form of the secret in force: leave the row as it is.
KEPT = object()
_REFUSED = object()


def seed_of(settings: Settings) -> Runtime:
    """The values that the environment gives. Raises InvalidInput naming the variable at fault."""
    ask = settings.ask
    return Runtime(
        include_candidates=ask.include_candidates,
        timezone=settings.timezone,
        skeptics=ask.has_skeptics,
        ask_deadline_s=ask.deadline_s,
        tools_firecrawl=ask.uses_firecrawl,
        firecrawl_api_key=ask.firecrawl_api_key,
        firecrawl_base_url=ask.firecrawl_base_url,
        tools_x_search=ask.uses_x_search,
        xai_api_key=ask.xai_api_key,
        xai_base_url=ask.xai_base_url,
        xai_model=ask.xai_model,
        models=_seeded_models(settings.llm),
        embed_provider=settings.embed.provider,
    )


def accepted(name: str, value: object, before: Runtime) -> object:
    """What is to be stored for a value that somebody sent, or KEPT. Raises InvalidInput naming the field."""
    stored: object = _REFUSED
    match name, value:
        case _, bool():
            stored = value if name in _SWITCHES else _REFUSED
        case "timezone", str():
            stored = check_zone(value).key
        case "max_tokens", int() if MIN_PACK_TOKENS <= value <= MAX_PACK_TOKENS:
            stored = value
        case "limit", int() if 1 <= value <= MAX_LIMIT:
            stored = value
        case "ask_deadline_s", int() | float() if _is_deadline(value):
            stored = float(value)
        case (("firecrawl_api_key" | "xai_api_key"), str()):
            stored = KEPT if is_kept(value, getattr(before, name), param=name) else value
        case (("firecrawl_base_url" | "xai_base_url"), str()):
            stored = check_address(value, param=name)
        case "xai_model", str() if _MODEL_NAME.fullmatch(value):
            stored = value
        case "models", list():
            stored = _accepted_models(value, before)
        case "embed_provider", str() if value == "auto" or value in EMBEDDERS:
            stored = value
    if stored is _REFUSED:
        raise InvalidInput(f"The setting {name!r} does not take this value.", param=name)
    return stored


def check_keys_stay_home(given: Mapping[str, object], seed: Runtime, before: Runtime, after: Runtime) -> None:
    """Raises InvalidInput where a key that was stated for one address would be sent to another: whoever names a new
    address states the key for it."""
    for secret, address in ADDRESS_OF.items():
        value = given.get(secret, KEPT)
        home = getattr(before if value is KEPT else seed if value is None else after, address)
        if getattr(after, secret) is not None and origin(getattr(after, address)) != origin(home):
            raise InvalidInput(f"Another {address} needs its own {secret}; state both.", param=secret)


def check_zone(name: str) -> zoneinfo.ZoneInfo:
    """The zone of this IANA name. Raises InvalidInput."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise InvalidInput(f"{name[:60]!r} is not an IANA time zone.", param="timezone") from error


def check_address(address: str, *, param: str) -> str:
    """The address of a service. Raises InvalidInput for anything but plain http(s) without credentials."""
    try:
        parts = urlsplit(address)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_good = False
    is_plain = len(address) <= MAX_ADDRESS_CHARS and all("!" <= char <= "~" for char in address)
    if not is_good or not is_plain or parts.username or parts.password or parts.query or parts.fragment:
        raise InvalidInput(f"{param} is an address that begins with http:// or https://.", param=param)
    return address


def origin(address: str | None) -> tuple[str, str | None, int | None]:
    """Who is spoken to at an address."""
    parts = urlsplit(address or "")
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def shown_models(models: str) -> list[dict[str, object]]:
    """The list with its keys masked."""
    shown: list[dict[str, object]] = msgspec.json.decode(models)
    for entry in shown:
        if isinstance(key := entry.get("api_key"), str):
            entry["api_key"] = masked(key)
    return shown


def _seeded_models(llm: ModelSettings) -> str:
    if llm.models is not None:
        parse_models(llm.models, param="LLM_MODELS")
        return llm.models
    if llm.base_url is None and llm.model is None:
        return NO_MODELS
    if llm.base_url is None or llm.model is None:
        missing = "LLM_BASE_URL" if llm.base_url is None else "LLM_MODEL"
        raise InvalidInput(f"A model needs LLM_BASE_URL and LLM_MODEL; {missing} is missing.", param=missing)
    check_address(llm.base_url, param="LLM_BASE_URL")
    entry = {"base_url": llm.base_url, "model": llm.model, "api_key": llm.api_key}
    return msgspec.json.encode([{name: value for name, value in entry.items() if value is not None}]).decode()


def _accepted_models(given: list[object], before: Runtime) -> str:
    """The list as it is stored: a masked key is that of the model of the same name, which must be where it was."""
    known = {entry.name or entry.model: entry for entry in msgspec.json.decode(before.models, type=list[_Entry])}
    whole: list[object] = []
    for stated in given:
        if isinstance(stated, dict) and str(stated.get("api_key") or "").startswith(MARK):
            old = known.get(str(stated.get("name") or stated.get("model")))
            is_kept(stated["api_key"], None if old is None else old.api_key, param="models.api_key")
            if old is None or origin(old.base_url) != origin(str(stated.get("base_url"))):
                raise InvalidInput("Another base_url needs its own api_key; state both.", param="models.api_key")
            whole.append({**stated, "api_key": old.api_key})
        else:
            whole.append(stated)
    models = msgspec.json.encode(whole).decode()
    parse_models(models)
    return models


def _is_deadline(value: float) -> bool:
    return math.isfinite(value) and 1 <= value <= MAX_DEADLINE_S
