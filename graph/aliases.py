"""Configured aliases (DOSO_ENTITY_ALIASES): names that a person declared to stand for other names."""

from __future__ import annotations

from collections.abc import Mapping

from doso.errors import InvalidInput
from graph.names import is_generic, name_key

#: Longest chain of aliases ("A=B; B=C") that is followed.
MAX_CHAIN = 8


def alias_keys(configured: Mapping[str, str]) -> dict[str, str]:
    """Alias → name as a person wrote them, by key; a chain leads to its last name.

    Raises InvalidInput for a blank side, a circle, or a word for a kind of thing ("the bank") as an alias.
    """
    direct: dict[str, str] = {}
    for alias, name in configured.items():
        alias_key, key = name_key(alias), name_key(name)
        if not alias_key or not key:
            raise InvalidInput(f"Alias {alias!r}={name!r} has a blank side.", param="DOSO_ENTITY_ALIASES")
        if is_generic(alias):
            raise InvalidInput(
                f"Alias {alias!r} is no name: any of its kind would be meant.", param="DOSO_ENTITY_ALIASES"
            )
        if alias_key != key:
            direct[alias_key] = key
    return {alias: _follow(alias, direct) for alias in direct}


def _follow(alias: str, direct: Mapping[str, str]) -> str:
    key = direct[alias]
    for _ in range(MAX_CHAIN):
        if key not in direct:
            return key
        key = direct[key]
    raise InvalidInput(f"Alias {alias!r} leads back to itself.", param="DOSO_ENTITY_ALIASES")
