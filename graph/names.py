"""Names as the graph sees them: their normal form, the keys under which variants meet, the keys to look near with."""

from __future__ import annotations

from doso.records import EntityType
from graph.keys import display_name, name_key, stored_key
from graph.name_forms import read_name


def variants(name: str, type: EntityType) -> frozenset[str]:
    """Keys of spellings that certainly mean the same bearer: without honorific or legal form, "Last, First" turned."""
    return read_name(name, type).certain


def blocks(name: str, type: EntityType) -> frozenset[str]:
    """Keys that near names share; whether they are one is for graph.binding to say. Holds every variant as well."""
    return read_name(name, type).blocks


__all__ = ["blocks", "display_name", "name_key", "stored_key", "variants"]
