"""Values of a case that are written as expressions or with places to fill in."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

#: Names an expression of a case may use; they build values and nothing else.
_EXPRESSION_NAMES = {"range": range, "str": str, "len": len}


def evaluate(expression: str, **names: Any) -> Any:
    """The value of a `…_py` expression."""
    return eval(expression, {"__builtins__": {}, **_EXPRESSION_NAMES, **names})


def fill(template: Any, **names: Any) -> Any:
    """The value with its `{{name}}`, `{{name|urlencode}}` and `{{name|json}}` filled in."""
    if isinstance(template, dict):
        return {key: fill(item, **names) for key, item in template.items()}
    if isinstance(template, list):
        return [fill(item, **names) for item in template]
    if not isinstance(template, str):
        return template
    whole = re.fullmatch(r"\{\{(\w+)(?:\|json)?\}\}", template)
    if whole and whole[1] in names:
        return names[whole[1]]

    def one(match: re.Match[str]) -> str:
        name, _, form = match[1].partition("|")
        if name not in names:
            return match[0]
        text = names[name]
        return quote(str(text), safe="") if form == "urlencode" else json.dumps(text) if form == "json" else str(text)

    return re.sub(r"\{\{([\w.|]+)\}\}", one, template)
