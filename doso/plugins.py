"""Loading of plug-ins: a registry maps a name to "package.module:build"."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from doso.errors import InvalidInput


def load(registry: Mapping[str, str], kind: str, name: str) -> Callable[..., Any]:
    """The `build` function registered under the name.

    Raises InvalidInput naming what is registered when the name is not.
    """
    if name not in registry:
        raise InvalidInput(f"Unknown {kind} {name!r}; known: {', '.join(sorted(registry))}.", param=kind)
    module, _, function = registry[name].partition(":")
    build: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return build
