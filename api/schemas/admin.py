"""Settings, keys and health as the wire shows them."""

from datetime import datetime

import msgspec

from doso.accounts import ApiKey
from doso.records import IndexStatus


class SettingsOut(msgspec.Struct, frozen=True):
    """The runtime values in force."""

    include_candidates: bool
    timezone: str
    max_tokens: int
    limit: int


class SettingsIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The values to change; null goes back to what the environment gave."""

    include_candidates: bool | msgspec.UnsetType | None = msgspec.UNSET
    timezone: str | msgspec.UnsetType | None = msgspec.UNSET
    max_tokens: int | msgspec.UnsetType | None = msgspec.UNSET
    limit: int | msgspec.UnsetType | None = msgspec.UNSET


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
