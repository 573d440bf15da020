"""Typed identifiers and how they are made."""

from __future__ import annotations

import hashlib
import uuid
from typing import NewType

import uuid_utils

OwnerId = NewType("OwnerId", str)
EntityId = NewType("EntityId", str)
FactId = NewType("FactId", str)
DocumentId = NewType("DocumentId", str)
PassageId = NewType("PassageId", str)
ChangeId = NewType("ChangeId", str)
OperationId = NewType("OperationId", str)

_NAMESPACE = uuid.UUID("6f1f2c1e-5a0b-5c53-9b0a-d05000000001")


def new_id() -> str:
    """A fresh UUIDv7, so that ids sort by the time they were made."""
    return str(uuid_utils.uuid7())


def stable_id(*parts: str) -> str:
    """The same UUID (version 5) for the same parts, so that a repeated write meets its first one."""
    return str(uuid.uuid5(_NAMESPACE, "\x1f".join(parts)))


def digest(text: str) -> str:
    """SHA-256 of the text as 64 hexadecimal digits."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
