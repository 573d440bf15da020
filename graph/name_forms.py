"""A name read by the rules of its type: its tokens without trimmings, its certain variants, its blocking keys."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from doso.records import EntityType
from graph.keys import name_key


@dataclass(frozen=True, slots=True)
class NameForm:
    """One reading of a name."""

    key: str
    tokens: tuple[str, ...]
    certain: frozenset[str]
    blocks: frozenset[str]


@functools.lru_cache(maxsize=16384)
def read_name(name: str, type: EntityType) -> NameForm:
    """Read a name; the same (name, type) gives the same form."""
    key = name_key(name)
    return NameForm(key, tuple(key.split()), frozenset({key}), frozenset({f"{type.value}:{key}"}))
