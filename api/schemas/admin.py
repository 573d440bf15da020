"""Settings, keys and health as the wire shows them."""

from datetime import datetime

import msgspec

from doso.accounts import MANAGE, ApiKey, Caller
from doso.masking import masked
from doso.records import IndexStatus
from doso.runtime import Runtime
from doso.runtime_values import shown_models


class SettingsOut(msgspec.Struct, frozen=True):
    """The runtime values in force. Of keys the last characters at most; addresses, keys and models are null to a
    caller without ai.manage."""

    include_candidates: bool
    timezone: str
    max_tokens: int
    limit: int
    skeptics: bool
    ask_deadline_s: float
    tools_firecrawl: bool
    tools_x_search: bool
    embed_provider: str
    firecrawl_api_key: str | None = None
    firecrawl_base_url: str | None = None
    xai_api_key: str | None = None
    xai_base_url: str | None = None
    xai_model: str | None = None
    models: list[dict[str, object]] | None = None


class SettingsIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The values to change; null goes back to what the environment gave, a masked key leaves the key as it is."""

    include_candidates: bool | msgspec.UnsetType | None = msgspec.UNSET
    timezone: str | msgspec.UnsetType | None = msgspec.UNSET
    max_tokens: int | msgspec.UnsetType | None = msgspec.UNSET
    limit: int | msgspec.UnsetType | None = msgspec.UNSET
    skeptics: bool | msgspec.UnsetType | None = msgspec.UNSET
    ask_deadline_s: float | msgspec.UnsetType | None = msgspec.UNSET
    tools_firecrawl: bool | msgspec.UnsetType | None = msgspec.UNSET
    tools_x_search: bool | msgspec.UnsetType | None = msgspec.UNSET
    embed_provider: str | msgspec.UnsetType | None = msgspec.UNSET
    firecrawl_api_key: str | msgspec.UnsetType | None = msgspec.UNSET
    firecrawl_base_url: str | msgspec.UnsetType | None = msgspec.UNSET
    xai_api_key: str | msgspec.UnsetType | None = msgspec.UNSET
    xai_base_url: str | msgspec.UnsetType | None = msgspec.UNSET
    xai_model: str | msgspec.UnsetType | None = msgspec.UNSET
    models: list[dict[str, object]] | msgspec.UnsetType | None = msgspec.UNSET


class KeyIn(msgspec.Struct, frozen=True):
    """A key to make."""

    user: str
    label: str = ""
    permissions: list[str] = []


class KeyOut(msgspec.Struct, frozen=True):
    """A key as listed; `key` is the secret text, shown once when it is made."""

    id: str
    user: str
    label: str
    permissions: list[str]
    created_at: datetime
    revoked_at: datetime | None
    key: str | None = None


class KeysOut(msgspec.Struct, frozen=True):
    """All keys."""

    data: list[KeyOut]
    next_cursor: str | None = None


class LiveOut(msgspec.Struct, frozen=True):
    """The process answers."""

    status: str


class IndexOut(msgspec.Struct, frozen=True):
    """How far the vector index is."""

    passages: int
    embedded: int
    pending: int
    failed: int
    ready: bool
    model: str
    dimensions: int
    warnings: list[str]


class ReadyOut(msgspec.Struct, frozen=True):
    """Whether the stores answer, and what a person should know."""

    status: str
    database: str
    graph: str
    embedder: str
    dimensions: int
    warnings: list[str]


class OwnerOut(msgspec.Struct, frozen=True):
    """Whether the memory knows whose it is."""

    exists: bool
    named: bool
    canonical_name: str | None


def to_settings(runtime: Runtime, caller: Caller) -> SettingsOut:
    """The values as this caller may see them."""
    shown = SettingsOut(
        include_candidates=runtime.include_candidates,
        timezone=runtime.timezone,
        max_tokens=runtime.max_tokens,
        limit=runtime.limit,
        skeptics=runtime.skeptics,
        ask_deadline_s=runtime.ask_deadline_s,
        tools_firecrawl=runtime.tools_firecrawl,
        tools_x_search=runtime.tools_x_search,
        embed_provider=runtime.embed_provider,
    )
    if MANAGE not in caller.permissions:
        return shown
    return msgspec.structs.replace(
        shown,
        firecrawl_api_key=masked(runtime.firecrawl_api_key),
        firecrawl_base_url=runtime.firecrawl_base_url,
        xai_api_key=masked(runtime.xai_api_key),
        xai_base_url=runtime.xai_base_url,
        xai_model=runtime.xai_model,
        models=shown_models(runtime.models),
    )


def to_key(key: ApiKey, secret: str | None = None) -> KeyOut:
    """A key, with its secret when it was made just now."""
    return KeyOut(key.id, key.user, key.label, list(key.permissions), key.created_at, key.revoked_at, secret)


def to_index(status: IndexStatus) -> IndexOut:
    """The index status."""
    return IndexOut(
        status.passages,
        status.embedded,
        status.pending,
        status.failed,
        status.ready,
        status.model,
        status.dimensions,
        list(status.warnings),
    )
